"""Traces to events documents and outcomes: a few runs at a time, and only what is stale."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec import field
from msgspec.structs import replace

from groundtrace.artifacts.file_names import EVENTS_ENDING, OUTCOMES_FILE, metrics_path
from groundtrace.artifacts.output_folders import RunOutput
from groundtrace.artifacts.read import document_paths, read_outcomes
from groundtrace.artifacts.state import RunSeen
from groundtrace.artifacts.write import write_in_parts
from groundtrace.discover import (
    Found,
    FoundProblem,
    Run,
    RunsLayout,
    Skipped,
    discover_run,
    layout_of,
)
from groundtrace.discover.outcome_entry import outcome_entry
from groundtrace.documents.base import SCHEMA_VERSION
from groundtrace.documents.codec import encode_in_parts
from groundtrace.documents.outcomes import OutcomesDocument, SkippedFolder, TrialOutcome
from groundtrace.engine import Done
from groundtrace.errors import NothingFoundError
from groundtrace.garbage import rarely_collected
from groundtrace.plan import (
    Fingerprints,
    Plan,
    TrialWork,
    WorkContext,
    plan_run,
    problems_outside_runs,
)
from groundtrace.problems import PASSING
from groundtrace.redact import mask, masking
from groundtrace.rows.kept import KeptRows, RowsByRun, packed
from groundtrace.stages.all_outcomes import outcomes_of, write_all_outcomes
from groundtrace.stages.only import nothing_fits_in_runs
from groundtrace.stages.request import Request, Ticker
from groundtrace.stages.session import RunSession, batches, open_sessions, with_last, work_through
from groundtrace.stages.task_definitions import TaskDefinitions
from groundtrace.stages.unchanged import KnownRuns, UnchangedRun, fingerprint_of_shared
from groundtrace.storage import open_place

if TYPE_CHECKING:
    from groundtrace.trial_results import TrialDone


NEW_OBJECTS = 5_000
"""New objects of a trial after which unreachable ones are looked for."""


class Normalized(msgspec.Struct):
    """What normalizing did, for messages and for the stages after it."""

    outputs: list[RunOutput] = field(default_factory=list)
    single: bool = True
    """RUNS is one run."""
    written: int = 0
    """Number of documents that were made now."""
    unchanged: int = 0
    """Number of documents that are current."""
    superseded: int = 0
    """Number of trials that do not count because a later one of the same task does."""
    skipped: int = 0
    """Number of folders without a trial, or left out because of their names."""
    without_task: int = 0
    """Number of trials whose task has no definition."""
    truth_given: bool = True
    """Task definitions or a registry were named."""
    left_behind: int = 0
    """Number of documents whose trial is gone; `--prune` removes them."""
    left_runs: list[str] = field(default_factory=list)
    """Runs that are not in RUNS any more but still have results."""
    notes: list[str] = field(default_factory=list)
    """Problems of the task definitions and the registry."""
    noted: bool = False
    """Whether the task definitions have problems, as found now or by an earlier run."""
    failed: list[str] = field(default_factory=list)
    rows: RowsByRun = field(default_factory=RowsByRun)
    """Run folder to its freshly evaluated rows, by document."""
    faults: list[str] = field(default_factory=list)
    """Traces that the user named but that could not be used."""
    unlisted: list[str] = field(default_factory=list)
    """Folders that cannot be listed: their trials are missing from the results."""
    nearest: list[SkippedFolder] = field(default_factory=list)
    """Folders that were skipped; shown if nothing was found."""
    unknown_calls: defaultdict[str, Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    """Unknown tools in the documents that were made now and are not evaluated yet."""
    uncounted_servers: Counter[str] = field(default_factory=Counter)
    """MCP servers that do not count as MCP, in the same documents."""

    @property
    def trials(self) -> int:
        """Trials that were found."""
        return self.written + self.unchanged + self.superseded + len(self.failed)

    @property
    def all_failed(self) -> bool:
        """Trials were found, but none could be processed."""
        return bool(self.failed) and not (self.written or self.unchanged)

    def add_unchanged(self, run: UnchangedRun) -> None:
        """Count a run that needs no work."""
        self.outputs.append(run.output)
        self.unchanged += run.documents
        self.left_behind += run.left_behind
        self.superseded += run.seen.superseded
        self.skipped += run.seen.skipped
        self.without_task += run.seen.without_task
        self.noted |= run.seen.noted


class _RunToNormalize(msgspec.Struct):
    """One run while its trials are processed."""

    session: RunSession
    plan: Plan
    rows: KeptRows
    outcomes: dict[str, TrialOutcome]
    """Outcomes by document; those of trials that are processed now are added."""
    stale: list[TrialWork]
    """Trials to process."""


def normalize(request: Request, *, with_metrics: bool = False) -> Normalized:
    """Traces to events documents and outcomes, for every run that has trials."""
    with masking(request.settings.mask):
        return _normalize(request, with_metrics)


def _normalize(request: Request, with_metrics: bool) -> Normalized:
    tasks = TaskDefinitions(request.tasks)
    context = request.context(with_metrics=with_metrics)
    place = open_place(request.runs)
    layout = layout_of(place, request.settings, by_run=request.out is not None)
    given = bool(request.tasks) or request.ground_truth is not None
    done = Normalized(single=layout.single, truth_given=given)
    outside: list[Skipped | FoundProblem] = []
    discovery = _Discovery(request.ticker)
    plans = _plans(layout, discovery, request, tasks, context, done, outside)
    for batch, last in with_last(batches(plans, lambda plan: len(plan[1].works))):
        discovery.end()
        _normalize_batch(batch, request, done, last=last)
    if not done.trials:
        why = None
        if request.only is not None:
            why = nothing_fits_in_runs(request.only, place, request.settings, tasks.index)
        raise NothingFoundError(
            nothing_found(request.runs, done.nearest) if why is None else f"{request.runs}: {why}"
        )
    done.notes += _notes(tasks if done.noted else None, context)
    if not layout.single:
        skipped, problems = problems_outside_runs(outside)
        done.skipped += len(skipped)
        left = None
        if request.only is None:
            left = done.left_runs = _left_runs(request, done)
        write_all_outcomes(request, done.outputs, skipped, problems, left)
    return done


def _left_runs(request: Request, done: Normalized) -> list[str]:
    """Runs that have results but are not in RUNS any more (D113)."""
    outputs, _ = request.output_folders.all_existing()
    found = {output.folder.url for output in done.outputs}
    return [output.run_id for output in outputs if output.folder.url not in found]


def nothing_found(runs: str, passed: Iterable[SkippedFolder | Skipped]) -> str:
    """The message if RUNS has no trial: what was looked for, and what came closest."""
    from groundtrace.discover.loose import nearest
    from groundtrace.traces import all_readers

    formats = ", ".join(reader.name for reader in all_readers()[0])
    near = nearest(passed)
    return (
        f"{runs}: no trials found; looked for folders with result.json, config.json or a trace in "
        f"agent/, and for traces of {formats} under any name"
        + (f"; nearest: {near}" if near else "")
        + "; see 'normalize --dry-run'"
    )


def normalize_trial(work: TrialWork) -> TrialDone:
    """Process one trial, in a worker. The stages are imported only if there is a trial."""
    from groundtrace.pipeline import process_trial

    with rarely_collected(NEW_OBJECTS):
        made = process_trial(work)
        if made.row is None:
            return made
        return replace(made, row=None, packed_row=packed(made.row))


def _notes(tasks: TaskDefinitions | None, context: WorkContext) -> list[str]:
    """Problems of the task definitions and the registry: they belong to no single run."""
    problems = [*tasks.problems] if tasks is not None else []
    problems += context.registry.problems if context.registry is not None else ()
    return [mask(str(problem)) for problem in problems]


class _Discovery:
    """Reports progress: runs found, until trials are read; after that, trials."""

    def __init__(self, ticker: Ticker) -> None:
        self._ticker = ticker
        self._over = False
        ticker.stage("discovering", "runs")

    def runs(
        self, found: Iterable[Run | Skipped | FoundProblem]
    ) -> Iterator[Run | Skipped | FoundProblem]:
        for run in found:
            if isinstance(run, Run) and not self._over:
                self._ticker.advance()
            yield run

    def end(self) -> None:
        if not self._over:
            self._over = True
            self._ticker.stage("reading", "trials")


def _plans(
    layout: RunsLayout,
    discovery: _Discovery,
    request: Request,
    tasks: TaskDefinitions,
    context: WorkContext,
    done: Normalized,
    outside: list[Skipped | FoundProblem],
) -> Iterator[tuple[RunOutput, Plan]]:
    """The plan of every run that has work; what belongs to no run goes to `outside`."""
    known = Fingerprints(context.fingerprint())
    seen = KnownRuns(request, fingerprint_of_shared(request, tasks, context, known))
    for run in discovery.runs(layout.runs(seen.is_unchanged)):
        if not isinstance(run, Run):
            outside.append(run)
            _note_fault(run, done)
            continue
        output, run_fingerprint, unchanged = seen.look_at(run)
        if unchanged is not None:
            done.add_unchanged(unchanged)
            continue
        done.noted |= bool(tasks.problems)
        if any(problem.kind in PASSING for problem in tasks.problems):
            run_fingerprint = None
        found = discover_run(run, settings=request.settings, tasks=tasks.index, only=request.only)
        found = _noting_faults(found, done)
        plan = plan_run(found, output.folder, run.path, context, known)
        if plan.works:
            yield output, replace(plan, fingerprint=run_fingerprint)
        else:
            done.skipped += len(plan.skipped)
            done.nearest += plan.skipped


_FAULTS = frozenset({"bad_row", "trace_missing", "unrecognised"})
"""Kinds of problems that make a trial missing although the user named it."""


def _noting_faults(found: Iterable[Found], done: Normalized) -> Iterator[Found]:
    """What was found, unchanged; notes problems that keep rows of a manifest from being trials."""
    for item in found:
        _note_fault(item, done)
        yield item


def _note_fault(item: Found, done: Normalized) -> None:
    if not isinstance(item, FoundProblem):
        return
    problem = item.problem
    if problem.kind in _FAULTS:
        done.faults.append(mask(str(problem)))
    elif problem.kind == "unlisted_folder" and problem.file == item.path:
        done.unlisted.append(f"{item.path}: {problem.reason}")


def _normalize_batch(
    plans: Sequence[tuple[RunOutput, Plan]], request: Request, done: Normalized, *, last: bool
) -> None:
    outputs = [output for output, _ in plans]
    with open_sessions(outputs, ignore_state=request.force) as sessions:
        runs = {
            output.folder.url: _prepared(plan, sessions[output.folder.url], done)
            for output, plan in plans
        }

        def enter(result: Done[TrialWork, TrialDone], session: RunSession) -> None:
            _enter(result, runs[session.folder.url], done)

        stale = [work for run in runs.values() for work in run.stale]
        request.ticker.add_total(len(stale), final=last)
        work_through(request, sessions, normalize_trial, stale, enter)
        for run in runs.values():
            _finish_run(run, request, done)


def _prepared(plan: Plan, session: RunSession, done: Normalized) -> _RunToNormalize:
    """Sort a run's trials into those whose document is current and those that are stale."""
    earlier = _earlier_outcomes(session) | session.state.unfinished
    outcomes: dict[str, TrialOutcome] = {}
    stale: list[TrialWork] = []
    for work in plan.works:
        path = work.document_path
        if path in earlier and session.is_current_document(path, work.inputs_fingerprint):
            outcomes[path] = earlier[path]
        else:
            stale.append(work)
    done.unchanged += len(outcomes)
    session.forget_before_work([work.document_path for work in stale])
    return _RunToNormalize(session, plan, done.rows[session.folder.url], outcomes, stale)


