"""Traces to events documents and outcomes, and to metrics in the same pass if they are wanted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.base.suggest import nearest_name
from groundtrace.discover import (
    Found,
    FoundProblem,
    Run,
    RunsLayout,
    Skipped,
    discover_run,
    layout_of,
)
from groundtrace.discover.outcome import outcome_entry
from groundtrace.documents.outcomes import SkippedFolder, TrialOutcome
from groundtrace.errors import NothingFoundError
from groundtrace.problems import TEMPORARY
from groundtrace.redact import mask, masking
from groundtrace.rows.kept import packed
from groundtrace.runs.engine import Done
from groundtrace.runs.loop import SMALL, Batch, Job, OpenRun, RunToDo, Target, settle
from groundtrace.runs.only import nothing_fits_in_runs
from groundtrace.runs.outcomes import run_outcomes, write_all_outcomes, write_outcomes
from groundtrace.runs.output_folders import EVENTS_ENDING, OUTCOMES_FILE, metrics_path
from groundtrace.runs.plan import (
    Fingerprints,
    Plan,
    PlannedTrial,
    TrialWork,
    WorkContext,
    plan_run,
    problems_outside_runs,
)
from groundtrace.runs.read import document_paths, read_outcomes
from groundtrace.runs.refused import is_of_another
from groundtrace.runs.request import Request
from groundtrace.runs.session import RunSession, work_through
from groundtrace.runs.state import RunSeen
from groundtrace.runs.tally import Did, Normalized
from groundtrace.runs.task_definitions import TaskDefinitions
from groundtrace.runs.unchanged import KnownRuns, fingerprint_of_shared
from groundtrace.storage import open_place

if TYPE_CHECKING:
    from groundtrace.runs.trial_results import TrialDone

FILES_OF_A_TRIAL = 12
"""Files and folders of a usual trial, to guess from a listing how many trials a run has."""


def normalize(
    request: Request,
    *,
    with_metrics: bool = False,
    with_page: bool = False,
    then: Sequence[Target[object]] = (),
    did: Did | None = None,
) -> Normalized:
    """Traces to events documents and outcomes, for every run that has trials.

    `then` are targets that are made at once from the documents of each run, in the same session.
    """
    tasks = TaskDefinitions(request.tasks)
    context = request.context(with_metrics=with_metrics, with_page=with_page)
    place = open_place(request.runs)
    layout = layout_of(place, request.settings, by_run=request.out is not None)
    did = did or Did()
    done = did.normalized
    done.single = layout.single
    done.truth_given = bool(request.tasks) or request.ground_truth is not None
    events = Events(request, tasks, context, Fingerprints(context.fingerprint()))
    found = _FoundRuns(layout, events, did)
    job = Job(request, (events, *then), layout.single, ahead=True, may_be_sent=False)
    settle(found.stale(), job, did)
    done.outputs.sort(key=lambda output: found.order[output.folder.url])
    with masking(request.settings.mask):
        if not done.trials:
            why = None
            if request.only is not None:
                why = nothing_fits_in_runs(request.only, place, request.settings, tasks.index)
            raise NothingFoundError(
                nothing_found(
                    request.runs, [*found.skipped(), *done.nearest], [*done.faults, *done.broken]
                )
                if why is None
                else f"{request.runs}: {why}"
            )
        done.notes += _notes(tasks if done.noted else None, context)
        if not layout.single:
            skipped, problems = problems_outside_runs(found.outside)
            done.skipped += len(skipped)
            left = None
            if request.only is None:
                left = done.left_runs = _left_runs(request, done)
            write_all_outcomes(request, did.all_runs, done.outputs, skipped, problems, left)
    return done


def _left_runs(request: Request, done: Normalized) -> list[str]:
    """Runs that have results but are not in RUNS any more (D113)."""
    outputs, _ = request.output_folders.all_existing()
    found = {output.folder.url for output in done.outputs}
    return [output.run_id for output in outputs if output.folder.url not in found]


MAPPING_HINT = (
    "a mapping (--reader FILE) reads formats that no reader knows: "
    "https://github.com/groundtrace/groundtrace/blob/main/docs/guides/map-a-format.md"
)


def nothing_found(
    runs: str, passed: Iterable[SkippedFolder | Skipped], faults: Sequence[str] = ()
) -> str:
    """The message if RUNS has no trial: what was looked for, and what came closest."""
    from groundtrace.discover.loose import nearest
    from groundtrace.traces import all_readers

    passed = list(passed)
    formats = ", ".join(reader.name for reader in all_readers()[0])
    near = nearest(passed)
    said = (f"{one.path} ({one.reason})" for one in passed if "skipped folders" in one.reason)
    by_name = list(dict.fromkeys(said))
    return (
        f"{runs}: no trials found{_tasks_there(runs)}; looked for folders with result.json, config.json or a trace in "
        f"agent/, and for traces of {formats} under any name"
        + (f"; skipped: {', '.join(by_name[:3])}" if by_name else "")
        + (f"; nearest: {near}" if near else "")
        + (f"; not read: {'; '.join(faults[:3])}" if faults else "")
        + "; predictions and ranked lists are read if RUNS is the file itself"
        + (f"; {MAPPING_HINT}" if "JSON that no reader knows" in near else "")
        + "; see 'normalize --dry-run'"
    )


def _tasks_there(runs: str) -> str:
    """A hint if RUNS holds task definitions: the two folders are easily swapped."""
    from groundtrace.errors import GroundtraceError
    from groundtrace.truth.definitions import load_tasks

    try:
        index = load_tasks([runs])
    except GroundtraceError:
        return ""
    many = 0 if index is None else len(index)
    tasks = f"{many} task{'s' if many > 1 else ''}"
    return f"; it holds {tasks}: are RUNS and --tasks swapped?" if many else ""


def _notes(tasks: TaskDefinitions | None, context: WorkContext) -> list[str]:
    """Problems of the task definitions and the registry: they belong to no single run."""
    notes = tasks.notes if tasks is not None else []
    problems = context.registry.problems if context.registry is not None else ()
    return [mask(note) for note in (*notes, *map(str, problems))]


class _FoundRuns:
    """The runs of RUNS, found one after the other. Progress: runs are shown until the first trial
    is read."""

    def __init__(self, layout: RunsLayout, events: Events, did: Did) -> None:
        self._layout = layout
        self._events = events
        self._did = did
        self.outside: list[Skipped | FoundProblem] = []
        """What was met outside of all runs."""
        self.order: dict[str, int] = {}
        """Address of each run's results to its number, in the order in which runs are found."""
        events.request.ticker.stage("discovering", "runs")

    def skipped(self) -> list[Skipped]:
        """Folders outside of all runs that were skipped."""
        return [one for one in self.outside if isinstance(one, Skipped)]

    def stale(self) -> Iterator[RunToDo]:
        """The runs that need work; the others are counted as unchanged."""
        events, request, done = self._events, self._events.request, self._did.normalized
        shared = fingerprint_of_shared(request, events.tasks, events.context, events.known)
        seen = KnownRuns(request, shared)
        for run in self._layout.runs(seen.is_unchanged):
            if not isinstance(run, Run):
                self.outside.append(run)
                with masking(request.settings.mask):
                    _note_fault(run, done)
                continue
            if not self._did.reading:
                request.ticker.advance()
            looked = seen.look_at(run)
            self.order[looked.output.folder.url] = len(self.order)
            if looked.unchanged is not None:
                done.add_unchanged(looked.unchanged)
            else:
                trials = None if looked.files is None else 1 + looked.files // FILES_OF_A_TRIAL
                yield RunToDo(looked.output, trials, looked.run, looked.fingerprint)


