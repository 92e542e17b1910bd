"""Small runs for workers: in groups, each of which one worker processes whole."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, suppress
from itertools import chain
from typing import TypeVar

from groundtrace.errors import GroundtraceError
from groundtrace.runs.engine import Done, Engine
from groundtrace.runs.lock import locked
from groundtrace.storage import Folder

SHARES = 4
"""Into how many parts for each worker the runs found so far would be divided. So the first workers
start at once, and all end at about the same time."""

SomeRun = TypeVar("SomeRun")
Group = TypeVar("Group")
Result = TypeVar("Result")


def few_and_all(
    runs: Iterable[SomeRun], weight: Callable[[SomeRun], int], enough: int
) -> tuple[bool, Iterable[SomeRun]]:
    """Whether all runs together weigh less than is `enough` to start workers for, and the runs.

    No more runs are looked at than it takes to tell.
    """
    rest = iter(runs)
    taken: list[SomeRun] = []
    held = 0
    for run in rest:
        taken.append(run)
        held += weight(run)
        if held >= enough:
            return False, chain(taken, rest)
    return True, taken


def grouped(
    runs: Iterable[SomeRun], weight: Callable[[SomeRun], int], enough: int, workers: int
) -> Iterator[tuple[SomeRun, ...]]:
    """Runs in groups of about the weight that is `enough` to be worth sending."""
    group: list[SomeRun] = []
    held = found = 0
    for run in runs:
        group.append(run)
        held += weight(run)
        found += weight(run)
        if held >= min(enough, found / (SHARES * workers)):
            yield tuple(group)
            group, held = [], 0
    if group:
        yield tuple(group)


def in_workers(
    engine: Engine,
    function: Callable[[Group], Result],
    groups: Iterable[Group],
    folders: Callable[[Group], Iterable[Folder]],
) -> Generator[Done[Group, Result], None, None]:
    """Each group with its result. `folders` are those that a group writes to: if the work is
    stopped, what workers left half-written in them is removed."""
    open_now: dict[str, Folder] = {}

    def sent() -> Iterator[Group]:
        for group in groups:
            open_now.update((folder.url, folder) for folder in folders(group))
            yield group

    try:
        with closing(engine.map(function, sent(), chunk=1)) as results:
            for result in results:
                for folder in folders(result.item):
                    del open_now[folder.url]
                yield result
    except BaseException:
        _clean_up(open_now.values())
        raise


def _clean_up(folders: Iterable[Folder]) -> None:
    """Whoever takes the lock of a folder removes what a stopped worker left."""
    for folder in folders:
        if folder.exists():
            with suppress(GroundtraceError), locked(folder):
                pass
