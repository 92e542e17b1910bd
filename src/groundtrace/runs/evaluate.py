"""Events documents to metrics documents and summaries; needs only documents, no traces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec
from msgspec import field
from msgspec.structs import asdict

from groundtrace.documents.outcomes import OutcomesDocument
from groundtrace.documents.summary import RefusedDocument, RunSummaryDocument
from groundtrace.errors import NothingFoundError
from groundtrace.model import Problem
from groundtrace.problems import ProblemKind
from groundtrace.redact import mask
from groundtrace.rows.kept import KeptRows
from groundtrace.runs.engine import Done
from groundtrace.runs.evaluated_trials import (
    DocumentDone,
    DocumentWork,
    ReadAgain,
    evaluate_stored,
    rows_of_runs,
    works_on,
)
from groundtrace.runs.loop import Batch, Job, OpenRun, Target, settle_existing
from groundtrace.runs.outcomes import outcomes_of, outside_runs
from groundtrace.runs.output_folders import EVENTS_ENDING, OUTCOMES_FILE, SUMMARY, RunOutput
from groundtrace.runs.read import OutcomeIndex, StoredDocument, read_one, read_outcomes
from groundtrace.runs.refused import lines_of, refused_record, set_aside_metrics
from groundtrace.runs.request import ALL_RUNS, Request
from groundtrace.runs.session import RunSession, work_through
from groundtrace.runs.state import fingerprint, mark_of
from groundtrace.runs.tally import Did, Evaluated, OlderDocument
from groundtrace.runs.write import write_document


def evaluate(request: Request, did: Did | None = None) -> Evaluated:
    """Metrics and summaries for every output folder of RUNS.

    `did` is what this command has done already; rows that are made here are added to its rows.
    """
    outputs, single = request.output_folders.existing()
    did = did or Did()
    done = did.evaluated
    done.outputs, done.single = outputs, single
    summary = Summary(request)
    request.ticker.stage("evaluating", "runs")
    request.ticker.add_total(len(outputs))
    request.ticker.advance(sum(summary.name in did.settled[one.folder.url] for one in outputs))
    settle_existing(outputs, Job(request, (summary,), single), did)
    if not done.evaluated and not done.unchanged and not done.failed:
        raise NothingFoundError(f"{request.runs}: no events documents; run 'groundtrace run'")
    if not single:
        _summarise_all(request, did)
    return done


def summary_of(request: Request, done: Evaluated) -> RunSummaryDocument | None:
    """The summary that `evaluate` wrote, over all runs or of the single run; None if unreadable."""
    folder = done.outputs[0].folder if done.single else request.output_folders.aggregate()
    stored: StoredDocument[RunSummaryDocument] = read_one(folder, SUMMARY, "run_retrieval_summary")
    return stored.document


def _summarise_all(request: Request, did: Did) -> None:
    """The summary over all runs, each copy of a trial counted once."""
    done = did.evaluated
    target = RunOutput(ALL_RUNS, request.output_folders.aggregate())
    runs = [(o.run_id, request.known.mark_of(o.folder, SUMMARY)) for o in done.outputs]
    outside = mark_of(target.folder, OUTCOMES_FILE)
    made_from = fingerprint(runs, outside, request.only, asdict(request.settings))

    def is_current(session: RunSession) -> bool:
        return not request.force and session.is_current(SUMMARY, made_from)

    with did.all_runs.if_stale(target, request.known, is_current) as session:
        if session is None:
            return
        from groundtrace.rows.summarise import summarise

        table = did.tables.get(done.outputs[0].folder.url) if len(done.outputs) == 1 else None
        summary = summarise(
            table or ReadAgain(lambda: rows_of_runs(done.outputs, did.rows, request)),
            scope=ALL_RUNS,
            generated_at=request.generated_at,
            outcomes=outcomes_of(done.outputs),
            refused=sorted(done.refused, key=lambda refused: (refused.run_id, refused.path)),
            outside=outside_runs(session.folder, done.outputs),
        )
        runs_are_masked = all(one.folder.url in did.masked for one in done.outputs)
        is_masked = runs_are_masked and not done.refused and _has_masked_outcomes(session)
        written = write_document(
            session.folder, SUMMARY, summary, is_masked=is_masked, is_ordered=True
        )
        session.enter_result(SUMMARY, made_from, written)


def _has_masked_outcomes(session: RunSession) -> bool:
    """Whether outcomes.json certainly holds no credential; it may not exist."""
    return session.is_masked(OUTCOMES_FILE) or not session.mark(OUTCOMES_FILE)


class _RunToEvaluate(msgspec.Struct):
    """One run while its documents are evaluated."""

    run: OpenRun
    made_from: str
    """Fingerprint of everything that its summary is made from."""
    paths: Sequence[str]
    """Events documents that fit the request."""
    stale: frozenset[str]
    """Events documents whose metrics must be computed."""
    outcomes: OutcomesDocument | None = None
    outcomes_are_read: bool = False
    """They come from the file, not from an earlier stage of this command."""
    works: Sequence[DocumentWork] = ()
    older: Sequence[OlderDocument] = ()
    left_behind: Sequence[str] = ()
    """Events documents that belong to no trial."""
    problems: Counter[ProblemKind] = field(default_factory=Counter)
    refused: list[RefusedDocument] = field(default_factory=list)
    is_masked: bool = False
    """The files that its summary is made from certainly hold no credential."""
    lost: set[str] = field(default_factory=set)
    """Events documents that gave no row: refused, or evaluating them failed."""

    @property
    def session(self) -> RunSession:
        return self.run.session

    @property
    def rows(self) -> KeptRows:
        """Rows of its documents; rows made now are added."""
        return self.run.did.rows[self.run.address]

    def refuse(self, path: str, problem: Problem) -> None:
        """Note a document that cannot be read."""
        self.problems[problem.kind] += 1
        self.refused.append(refused_record(self.session.output, path, problem))


class Summary(Target[_RunToEvaluate], frozen=True, dict=True):
    """Metrics of a run's events documents, and the run's summary.

    Made from its events documents, its outcomes and the settings.
    """

    @cached_property
    def _settings(self) -> Mapping[str, Any]:
        return asdict(self.request.settings)

    def look(self, run: OpenRun) -> _RunToEvaluate | None:
        session, made, request = run.session, run.rows or (), self.request
        marks = session.marks
        paths = sorted(path for path in marks if path.endswith(EVENTS_ENDING))
        if not paths and OUTCOMES_FILE not in marks:
            return None
        stale = frozenset(
            path
            for path in paths
            if path not in made and (request.force or not session.is_current_metrics(path))
        )
        events = {path: marks[path] for path in paths}
        made_from = fingerprint(events, marks.get(OUTCOMES_FILE), request.only, self._settings)
        if not stale and not made and not request.force and session.is_current(SUMMARY, made_from):
            return None
        return _RunToEvaluate(run, made_from, paths, stale)

    def skip(self, run: OpenRun) -> None:
        paths = [path for path in run.session.marks if path.endswith(EVENTS_ENDING)]
        run.did.evaluated.unchanged += len(paths)
        run.did.evaluated.older += _older(run, sorted(paths))
        run.did.rows.pop(run.address, None)
        self.request.ticker.advance()

    def make(self, works: Sequence[_RunToEvaluate], batch: Batch) -> None:
        """Evaluate the documents that are stale, and write the runs' summaries."""
        done = batch.did.evaluated
        by_address = {one.run.address: one for one in works}
        for one in works:
            _prepare(one, self.request)

        def enter(result: Done[DocumentWork, DocumentDone], session: RunSession) -> None:
            _enter(result, by_address[session.folder.url], done)

        documents = [work for one in works for work in one.works]
        # A run is finished after all its documents and its summary; each is an equal part of it.
        each = len(works) / (len(documents) + len(works)) if works else 0
        work_through(self.request, batch.sessions, evaluate_stored, documents, enter, each=each)
        for one in works:
            _count(one, self.request, done)
            _write_summary(one, self.request)
            self.request.ticker.advance(each)
            batch.clock.save_if_due()


