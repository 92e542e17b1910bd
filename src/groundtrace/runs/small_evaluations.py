"""Small runs: each is evaluated and summarised by one worker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from operator import itemgetter

from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.redact import masking
from groundtrace.rows.kept import RowsByRun
from groundtrace.runs.engine.here import HereFirstEngine
from groundtrace.runs.evaluate_runs import evaluate_batch
from groundtrace.runs.evaluated import Evaluated
from groundtrace.runs.output_folders import RunOutput
from groundtrace.runs.request import NoTicker, Request
from groundtrace.runs.whole_runs import few_and_all, grouped, in_workers
from groundtrace.storage import Folder

SMALL = 25
"""Most events documents of a small run."""
ENOUGH_DOCUMENTS = 50
"""Documents of runs that are sent to a worker together: with so many, sending costs little."""
FEW_DOCUMENTS = 50
"""Fewer documents than this are not worth starting workers for."""

Rows = Mapping[str, bytes]
"""Packed rows of a run, by document."""


class SmallRun(Frozen, frozen=True):
    """A small run to evaluate."""

    output: RunOutput
    documents: int
    """Number of its events documents."""
    rows: Rows
    """Rows that this command has made already."""


class SmallRuns(Frozen, frozen=True):
    """A few small runs for one worker."""

    runs: tuple[SmallRun, ...]
    request: Request


class SmallRunsDone(Frozen, frozen=True):
    """What a worker did for some runs."""

    done: Evaluated
    rows: Mapping[str, Rows]
    """Folder of a run's results to the rows that were made; a run without work is not in it."""


StaleRun = tuple[RunOutput, int]
"""A run that needs work, and the number of its events documents."""


def evaluate_small(
    stale: Iterable[StaleRun], request: Request, done: Evaluated
) -> Iterable[RunOutput]:
    """Evaluate the small runs in workers, and return the others.

    Workers are of this machine: they take the locks of the runs.
    """
    engine = request.engine
    if done.single or not isinstance(engine, HereFirstEngine) or engine.workers == 1:
        return (output for output, _ in stale)
    few, stale = few_and_all(stale, itemgetter(1), FEW_DOCUMENTS)
    if few and not engine.has_workers:
        return [output for output, _ in stale]
    others: list[RunOutput] = []
    alone = replace(request, engine=HereFirstEngine(1), ticker=NoTicker())
    groups = grouped(
        _small(stale, done.rows, others),
        lambda run: run.documents,
        ENOUGH_DOCUMENTS,
        engine.workers,
    )
    works = (SmallRuns(group, alone) for group in groups)
    with closing(in_workers(engine, evaluate_whole, works, _folders)) as results:
        for result in results:
            if result.result is None:
                # A worker died, or a run is in use. In this process it is seen which, and said.
                others += [run.output for run in result.item.runs]
                continue
            request.ticker.advance(len(result.item.runs))
            done.add(result.result.done)
            _keep(result.item.runs, result.result.rows, done.rows)
    return others


def _small(
    stale: Iterable[StaleRun], rows: RowsByRun, others: list[RunOutput]
) -> Iterator[SmallRun]:
    """The small runs, with their rows; the others are added to `others`."""
    for output, documents in stale:
        if documents > SMALL:
            others.append(output)
        else:
            yield SmallRun(output, documents, rows[output.folder.url].all_packed())


def _folders(work: SmallRuns) -> list[Folder]:
    return [run.output.folder for run in work.runs]


def _keep(runs: Iterable[SmallRun], made: Mapping[str, Rows], rows: RowsByRun) -> None:
    """Keep the rows that a worker made. Rows of a run without work are read when they are needed."""
    for run in runs:
        address = run.output.folder.url
        if address not in made:
            rows.pop(address, None)
            continue
        for document, row in made[address].items():
            rows[address].keep_packed(document, row)


def evaluate_whole(work: SmallRuns) -> SmallRunsDone:
    """Evaluate and summarise runs, in a worker."""
    done = Evaluated(single=False)
    with masking(work.request.settings.mask):
        for run in work.runs:
            kept = done.rows[run.output.folder.url]
            for document, row in run.rows.items():
                kept.keep_packed(document, row)
        evaluate_batch([run.output for run in work.runs], work.request, done)
    known = {run.output.folder.url: run.rows for run in work.runs}
    rows = {
        address: {path: kept.packed(path) for path in kept if path not in known[address]}
        for address, kept in done.rows.items()
    }
    done.rows = RowsByRun()
    return SmallRunsDone(done, rows)