_FAULTS = frozenset({"bad_row", "stray_trace", "trace_missing", "unrecognised"})
"""Kinds of problems that make a trial missing although the user named it."""


_BROKEN = frozenset(
    {
        *("broken_json", "broken_toml", "unreadable", "too_large"),
        *("broken_line", "truncated_line", "line_too_long", "wrong_type"),
        *("link_not_followed", "not_a_file"),
    }
)
"""Kinds of problems of records: a broken `result.json` takes its trial's reward out of the answer,
and a row that is cut is a trial less."""


_UNCLEAR = frozenset({"order_unknown", "verdicts_disagree"})
"""Kinds of problems that leave open which trial or which verdict counts."""


def _noting_faults(found: Iterable[Found], done: Normalized) -> Iterator[Found]:
    """What was found, unchanged; notes problems that keep rows of a manifest from being trials."""
    for item in found:
        _note_fault(item, done)
        yield item


def _note_fault(item: Found, done: Normalized) -> None:
    """Note a problem that keeps something that the user named from being a trial."""
    if not isinstance(item, FoundProblem):
        return
    problem = item.problem
    if not item.is_named_whole and problem.file == item.path.rpartition("/")[2]:
        problem = replace(problem, file=item.path)  # two folders may have an `m.eval`
    if problem.kind == "bad_row" and problem.place is not None:
        # A value of a row, whose trial is there all the same.
        done.broken.append(mask(str(problem)))
    elif problem.kind in _FAULTS:
        done.faults.append(mask(str(problem)))
    elif problem.kind == "unlisted_folder" and problem.file == item.path:
        done.unlisted.append(f"{item.path}: {problem.reason}")
    elif problem.kind in _BROKEN:
        is_itself = item.is_named_whole or problem.file == item.path
        named = str(problem) if is_itself else f"{item.path}/{problem}"
        done.broken.append(mask(f"cannot be read: {named}"))
    elif problem.kind in _UNCLEAR:
        done.broken.append(mask(f"unclear: {problem}"))


