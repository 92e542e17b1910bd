"""Rows of a run whose documents were written earlier."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from groundtrace.documents.events import EventsDocument
from groundtrace.model import Problem
from groundtrace.rows.trial_row import TrialRow
from groundtrace.runs.file_names import events_path
from groundtrace.runs.read import (
    OutcomeIndex,
    StoredDocument,
    read_metrics,
    read_one,
    read_outcomes,
)
from groundtrace.storage import Folder


def stored_trial_rows(
    folder: Folder,
    *,
    is_known: Callable[[str], bool] | None = None,
    with_events: bool = True,
    only: str | None = None,
) -> Iterator[TrialRow | Problem]:
    """A row for every metrics document of the run, and the problems met while reading.

    `is_known` says whether a tool is known; without it no tool counts as unknown. Without events
    the rows have no accesses and unknown tools, and reading is faster.
    """
    from groundtrace.rows.make import row_from

    outcomes = read_outcomes(folder)
    if outcomes.problem is not None:
        yield outcomes.problem
    index = OutcomeIndex(outcomes)
    for stored in read_metrics(folder):
        if stored.document is None:
            if stored.problem is not None:
                yield stored.problem
            continue
        path = events_path(stored.path)
        if not index.wants(path, only):
            continue
        events: StoredDocument[EventsDocument] = StoredDocument(path, None)
        if with_events and folder.has_file(path):
            events = read_one(folder, path, "retrieval_events")
            if events.problem is not None:
                yield events.problem
        yield row_from(
            stored.document,
            events.document,
            index.find(path, stored.document),
            path=path,
            is_known=is_known,
            no_outcome=index.no_outcome,
        )