def _older(run: OpenRun, paths: Sequence[str]) -> list[OlderDocument]:
    """Those of these events documents that another version of groundtrace made."""
    version = run.session.state.earlier or ""
    return [
        OlderDocument(f"{run.address}/{path}", version) for path in run.session.state.older(paths)
    ]


def _prepare(one: _RunToEvaluate, request: Request) -> None:
    """Which documents of a run to evaluate, and which only to read for the summary."""
    session, made = one.session, one.rows
    stored = StoredDocument(OUTCOMES_FILE, one.run.outcomes)
    one.outcomes_are_read = stored.document is None
    if stored.document is None:
        stored = read_outcomes(session.folder)
        one.run.outcomes = stored.document
    one.outcomes = stored.document
    if stored.problem is not None:
        one.refuse(OUTCOMES_FILE, stored.problem)
    index = OutcomeIndex(stored)
    one.left_behind = [path for path in one.paths if not index.lists(path)]
    if one.left_behind:
        one.problems["left_behind"] += len(one.left_behind)
    for path in one.left_behind:
        session.leave_metrics(path)
    gone = {*made, *one.left_behind}
    one.older = _older(one.run, [path for path in one.paths if path not in gone])
    one.paths = [path for path in one.paths if index.wants(path, request.only)]
    to_read = [path for path in one.paths if path not in made]
    unchanged = frozenset(path for path in one.stale if session.is_current_metrics(path))
    masked = frozenset(path for path in to_read if session.is_masked(path))
    one.is_masked = (
        one.outcomes_are_read and _has_masked_outcomes(session) and masked.issuperset(one.paths)
    )
    one.works = list(
        works_on(
            *(session.folder, to_read, index, request),
            stale=one.stale,
            unchanged=unchanged,
            masked=masked,
        )
    )


