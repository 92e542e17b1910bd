"""One loop makes what is stale of many runs.

The unit of work is a slice of a run. A small run is one slice that also finishes: one worker takes
its lock, makes every target and saves its state. Of a larger run, workers get slices of trials or
documents, and this process does the rest. A folder of thousands of small runs has as much planning
and finishing as reading; if one process did that, workers would wait for it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec
from msgspec import field
from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.documents.outcomes import OutcomesDocument
from groundtrace.errors import GroundtraceError
from groundtrace.rows.kept import KeptRows
from groundtrace.runs.engine import HereFirstEngine
from groundtrace.runs.output_folders import EVENTS_ENDING, RunOutput
from groundtrace.runs.request import NoTicker, Request
from groundtrace.runs.session import (
    RunSession,
    SaveClock,
    Sessions,
    batches,
    locked,
    open_sessions,
    with_last,
)
from groundtrace.runs.state import FolderSeen
from groundtrace.runs.tally import Did, Evaluated, Normalized

if TYPE_CHECKING:
    from groundtrace.discover import Run
    from groundtrace.runs.plan import Plan

SMALL = 25
"""Most trials of a small run. Trials of larger runs are shared out among workers, so that no worker
is left with all of a run."""
FEW = 12
"""Fewer trials than this, in all runs together, are not worth starting workers for. The engine
decides by their size whether they are shared out."""
ENOUGH = 12
"""Trials of runs that are sent to a worker together: with so many, sending costs little."""
SHARES = 16
"""Into how many parts for each worker the runs found so far would be divided. So the first workers
start at once, and all end at about the same time: with 4, one of two workers had 23 % more to do."""


class RunToDo(Frozen, frozen=True):
    """A run that needs work."""

    output: RunOutput
    trials: int | None
    """About how many trials it has; None if that is not known."""
    found: Run | None = None
    """The run as it was found, if its trials are to be read."""
    fingerprint: str | None = None
    """Fingerprint of the whole run; None if listing files is not enough to compute it."""
    plan: Plan | None = None
    rows: Mapping[str, bytes] = field(default_factory=dict)
    """For a worker: the run's rows that this command has, packed, by document."""
    settled: frozenset[str] = frozenset()
    """For a worker: targets that need no work."""


class OpenRun(msgspec.Struct):
    """A run while its targets are made, or looked at without its lock."""

    session: RunSession
    did: Did
    plan: Plan | None = None
    outcomes: OutcomesDocument | None = None
    """Its outcomes, if this process wrote or read them."""

    @property
    def address(self) -> str:
        """Address of its results."""
        return self.session.folder.url

    @property
    def rows(self) -> KeptRows | None:
        """Its rows, if this command made them."""
        return self.did.rows.get(self.address)


class Batch(Frozen, frozen=True):
    """Runs whose targets are made together: their trials keep all workers busy, even if each run is
    small."""

    sessions: Sessions
    did: Did
    clock: SaveClock
    last: bool
    """No other runs follow, so the total of the work is known."""


Work = TypeVar("Work")


class Target(Frozen, Generic[Work], frozen=True):
    """A kind of file of a run: it knows what it is made from, and makes it."""

    request: Request

    @property
    def name(self) -> str:
        """A name for each target."""
        return type(self).__name__

    def load(self) -> None:
        """Read and import what all runs share. Workers that are forked after that have it."""

    def planned(self, todo: RunToDo, did: Did) -> RunToDo | None:
        """A run with what must be known before its folder is locked; None if it has no work."""
        return todo

    def look(self, run: OpenRun) -> Work | None:
        """What is to be done for a run; None if the target is current. Writes nothing."""
        raise NotImplementedError

    def skip(self, run: OpenRun) -> None:
        """Count a run whose target is current."""
        self.request.ticker.advance()

    def make(self, works: Sequence[Work], batch: Batch) -> None:
        """Do it, for several runs."""
        raise NotImplementedError

    def show(self, runs: int, did: Did, part: Normalized) -> None:
        """Show progress: a worker has done this for so many runs, and read `part` for it."""
        self.request.ticker.advance(runs)


class Job(Frozen, frozen=True):
    """The targets to make of some runs, in order: each is made from those before it."""

    request: Request
    targets: tuple[Target[Any], ...]
    single: bool
    """RUNS is one run."""
    ahead: bool = False
    """Later jobs of this command have all targets but the first. So a run without rows is left to
    them: what must be said about it is said there."""
    may_be_sent: bool = True
    """It is small enough to be sent to a worker."""

    def alone(self) -> Job:
        """The same for a worker: it starts no workers and shows no progress."""

        def quiet(request: Request) -> Request:
            return replace(request, engine=HereFirstEngine(1), ticker=NoTicker())

        targets = tuple(replace(one, request=quiet(one.request)) for one in self.targets)
        return replace(self, request=quiet(self.request), targets=targets)


