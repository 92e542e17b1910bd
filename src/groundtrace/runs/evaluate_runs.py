"""The work of runs: evaluate the documents that are stale, write summaries and state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import msgspec
from msgspec import field

from groundtrace.documents.outcomes import OutcomesDocument
from groundtrace.documents.summary import RefusedDocument
from groundtrace.model import Problem
from groundtrace.problems import ProblemKind
from groundtrace.redact import mask
from groundtrace.rows.kept import KeptRows
from groundtrace.runs.document_work import (
    DocumentDone,
    DocumentWork,
    evaluate_stored,
    works_on,
)
from groundtrace.runs.engine import Done
from groundtrace.runs.evaluated import Evaluated, OlderDocument
from groundtrace.runs.file_names import EVENTS_ENDING, OUTCOMES_FILE, SUMMARY
from groundtrace.runs.output_folders import RunOutput
from groundtrace.runs.read import OutcomeIndex, read_outcomes
from groundtrace.runs.refused import lines_of, refused_record, set_aside_metrics
from groundtrace.runs.request import Request
from groundtrace.runs.rows_of_runs import ReadAgain
from groundtrace.runs.session import RunSession, Sessions, open_sessions, work_through
from groundtrace.runs.state import fingerprint
from groundtrace.runs.summary_work import (
    SMALL_RUN,
    SummaryWork,
    write_summary,
    write_with_table,
)
from groundtrace.storage import FolderEntry


class _RunToEvaluate(msgspec.Struct):
    """One run while its documents are evaluated."""

    session: RunSession
    rows: KeptRows
    """Rows of its documents; rows made now are added."""
    made_from: str
    """Fingerprint of everything that its summary is made from."""
    paths: Sequence[str]
    """Events documents that fit the request."""
    stale: frozenset[str]
    """Events documents whose metrics must be computed."""
    unchanged: bool = False
    """There is nothing to do: the summary is current."""
    outcomes: OutcomesDocument | None = None
    works: Sequence[DocumentWork] = ()
    left_behind: Sequence[str] = ()
    """Events documents that belong to no trial."""
    problems: Counter[ProblemKind] = field(default_factory=Counter)
    refused: list[RefusedDocument] = field(default_factory=list)
    older: list[OlderDocument] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)
    """Events documents that gave no row: refused, or evaluating them failed."""

    def refuse(self, path: str, problem: Problem) -> None:
        """Note a document that cannot be read."""
        self.problems[problem.kind] += 1
        self.refused.append(refused_record(self.session.output, path, problem))


def evaluate_batch(outputs: Sequence[RunOutput], request: Request, done: Evaluated) -> None:
    """Evaluate the documents of these runs that are stale, and write the runs' summaries."""
    settings = asdict(request.settings)
    with open_sessions(outputs) as sessions:
        runs = {
            address: _prepared(session, request, settings, done.rows[address])
            for address, session in sessions.items()
        }

        def enter(result: Done[DocumentWork, DocumentDone], session: RunSession) -> None:
            _enter(result, runs[session.folder.url], done)

        works = [work for run in runs.values() for work in run.works]
        # A run is finished after all its documents and its summary; each is an equal part of it.
        each = len(runs) / (len(works) + len(runs))
        work_through(request, sessions, evaluate_stored, works, enter, each=each)
        changed = []
        for address, run in runs.items():
            if run.unchanged:  # another command did the work in the meantime
                request.ticker.advance(each)
                done.unchanged += len(run.paths)
                done.older += run.older
                del done.rows[address]
            else:
                _count_run(run, request, done)
                changed.append(run)
        _write_summaries(changed, request, sessions, done, each)


def documents_if_stale(
    output: RunOutput, request: Request, settings: Mapping[str, Any], done: Evaluated
) -> int | None:
    """The number of a run's events documents; None if there is nothing to do for the run. Then its
    documents are counted as unchanged.

    `settings` are those of the request, as plain values. This needs no lock, because nothing is
    written. A run that needs work is checked again under the lock.
    """
    session = RunSession(output, seen=request.known.get(output.folder))
    if not done.rows.get(output.folder.url) and not session.may_be_in_use:
        run = _looked_at(session, request, settings, done.rows[output.folder.url])
        if run.unchanged:
            request.ticker.advance()
            done.unchanged += len(run.paths)
            done.older += run.older
            del done.rows[output.folder.url]
            return None
    request.known.forget(output.folder)
    return sum(path.endswith(EVENTS_ENDING) for path in session.marks)


def _looked_at(
    session: RunSession, request: Request, settings: Mapping[str, Any], made: KeptRows
) -> _RunToEvaluate:
    """A run, and whether it needs work; `settings` are those of the request."""
    marks = session.marks
    paths = sorted(path for path in marks if path.endswith(EVENTS_ENDING))
    stale = frozenset(
        path
        for path in paths
        if path not in made and (request.force or not session.is_current_metrics(path))
    )
    events = {path: mark for path, mark in marks.items() if path.endswith(EVENTS_ENDING)}
    made_from = fingerprint(events, marks.get(OUTCOMES_FILE), request.only, settings)
    run = _RunToEvaluate(session, made, made_from, paths, stale)
    version, address = session.state.earlier or "", session.folder.url
    run.older = [
        OlderDocument(f"{address}/{path}", version)
        for path in session.state.older(paths)
        if path not in made
    ]
    nothing_there = not paths and OUTCOMES_FILE not in marks
    nothing_to_do = not stale and not made and not request.force
    run.unchanged = nothing_there or (nothing_to_do and session.is_current(SUMMARY, made_from))
    return run


