"""Processes on this machine.

Threads were slower than serial work when measured. If the caller allows it and this process has no
other thread, workers are forked from it: then they start with everything that it has imported.
Otherwise they come from a fork server, because fork copies locks that a thread may hold.

When a worker dies, its whole pool is lost. The items in it are then processed again, each in its
own pool, so that only the item that kills its worker is lost.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence, Sized
from typing import TYPE_CHECKING, Any

from groundtrace.runs.engine.base import (
    Done,
    Item,
    Result,
    WorkerReply,
    chunk_size,
    chunked,
    do_one,
)
from groundtrace.runs.engine.forked import ForkedWorkers, WorkerDiedError

if TYPE_CHECKING:
    from groundtrace.runs.engine.served import ServedWorkers

CHUNKS_EACH = 16
"""Least number of chunks per worker: with 4, one of two workers read 4 of 36 trials alone at the end."""
OUTSTANDING = 3
"""Chunks per worker that may wait in the queue: enough to keep the worker busy, few enough to
limit memory."""


class LocalEngine:
    """Work in `jobs` processes; with one job, in this one.

    The processes are kept from one `map` to the next: a folder of a hundred small runs would
    otherwise start a hundred pools.
    """

    def __init__(self, jobs: int, preload: Sequence[str] = (), *, may_fork: bool = False) -> None:
        """`may_fork`: this process belongs to our command line and starts no other threads."""
        self.jobs = max(1, jobs)
        self._preload = tuple(preload)
        self._may_fork = may_fork
        self._pool: ForkedWorkers | ServedWorkers | None = None
        self.later: list[str] = []
        """Modules that this process imports while it waits for workers."""

    @property
    def workers(self) -> int:
        return self.jobs

    @property
    def has_workers(self) -> bool:
        """Whether worker processes are there already."""
        return self._pool is not None

    @property
    def forks(self) -> bool:
        return self.jobs > 1 and self._pool is None and self._may_fork and _is_alone()

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        *,
        chunk: int | None = None,
        is_small: bool = False,
    ) -> Generator[Done[Item, Result], None, None]:
        """`is_small`: one worker is enough."""
        if self.jobs == 1:
            for item in items:
                yield Done(item, *do_one(function, item))
            return
        finished = False
        try:
            yield from self._in_processes(function, items, chunk, is_small=is_small)
            finished = True
        finally:
            if not finished:
                self._stop()

    def _in_processes(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        size: int | None,
        *,
        is_small: bool,
    ) -> Iterator[Done[Item, Result]]:
        waiting: dict[int, list[Item]] = {}
        for chunk in chunked(items, size or chunk_size(items, self.jobs, CHUNKS_EACH)):
            if self._pool is None:
                self._pool = self._new_pool(is_small=is_small)
            self._grow(1 if is_small else len(items) if isinstance(items, Sized) else self.jobs)
            try:
                waiting[self._pool.send(function, chunk)] = chunk
            except WorkerDiedError:
                waiting[0] = chunk
                yield from self._lost(function, waiting)
            if len(waiting) >= self.jobs * OUTSTANDING:
                yield from self._collect(function, waiting)
        while waiting:
            yield from self._collect(function, waiting)

    def _new_pool(self, *, is_small: bool) -> ForkedWorkers | ServedWorkers:
        if self._may_fork and _is_alone():
            if is_small:
                return ForkedWorkers(self._preload)  # loaded while this process does something else
            for module in self._preload:
                importlib.import_module(module)
            if _is_alone():  # a module can start threads
                return ForkedWorkers(())
        from groundtrace.runs.engine.served import ServedWorkers

        return ServedWorkers(self.jobs, self._preload)

    def _grow(self, works: int) -> None:
        """Start workers until there are enough for so many works."""
        wanted = min(self.jobs, works)
        if self._pool is not None and len(self._pool) < wanted and _is_alone():
            self._pool.grow(wanted)

    def _collect(
        self, function: Callable[[Item], Result], waiting: dict[int, list[Item]]
    ) -> Iterator[Done[Item, Result]]:
        """Results that are ready; if a worker died, also those of everything lost with it."""
        try:
            ready = self._ready()
        except WorkerDiedError:
            yield from self._lost(function, waiting)
            return
        for number, answers in ready:
            for item, (result, error) in zip(waiting.pop(number), answers, strict=True):
                yield Done(item, result, error)

    def _lost(
        self, function: Callable[[Item], Result], waiting: dict[int, list[Item]]
    ) -> Iterator[Done[Item, Result]]:
        """A worker died: the pool is lost, and with it every chunk that still waited."""
        from groundtrace.runs.engine.served import one_by_one

        lost = [item for chunk in waiting.values() for item in chunk]
        waiting.clear()
        self._stop()
        yield from one_by_one(function, lost, self._preload)

    def _ready(self) -> list[tuple[int, list[WorkerReply[Any]]]]:
        """Results that are there; until there are some, this process loads what it needs later."""
        assert self._pool is not None
        while self.later:
            if ready := self._pool.replies(wait=False):
                return ready
            importlib.import_module(self.later.pop(0))
        return self._pool.replies(wait=True)

    def close(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    def _stop(self) -> None:
        """End the workers now: the run was interrupted, or one of them died."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.stop()


def _is_alone() -> bool:
    """Whether fork is safe: this is Linux, and the process has only one thread.

    Threads of all libraries count.
    """
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False