def _enter(result: Done[TrialWork, TrialDone], run: _RunToNormalize, done: Normalized) -> None:
    work = result.item
    if result.result is None:
        # The text of an error can contain text of a trace.
        error = mask(result.error or "failed")
        done.failed.append(f"{work.trial.path}: {error}")
        run.outcomes[work.document_path] = outcome_entry(
            work.trial, "failed", reason=error, run_path=work.run_path
        )
        # An earlier run made these metrics from other inputs: they are not results of the trial
        # as it is now.
        work.output.remove(metrics_path(work.document_path))
        work.output.remove(work.document_path)
        return
    made = result.result
    done.written += 1
    done.uncounted_servers.update(made.uncounted_servers)
    for name, calls in made.unknown_calls.items():
        done.unknown_calls[name].update(calls)
    run.outcomes[work.document_path] = made.outcome
    if made.is_settled:
        run.session.enter_document(
            work.document_path, work.inputs_fingerprint, made.mark, made.outcome
        )
    if made.packed_row is not None:
        run.rows.keep_packed(work.document_path, made.packed_row)
        run.session.enter_metrics(work.document_path, made.mark, made.metrics_mark)


def _finish_run(run: _RunToNormalize, request: Request, done: Normalized) -> None:
    """Write outcomes, count or remove documents without a trial, and save the state last."""
    plan, session = run.plan, run.session
    failed = run.outcomes.keys() - session.state.documents.keys()
    seen = RunSeen(
        fingerprint=plan.fingerprint or "",
        superseded=len(plan.superseded),
        skipped=len(plan.skipped),
        without_task=sum(not _has_task(work) for work in plan.works),
        noted=done.noted,
    )
    done.outputs.append(session.output)
    done.superseded += seen.superseded
    done.skipped += seen.skipped
    done.without_task += seen.without_task
    if request.only is None:
        done.left_behind += _leave_behind(run, request)
    _write_outcomes(run, request)
    # What could not be read or listed may be readable the next time without looking different
    # (D79).
    passing = not PASSING.isdisjoint(plan.problems)
    whole = plan.fingerprint is not None and request.only is None and not failed and not passing
    session.enter_run(seen if whole else None)
    session.save_if_changed()