def settle(todo: Iterable[RunToDo], job: Job, did: Did) -> None:
    """Make what is stale of these runs: small runs whole in workers, the others here."""
    rest, job = _by_workers(todo, job, did)
    planned = filter(None, (job.targets[0].planned(one, did) for one in rest))
    for batch, last in with_last(batches(planned, _weight)):
        seen = work_on(batch, job, did, last=last)
        job.request.known.keep_all(seen)


def settle_existing(outputs: Iterable[RunOutput], job: Job, did: Did) -> None:
    """The same for the runs that have results; those where all is current are not locked."""
    settle(_stale(outputs, job, did), job, did)


def _weight(todo: RunToDo) -> int:
    return len(todo.plan.trials) if todo.plan is not None else (todo.trials or 0) + 1


def _stale(outputs: Iterable[RunOutput], job: Job, did: Did) -> Iterator[RunToDo]:
    """The runs that need work. This needs no lock, because nothing is written; under the lock, it
    is looked at again."""
    known = job.request.known
    for output in outputs:
        settled = did.settled[output.folder.url]
        left = [target for target in job.targets if target.name not in settled]
        if not left:
            continue
        session = RunSession(output, seen=known.get(output.folder))
        run = OpenRun(session, did)
        while left and not session.may_be_in_use and left[0].look(run) is None:
            left[0].skip(run)
            settled.add(left.pop(0).name)
        if left:
            known.forget(output.folder)
            documents = sum(path.endswith(EVENTS_ENDING) for path in session.marks)
            yield RunToDo(output, documents)


def work_on(todo: list[RunToDo], job: Job, did: Did, *, last: bool) -> dict[str, FolderSeen]:
    """Make what is stale of these runs, each in one session; returns what is in their folders.

    The list is emptied: plans of runs are large, and end with the first target.
    """
    from_scratch = job.request.force and any(one.plan is not None for one in todo)
    with open_sessions([one.output for one in todo], ignore_state=from_scratch) as sessions:
        runs = [OpenRun(sessions[one.output.folder.url], did, one.plan) for one in todo]
        todo.clear()
        batch = Batch(sessions, did, SaveClock(sessions), last)
        for target in job.targets:
            works = []
            for run in runs:
                if target.name in did.settled[run.address]:
                    continue
                did.settled[run.address].add(target.name)
                work = target.look(run)
                if work is None:
                    target.skip(run)
                else:
                    works.append(work)
            target.make(works, batch)
            if job.ahead:
                runs = [run for run in runs if run.rows]
        for session in sessions.values():
            session.save_if_changed()
        if not job.request.known.remembers:
            return {}
        return {address: session.seen() for address, session in sessions.items()}


# in workers


class Slice(Frozen, frozen=True):
    """A few small runs for one worker, which does all of their work."""

    runs: tuple[RunToDo, ...]
    job: Job | None
    """None for a worker that was forked while the job was in the memory of this process."""

    def addresses(self) -> list[str]:
        """Addresses of the runs' results."""
        return [run.output.folder.url for run in self.runs]


class SliceDone(Frozen, frozen=True):
    """What a worker did for some runs."""

    normalized: Normalized
    evaluated: Evaluated
    rows: Mapping[str, Mapping[str, bytes]]
    """Folder of a run's results to its new rows, packed, by document. A run whose rows nobody
    needed is not in it."""
    settled: Mapping[str, set[str]]
    masked: set[str]
    """See `Did`."""
    seen: Mapping[str, FolderSeen]
    made_trials: Mapping[str, bytes]
    """Trials as pages hold them, by events document: the page over all runs shows them too."""


_forked: Job | None = None
"""The job of workers. They are forked while it is set, so it is in their memory and is never sent:
task definitions and a registry can be larger than all else that they get."""


def _by_workers(todo: Iterable[RunToDo], job: Job, did: Did) -> tuple[Iterable[RunToDo], Job]:
    """Give the small runs to workers; returns the others, and what is to be done for them here."""
    engine = job.request.engine
    if job.single or engine.workers == 1:
        return todo, job
    here_first = isinstance(engine, HereFirstEngine)
    if isinstance(engine, HereFirstEngine) and not engine.has_workers:
        few, todo = _are_few(todo)
        if few:
            return todo, job
    forks = engine.forks
    if not forks and not (here_first and job.may_be_sent):
        # Workers can be given documents afterwards, but not this job.
        first = job.targets[:1] if here_first and job.ahead else job.targets
        return todo, replace(job, targets=first)
    others: list[RunToDo] = []
    with _in_memory(job if forks else None):
        # Read before workers are forked, so that each of them has it.
        small = _small(_loaded(todo, job) if forks else todo, others, did)
        sent = None if forks else job.alone()
        slices = (Slice(group, sent) for group in _grouped(small, engine.workers))
        with closing(_results(job, slices)) as results:
            for work, result in results:
                if result is None:
                    # A worker died, or a run is in use. Here it is seen which, and said.
                    others += [replace(run, rows={}) for run in work.runs]
                else:
                    _add(result, work, job, did)
    return others, job


