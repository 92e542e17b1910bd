"""Rows of many runs, one at a time: those made in this process, the others read from disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from groundtrace.artifacts.file_names import EVENTS_ENDING
from groundtrace.artifacts.output_folders import RunOutput
from groundtrace.artifacts.read import OutcomeIndex, document_paths, read_outcomes
from groundtrace.rows.kept import KeptRows
from groundtrace.rows.trial_row import TrialRow
from groundtrace.stages.document_work import evaluate_stored, works_on
from groundtrace.stages.request import Request
from groundtrace.stages.stored_rows import read_rows

MadeRows = Mapping[str, KeptRows]
"""Address of an output folder to its rows by document, where they were made in this process."""


def rows_of_runs(
    outputs: Iterable[RunOutput], made: MadeRows, request: Request
) -> Iterator[TrialRow]:
    """Whole rows, in the order of the runs and of their documents."""
    for output in outputs:
        known = made.get(output.folder.url)
        if known is not None:
            yield from (known[path] for path in sorted(known))
            continue
        index = OutcomeIndex(read_outcomes(output.folder).document)
        paths = document_paths(output.folder, EVENTS_ENDING)
        wanted = (path for path in paths if index.wants(path, request.only))
        read = request.engine.map(evaluate_stored, works_on(output.folder, wanted, index, request))
        rows = {done.item.document: done.result.row for done in read if done.result is not None}
        yield from (rows[path] for path in sorted(rows))


def rows_for_impact(
    outputs: Iterable[RunOutput], made: MadeRows, request: Request
) -> Iterator[TrialRow]:
    """Rows for the impact analysis, in any order.

    It has no use for accesses and unknown tools, so events documents are not read for them.
    """
    for output in outputs:
        known = made.get(output.folder.url)
        if known is not None:
            yield from known.values()
        else:
            read = read_rows(output.folder, with_events=False, only=request.only)
            yield from (row for row in read if isinstance(row, TrialRow))
