"""Traces to events documents and outcomes, some runs at a time, doing only what is stale."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from groundtrace.artifacts.lock import locked
from groundtrace.artifacts.output_folders import RunOutput
from groundtrace.artifacts.read import (
    EVENTS_ENDING,
    document_paths,
    metrics_path,
    read_outcomes,
)
from groundtrace.artifacts.state import FILE_NAME as STATE_FILE
from groundtrace.artifacts.state import (
    RunSeen,
    State,
    enter_result,
    fingerprint,
    is_current,
    load_state,
    marks_in,
    save_state,
)
from groundtrace.artifacts.write import write_in_parts
from groundtrace.discover import FoundProblem, Run, Skipped, discover_run, layout_of
from groundtrace.discover.outcome_record import outcome_record
from groundtrace.documents import KINDS
from groundtrace.documents.base import SCHEMA_VERSION
from groundtrace.documents.codec import encode_in_parts
from groundtrace.documents.outcomes import (
    OutcomesDocument,
    SkippedFolder,
    TrialOutcome,
)
from groundtrace.engine import Done
from groundtrace.errors import GroundtraceError, NothingFoundError
from groundtrace.plan import (
    Context,
    Fingerprints,
    Plan,
    TrialWork,
    is_fresh,
    plan_run,
    problems_outside_runs,
)
from groundtrace.rows.kept import KeptRows, RowsByRun
from groundtrace.stages import ALL_RUNS, Request, batches
from groundtrace.stages.evaluate import stamp_of
from groundtrace.stages.tasks import Tasks
from groundtrace.stages.unchanged import everywhere, fingerprint_of, is_unchanged
from groundtrace.storage import Folder, open_folder

if TYPE_CHECKING:
    from groundtrace.model import Problem
    from groundtrace.pipeline import TrialDone

OUTCOMES = KINDS["outcomes"].file_name
SAVE_SECONDS = 10.0
"""How much work a kill -9 may cost: what is done is entered in the state this often."""


@dataclass(slots=True)
class Normalized:
    """What normalizing did, for messages and for the stages after it."""

    outputs: list[RunOutput] = field(default_factory=list)
    single: bool = True
    written: int = 0
    unchanged: int = 0
    superseded: int = 0
    skipped: int = 0
    without_task: int = 0
    left_behind: int = 0
    """Documents whose trial is gone; `--prune` removes them."""
    notes: list[str] = field(default_factory=list)
    """Problems of the task definitions and the registry."""
    noted: bool = False
    """Whether the task definitions have problems, by now or by what an earlier run knew."""
    failed: list[str] = field(default_factory=list)
    rows: RowsByRun = field(default_factory=RowsByRun)
    """Run folder to its freshly evaluated rows, by document."""

    @property
    def trials(self) -> int:
        return self.written + self.unchanged + self.superseded + len(self.failed)


@dataclass(slots=True)
class _RunWork:
    """One run while it is worked on, its output folder locked."""

    plan: Plan
    output: RunOutput
    state: State
    outcomes: dict[str, TrialOutcome]
    """By document."""
    stale: list[TrialWork]
    rows: KeptRows
    unsaved: bool = False
    """Something was made that the state on disk does not know of yet."""


def normalize(request: Request, *, with_metrics: bool = False) -> Normalized:
    """Traces to events documents and outcomes, for every run that has trials."""
    tasks = Tasks(request.tasks)
    context = request.context(with_metrics=with_metrics)
    layout = layout_of(open_folder(request.runs), request.settings)
    done = Normalized(single=layout.single)
    outside: list[Skipped | FoundProblem] = []
    plans = _plans(layout.runs(), request, tasks, context, done, outside)
    for batch in batches(plans, lambda plan: len(plan[1].works)):
        _normalize_batch(batch, request, done)
    if not done.trials:
        raise NothingFoundError(f"{request.runs}: no trials found; see 'normalize --dry-run'")
    done.notes += _notes(tasks if done.noted else None, context)
    if not layout.single:
        skipped, problems = problems_outside_runs(outside)
        done.skipped += len(skipped)
        _write_all_outcomes(request, done.outputs, skipped, problems)
    return done


def work_on(work: TrialWork) -> TrialDone:
    """One trial, in a worker; the stages it goes through are imported when there is a trial."""
    from groundtrace.pipeline import work_on as through

    return through(work)


def _notes(tasks: Tasks | None, context: Context) -> list[str]:
    """Problems of the task definitions and the registry: of no run, so they stand in none."""
    problems = [*_problems(tasks)] if tasks is not None else []
    problems += context.registry.problems if context.registry is not None else ()
    return [str(problem) for problem in problems]


def _problems(tasks: Tasks) -> tuple[Problem, ...]:
    return tuple(tasks.index.problems) if tasks.index is not None else ()


def _plans(
    runs: Iterable[Run | Skipped | FoundProblem],
    request: Request,
    tasks: Tasks,
    context: Context,
    done: Normalized,
    outside: list[Skipped | FoundProblem],
) -> Iterator[tuple[RunOutput, Plan]]:
    """The work of every run that has some; what is of no run goes to `outside`."""
    known = Fingerprints(context.fingerprint())
    shared = everywhere(request, tasks, context, known)
    for run in runs:
        if not isinstance(run, Run):
            outside.append(run)
            continue
        output = request.places.run(run.run_id, run.path)
        seen = fingerprint_of(run, shared)
        if is_unchanged(output, seen, request, done):
            continue
        done.noted |= bool(_problems(tasks))
        found = discover_run(run, settings=request.settings, tasks=tasks.index, only=request.only)
        plan = plan_run(found, output.folder, run.path, context, known)
        if plan.works:
            yield output, replace(plan, seen=seen)
        else:
            done.skipped += len(plan.skipped)


def _normalize_batch(
    plans: Iterable[tuple[RunOutput, Plan]], request: Request, done: Normalized
) -> None:
    """Some runs at a time: together they keep all workers busy, however small each is."""
    with ExitStack() as locks:
        works: dict[str, _RunWork] = {}
        for output, plan in plans:
            locks.enter_context(locked(output.folder))
            works[output.folder.url] = _prepared(plan, output, request, done)
        stale = [work for run in works.values() for work in run.stale]
        request.ticker.add_total(len(stale))
        saved_at = time.monotonic()
        try:
            for result in request.engine.map(work_on, stale):
                request.ticker.advance()
                _take(result, works[result.item.output.url], done)
                if time.monotonic() - saved_at > SAVE_SECONDS:
                    _save(works.values())
                    saved_at = time.monotonic()
        except BaseException:
            _save_if_possible(works.values())
            raise
        for run in works.values():
            _finish_run(run, request, done)


def _save(runs: Iterable[_RunWork]) -> None:
    for run in runs:
        if run.unsaved:
            save_state(run.output.folder, run.state)
            run.unsaved = False


def _save_if_possible(runs: Iterable[_RunWork]) -> None:
    """The run is being stopped: by the user, or by a disk that may refuse this as well."""
    try:
        _save(runs)
    except GroundtraceError:
        pass


def _prepared(plan: Plan, output: RunOutput, request: Request, done: Normalized) -> _RunWork:
    """Sort a run's trials into fresh and stale, and strike off what will be made again."""
    folder = output.folder
    state = State() if request.force else load_state(folder)
    marks = marks_in(folder)
    earlier = _earlier_outcomes(folder, state, marks) | state.unfinished
    run = _RunWork(plan, output, state, {}, [], done.rows[folder.url])
    for work in plan.works:
        if work.document in earlier and is_fresh(work, state, marks):
            run.outcomes[work.document] = earlier[work.document]
            done.unchanged += 1
        else:
            run.stale.append(work)
            state.documents.pop(work.document, None)
            state.evaluated.pop(work.document, None)
            state.unfinished.pop(work.document, None)
    if run.stale:
        state.run = None
    if run.stale and STATE_FILE in marks:
        # Before anything is written: if this run is killed, a later one with yesterday's inputs
        # must not take today's documents for yesterday's.
        save_state(folder, state)
    return run


