"""Trials for the tests of events: a test sets only what it names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from groundtrace.model import Task, Trial
from groundtrace.storage import LocalFolder


def trial(**changes: Any) -> Trial:
    """A trial of a task of flask, with the given fields changed."""
    base = Trial(
        folder=LocalFolder(Path("nowhere")),
        path="run/baseline/task__x",
        run_id="run",
        config_name="baseline",
        task_name="task",
        trial_name="task__x",
        model="anthropic/claude-haiku",
        task=Task("task", "suite", None, repos=("pallets/flask",)),
        files=("agent/trajectory.json", "agent/claude-code.txt"),
    )
    return replace(base, **changes)
