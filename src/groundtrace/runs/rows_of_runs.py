"""Rows of many runs, one at a time: kept ones if this process made them, else read from disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from groundtrace.rows.kept import KeptRows, unpacked
from groundtrace.rows.trial_row import TrialRow
from groundtrace.runs.document_work import evaluate_stored, works_on
from groundtrace.runs.file_names import EVENTS_ENDING
from groundtrace.runs.output_folders import RunOutput
from groundtrace.runs.read import OutcomeIndex, document_paths, read_outcomes
from groundtrace.runs.request import Request
from groundtrace.runs.stored_rows import stored_trial_rows

MadeRows = Mapping[str, KeptRows]
"""Address of an output folder to its rows by document, if this process made them."""


RefusedDocuments = Mapping[str, frozenset[str]]
"""Address of an output folder to its documents that are refused."""


Row = TypeVar("Row", covariant=True)


class ReadAgain(Iterable[Row]):
    """Rows that are read again for each loop: a whole benchmark's rows do not fit in memory."""

    def __init__(self, read: Callable[[], Iterator[Row]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[Row]:
        return self._read()


def rows_of_runs(
    outputs: Iterable[RunOutput], made: MadeRows, request: Request
) -> Iterator[TrialRow]:
    """Whole rows, in the order of the runs and of their documents."""
    for output in outputs:
        known = made.get(output.folder.url)
        if known is not None:
            yield from (known[path] for path in sorted(known))
            continue
        index = OutcomeIndex(read_outcomes(output.folder))
        paths = document_paths(output.folder, EVENTS_ENDING)
        wanted = (path for path in paths if index.wants(path, request.only))
        read = request.engine.map(evaluate_stored, works_on(output.folder, wanted, index, request))
        rows = {
            done.item.document_path: done.result.packed_row
            for done in read
            if done.result is not None and done.result.packed_row is not None
        }
        yield from (unpacked(rows[path]) for path in sorted(rows))


def rows_for_impact(
    outputs: Iterable[RunOutput], made: MadeRows, request: Request, refused: RefusedDocuments
) -> Iterator[TrialRow]:
    """Rows for the impact analysis, in the order of `rows_of_runs`.

    The order decides which of two equal copies counts. The analysis does not need accesses and
    unknown tools, so events documents are not read. What was computed from a document that is
    `refused` now does not count.
    """
    for output in outputs:
        known = made.get(output.folder.url)
        if known is not None:
            yield from (known[path] for path in sorted(known))
        else:
            read = stored_trial_rows(output.folder, with_events=False, only=request.only)
            without = refused.get(output.folder.url, frozenset())
            yield from (
                row for row in read if isinstance(row, TrialRow) and row.document not in without
            )