def _take(result: Done[TrialWork, TrialDone], run: _RunWork, done: Normalized) -> None:
    work = result.item
    if result.result is None:
        done.failed.append(f"{work.trial.path}: {result.error}")
        run.outcomes[work.document] = outcome_record(
            work.trial, "failed", reason=result.error, run_path=work.run_path
        )
        # What an earlier run wrote from other inputs is no result of this trial as it is now.
        work.output.remove(metrics_path(work.document))
        work.output.remove(work.document)
        return
    made = result.result
    done.written += 1
    run.unsaved = True
    run.outcomes[work.document] = run.state.unfinished[work.document] = made.outcome
    run.state.documents[work.document] = f"{work.inputs} {made.mark}"
    if made.row is not None:
        run.rows.keep(work.document, made.row)
        run.state.evaluated[work.document] = f"{made.mark} {made.metrics_mark}"


def _finish_run(run: _RunWork, request: Request, done: Normalized) -> None:
    """Write outcomes, deal with what is left behind, and save the state last."""
    plan, state, folder = run.plan, run.state, run.output.folder
    done.outputs.append(run.output)
    done.superseded += len(plan.passed_over)
    done.skipped += len(plan.skipped)
    records = [run.outcomes[document] for document in sorted(run.outcomes)]
    run_path = plan.works[0].run_path
    records += [
        outcome_record(trial, "superseded", reason=reason, run_path=run_path)
        for trial, reason in plan.passed_over
    ]
    without_task = sum(work.trial.task is None for work in plan.works)
    done.without_task += without_task
    failed = len(run.outcomes) > len(run.state.documents.keys() & run.outcomes.keys())
    if request.only is None:
        _leave_behind(run, request, done)
    else:
        records += _not_asked_for(folder, records)
    records.sort(key=lambda r: (r.config_name, r.task_name, r.path))
    before = (state.results.get(OUTCOMES), state.run)

    def parts(made: str | None) -> Iterator[bytes]:
        document = OutcomesDocument(
            schema_version=SCHEMA_VERSION,
            generated_at=made or request.generated_at,
            scope=run.output.run_id,
            trials=[],
            skipped=list(plan.skipped),
            problems=dict(plan.problems),
        )
        return encode_in_parts(document, "trials", records)

    enter_result(state, OUTCOMES, "", write_in_parts(folder, OUTCOMES, parts))
    whole = plan.seen is not None and request.only is None and not failed
    state.run = (
        RunSeen(
            fingerprint=plan.seen or "",
            superseded=len(plan.passed_over),
            skipped=len(plan.skipped),
            without_task=without_task,
            noted=done.noted,
        )
        if whole
        else None
    )
    if run.unsaved or state.unfinished or before != (state.results[OUTCOMES], state.run):
        state.unfinished.clear()
        save_state(folder, state)


