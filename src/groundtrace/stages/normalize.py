"""Traces to events documents and outcomes, run by run, doing only what is stale."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from groundtrace.artifacts.documents import KINDS
from groundtrace.artifacts.documents.base import SCHEMA_VERSION
from groundtrace.artifacts.documents.outcomes import (
    OutcomesDocument,
    SkippedFolder,
    TrialOutcome,
)
from groundtrace.artifacts.lock import locked
from groundtrace.artifacts.places import RunOutput
from groundtrace.artifacts.read import (
    EVENTS_ENDING,
    document_paths,
    metrics_path,
    read_outcomes,
)
from groundtrace.artifacts.rows import TrialRow
from groundtrace.artifacts.state import State, load_state, save_state
from groundtrace.artifacts.write import write_document
from groundtrace.discover import FoundProblem, Run, Skipped, discover_run, layout_of
from groundtrace.engine import Done
from groundtrace.errors import NothingFoundError
from groundtrace.impact.outcomes import outcome_record
from groundtrace.pipeline import TrialDone, work_on
from groundtrace.plan import (
    Context,
    Fingerprints,
    Plan,
    TrialWork,
    is_fresh,
    plan_run,
    problems_outside_runs,
)
from groundtrace.stages import ALL_RUNS, Request
from groundtrace.storage import Folder, open_folder
from groundtrace.truth.tasks import TaskIndex

OUTCOMES = KINDS["outcomes"].file_name


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
    failed: list[str] = field(default_factory=list)
    rows: dict[str, dict[str, TrialRow]] = field(default_factory=dict)
    """Run folder to its freshly evaluated rows, by document."""

    @property
    def trials(self) -> int:
        return self.written + self.unchanged + self.superseded + len(self.failed)


def normalize(request: Request, *, with_metrics: bool = False) -> Normalized:
    """Traces to events documents and outcomes, for every run that has trials."""
    tasks = request.task_index()
    context = request.context(with_metrics=with_metrics)
    known = Fingerprints(context.fingerprint())
    layout = layout_of(open_folder(request.runs), request.settings)
    done = Normalized(single=layout.single)
    outside: list[Skipped | FoundProblem] = []
    for run in layout.runs():
        if isinstance(run, Run):
            _normalize_run(run, request, tasks, context, known, done)
        else:
            outside.append(run)
    if not done.trials:
        raise NothingFoundError(f"{request.runs}: no trials found; see 'normalize --dry-run'")
    if not layout.single:
        skipped, problems = problems_outside_runs(outside)
        done.skipped += len(skipped)
        _write_all_outcomes(request, done.outputs, skipped, problems)
    return done


def _normalize_run(
    run: Run,
    request: Request,
    tasks: TaskIndex | None,
    context: Context,
    known: Fingerprints,
    done: Normalized,
) -> None:
    output = request.places.run(run.run_id, run.path)
    found = discover_run(run, settings=request.settings, tasks=tasks, only=request.only)
    plan = plan_run(found, output.folder, run.path, context, known)
    if not plan.works:
        done.skipped += len(plan.skipped)
        return
    done.outputs.append(output)
    with locked(output.folder):
        state = State() if request.force else load_state(output.folder)
        outcomes = _work(plan, state, request, done)
        _finish_run(plan, state, outcomes, output, request, done)


def _work(plan: Plan, state: State, request: Request, done: Normalized) -> dict[str, TrialOutcome]:
    """Do what is stale; give every trial's outcome by document."""
    earlier = _earlier_outcomes(plan.works[0].output)
    outcomes: dict[str, TrialOutcome] = {}
    stale: list[TrialWork] = []
    for work in plan.works:
        if is_fresh(work, state) and work.document in earlier:
            outcomes[work.document] = earlier[work.document]
            done.unchanged += 1
        else:
            stale.append(work)
    request.ticker.add_total(len(stale))
    rows = done.rows.setdefault(plan.works[0].output.url, {})
    for result in request.engine.map(work_on, stale):
        request.ticker.advance()
        _take(result, state, outcomes, rows, done)
    return outcomes


def _take(
    result: Done[TrialWork, TrialDone],
    state: State,
    outcomes: dict[str, TrialOutcome],
    rows: dict[str, TrialRow],
    done: Normalized,
) -> None:
    work = result.item
    if result.result is None:
        done.failed.append(f"{work.trial.path}: {result.error}")
        outcomes[work.document] = outcome_record(
            work.trial, "failed", reason=result.error, run_path=work.run_path
        )
        state.documents.pop(work.document, None)
        return
    done.written += 1
    outcomes[work.document] = result.result.outcome
    state.documents[work.document] = work.inputs
    if result.result.row is not None:
        rows[work.document] = result.result.row
        state.evaluated[work.document] = result.result.stamp


def _finish_run(
    plan: Plan,
    state: State,
    outcomes: dict[str, TrialOutcome],
    output: RunOutput,
    request: Request,
    done: Normalized,
) -> None:
    """Write outcomes, deal with what is left behind, and save the state last."""
    wanted = {work.document for work in plan.works}
    done.superseded += len(plan.passed_over)
    done.skipped += len(plan.skipped)
    done.without_task += sum(work.trial.task is None for work in plan.works)
    records = [outcomes[document] for document in sorted(outcomes)]
    run_path = plan.works[0].run_path
    records += [
        outcome_record(trial, "superseded", reason=reason, run_path=run_path)
        for trial, reason in plan.passed_over
    ]
    if request.only is None:
        left = [p for p in document_paths(output.folder, EVENTS_ENDING) if p not in wanted]
        done.left_behind += 0 if request.prune else len(left)
        for path in left if request.prune else ():
            output.folder.remove(metrics_path(path))
            output.folder.remove(path)
            state.documents.pop(path, None)
            state.evaluated.pop(path, None)
    else:
        records += _not_asked_for(output.folder, records)
    document = OutcomesDocument(
        schema_version=SCHEMA_VERSION,
        generated_at=request.generated_at,
        scope=output.run_id,
        trials=sorted(records, key=lambda r: (r.config_name, r.task_name, r.path)),
        skipped=list(plan.skipped),
        problems=dict(plan.problems),
    )
    write_document(output.folder, OUTCOMES, document)
    save_state(output.folder, state)


def _earlier_outcomes(folder: Folder) -> dict[str, TrialOutcome]:
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
    trials: list[TrialOutcome] = []
    counts = Counter(problems)
    everything = list(skipped)
    for output in outputs:
        stored = read_outcomes(output.folder).document
        if stored is None:
            continue
        trials += stored.trials
        counts.update(stored.problems)
        everything += [
            SkippedFolder(path=f"{output.run_id}/{s.path}", reason=s.reason) for s in stored.skipped
        ]
    document = OutcomesDocument(
        schema_version=SCHEMA_VERSION,
        generated_at=request.generated_at,
        scope=ALL_RUNS,
        trials=trials,
        skipped=everything,
        problems=dict(sorted(counts.items())),
    )
    aggregate = request.places.aggregate()
    with locked(aggregate):
        write_document(aggregate, OUTCOMES, document)
