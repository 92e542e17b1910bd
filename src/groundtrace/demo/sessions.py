"""The third sample: a repository, and the sessions of one person in it, with and without a search
server.

Everything is invented and computed. The sessions are logs as Claude Code keeps them; git makes the
commits that came out of them. The same bytes every time, but for the folder's own name.
"""

from __future__ import annotations

import json
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from groundtrace.demo.world import write
from groundtrace.errors import InputError

START = datetime(2026, 5, 4, 9, 0, tzinfo=UTC).timestamp()
SERVER = "mcp__sourcegraph__keyword_search"
MODEL = "tern-small-1"
NESTS = ("reed", "bank", "island", "pier", "marsh", "weir", "sluice", "delta")


class Work(NamedTuple):
    """One session: what was asked, what was looked for and found, and what was changed."""

    asked: str
    searched: str
    shown: tuple[str, ...]
    """Files that were read."""
    edited: tuple[str, ...]
    with_server: bool
    committed: bool = True


def _works() -> list[Work]:
    """Sixteen sessions: every second one used the server, and one led to no commit."""
    works = []
    for number, nest in enumerate(NESTS):
        other = NESTS[(number + 3) % len(NESTS)]
        works.append(
            Work(
                f"Count the eggs of the {nest} nest before it floods",
                f"eggs_of_{nest}",
                (f"heron/{nest}.py", f"heron/{other}.py") if number % 3 else (f"heron/{nest}.py",),
                (f"heron/{nest}.py", "heron/log.py") if number % 4 == 1 else (f"heron/{nest}.py",),
                with_server=False,
                committed=number != 4,
            )
        )
        works.append(
            Work(
                f"Warn when the {other} nest is empty, in its module and in the log",
                f"is_empty_{other}",
                (f"heron/{other}.py", "heron/log.py")
                if number % 4 != 1
                else (f"heron/{other}.py",),
                (f"heron/{other}.py", "heron/log.py") if number % 2 else (f"heron/{other}.py",),
                with_server=True,
            )
        )
    return works


def write_sessions(folder: Path) -> None:
    """Write the repository `heron` and `sessions/` below `folder`."""
    repo = (folder / "heron").absolute()
    for name in (*NESTS, "log"):
        lines = "\n".join(f"# line {n} of {name}" for n in range(1, 30))
        write(repo / "heron" / f"{name}.py", f"{lines}\n\n\ndef eggs_of_{name}():\n    return 3\n")
    _git(repo, START - 86_400, "init", "-q", "-b", "main")
    _commit(repo, START - 86_400, "First nests")
    for number, work in enumerate(_works()):
        began = START + number * 5 * 3600
        log = _Log(repo, began, work, number)
        for name in work.edited:
            path = repo / name
            if work.committed:
                write(path, f"{path.read_text(encoding='utf-8')}\n# {work.asked}\n")
        if work.committed:
            _commit(repo, log.now + 300, work.asked)
        text = "".join(json.dumps(line) + "\n" for line in log.lines)
        write(folder / "sessions" / f"{4096 + number * 7:04x}.jsonl", text)


class _Log:
    """The lines of one session."""

    def __init__(self, repo: Path, began: float, work: Work, number: int) -> None:
        self.lines: list[dict[str, Any]] = []
        self.now = began
        self._repo, self._number = repo, number
        self._line("user", work.asked)
        tool = SERVER if work.with_server else "Grep"
        asked = {"query": work.searched} if work.with_server else {"pattern": work.searched}
        hits = work.edited if work.with_server else work.edited[:1]
        if work.with_server:
            found = "\n\n".join(f"# wader/heron – {name}\n31: {work.searched}" for name in hits)
        else:
            found = "\n".join((*hits, *(f"heron/{n}.py" for n in NESTS[:3])))
        self._call(tool, asked, found, 12.0 if work.with_server else 2.0)
        for name in work.shown:
            text = (repo / name).read_text(encoding="utf-8").splitlines()
            body = "\n".join(f"{n:6}\t{line}" for n, line in enumerate(text, start=1))
            self._call("Read", {"file_path": str(repo / name)}, body, 1.0)
        for name in work.edited:
            change = {"file_path": str(repo / name), "old_string": "3", "new_string": "4"}
            self._call("Edit", change, f"The file {repo / name} has been updated.", 1.0)

    def _line(self, kind: str, content: object, **more: object) -> None:
        stamp = datetime.fromtimestamp(self.now, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        message = {"role": kind, "content": content, **more}
        about = {"sessionId": f"s{self._number}", "version": "2.1.220", "gitBranch": "main"}
        line = {"type": kind, **about, "cwd": str(self._repo), "timestamp": stamp}
        self.lines.append({**line, "message": message})

    def _call(self, name: str, asked: dict[str, Any], answer: str, seconds: float) -> None:
        key = f"t{self._number}-{len(self.lines)}"
        # With one pace for all, the charts of “How soon” were one vertical step.
        self.now += 6.0 + (self._number * 7 + len(self.lines) * 5) % 29
        prompt = 900 + 160 * (self._number * 5 % 11) + 150 * len(self.lines)
        tokens = {"input_tokens": prompt, "output_tokens": 60}
        use = {"type": "tool_use", "id": key, "name": name, "input": asked}
        self._line("assistant", [use], id=f"m{key}", model=MODEL, usage=tokens)
        self.now += seconds
        self._line("user", [{"type": "tool_result", "tool_use_id": key, "content": answer}])


def _commit(repo: Path, at: float, message: str) -> None:
    _git(repo, at, "add", "-A")
    _git(repo, at, "commit", "-q", "-m", message)


def _git(repo: Path, at: float, *words: str) -> None:
    moment = f"{int(at)} +0000"
    who = {"NAME": "Wader", "EMAIL": "wader@example.org", "DATE": moment}
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env |= {f"GIT_{role}_{key}": v for role in ("AUTHOR", "COMMITTER") for key, v in who.items()}
    env |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    try:
        subprocess.run(["git", "-C", str(repo), *words], env=env, check=True, capture_output=True)
    except FileNotFoundError as error:
        raise InputError("this sample needs git, which is not installed") from error
