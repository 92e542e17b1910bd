"""Ground truths that a worker keeps, so that each task's truth is read once for all its trials."""

from __future__ import annotations

from groundtrace.model import Task, TruthResult
from groundtrace.problems import PASSING
from groundtrace.storage.watch import note_error, watched
from groundtrace.truth import Registry, load_ground_truth

KEPT_TRUTHS = 1024
"""Larger than the number of tasks in most benchmarks."""
_truths: dict[tuple[str, str], TruthResult] = {}
"""Where a truth was read and the fingerprint of that, to the truth."""


def kept_ground_truth(
    task: Task | None, registry: Registry | None, mark: str | None
) -> TruthResult:
    """The ground truth of a task; `mark` is a fingerprint of the files it is read from.

    If a temporary error spoiled it, or no file was found, it is not kept, and the next trial reads
    it again. The case: a worker of a cluster could not see a task's folder and kept "no truth"
    under the fingerprint of its files; later trials, with the folder in sight, got that.
    """
    if not mark or task is None:
        return load_ground_truth(task, registry)
    key = (task.folder.url if task.folder is not None else "", mark)
    if key not in _truths:
        with watched() as watch:
            loaded = load_ground_truth(task, registry)
        if watch.errors or any(problem.kind in PASSING for problem in loaded.problems):
            note_error(task.name)
            return loaded
        if not loaded.truth.files:
            return loaded
        if len(_truths) >= KEPT_TRUTHS:
            _truths.clear()
        _truths[key] = loaded
    return _truths[key]
