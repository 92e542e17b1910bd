"""Repositories and sessions, in which time is what a test says."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from groundtrace.config import Settings
from groundtrace.discover import discover
from groundtrace.model import Trial
from groundtrace.storage import place_at
from groundtrace.truth import load_ground_truth
from groundtrace.truth.definitions import load_tasks

DAY = datetime(2026, 5, 4, tzinfo=UTC).timestamp()


def clock(text: str) -> float:
    """`10:30` on the day of the tests, or `2 10:30` two days later."""
    days, _, time = text.rpartition(" ")
    hours, minutes = time.split(":")
    return DAY + int(days or 0) * 86_400 + int(hours) * 3600 + int(minutes) * 60


class Repository:
    """A repository in which time is what a test says."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Wader")
        self.git("config", "user.email", "wader@example.org")

    def tree(self, path: Path, *words: str) -> Repository:
        """Another work tree of it."""
        self.git("worktree", "add", "-q", *words, str(path))
        tree = Repository.__new__(Repository)
        tree.path = path
        return tree

    def git(
        self, *words: str, at: str = "00:00", author: str | None = None, zone: str = "+0000"
    ) -> str:
        env = {
            **os.environ,
            "GIT_COMMITTER_DATE": f"{int(clock(at))} {zone}",
            "GIT_AUTHOR_DATE": f"{int(clock(author or at))} {zone}",
            "GIT_CONFIG_GLOBAL": os.devnull,
        }
        done = subprocess.run(
            ["git", "-C", str(self.path), *words], env=env, check=True, capture_output=True
        )
        return done.stdout.decode().strip()

    def commit(self, at: str, *files: str, amends: str | None = None, zone: str = "+0000") -> str:
        """Commit a line more of each file; or amend the commit that was authored at that time."""
        for name in files:
            target = self.path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            before = target.read_text() if target.exists() else ""
            target.write_text(before + f"line of {at}\n")
        self.git("add", "-A")
        amend = () if amends is None else ("--amend",)
        self.git("commit", "-q", *amend, "-m", "work", at=at, author=amends, zone=zone)
        return self.git("rev-parse", "HEAD")


class Sessions:
    """A folder of sessions as Claude Code keeps them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()

    def add(
        self,
        name: str,
        cwd: Path | str | None,
        *steps: tuple[str, str] | tuple[str, str, str],
        branch: str = "main",
    ) -> None:
        """A session; a step is a time and a file that is written, or a time, a command, its output."""
        lines: list[dict[str, Any]] = []
        start = steps[0][0]
        about = {"sessionId": name, "version": "2.1.220", "gitBranch": branch}
        if cwd is not None:
            about["cwd"] = str(cwd)

        def line(kind: str, at: str, content: object, second: int = 0) -> None:
            moment = datetime.fromtimestamp(clock(at) + second, UTC)
            stamp = moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")
            message = {"role": kind, "content": content}
            if kind == "assistant":
                message |= {"id": f"m{len(lines)}", "model": "wader-1"}
            lines.append({"type": kind, **about, "timestamp": stamp, "message": message})

        line("user", start, f"Please do {name}")
        for number, step in enumerate(steps):
            if len(step) == 2:
                tool, answer = "Write", "ok"
                asked = {"file_path": f"{cwd}/{step[1]}", "content": "x"}
            else:
                tool, asked, answer = "Bash", {"command": step[1]}, step[2]
            use = {"type": "tool_use", "id": f"t{number}", "name": tool, "input": asked}
            line("assistant", step[0], [use])
            result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": answer}
            line("user", step[0], [result], 1)
        text = "".join(json.dumps(one) + "\n" for one in lines)
        (self.path / f"{name}.jsonl").write_text(text)

    def found(
        self, *repositories: Repository, within: float = 6.0, **more: Any
    ) -> dict[str, Trial]:
        tasks = load_tasks([f"git:{one.path}" for one in repositories])
        settings = Settings(within=within, **more)
        found = discover(place_at(str(self.path)), settings=settings, tasks=tasks)
        return {item.trial_name: item for item in found if isinstance(item, Trial)}


def files_of(trial: Trial) -> list[str]:
    assert trial.task is not None, trial.evidence["task_name"]
    return sorted(entry.path for entry in load_ground_truth(trial.task).truth.files)


def why(trial: Trial) -> str:
    assert trial.task is None
    return trial.evidence["task_name"]
