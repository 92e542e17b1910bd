"""The work of runs: plan it, process the trials that are stale, write outcomes and state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec import field
from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.discover import Found, FoundProblem, Run, discover_run
from groundtrace.discover.outcome import outcome_entry
from groundtrace.documents.base import SCHEMA_VERSION
from groundtrace.documents.codec import encode_in_parts
from groundtrace.documents.outcomes import OutcomesDocument, TrialOutcome
from groundtrace.problems import TEMPORARY
from groundtrace.redact import mask
from groundtrace.rows.kept import KeptRows, packed
from groundtrace.runs.all_outcomes import outcomes_of
from groundtrace.runs.engine import Done
from groundtrace.runs.file_names import EVENTS_ENDING, OUTCOMES_FILE, metrics_path
from groundtrace.runs.normalized import Normalized
from groundtrace.runs.output_folders import RunOutput
from groundtrace.runs.plan import Fingerprints, Plan, PlannedTrial, TrialWork, WorkContext, plan_run
from groundtrace.runs.read import document_paths, read_outcomes
from groundtrace.runs.request import Request
from groundtrace.runs.session import RunSession, open_sessions, work_through
from groundtrace.runs.state import RunSeen
from groundtrace.runs.task_definitions import TaskDefinitions
from groundtrace.runs.write import write_in_parts

if TYPE_CHECKING:
    from groundtrace.runs.trial_results import TrialDone


class StaleRun(Frozen, frozen=True):
    """A run that needs work."""

    run: Run
    output: RunOutput
    fingerprint: str | None
    """Fingerprint of the whole run; None if listing files is not enough to compute it."""
    files: int | None = None
    """Number of files and folders in it, if they were listed."""


class Planner(Frozen, frozen=True):
    """Plans runs: what all runs of a command share."""

    request: Request
    tasks: TaskDefinitions
    context: WorkContext
    known: Fingerprints = field(default_factory=lambda: Fingerprints(""))

    def plan(self, stale: StaleRun, done: Normalized) -> tuple[RunOutput, Plan] | None:
        """The plan of a run, with the folder of its results; None if there is no trial in it.

        What was skipped and what is wrong goes to `done`.
        """
        run, settings, only = stale.run, self.request.settings, self.request.only
        done.noted |= bool(self.tasks.notes)
        found = discover_run(run, settings=settings, tasks=self.tasks.index, only=only)
        found = _noting_faults(found, done)
        plan = plan_run(found, stale.output.folder, run.path, self.context, self.known)
        if not plan.trials:
            done.skipped += len(plan.skipped)
            done.nearest += plan.skipped
            return None
        passing = any(problem.kind in TEMPORARY for problem in self.tasks.problems)
        return stale.output, replace(plan, fingerprint=None if passing else stale.fingerprint)


_FAULTS = frozenset({"bad_row", "trace_missing", "unrecognised"})
"""Kinds of problems that make a trial missing although the user named it."""


def _noting_faults(found: Iterable[Found], done: Normalized) -> Iterator[Found]:
    """What was found, unchanged; notes problems that keep rows of a manifest from being trials."""
    for item in found:
        note_fault(item, done)
        yield item


def note_fault(item: Found, done: Normalized) -> None:
    """Note a problem that keeps something that the user named from being a trial."""
    if not isinstance(item, FoundProblem):
        return
    problem = item.problem
    if problem.kind in _FAULTS:
        done.faults.append(mask(str(problem)))
    elif problem.kind == "unlisted_folder" and problem.file == item.path:
        done.unlisted.append(f"{item.path}: {problem.reason}")


class _RunToNormalize(msgspec.Struct):
    """One run while its trials are processed."""

    session: RunSession
    plan: Plan
    rows: KeptRows
    outcomes: dict[str, TrialOutcome]
    """Outcomes by document; those of trials that are processed now are added."""
    stale: list[PlannedTrial]
    """Trials to process."""


class _StaleWorks(Frozen, frozen=True):
    """The work of all stale trials. Each is made when its turn comes, so that only a few are in
    memory at a time."""

    runs: tuple[_RunToNormalize, ...]

    def __len__(self) -> int:
        return sum(len(run.stale) for run in self.runs)

    def __iter__(self) -> Iterator[TrialWork]:
        return (run.plan.work(planned) for run in self.runs for planned in run.stale)


def normalize_trial(work: TrialWork) -> TrialDone:
    """Process one trial, in a worker. The stages are imported only if there is a trial."""
    from groundtrace.pipeline import process_trial

    made = process_trial(work)
    if made.row is None:
        return made
    return replace(made, row=None, packed_row=packed(made.row))


def normalize_batch(
    plans: Sequence[tuple[RunOutput, Plan]], request: Request, done: Normalized, *, last: bool
) -> None:
    """Process the trials of these runs that are stale, and finish the runs.

    `last`: no other runs follow, so the total of the work is known now.
    """
    outputs = [output for output, _ in plans]
    with open_sessions(outputs, ignore_state=request.force) as sessions:
        runs = {
            output.folder.url: _prepared(plan, sessions[output.folder.url], done)
            for output, plan in plans
        }

        def enter(result: Done[TrialWork, TrialDone], session: RunSession) -> None:
            _enter(result, runs[session.folder.url], done)

        stale = _StaleWorks(tuple(runs.values()))
        request.ticker.add_total(len(stale), final=last)
        work_through(request, sessions, normalize_trial, stale, enter)
        for run in runs.values():
            _finish_run(run, request, done)


def _prepared(plan: Plan, session: RunSession, done: Normalized) -> _RunToNormalize:
    """Sort a run's trials into those whose document is current and those that are stale."""
    earlier = _earlier_outcomes(session) | session.state.unfinished
    outcomes: dict[str, TrialOutcome] = {}
    stale: list[PlannedTrial] = []
    for planned in plan.trials:
        path = planned.document_path
        if path in earlier and session.is_current_document(path, planned.inputs_fingerprint):
            outcomes[path] = earlier[path]
        else:
            stale.append(planned)
    done.unchanged += len(outcomes)
    session.forget_before_work([planned.document_path for planned in stale])
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
        without_task=sum(not planned.has_task for planned in plan.trials),
        noted=done.noted,
    )
    done.outputs.append(session.output)
    done.superseded += seen.superseded
    done.skipped += seen.skipped
    done.without_task += seen.without_task
    if request.only is None:
        _leave_behind(run, request, done)
    _write_outcomes(run, request)
    # What could not be read or listed may be readable the next time without looking different
    # (D79).
    passing = not TEMPORARY.isdisjoint(plan.problems)
    whole = plan.fingerprint is not None and request.only is None and not failed and not passing
    session.enter_run(seen if whole else None)
    session.save_if_changed()


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
    plan = run.plan
    records += [
        outcome_entry(plan.waiting.get(number), "superseded", reason=reason, run_path=plan.run_path)
        for number, reason in plan.superseded
    ]
    if request.only is not None:
        # Earlier outcomes of the trials that `--only` left out.
        have = {record.path for record in records}
        for stored in outcomes_of([run.session.output]):
            records += [trial for trial in stored.trials if trial.path not in have]
    records.sort(key=lambda r: (r.config_name, r.task_name, r.path))
    return records


def _leave_behind(run: _RunToNormalize, request: Request, done: Normalized) -> None:
    """Count the documents whose trials are gone; remove them if the user asked for it."""
    session = run.session
    wanted = {planned.document_path for planned in run.plan.trials}
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