def _has_task(work: TrialWork) -> bool:
    """Whether a trial's task is defined, by a task definition or by the registry."""
    registry = work.context.registry
    return work.trial.task is not None or (registry is not None and bool(registry.truths))


def _write_outcomes(run: _RunToNormalize, request: Request) -> None:
    records = _records(run, request)

    def parts(made: str | None) -> Iterator[bytes]:
        document = OutcomesDocument(
            schema_version=SCHEMA_VERSION,
            generated_at=made or request.generated_at,
            scope=run.session.output.run_id,
            trials=[],
            skipped=list(run.plan.skipped),
            problems=dict(run.plan.problems),
        )
        return encode_in_parts(document, "trials", records)

    written = write_in_parts(run.session.folder, OUTCOMES_FILE, parts)
    run.session.enter_result(OUTCOMES_FILE, "", written)
    run.session.outcomes_are_written()


def _records(run: _RunToNormalize, request: Request) -> list[TrialOutcome]:
    """The outcomes of every trial of a run, in order."""
    records = [run.outcomes[document] for document in sorted(run.outcomes)]
    run_path = run.plan.works[0].run_path
    records += [
        outcome_entry(trial, "superseded", reason=reason, run_path=run_path)
        for trial, reason in run.plan.superseded
    ]
    if request.only is not None:
        # Earlier outcomes of the trials that `--only` left out.
        have = {record.path for record in records}
        for stored in outcomes_of([run.session.output]):
            records += [trial for trial in stored.trials if trial.path not in have]
    records.sort(key=lambda r: (r.config_name, r.task_name, r.path))
    return records


def _leave_behind(run: _RunToNormalize, request: Request) -> int:
    """Count the documents whose trials are gone; remove them if the user asked for it."""
    session = run.session
    wanted = {work.document_path for work in run.plan.works}
    for path in session.state.documents.keys() - wanted:
        session.forget_inputs(path)
    left = [path for path in document_paths(session.folder, EVENTS_ENDING) if path not in wanted]
    if not request.prune:
        return len(left)
    for path in left:
        session.folder.remove(metrics_path(path))
        session.folder.remove(path)
        session.forget(path)
    return 0


def _earlier_outcomes(session: RunSession) -> dict[str, TrialOutcome]:
    """Outcomes that an earlier run wrote, unless somebody changed them since."""
    if not session.is_current(OUTCOMES_FILE, ""):
        return {}
    stored = read_outcomes(session.folder).document
    return {t.document: t for t in stored.trials if t.document} if stored is not None else {}
