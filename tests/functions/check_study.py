"""Functions of all gold patches of the study, held against `ast`: `python -m tests.functions.check_study`.

Set GROUNDTRACE_STUDY to the unpacked study.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path

from groundtrace.events.functions import functions_changed
from groundtrace.functions.repositories import open_tree
from groundtrace.model import Task, TaskRow
from groundtrace.truth.patches import read_patch
from tests.functions import ast_oracle


def check(row: dict[str, str], repos: Path) -> str:
    """What the comparison of one task's gold patch says."""
    task = Task(
        name=row["instance_id"],
        benchmark="",
        folder=None,
        repos=(row["repo"],),
        row=TaskRow("verified.jsonl", 1, base_commit=row["base_commit"]),
    )
    opened = open_tree(task, [str(repos)])
    if opened.tree is None:
        return opened.reason or ""
    found = functions_changed(opened.tree, read_patch(row["patch"]).hunks)
    if found.reason is not None:
        return found.reason
    repository = repos / f"{row['repo'].replace('/', '__')}.git"
    sources = {
        path: ast_oracle.text_at(repository, row["base_commit"], path)
        for path in ast_oracle.paths_of(row["patch"])
    }
    try:
        expected = ast_oracle.changed(ast_oracle.fitting(row["patch"], sources), sources)
    except (SyntaxError, ValueError):
        return "ast cannot read it"
    own = {f"{one.file}::{one.span.name}" for one in found.functions if one.file.endswith(".py")}
    return "equal" if own == expected else f"differs: {sorted(own ^ expected)}"


def rows(study: Path) -> list[dict[str, str]]:
    """The study's tasks."""
    return [json.loads(line) for line in (study / "verified.jsonl").open(encoding="utf-8")]


def main() -> None:
    """Print the counts; exit with 1 if any differs."""
    study = Path(os.environ["GROUNDTRACE_STUDY"])
    results = {row["instance_id"]: check(row, study / "repos") for row in rows(study)}
    for name, said in results.items():
        if said.startswith("differs"):
            print(name, said)
    print(dict(Counter(said.partition(":")[0] for said in results.values())))
    sys.exit(any(said.startswith("differs") for said in results.values()))


if __name__ == "__main__":
    main()
