"""Events documents to metrics documents and summaries; works from documents alone."""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from groundtrace.artifacts.codec import encode
from groundtrace.artifacts.documents import KINDS
from groundtrace.artifacts.documents.events import EventsDocument
from groundtrace.artifacts.documents.outcomes import OutcomesDocument, TrialOutcome
from groundtrace.artifacts.lock import locked
from groundtrace.artifacts.places import RunOutput
from groundtrace.artifacts.read import (
    EVENTS_ENDING,
    OutcomeIndex,
    Stored,
    document_paths,
    metrics_path,
    read_one,
    read_outcomes,
    row_from,
)
from groundtrace.artifacts.rows import TrialRow
from groundtrace.artifacts.state import fingerprint, load_state, save_state
from groundtrace.artifacts.summary import summarise
from groundtrace.artifacts.write import write_document
from groundtrace.config import Settings
from groundtrace.engine import Done
from groundtrace.errors import NothingFoundError
from groundtrace.metrics import evaluate as evaluate_document
from groundtrace.stages import ALL_RUNS, Request
from groundtrace.storage import Folder
from groundtrace.tools import is_known_tool

SUMMARY = KINDS["run_retrieval_summary"].file_name

Rows = Mapping[str, Mapping[str, TrialRow]]
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


@dataclass(slots=True)
class Evaluated:
    """What evaluating did."""

    outputs: list[RunOutput] = field(default_factory=list)
    single: bool = True
    evaluated: int = 0
    unchanged: int = 0
    failed: list[str] = field(default_factory=list)
    rows: dict[str, dict[str, TrialRow]] = field(default_factory=dict)


def evaluate(request: Request, fresh_rows: Rows | None = None) -> Evaluated:
    """Metrics and summaries for every output folder of RUNS."""
    outputs, single = request.places.existing()
    done = Evaluated(outputs=outputs, single=single)
    for output in outputs:
        with locked(output.folder):
            _evaluate_run(output, request, done, (fresh_rows or {}).get(output.folder.url, {}))
    if not done.evaluated and not done.unchanged and not done.failed:
        raise NothingFoundError(f"{request.runs}: no events documents; run 'groundtrace normalize'")
    if not single:
        _summarise_all(request, done)
    return done


def _evaluate_run(
    output: RunOutput, request: Request, done: Evaluated, made: Mapping[str, TrialRow]
) -> None:
    folder = output.folder
    state = load_state(folder)
    stored = read_outcomes(folder)
    index = OutcomeIndex(stored.document)
    problems: Counter[str] = Counter()
    if stored.problem is not None:
        problems[stored.problem.kind] += 1
    paths = [p for p in document_paths(folder, EVENTS_ENDING) if asked_for(p, request.only)]
    stamps = {path: stamp_of(folder, path) for path in paths}
    stale = {
        path
        for path in paths
        if request.force
        or state.evaluated.get(path) != stamps[path]
        or not folder.has_file(metrics_path(path))
    } - made.keys()
    content = fingerprint(stamps, stored.document, request.only)
    if not stale and state.results.get(SUMMARY) == content and folder.has_file(SUMMARY):
        done.unchanged += len(paths)
        return
    rows = dict(made)
    works = (
        DocumentWork(
            folder,
            path,
            index.by_document(path),
            path not in stale,
            request.settings,
            request.generated_at,
        )
        for path in paths
        if path not in rows
    )
    request.ticker.add_total(len(paths) - len(rows))
    for result in request.engine.map(evaluate_stored, works):
        request.ticker.advance()
        _take(result, rows, problems, done)
    done.evaluated += len(stale) + len(made)
    done.unchanged += len(paths) - len(stale) - len(made)
    state.evaluated = {path: stamps[path] for path in rows} | (
        state.evaluated if request.only else {}
    )
    summary = summarise(
        (rows[path] for path in sorted(rows)),
        scope=output.run_id,
        generated_at=request.generated_at,
        outcomes=[stored.document] if stored.document is not None else [],
        problems=problems,
    )
    write_document(folder, SUMMARY, summary)
    state.results[SUMMARY] = content
    save_state(folder, state)
    done.rows[folder.url] = rows


def _take(
    result: Done[DocumentWork, TrialRow],
    rows: dict[str, TrialRow],
    problems: Counter[str],
    done: Evaluated,
) -> None:
    if result.result is not None:
        rows[result.item.document] = result.result
    else:
        problems["broken_document"] += 1
        done.failed.append(f"{result.item.output.url}/{result.item.document}: {result.error}")


def evaluate_stored(work: DocumentWork) -> TrialRow:
    """One document: its metrics on disk, and its row; raises when the document is broken."""
    folder = work.output
    events: Stored[EventsDocument] = read_one(folder, work.document, "retrieval_events")
    if events.document is None:
        raise ValueError(events.problem.reason if events.problem is not None else "not found")
    metrics = None
    target = metrics_path(work.document)
    if work.fresh:
        metrics = read_one(folder, target, "retrieval_metrics").document
    if metrics is None:
        metrics = evaluate_document(events.document, generated_at=work.generated_at)
        folder.write(target, encode(metrics))
    return row_from(
        metrics,
        events.document,
        work.outcome,
        path=work.document,
        is_known=lambda name: is_known_tool(name, work.settings),
    )


def _summarise_all(request: Request, done: Evaluated) -> None:
    """The summary over all runs, each copy of a trial counted once."""
    aggregate = request.places.aggregate()
    with locked(aggregate):
        state = load_state(aggregate)
        content = fingerprint([stamp_of(o.folder, SUMMARY) for o in done.outputs], request.only)
        unchanged = not done.rows and state.results.get(SUMMARY) == content
        if unchanged and not request.force and aggregate.has_file(SUMMARY):
            return
        summary = summarise(
            rows_of(done.outputs, done.rows, request),
            scope=ALL_RUNS,
            generated_at=request.generated_at,
            outcomes=outcomes_of(done.outputs),
        )
        write_document(aggregate, SUMMARY, summary)
        state.results[SUMMARY] = content
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
            if asked_for(path, request.only)
        )
        read = request.engine.map(evaluate_stored, works)
        rows = {done.item.document: done.result for done in read if done.result is not None}
        yield from (rows[path] for path in sorted(rows))


def outcomes_of(outputs: Iterable[RunOutput]) -> list[OutcomesDocument]:
    """The outcomes documents of the runs that have one."""
    found = (read_outcomes(output.folder).document for output in outputs)
    return [document for document in found if document is not None]


def asked_for(path: str, only: str | None) -> bool:
    """Whether a document's task fits `--only`; case does not count."""
    stem = path.rpartition("/")[2].removesuffix(EVENTS_ENDING)
    return only is None or fnmatch.fnmatchcase(stem.casefold(), only.casefold())


def stamp_of(folder: Folder, path: str) -> str:
    """Changes when the file does; empty when there is none."""
    entry = folder.stat(path)
    return "" if entry is None else f"{entry.size}:{entry.stamp}"
