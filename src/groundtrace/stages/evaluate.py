"""Events documents to metrics documents and summaries; works from documents alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field

from groundtrace.artifacts.lock import locked
from groundtrace.artifacts.output_folders import RunOutput
from groundtrace.artifacts.read import (
    EVENTS_ENDING,
    OutcomeIndex,
    Stored,
    document_paths,
    metrics_path,
    read_one,
    read_outcomes,
)
from groundtrace.artifacts.state import (
    State,
    enter_result,
    fingerprint,
    is_current,
    load_state,
    marks_in,
    save_state,
)
from groundtrace.artifacts.write import write_document
from groundtrace.config import Settings
from groundtrace.documents import KINDS
from groundtrace.documents.codec import encode
from groundtrace.documents.events import EventsDocument
from groundtrace.documents.metrics import MetricsDocument
from groundtrace.documents.outcomes import OutcomesDocument, TrialOutcome
from groundtrace.engine import Done
from groundtrace.errors import NothingFoundError
from groundtrace.rows.kept import KeptRows, RowsByRun
from groundtrace.rows.trial_row import TrialRow
from groundtrace.stages import ALL_RUNS, Request, batches
from groundtrace.storage import Folder

SUMMARY = KINDS["run_retrieval_summary"].file_name
OUTCOMES = KINDS["outcomes"].file_name

Rows = Mapping[str, KeptRows]
"""Output folder to its rows by document, as far as they were made in this process."""


@dataclass(frozen=True, slots=True)
class DocumentWork:
    """One events document to be evaluated."""

    output: Folder
    document: str
    outcome: TrialOutcome | None
    fresh: bool
    """Its metrics are on disk and still stand; only the row is wanted."""
    settings: Settings
    generated_at: str


@dataclass(frozen=True, slots=True)
class DocumentDone:
    """What comes back from a worker."""

    row: TrialRow
    metrics_mark: str


@dataclass(slots=True)
class Evaluated:
    """What evaluating did."""

    outputs: list[RunOutput] = field(default_factory=list)
    single: bool = True
    evaluated: int = 0
    unchanged: int = 0
    failed: list[str] = field(default_factory=list)
    rows: RowsByRun = field(default_factory=RowsByRun)
    """Run folder to its rows, of the runs that were not unchanged."""


@dataclass(slots=True)
class _RunWork:
    """One run while its documents are evaluated, its output folder locked."""

    output: RunOutput
    state: State
    stored: Stored[OutcomesDocument]
    marks: dict[str, str]
    paths: list[str]
    """Events documents that were asked for."""
    stale: set[str]
    made_from: str
    """Fingerprint of everything its summary is made from."""
    rows: KeptRows
    problems: Counter[str]
    works: list[DocumentWork]
    evaluated: dict[str, str] = field(default_factory=dict)
    """Marks of the documents that were worked on now."""
    unchanged: bool = False
    """Nothing is to be done: the summary stands."""


def evaluate(request: Request, fresh_rows: RowsByRun | None = None) -> Evaluated:
    """Metrics and summaries for every output folder of RUNS.

    `fresh_rows` are rows of documents that were evaluated when they were made, just now; those
    that are made here join them.
    """
    outputs, single = request.places.existing()
    done = Evaluated(outputs, single, rows=RowsByRun() if fresh_rows is None else fresh_rows)
    made = done.rows
    for batch in batches(outputs, lambda output: len(made.get(output.folder.url, ())) + 1):
        with ExitStack() as locks:
            runs: dict[str, _RunWork] = {}
            for output in batch:
                locks.enter_context(locked(output.folder))
                runs[output.folder.url] = _prepared(output, request, made[output.folder.url])
            _evaluate_batch(runs, request, done)
    if not done.evaluated and not done.unchanged and not done.failed:
        raise NothingFoundError(f"{request.runs}: no events documents; run 'groundtrace normalize'")
    if not single:
        _summarise_all(request, done)
    return done


def _prepared(output: RunOutput, request: Request, made: KeptRows) -> _RunWork:
    """What of a run is to be evaluated, and what only to be read for the summary."""
    folder = output.folder
    state = load_state(folder)
    marks = marks_in(folder)
    paths = [p for p in marks if p.endswith(EVENTS_ENDING)]
    stale = {
        path
        for path in paths
        if request.force or state.evaluated.get(path) != _both_marks(path, marks)
    } - made.keys()
    settings = asdict(request.settings)
    events = {path: marks[path] for path in paths}
    made_from = fingerprint(events, marks.get(OUTCOMES), request.only, settings)
    current = not stale and not made and is_current(state, marks, SUMMARY, made_from)
    unchanged = (current and not request.force) or (not paths and OUTCOMES not in marks)
    stored = Stored(OUTCOMES, None) if unchanged else read_outcomes(folder)
    run = _RunWork(
        output, state, stored, marks, sorted(paths), stale, made_from, made, Counter(), []
    )
    run.unchanged = unchanged
    if unchanged:
        return run
    if stored.problem is not None:
        run.problems[stored.problem.kind] += 1
    index = OutcomeIndex(stored.document)
    left = [path for path in run.paths if not index.lists(path)]
    if left:
        run.problems["left_behind"] += len(left)
        run.evaluated.update((path, _both_marks(path, marks)) for path in left)
    run.paths = [path for path in run.paths if index.wants(path, request.only)]
    run.works = [
        DocumentWork(
            folder,
            path,
            index.by_document(path),
            path not in stale,
            request.settings,
            request.generated_at,
        )
        for path in run.paths
        if path not in made
    ]
    return run


def _both_marks(path: str, marks: Mapping[str, str]) -> str:
    return f"{marks.get(path)} {marks.get(metrics_path(path))}"


def _evaluate_batch(runs: Mapping[str, _RunWork], request: Request, done: Evaluated) -> None:
    works = [work for run in runs.values() for work in run.works]
    request.ticker.add_total(len(works))
    for result in request.engine.map(evaluate_stored, works):
        request.ticker.advance()
        _take(result, runs[result.item.output.url], done)
    for run in runs.values():
        if run.unchanged:
            done.unchanged += len(run.paths)
            del done.rows[run.output.folder.url]
        else:
            _finish_run(run, request, done)


def _finish_run(run: _RunWork, request: Request, done: Evaluated) -> None:
    """Write the summary of a run, and save the state last."""
    from groundtrace.summary.summarise import summarise

    folder, state, rows = run.output.folder, run.state, run.rows
    worked = sum(not work.fresh for work in run.works)
    done.evaluated += len(run.paths) - len(run.works) + worked
    done.unchanged += len(run.works) - worked
    made = {path: state.evaluated[path] for path in rows if path in state.evaluated}
    state.evaluated = (state.evaluated if request.only else {}) | made | run.evaluated
    summary = summarise(
        (rows[path] for path in sorted(rows)),
        scope=run.output.run_id,
        generated_at=request.generated_at,
        outcomes=[run.stored.document] if run.stored.document is not None else [],
        problems=run.problems,
    )
    enter_result(state, SUMMARY, run.made_from, write_document(folder, SUMMARY, summary))
    save_state(folder, state)


def _take(result: Done[DocumentWork, DocumentDone], run: _RunWork, done: Evaluated) -> None:
    path = result.item.document
    if result.result is not None:
        run.rows.keep(path, result.result.row)
        run.evaluated[path] = f"{run.marks[path]} {result.result.metrics_mark}"
    else:
        run.state.evaluated.pop(path, None)
        run.problems["broken_document"] += 1
        done.failed.append(f"{result.item.output.url}/{path}: {result.error}")


def evaluate_stored(work: DocumentWork) -> DocumentDone:
    """One document: its metrics on disk, and its row; raises when the document is broken."""
    # Imported when there is a document: not in a run without changes.
    from groundtrace.metrics import evaluate as evaluate_document
    from groundtrace.tools import is_known_tool

    folder = work.output
    events: Stored[EventsDocument] = read_one(folder, work.document, "retrieval_events")
    if events.document is None:
        raise ValueError(events.problem.reason if events.problem is not None else "not found")
    target = metrics_path(work.document)
    stored: Stored[MetricsDocument] = Stored(target, None)
    if work.fresh:
        stored = read_one(folder, target, "retrieval_metrics")
    metrics = stored.document
    if metrics is None:
        metrics = evaluate_document(events.document, generated_at=work.generated_at)
        mark = folder.write(target, encode(metrics)).mark
    else:
        mark = stamp_of(folder, target)
    # Imported when there is a row to make: not in a run without changes.
    from groundtrace.rows.make import row_from

    row = row_from(
        metrics,
        events.document,
        work.outcome,
        path=work.document,
        is_known=lambda name: is_known_tool(name, work.settings),
    )
    return DocumentDone(row, mark)


def _summarise_all(request: Request, done: Evaluated) -> None:
    """The summary over all runs, each copy of a trial counted once."""
    aggregate = request.places.aggregate()
    with locked(aggregate):
        state = load_state(aggregate)
        runs = [(o.run_id, stamp_of(o.folder, SUMMARY)) for o in done.outputs]
        made_from = fingerprint(runs, request.only, asdict(request.settings))
        marks = marks_in(aggregate)
        if not request.force and is_current(state, marks, SUMMARY, made_from):
            return
        from groundtrace.summary.summarise import summarise

        summary = summarise(
            rows_of(done.outputs, done.rows, request),
            scope=ALL_RUNS,
            generated_at=request.generated_at,
            outcomes=outcomes_of(done.outputs),
        )
        entry = write_document(aggregate, SUMMARY, summary)
        enter_result(state, SUMMARY, made_from, entry)
        save_state(aggregate, state)


def rows_of(outputs: Iterable[RunOutput], made: Rows, request: Request) -> Iterator[TrialRow]:
    """Rows of all runs in order: those made in this process, the others read from disk."""
    for output in outputs:
        known = made.get(output.folder.url)
        if known is not None:
            yield from (known[path] for path in sorted(known))
            continue
        index = OutcomeIndex(read_outcomes(output.folder).document)
        works = (
            DocumentWork(
                output.folder,
                path,
                index.by_document(path),
                True,
                request.settings,
                request.generated_at,
            )
            for path in document_paths(output.folder, EVENTS_ENDING)
            if index.wants(path, request.only)
        )
        read = request.engine.map(evaluate_stored, works)
        rows = {done.item.document: done.result.row for done in read if done.result is not None}
        yield from (rows[path] for path in sorted(rows))


def outcomes_of(outputs: Iterable[RunOutput]) -> Iterator[OutcomesDocument]:
    """The outcomes documents of the runs that have one, one at a time."""
    found = (read_outcomes(output.folder).document for output in outputs)
    return (document for document in found if document is not None)


def stamp_of(folder: Folder, path: str) -> str:
    """Changes when the file does; empty when there is none."""
    entry = folder.stat(path)
    return "" if entry is None else entry.mark
