"""Every evaluated trial with its documents, one at a time: for tables, the API and the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from groundtrace.documents.events import EventsDocument
from groundtrace.documents.metrics import MetricsDocument
from groundtrace.errors import NothingFoundError
from groundtrace.model import Problem
from groundtrace.rows.detail import Detail
from groundtrace.rows.make import row_from
from groundtrace.runs.file_names import EVENTS_ENDING, metrics_path
from groundtrace.runs.only import require_fitting
from groundtrace.runs.output_folders import OutputFolders, RunOutput
from groundtrace.runs.read import (
    OutcomeIndex,
    StoredDocument,
    document_paths,
    read_one,
    read_outcomes,
)
from groundtrace.storage import Folder


def evaluated_trials(
    folders: OutputFolders, only: str | None = None, problems: list[Problem] | None = None
) -> Iterator[Detail]:
    """Trials of all runs in order; what cannot be read is added to `problems`.

    Raises NothingFoundError at the end if there was no trial at all.
    """
    outputs, _ = folders.existing()
    require_fitting(folders, only)
    nothing = True
    for trial in evaluated_trials_in(outputs, only, problems):
        nothing = False
        yield trial
    if nothing:
        raise NothingFoundError(f"{folders.runs}: nothing evaluated; run 'groundtrace evaluate'")


def evaluated_trials_in(
    outputs: Iterable[RunOutput],
    only: str | None = None,
    problems: list[Problem] | None = None,
    is_known: Callable[[str], bool] | None = None,
) -> Iterator[Detail]:
    """Trials of these output folders, in the order of their rows.

    `is_known` says whether a tool is known; without it no tool counts as unknown.
    """
    for output in outputs:
        outcomes = read_outcomes(output.folder)
        if outcomes.problem is not None and problems is not None:
            problems.append(outcomes.problem)
        index = OutcomeIndex(outcomes)
        for path in document_paths(output.folder, EVENTS_ENDING):
            if not index.wants(path, only):
                continue
            detail, found = read_detail(output.folder, path, index, is_known)
            if problems is not None:
                problems += found
            if detail is not None:
                yield detail


def read_detail(
    folder: Folder,
    path: str,
    index: OutcomeIndex,
    is_known: Callable[[str], bool] | None = None,
) -> tuple[Detail | None, tuple[Problem, ...]]:
    """The trial whose events document is at `path`, and problems with reading it."""
    events: StoredDocument[EventsDocument] = read_one(folder, path, "retrieval_events")
    metrics: StoredDocument[MetricsDocument] = read_one(
        folder, metrics_path(path), "retrieval_metrics"
    )
    problems = tuple(p for p in (events.problem, metrics.problem) if p is not None)
    if events.document is None or metrics.document is None:
        return None, problems
    row = row_from(
        metrics.document,
        events.document,
        index.find(path, metrics.document),
        path=path,
        is_known=is_known,
        no_outcome=index.no_outcome,
    )
    return Detail(row, events.document, metrics.document), problems
