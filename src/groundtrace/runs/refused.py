"""Documents that cannot be read: every stage that needs one names it (D62).

A document is refused if it has an unknown major version, is broken, or cannot be opened. What was
computed from it earlier can no longer be trusted, so its metrics do not count either.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from groundtrace.documents.events import EventsDocument
from groundtrace.model import Problem
from groundtrace.redact import mask
from groundtrace.runs.output_folders import (
    EVENTS_ENDING,
    METRICS_ENDING,
    OUTCOMES_FILE,
    RunOutput,
    events_path,
    metrics_path,
)
from groundtrace.runs.read import StoredDocument, read_one, read_outcomes
from groundtrace.runs.state import FolderSeen, entry_of, is_current
from groundtrace.storage import Folder

if TYPE_CHECKING:
    from groundtrace.documents.metrics import MetricsDocument
    from groundtrace.documents.summary import RefusedDocument


def refused_record(output: RunOutput, path: str, problem: Problem) -> RefusedDocument:
    """A refused document of a run, as summaries and analyses name it."""
    from groundtrace.documents.summary import RefusedDocument

    reason = mask(problem.reason.removeprefix(f"{path}: "))
    return RefusedDocument(
        run_id=output.run_id, path=path, problem=str(problem.kind), reason=reason
    )


def refused_documents(output: RunOutput, seen: FolderSeen) -> list[RefusedDocument]:
    """Documents of a run that are refused now: outcomes, events, metrics.

    `seen` is its folder as it is now. Only documents that changed since they were written or
    evaluated are opened.
    """
    return [refused_record(output, path, problem) for path, problem in _refused(output, seen)]


def _refused(output: RunOutput, seen: FolderSeen) -> Iterator[tuple[str, Problem]]:
    folder, state, marks = output.folder, seen.state, seen.marks
    evaluated = state.evaluated
    if not is_current(state, marks, OUTCOMES_FILE, ""):
        outcomes = read_outcomes(folder)
        if outcomes.problem is not None:
            yield OUTCOMES_FILE, outcomes.problem
    for path in sorted(marks):
        if path.endswith(EVENTS_ENDING):
            target = metrics_path(path)
            if evaluated.get(path) == entry_of(marks[path], marks.get(target)):
                continue
            events: StoredDocument[EventsDocument] = read_one(folder, path, "retrieval_events")
            if events.problem is not None:
                yield path, events.problem
            if target not in marks:
                continue
        elif path.endswith(METRICS_ENDING) and events_path(path) not in marks:
            target = path
        else:
            continue
        metrics: StoredDocument[MetricsDocument] = read_one(folder, target, "retrieval_metrics")
        if metrics.problem is not None:
            yield target, metrics.problem


def is_of_another(folder: Folder, path: str) -> bool:
    """Whether a metrics document has another major version: another groundtrace wrote it, and it is
    neither replaced nor removed (D62)."""
    if not folder.has_file(path):
        return False
    stored: StoredDocument[MetricsDocument] = read_one(folder, path, "retrieval_metrics")
    return stored.problem is not None and stored.problem.kind == "unknown_version"


def set_aside_metrics(output: RunOutput, path: str) -> None:
    """Remove the metrics that were computed from a refused events document.

    If the metrics document is refused too, it stays: another version of groundtrace wrote it, and
    nothing here reads it.
    """
    target = metrics_path(path)
    stored: StoredDocument[MetricsDocument] = read_one(output.folder, target, "retrieval_metrics")
    if stored.document is not None:
        output.folder.remove(target)


def lines_of(refused: Iterable[RefusedDocument]) -> list[str]:
    """Each refused document as one line for the terminal."""
    return [f"{one.run_id}/{one.path}: {one.reason}" for one in refused]