def _enter(result: Done[DocumentWork, DocumentDone], one: _RunToEvaluate, done: Evaluated) -> None:
    path = result.item.document_path
    made = result.result
    if made is not None and made.packed_row is not None:
        one.rows.keep_packed(path, made.packed_row, may_hold=one.outcomes_are_read)
        one.session.enter_metrics(path, one.session.marks[path], made.metrics_mark)
        return
    one.session.forget_metrics(path)
    one.lost.add(path)
    named, reason = path, result.error
    if made is not None and made.refused is not None:
        one.refuse(made.refused.file, made.refused)
        named, reason = made.refused.file, one.refused[-1].reason
        if named == path:
            set_aside_metrics(one.session.output, path)
    else:
        one.problems["broken_document"] += 1
    done.failed.append(f"{result.item.output.url}/{named}: {mask(reason or 'failed')}")


def _count(one: _RunToEvaluate, request: Request, done: Evaluated) -> None:
    """Add the results of a run's documents to the counts of the command."""
    whole = [work for work in one.works if work.document_path not in one.lost]
    worked = sum(not work.is_current for work in whole)
    done.evaluated += len(one.paths) - len(one.works) + worked
    done.unchanged += len(whole) - worked
    one.refused.sort(key=lambda refused: refused.path)
    done.refused += one.refused
    done.older += one.older
    if any(refused.path == OUTCOMES_FILE for refused in one.refused):
        done.failed += lines_of(refused for refused in one.refused if refused.path == OUTCOMES_FILE)
    if not request.only:
        one.session.forget_metrics_but({*one.rows, *one.left_behind})
    if one.works:
        one.session.list_again()


def _write_summary(one: _RunToEvaluate, request: Request) -> None:
    from groundtrace.rows.summarise import summarise, table_of

    rows = one.rows
    table = table_of(ReadAgain(lambda: (rows[path] for path in sorted(rows))))
    summary = summarise(
        table,
        scope=one.session.output.run_id,
        generated_at=request.generated_at,
        outcomes=[one.outcomes] if one.outcomes is not None else [],
        problems={kind: number for kind, number in one.problems.items()},  # noqa: C416
        refused=one.refused,
    )
    tables = one.run.did.tables
    tables[one.run.address] = table if not tables else None
    is_masked = one.is_masked and not one.refused
    if is_masked:
        one.run.did.masked.add(one.run.address)
    written = write_document(
        one.session.folder, SUMMARY, summary, is_masked=is_masked, is_ordered=True
    )
    one.session.enter_result(SUMMARY, one.made_from, written)
