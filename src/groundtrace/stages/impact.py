"""Metrics documents and outcomes to the impact analysis; needs no trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain

from groundtrace.artifacts.lock import locked
from groundtrace.artifacts.output_folders import RunOutput
from groundtrace.artifacts.read import METRICS_ENDING
from groundtrace.artifacts.state import (
    enter_result,
    fingerprint,
    is_current,
    load_state,
    marks_in,
    save_state,
)
from groundtrace.artifacts.write import write_document
from groundtrace.documents import KINDS
from groundtrace.documents.impact import ImpactDocument
from groundtrace.errors import NothingFoundError
from groundtrace.impact.options import ImpactOptions
from groundtrace.rows.trial_row import TrialRow
from groundtrace.stages import ALL_RUNS, Request
from groundtrace.stages.evaluate import OUTCOMES, Rows
from groundtrace.stages.stored_rows import read_rows
from groundtrace.storage import Folder

IMPACT = KINDS["impact_analysis"].file_name


@dataclass(slots=True)
class Analysed:
    """What the analysis did."""

    outputs: list[RunOutput] = field(default_factory=list)
    single: bool = True
    written: list[str] = field(default_factory=list)
    """Documents that stand on disk now, those that did not change included."""


def impact(request: Request, options: ImpactOptions, made: Rows | None = None) -> Analysed:
    """The analysis of each run, and of all runs together where RUNS holds several."""
    outputs, single = request.places.existing()
    done = Analysed(outputs, single)
    for output in outputs:
        _write(output.folder, output.run_id, [output], request, options, made or {}, done)
    if not single:
        _write(request.places.aggregate(), ALL_RUNS, outputs, request, options, made or {}, done)
    return done


def _write(
    folder: Folder,
    scope: str,
    outputs: Sequence[RunOutput],
    request: Request,
    options: ImpactOptions,
    made: Rows,
    done: Analysed,
) -> None:
    with locked(folder):
        state = load_state(folder)
        marks = [_marks(o) for o in outputs]
        made_from = fingerprint(marks, asdict(options), request.only)
        if request.force or not is_current(state, marks_in(folder), IMPACT, made_from):
            analysis = _analysis(outputs, scope, request, options, made)
            enter_result(state, IMPACT, made_from, write_document(folder, IMPACT, analysis))
            save_state(folder, state)
    done.written.append(f"{folder.url}/{IMPACT}")


def _analysis(
    outputs: Sequence[RunOutput], scope: str, request: Request, options: ImpactOptions, made: Rows
) -> ImpactDocument:
    from groundtrace.impact import analyse

    rows = _rows(outputs, request, made)
    first = next(rows, None)
    if first is None:
        raise NothingFoundError(f"{request.runs}: no metrics; run 'groundtrace evaluate' first")
    every = chain((first,), rows)
    return analyse(every, options, generated_at=request.generated_at, scope=scope)


def _rows(outputs: Iterable[RunOutput], request: Request, made: Rows) -> Iterator[TrialRow]:
    """Rows of the runs, one at a time: the analysis keeps a tenth of each."""
    for output in outputs:
        known = made.get(output.folder.url)
        if known is not None:
            yield from known.values()
        else:
            read = read_rows(output.folder, with_events=False, only=request.only)
            yield from (row for row in read if isinstance(row, TrialRow))


def _marks(output: RunOutput) -> tuple[str, dict[str, str]]:
    """Marks of what an analysis is made from: outcomes and metrics."""
    found = marks_in(output.folder)
    wanted = {n: m for n, m in found.items() if n == OUTCOMES or n.endswith(METRICS_ENDING)}
    return output.run_id, wanted
