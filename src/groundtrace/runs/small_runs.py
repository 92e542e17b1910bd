"""Small runs: each is planned, processed and finished by one worker.

A folder of thousands of small runs has as much planning and finishing as reading. If one process
did that, workers would wait for it. The parent only lists the files of each run, to see whether
something changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing

from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.redact import masking
from groundtrace.rows.kept import RowsByRun
from groundtrace.runs.engine.here import HereFirstEngine
from groundtrace.runs.normalize_runs import Planner, StaleRun, normalize_batch
from groundtrace.runs.normalized import Normalized
from groundtrace.runs.request import NoTicker
from groundtrace.runs.whole_runs import few_and_all, grouped, in_workers
from groundtrace.storage import Folder

SMALL = 300
"""Most files and folders of a small run, about 25 trials. Trials of larger runs are shared out
among workers, so that no worker is left with all of a run."""
FEW_FILES = 300
"""Fewer files and folders than this, about 25 trials, are planned by the main process. The engine
decides by their size whether they are worth a worker."""
ENOUGH_FILES = 150
"""Files of runs that are sent to a worker together: with so many, sending costs little."""


class SmallRuns(Frozen, frozen=True):
    """A few small runs for one worker."""

    runs: tuple[StaleRun, ...]


class SmallRunsDone(Frozen, frozen=True):
    """What a worker did for some runs."""

    done: Normalized
    rows: Mapping[str, Mapping[str, bytes]]
    """Folder of a run's results to its rows, packed, by document."""


_planner: Planner | None = None
"""Tasks, registry and settings for workers. Workers are forked while it is set, so it is in their
memory and is never sent: a registry can be larger than all else that they get."""


def normalize_small(
    stale: Iterable[StaleRun], planner: Planner, done: Normalized, begin: Callable[[], None]
) -> Iterable[StaleRun]:
    """Process the small runs, and return the others.

    `begin` is called with the first result. If workers cannot be forked, no run is processed here.
    """
    global _planner
    engine = planner.request.engine
    if done.single:
        return stale
    few = False
    if isinstance(engine, HereFirstEngine):
        few, stale = few_and_all(stale, _files, FEW_FILES)
    if few or not engine.forks:
        return stale
    others: list[StaleRun] = []
    try:
        # Read before workers are forked, so that each of them has the definitions.
        small = _small(_with_tasks_read(stale, planner), others)
        groups = grouped(small, _files, ENOUGH_FILES, engine.workers)
        _planner = replace(
            planner, request=replace(planner.request, engine=HereFirstEngine(1), ticker=NoTicker())
        )
        _in_workers(map(SmallRuns, groups), planner, done, others, begin)
    finally:
        _planner = None
    return others


def _files(run: StaleRun) -> int:
    """How much a run counts; one whose files could not be listed is never few."""
    return FEW_FILES if run.files is None else run.files


def _with_tasks_read(stale: Iterable[StaleRun], planner: Planner) -> Iterator[StaleRun]:
    for run in stale:
        _ = planner.tasks.index
        yield run


def _small(stale: Iterable[StaleRun], others: list[StaleRun]) -> Iterator[StaleRun]:
    """The small runs; the others are added to `others`."""
    for run in stale:
        if run.files is None or run.files > SMALL:
            others.append(run)
        else:
            yield run


def _in_workers(
    small: Iterable[SmallRuns],
    planner: Planner,
    done: Normalized,
    others: list[StaleRun],
    begin: Callable[[], None],
) -> None:
    request = planner.request
    with closing(in_workers(request.engine, normalize_whole, small, _folders)) as results:
        for result in results:
            begin()
            made = result.result
            if made is None:
                # A worker died, or a run is in use. Trial by trial, in this process, it is seen
                # which, and said.
                others += result.item.runs
                continue
            request.ticker.add_total(made.done.written + len(made.done.failed), final=False)
            request.ticker.advance(made.done.written + len(made.done.failed))
            done.add(made.done)
            for address, rows in made.rows.items():
                for document, row in rows.items():
                    done.rows[address].keep_packed(document, row)


def _folders(work: SmallRuns) -> list[Folder]:
    return [run.output.folder for run in work.runs]


def normalize_whole(work: SmallRuns) -> SmallRunsDone:
    """Plan, process and finish runs, in a worker."""
    if _planner is None:
        raise RuntimeError("this worker was not forked: it has no task definitions")
    done = Normalized(single=False)
    with masking(_planner.request.settings.mask):
        for run in work.runs:
            plan = _planner.plan(run, done)
            if plan is not None:
                normalize_batch([plan], _planner.request, done, last=True)
    rows = {address: kept.all_packed() for address, kept in done.rows.items()}
    done.rows = RowsByRun()
    return SmallRunsDone(done, rows)