def _prepared(
    session: RunSession, request: Request, settings: Mapping[str, Any], made: KeptRows
) -> _RunToEvaluate:
    """Which documents of a run to evaluate, and which only to read for the summary."""
    run = _looked_at(session, request, settings, made)
    paths, stale = run.paths, run.stale
    if run.unchanged:
        return run
    stored = read_outcomes(session.folder)
    run.outcomes = stored.document
    if stored.problem is not None:
        run.refuse(OUTCOMES_FILE, stored.problem)
    index = OutcomeIndex(stored)
    run.left_behind = [path for path in paths if not index.lists(path)]
    if run.left_behind:
        run.problems["left_behind"] += len(run.left_behind)
    for path in run.left_behind:
        session.leave_metrics(path)
    run.paths = [path for path in paths if index.wants(path, request.only)]
    to_read = [path for path in run.paths if path not in made]
    unchanged = frozenset(path for path in stale if session.is_current_metrics(path))
    run.works = list(
        works_on(session.folder, to_read, index, request, stale=stale, unchanged=unchanged)
    )
    return run


def _enter(result: Done[DocumentWork, DocumentDone], run: _RunToEvaluate, done: Evaluated) -> None:
    path = result.item.document_path
    made = result.result
    if made is not None and made.packed_row is not None:
        run.rows.keep_packed(path, made.packed_row)
        run.session.enter_metrics(path, run.session.marks[path], made.metrics_mark)
        return
    run.session.forget_metrics(path)
    run.lost.add(path)
    reason = result.error
    if made is not None and made.refused is not None:
        run.refuse(path, made.refused)
        set_aside_metrics(run.session.output, path)
        reason = run.refused[-1].reason
    else:
        run.problems["broken_document"] += 1
    done.failed.append(f"{result.item.output.url}/{path}: {mask(reason or 'failed')}")


def _count_run(run: _RunToEvaluate, request: Request, done: Evaluated) -> None:
    """Add the results of a run's documents to the counts of the command."""
    whole = [work for work in run.works if work.document_path not in run.lost]
    worked = sum(not work.is_current for work in whole)
    done.evaluated += len(run.paths) - len(run.works) + worked
    done.unchanged += len(whole) - worked
    run.refused.sort(key=lambda refused: refused.path)
    done.refused += run.refused
    gone = {f"{run.session.folder.url}/{path}" for path in run.left_behind}
    done.older += [document for document in run.older if document.path not in gone]
    if any(refused.path == OUTCOMES_FILE for refused in run.refused):
        done.failed += lines_of(refused for refused in run.refused if refused.path == OUTCOMES_FILE)
    if not request.only:
        run.session.forget_metrics_but({*run.rows, *run.left_behind})


def _write_summaries(
    runs: Sequence[_RunToEvaluate],
    request: Request,
    sessions: Sessions,
    done: Evaluated,
    each: float,
) -> None:
    """Write the summary of each run, then save its state. Workers write those of small runs."""
    by_address = {run.session.folder.url: run for run in runs}

    def enter(result: Done[SummaryWork, FolderEntry], session: RunSession) -> None:
        # If a worker was lost, the summary is written here, or raises what is wrong with the run.
        written = result.result or write_summary(result.item)
        session.enter_result(SUMMARY, by_address[session.folder.url].made_from, written)
        session.save_if_changed()

    most = SMALL_RUN if len(runs) > 1 else -1  # a single run is not worth a worker
    works = [_summary_work(run, request, list) for run in runs if len(run.rows) <= most]
    work_through(request, sessions, write_summary, works, enter, each=each)
    for run in runs:
        if len(run.rows) > most:
            request.ticker.advance(each)
            work = _summary_work(run, request, lambda packed: packed)
            written, table = write_with_table(work)
            enter(Done(work, written), run.session)
            if not done.single and len(done.outputs) == 1:
                done.table = table


def _summary_work(
    run: _RunToEvaluate, request: Request, held: Callable[[Iterable[bytes]], Iterable[bytes]]
) -> SummaryWork:
    """`held` turns rows in a file into something that can be sent to a worker."""
    rows, session = run.rows, run.session
    return SummaryWork(
        output=session.folder,
        run_id=session.output.run_id,
        generated_at=request.generated_at,
        rows=held(ReadAgain(lambda: (rows.packed(path) for path in sorted(rows)))),
        outcomes=run.outcomes,
        problems={kind: number for kind, number in run.problems.items()},  # noqa: C416
        refused=run.refused,
    )
