"""Small run trees, made by hand like real ones: each helper writes what a harness would write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from groundtrace.config import Settings
from groundtrace.discover import FoundProblem, Skipped, discover
from groundtrace.model import Trial
from groundtrace.storage import LocalFolder
from groundtrace.truth.tasks import TaskIndex, build_index


def result(task: str, trial: str, **more: Any) -> dict[str, Any]:
    """A trial-level result.json."""
    return {
        "task_name": task,
        "trial_name": trial,
        "agent_info": {
            "name": "claude-code",
            "version": "unknown",
            "model_info": {"name": "claude-haiku-4-5-20251001", "provider": "anthropic"},
        },
        "agent_result": {"n_output_tokens": 129, "cost_usd": None},
        "verifier_result": {"rewards": {"reward": 0.5}},
        "exception_info": None,
        "started_at": "2026-03-20T18:25:24.100000",
        "finished_at": "2026-03-20T18:45:24.100000",
        "agent_execution": {
            "started_at": "2026-03-20T18:27:24.100000",
            "finished_at": "2026-03-20T18:40:24.100000",
        },
        **more,
    }


def put(path: Path, value: Any) -> Path:
    """A file with JSON, or with the very bytes or text given."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(value, bytes):
        path.write_bytes(value)
    else:
        path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def trial(folder: Path, task: str | None = None, **more: Any) -> Path:
    """A trial folder with result.json (when a task is named) and a transcript."""
    if task is not None:
        put(folder / "result.json", result(task, folder.name, **more))
    put(folder / "agent" / "claude-code.txt", '{"type":"system","subtype":"init"}\n')
    return folder


def task(root: Path, suite: str, name: str, toml: str = "") -> Path:
    """A task folder."""
    put(root / suite / name / "task.toml", toml or f'[task]\nid = "{name}"\n')
    return root / suite / name


def index(root: Path, *names: str) -> TaskIndex:
    """An index of tasks named `suite/task`."""
    for name in names:
        task(root, *name.split("/"))
    return build_index(LocalFolder(root))


def found(
    runs: Path, tasks: TaskIndex | None = None, settings: Settings | None = None
) -> tuple[list[Trial], list[Skipped], list[FoundProblem]]:
    """Everything that discovery says of a folder, by kind."""
    items = list(discover(LocalFolder(runs), settings=settings or Settings(), tasks=tasks))
    return (
        [item for item in items if isinstance(item, Trial)],
        [item for item in items if isinstance(item, Skipped)],
        [item for item in items if isinstance(item, FoundProblem)],
    )


def kinds(problems: list[FoundProblem]) -> set[str]:
    """Kinds of problems."""
    return {item.problem.kind for item in problems}