class _RunToNormalize(msgspec.Struct):
    """One run while its trials are processed."""

    run: OpenRun
    outcomes: dict[str, TrialOutcome]
    """Outcomes by document; those of trials that are processed now are added."""
    stale: list[PlannedTrial]
    """Trials to process."""


class _StaleWorks(Frozen, frozen=True):
    """The work of all stale trials. Each is made when its turn comes, so that only a few are in
    memory at a time."""

    runs: Sequence[_RunToNormalize]

    def __len__(self) -> int:
        return sum(len(one.stale) for one in self.runs)

    def __iter__(self) -> Iterator[TrialWork]:
        for one in self.runs:
            if one.run.plan is not None:
                yield from map(one.run.plan.work, one.stale)


def normalize_trial(work: TrialWork) -> TrialDone:
    """Process one trial, in a worker. The stages are imported only if there is a trial."""
    from groundtrace.pipeline import process_trial

    made = process_trial(work)
    if made.row is None:
        return made
    return replace(made, row=None, packed_row=packed(made.row))


class Events(Target[_RunToNormalize], frozen=True):
    """Events documents of a run's trials, their metrics if wanted, and outcomes.json.

    Made from the trials' files, the task definitions and the settings.
    """

    tasks: TaskDefinitions
    context: WorkContext
    known: Fingerprints

    def load(self) -> None:
        _ = self.tasks.index

    def planned(self, todo: RunToDo, did: Did) -> RunToDo | None:
        done, run = did.normalized, todo.found
        if run is None:
            return None
        with masking(self.request.settings.mask):
            done.noted |= bool(self.tasks.notes)
            found = discover_run(
                run, settings=self.request.settings, tasks=self.tasks.index, only=self.request.only
            )
            before = len(done.broken)
            found = _noting_faults(found, done)
            plan = plan_run(found, todo.output.folder, run.path, self.context, self.known)
            for planned in plan.trials:
                for problem in planned.problems:
                    if problem.kind == "order_unknown":  # known only when all trials are
                        _note_fault(FoundProblem(problem.file, None, problem), done)
            done.broken[before:] = dict.fromkeys(done.broken[before:])
            plan = replace(plan, broken=tuple(done.broken[before:]))
            self._note_other_tasks(plan, done)
        if not plan.trials:
            done.skipped += len(plan.skipped)
            done.nearest += plan.skipped
            return None
        if any(problem.kind in TEMPORARY for problem in self.tasks.problems):
            return replace(todo, plan=plan)
        return replace(todo, plan=replace(plan, fingerprint=todo.fingerprint))

    def _note_other_tasks(self, plan: Plan, done: Normalized) -> None:
        """Note if none of the run's tasks is defined: the definitions are of another benchmark."""
        index = self.tasks.index
        if index is None or any(planned.has_task for planned in plan.trials) or not plan.trials:
            return
        name = plan.waiting.get(plan.trials[0].number).task_name
        nearest = nearest_name(name, index.names)
        if nearest is not None:
            done.nearest_tasks.append(f"{name} is not; the nearest is {nearest}")

    def look(self, run: OpenRun) -> _RunToNormalize | None:
        """Sort a run's trials into those whose document is current and those that are stale."""
        if run.plan is None:
            return None
        earlier = _earlier_outcomes(run.session) | run.session.state.unfinished
        found = _RunToNormalize(run, {}, [])
        for planned in run.plan.trials:
            path = planned.document_path
            is_current = run.session.is_current_document(path, planned.inputs_fingerprint)
            if path in earlier and is_current:
                found.outcomes[path] = earlier[path]
            else:
                found.stale.append(planned)
        return found

    def show(self, runs: int, did: Did, part: Normalized) -> None:
        self._trials_are_read(did)
        trials = part.written + len(part.failed)
        self.request.ticker.add_total(trials, final=False)
        self.request.ticker.advance(trials)

    def _trials_are_read(self, did: Did) -> None:
        if not did.reading:
            did.reading = True
            self.request.ticker.stage("reading", "trials")

    def make(self, works: Sequence[_RunToNormalize], batch: Batch) -> None:
        """Process the trials that are stale, and write outcomes."""
        done = batch.did.normalized
        by_address = {one.run.address: one for one in works}
        for one in works:
            done.unchanged += len(one.outcomes)
            one.run.session.forget_before_work([planned.document_path for planned in one.stale])

        def enter(result: Done[TrialWork, TrialDone], session: RunSession) -> None:
            _enter(result, by_address[session.folder.url], batch.did)

        stale = _StaleWorks(works)
        self._trials_are_read(batch.did)
        self.request.ticker.add_total(len(stale), final=batch.last)
        with masking(self.request.settings.mask):
            work_through(self.request, batch.sessions, normalize_trial, stale, enter)
            for one in works:
                _finish(one, self.request, done)
                one.run.plan = None  # it takes a kilobyte a trial, and nobody needs it any more


