"""Ground truths that a worker keeps, so that each task's truth is read once for all its trials."""

from __future__ import annotations

from groundtrace.model import Task, TruthResult
from groundtrace.problems import TEMPORARY
from groundtrace.storage.watch import note_error, watched
from groundtrace.truth import Registry, load_ground_truth

KEPT_TRUTHS = 1024
"""Larger than the number of tasks in most benchmarks."""
_truths: dict[str, TruthResult] = {}


def kept_ground_truth(
    task: Task | None, registry: Registry | None, mark: str | None
) -> TruthResult:
    """The ground truth of a task; `mark` is a fingerprint of the files it is read from.

    If a temporary error spoiled it, it is not kept, and the next trial reads it again.
    """
    if not mark:
        return load_ground_truth(task, registry)
    if mark not in _truths:
        with watched() as watch:
            loaded = load_ground_truth(task, registry)
        if watch.errors or any(problem.kind in TEMPORARY for problem in loaded.problems):
            note_error(task.name if task is not None else "")
            return loaded
        if len(_truths) >= KEPT_TRUTHS:
            _truths.clear()
        _truths[mark] = loaded
    return _truths[mark]