@contextmanager
def _in_memory(job: Job | None) -> Iterator[None]:
    global _forked
    _forked = None if job is None else job.alone()
    try:
        yield
    finally:
        _forked = None


def _are_few(todo: Iterable[RunToDo]) -> tuple[bool, Iterable[RunToDo]]:
    """Whether all runs together have few trials, and the runs.

    No more runs are looked at than it takes to tell.
    """
    rest = iter(todo)
    taken: list[RunToDo] = []
    trials = 0
    for run in rest:
        taken.append(run)
        trials += FEW if run.trials is None else run.trials
        if trials >= FEW:
            return False, chain(taken, rest)
    return True, taken


def _loaded(todo: Iterable[RunToDo], job: Job) -> Iterator[RunToDo]:
    for run in todo:
        for target in job.targets:
            target.load()
        yield run


def _small(todo: Iterable[RunToDo], others: list[RunToDo], did: Did) -> Iterator[RunToDo]:
    """The small runs, with what this command knows about them; the rest goes to `others`."""
    for run in todo:
        if run.trials is None or run.trials > SMALL:
            others.append(run)
            continue
        address = run.output.folder.url
        rows = did.rows[address].all_packed() if address in did.rows else {}
        yield replace(run, rows=rows, settled=frozenset(did.settled[address]))


def _grouped(runs: Iterable[RunToDo], workers: int) -> Iterator[tuple[RunToDo, ...]]:
    """Runs in groups that are worth sending."""
    group: list[RunToDo] = []
    held = found = 0
    for run in runs:
        group.append(run)
        held += run.trials or 0
        found += run.trials or 0
        if held >= min(ENOUGH, found / (SHARES * workers)):
            yield tuple(group)
            group, held = [], 0
    if group:
        yield tuple(group)


def _results(
    job: Job, slices: Iterable[Slice]
) -> Generator[tuple[Slice, SliceDone | None], None, None]:
    """Each slice with its result. If the work is stopped, what workers left half-written is
    removed."""
    open_now: dict[str, RunOutput] = {}

    def sent() -> Iterator[Slice]:
        for work in slices:
            open_now.update((run.output.folder.url, run.output) for run in work.runs)
            yield work

    try:
        with closing(job.request.engine.map(do_slice, sent(), chunk=1)) as results:
            for done in results:
                for address in done.item.addresses():
                    del open_now[address]
                yield done.item, done.result
    except BaseException:
        for output in open_now.values():
            if output.folder.exists():
                with suppress(GroundtraceError), locked(output.folder):
                    pass  # whoever takes the lock of a folder removes what a stopped worker left
        raise


def _add(result: SliceDone, work: Slice, job: Job, did: Did) -> None:
    job.targets[0].show(len(work.runs), did, result.normalized)
    did.normalized.add(result.normalized)
    did.evaluated.add(result.evaluated)
    for address in work.addresses():
        did.settled[address] |= result.settled.get(address, set())
        if address not in result.rows:
            did.rows.pop(address, None)
        for document, row in result.rows.get(address, {}).items():
            did.rows[address].keep_packed(document, row)
    did.masked |= result.masked
    for name, made in result.made_trials.items():
        did.keep_made(name, made)
    job.request.known.keep_all(result.seen)


def do_slice(work: Slice) -> SliceDone:
    """Do all work of some runs, in a worker."""
    job = work.job or _forked
    if job is None:
        raise RuntimeError("this worker was not forked: it does not know what to do")
    did = Did()
    seen: dict[str, FolderSeen] = {}
    for run in work.runs:
        address = run.output.folder.url
        did.settled[address] |= run.settled
        for document, row in run.rows.items():
            did.rows[address].keep_packed(document, row)
        planned = job.targets[0].planned(run, did)
        if planned is not None:
            seen |= work_on([planned], job, did, last=True)
    known = {run.output.folder.url: run.rows for run in work.runs}
    rows = {
        address: {path: kept.packed(path) for path in kept if path not in known[address]}
        for address, kept in did.rows.items()
    }
    made = dict(did.made_trials.items())
    return SliceDone(did.normalized, did.evaluated, rows, did.settled, did.masked, seen, made)
