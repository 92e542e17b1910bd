"""Figures of the study counted again from the raw files, without groundtrace."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

MINI, VORFLUX = "mini-swe-agent-gemini-3-pro", "vorflux"
Verdicts = dict[tuple[str, str], bool]


def changed_files(patch: str) -> set[str]:
    """Files that a patch of git changes. One of the patches has a space before a heading."""
    return set(re.findall(r"^ ?diff --git a/\S+ b/(\S+)$", patch, re.MULTILINE))


@dataclass
class Raw:
    """The unpacked data of the study."""

    data: Path

    @cached_property
    def tasks(self) -> dict[str, dict[str, Any]]:
        """The tasks by name."""
        lines = (self.data / "verified.jsonl").read_text(encoding="utf-8").splitlines()
        return {row["instance_id"]: row for row in map(json.loads, lines)}

    @cached_property
    def logs(self) -> dict[str, dict[str, Any]]:
        """mini-swe-agent's logs by task."""
        files = (self.data / MINI / "trajs").glob("*/*.traj.json")
        return {
            path.name.removesuffix(".traj.json"): json.loads(path.read_text()) for path in files
        }

    @cached_property
    def entries(self) -> dict[str, list[dict[str, Any]]]:
        """vorflux's calls by task."""
        found = {}
        for path in (self.data / VORFLUX / "trajs").glob("*.json"):
            held = json.loads(path.read_text())["trajectory"]
            found[path.stem] = [entry for entry in held if entry["type"] == "tool_call"]
        return found

    @cached_property
    def verdicts(self) -> Verdicts:
        """Whether a trial is solved, by agent and task."""
        solved = json.loads((self.data / VORFLUX / "results/results.json").read_text())["resolved"]
        found = {(VORFLUX, task): task in solved for task in self.tasks}
        for path in (self.data / MINI / "logs").glob("*/report.json"):
            found[MINI, path.parent.name] = json.loads(path.read_text())["resolved"]
        return found

    @cached_property
    def patches(self) -> dict[tuple[str, str], str]:
        """The submitted patches, by agent and task."""
        lines = (self.data / VORFLUX / "all_preds.jsonl").read_text(encoding="utf-8").splitlines()
        rows = map(json.loads, lines)
        found = {(VORFLUX, row["instance_id"]): row["model_patch"] for row in rows}
        return found | {(MINI, task): log["info"]["submission"] for task, log in self.logs.items()}

    def costs(self) -> dict[str, float]:
        """Dollars of each task."""
        return {
            task: log["info"]["model_stats"]["instance_cost"] for task, log in self.logs.items()
        }

    def solved_by(self, of_task: str) -> Counter[str]:
        """Solved trials by a column of their tasks."""
        return Counter(
            self.tasks[task][of_task] for (_, task), solved in self.verdicts.items() if solved
        )

    def flips(self) -> Counter[tuple[bool, bool]]:
        """Tasks by whether mini-swe-agent and vorflux solved them."""
        return Counter(
            (self.verdicts[MINI, task], self.verdicts[VORFLUX, task]) for task in self.tasks
        )

    def gold_files(self, task: str) -> set[str]:
        """Files that the accepted fix changes and that were there before."""
        patch = self.tasks[task]["patch"]
        return changed_files(patch) - set(
            re.findall(r"^diff --git a/\S+ b/(\S+)\nnew file mode", patch, re.MULTILINE)
        )

    def no_patch(self) -> set[tuple[str, str]]:
        """Trials whose published patch is no patch."""
        return {
            key
            for key, patch in self.patches.items()
            if key[0] == VORFLUX and "diff --git" not in patch
        }

    def all_edited(self) -> set[tuple[str, str]]:
        """Trials whose patch changes every gold file."""
        return {
            key
            for key, patch in self.patches.items()
            if changed_files(self.tasks[key[1]]["patch"]) <= changed_files(patch)
        }

    def surely_shown(self) -> set[str]:
        """vorflux's tasks in which its tool for reading returned lines of every gold file."""
        return {
            task
            for task, calls in self.entries.items()
            if all(any(_reads(call, file) for call in calls) for file in self.gold_files(task))
        }

    def surely_shown_by_shell(self) -> set[str]:
        """mini-swe-agent's tasks in which a command that only prints a file printed each gold file."""
        found = set()
        for task, log in self.logs.items():
            printed = {file for step in pairwise(log["messages"]) for file in _prints(*step)}
            if self.gold_files(task) <= printed:
                found.add(task)
        return found

    def logs_of_other_tasks(self) -> set[str]:
        """vorflux's tasks whose log names no file of the patch, and has calls."""
        return {
            task
            for task, calls in self.entries.items()
            if calls and (files := changed_files(self.patches[VORFLUX, task]))
            if not any(file in json.dumps(calls) for file in files)
        }


_PRINT = re.compile(r"(?:cat(?: -n)?|nl -ba|sed -n '?\d+,\d+p'?) (\S+)")


def _prints(said: dict[str, Any], answer: dict[str, Any]) -> list[str]:
    command = re.search(r"```bash\n(.*?)\n```", str(said["content"]), re.DOTALL)
    text = str(answer["content"])
    if (
        said["role"] != "assistant"
        or command is None
        or len(text) < 60
        or "<returncode>0" not in text
    ):
        return []
    alone = _PRINT.fullmatch(command[1].strip())
    return [alone[1]] if alone else []


def _reads(call: dict[str, Any], file: str) -> bool:
    path = str(call["arguments"].get("filePath", ""))
    lines = re.match(r"\s*\d+→", str(call.get("result")))
    return call["tool"] == "read_text_file" and path.endswith("/" + file) and lines is not None
