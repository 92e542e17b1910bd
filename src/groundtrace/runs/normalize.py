"""Traces to events documents and outcomes: a few runs at a time, and only what is stale."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from groundtrace.discover import FoundProblem, Run, RunsLayout, Skipped, layout_of
from groundtrace.documents.outcomes import SkippedFolder
from groundtrace.errors import NothingFoundError
from groundtrace.redact import mask, masking
from groundtrace.runs.all_outcomes import write_all_outcomes
from groundtrace.runs.normalize_runs import Planner, StaleRun, normalize_batch, note_fault
from groundtrace.runs.normalized import Normalized
from groundtrace.runs.only import nothing_fits_in_runs
from groundtrace.runs.plan import Fingerprints, WorkContext, problems_outside_runs
from groundtrace.runs.request import Request, Ticker
from groundtrace.runs.session import batches, with_last
from groundtrace.runs.small_runs import normalize_small
from groundtrace.runs.task_definitions import TaskDefinitions
from groundtrace.runs.unchanged import KnownRuns, fingerprint_of_shared
from groundtrace.storage import open_place


def normalize(request: Request, *, with_metrics: bool = False) -> Normalized:
    """Traces to events documents and outcomes, for every run that has trials."""
    with masking(request.settings.mask):
        return _normalize(request, with_metrics)


def _normalize(request: Request, with_metrics: bool) -> Normalized:
    tasks = TaskDefinitions(request.tasks)
    context = request.context(with_metrics=with_metrics)
    planner = Planner(request, tasks, context, Fingerprints(context.fingerprint()))
    place = open_place(request.runs)
    layout = layout_of(place, request.settings, by_run=request.out is not None)
    given = bool(request.tasks) or request.ground_truth is not None
    done = Normalized(single=layout.single, truth_given=given)
    found = _FoundRuns(layout, planner, done)
    large = normalize_small(found.stale(), planner, done, found.trials_are_read)
    plans = filter(None, (planner.plan(stale, done) for stale in large))
    for batch, last in with_last(batches(plans, lambda plan: len(plan[1].trials))):
        found.trials_are_read()
        normalize_batch(batch, request, done, last=last)
    done.outputs.sort(key=lambda output: found.order[output.folder.url])
    if not done.trials:
        why = None
        if request.only is not None:
            why = nothing_fits_in_runs(request.only, place, request.settings, tasks.index)
        raise NothingFoundError(
            nothing_found(request.runs, done.nearest) if why is None else f"{request.runs}: {why}"
        )
    done.notes += _notes(tasks if done.noted else None, context)
    if not layout.single:
        skipped, problems = problems_outside_runs(found.outside)
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


def _notes(tasks: TaskDefinitions | None, context: WorkContext) -> list[str]:
    """Problems of the task definitions and the registry: they belong to no single run."""
    notes = tasks.notes if tasks is not None else []
    problems = context.registry.problems if context.registry is not None else ()
    return [mask(note) for note in (*notes, *map(str, problems))]


class _FoundRuns:
    """The runs of RUNS, found one after the other. Reports progress: runs found, until trials are
    read; after that, trials."""

    def __init__(self, layout: RunsLayout, planner: Planner, done: Normalized) -> None:
        self._layout = layout
        self._planner = planner
        self._done = done
        self._ticker: Ticker = planner.request.ticker
        self._over = False
        self.outside: list[Skipped | FoundProblem] = []
        """What was met outside of all runs."""
        self.order: dict[str, int] = {}
        """Address of each run's results to its number, in the order in which runs are found."""
        self._ticker.stage("discovering", "runs")

    def trials_are_read(self) -> None:
        """Report trials from now on."""
        if not self._over:
            self._over = True
            self._ticker.stage("reading", "trials")

    def stale(self) -> Iterator[StaleRun]:
        """The runs that need work; the others are counted as unchanged."""
        request, planner = self._planner.request, self._planner
        shared = fingerprint_of_shared(request, planner.tasks, planner.context, planner.known)
        seen = KnownRuns(request, shared)
        for run in self._layout.runs(seen.is_unchanged):
            if not isinstance(run, Run):
                self.outside.append(run)
                note_fault(run, self._done)
                continue
            if not self._over:
                self._ticker.advance()
            looked = seen.look_at(run)
            self.order[looked.output.folder.url] = len(self.order)
            if looked.unchanged is not None:
                self._done.add_unchanged(looked.unchanged)
            else:
                yield StaleRun(looked.run, looked.output, looked.fingerprint, looked.files)