def _leave_behind(run: _RunWork, request: Request, done: Normalized) -> None:
    """Documents whose trials are gone: counted, or removed where that was asked for."""
    folder, state = run.output.folder, run.state
    wanted = {work.document for work in run.plan.works}
    for path in state.documents.keys() - wanted:
        del state.documents[path]
        run.unsaved = True
    left = [path for path in document_paths(folder, EVENTS_ENDING) if path not in wanted]
    if not request.prune:
        done.left_behind += len(left)
        return
    for path in left:
        folder.remove(metrics_path(path))
        folder.remove(path)
        state.evaluated.pop(path, None)
        run.unsaved = True


def _earlier_outcomes(
    folder: Folder, state: State, marks: Mapping[str, str]
) -> dict[str, TrialOutcome]:
    """Outcomes that an earlier run wrote, unless somebody changed them since."""
    if not is_current(state, marks, OUTCOMES, ""):
        return {}
    stored = read_outcomes(folder).document
    return {t.document: t for t in stored.trials if t.document} if stored is not None else {}


def _not_asked_for(folder: Folder, records: list[TrialOutcome]) -> list[TrialOutcome]:
    """Earlier outcomes of trials that `--only` left out."""
    stored = read_outcomes(folder).document
    have = {record.path for record in records}
    return [t for t in stored.trials if t.path not in have] if stored is not None else []


def _write_all_outcomes(
    request: Request,
    outputs: Iterable[RunOutput],
    skipped: list[SkippedFolder],
    problems: dict[str, int],
) -> None:
    """Outcomes of all runs in one document, with what was met outside of them."""
    aggregate = request.places.aggregate()
    outputs = sorted(outputs, key=lambda output: output.folder.url)
    now = request.generated_at
    with locked(aggregate):
        state = load_state(aggregate)
        marks = [(output.run_id, stamp_of(output.folder, OUTCOMES)) for output in outputs]
        made_from = fingerprint(marks, skipped, problems)
        if not request.force and is_current(state, marks_in(aggregate), OUTCOMES, made_from):
            return
        entry = write_in_parts(
            aggregate, OUTCOMES, lambda made: _all_outcomes(outputs, skipped, problems, made or now)
        )
        enter_result(state, OUTCOMES, made_from, entry)
        save_state(aggregate, state)


def _all_outcomes(
    outputs: Iterable[RunOutput],
    skipped: list[SkippedFolder],
    problems: dict[str, int],
    generated_at: str,
) -> Iterator[bytes]:
    """The document of all runs with no more than one run's trials in memory: runs are read for
    what is counted over all of them, and once more for their trials."""
    counts = Counter(problems)
    everything = list(skipped)
    for output in outputs:
        stored = read_outcomes(output.folder).document
        if stored is None:
            continue
        counts.update(stored.problems)
        everything += [
            SkippedFolder(path=f"{output.run_id}/{s.path}", reason=s.reason) for s in stored.skipped
        ]
    document = OutcomesDocument(
        schema_version=SCHEMA_VERSION,
        generated_at=generated_at,
        scope=ALL_RUNS,
        trials=[],
        skipped=everything,
        problems=dict(sorted(counts.items())),
    )
    read = (read_outcomes(output.folder).document for output in outputs)
    trials = (trial for stored in read if stored is not None for trial in stored.trials)
    return encode_in_parts(document, "trials", trials)