def _enter(result: Done[TrialWork, TrialDone], one: _RunToNormalize, did: Did) -> None:
    work, done, session = result.item, did.normalized, one.run.session
    if result.result is None:
        # The text of an error can contain text of a trace.
        error = mask(result.error or "failed")
        done.failed.append(f"{work.trial.path}: {error}")
        one.outcomes[work.document_path] = outcome_entry(
            work.trial, "failed", reason=error, run_path=work.run_path
        )
        # An earlier run made these metrics from other inputs: they are not results of the trial
        # as it is now.
        if not is_of_another(work.output, metrics_path(work.document_path)):
            work.output.remove(metrics_path(work.document_path))
        work.output.remove(work.document_path)
        return
    made = result.result
    done.written += 1
    done.uncounted_servers.update(made.uncounted_servers)
    for name, calls in made.unknown_calls.items():
        done.unknown_calls[name].update(calls)
    one.outcomes[work.document_path] = made.outcome
    if made.is_settled:
        session.enter_document(work.document_path, work.inputs_fingerprint, made.mark, made.outcome)
    if made.page is not None:
        did.keep_made(f"{one.run.address}/{work.document_path}", made.page)
    if made.packed_row is not None:
        did.rows[one.run.address].keep_packed(work.document_path, made.packed_row)
        session.enter_metrics(work.document_path, made.mark, made.metrics_mark)


def _finish(one: _RunToNormalize, request: Request, done: Normalized) -> None:
    """Write outcomes, and count or remove documents without a trial."""
    run, session, plan = one.run, one.run.session, one.run.plan
    if plan is None:
        return
    failed = one.outcomes.keys() - session.state.documents.keys()
    seen = RunSeen(
        fingerprint=plan.fingerprint or "",
        superseded=len(plan.superseded),
        skipped=len(plan.skipped),
        without_task=sum(not planned.has_task for planned in plan.trials),
        noted=done.noted,
        broken=plan.broken,
    )
    done.outputs.append(session.output)
    done.superseded += seen.superseded
    done.skipped += seen.skipped
    done.without_task += seen.without_task
    if request.only is None:
        _leave_behind(run, request, done)
    run.outcomes = run_outcomes(session.output, plan, one.outcomes, request)
    write_outcomes(session, run.outcomes)
    # What could not be read or listed may be readable the next time without looking different
    # (D79).
    passing = not TEMPORARY.isdisjoint(plan.problems)
    whole = plan.fingerprint is not None and request.only is None and not failed and not passing
    session.enter_run(seen if whole else None)
    session.list_again()
    if len(plan.trials) > SMALL:
        # Killed before its state is saved, a run is read again: too much for a large one.
        session.save_if_changed()


def _leave_behind(run: OpenRun, request: Request, done: Normalized) -> None:
    """Count the documents whose trials are gone; remove them if the user asked for it."""
    session = run.session
    wanted = {planned.document_path for planned in run.plan.trials} if run.plan else set()
    for path in session.state.documents.keys() - wanted:
        session.forget_inputs(path)
    left = [path for path in document_paths(session.folder, EVENTS_ENDING) if path not in wanted]
    if not request.prune:
        done.left_behind += len(left)
        return
    done.pruned += len(left)
    for path in left:
        session.folder.remove(metrics_path(path))
        session.folder.remove(path)
        session.forget(path)


def _earlier_outcomes(session: RunSession) -> dict[str, TrialOutcome]:
    """Outcomes that an earlier run wrote, unless somebody changed them since."""
    if not session.is_current(OUTCOMES_FILE, ""):
        return {}
    stored = read_outcomes(session.folder).document
    return {t.document: t for t in stored.trials if t.document} if stored is not None else {}
