"""Processes on this machine.

Threads were slower than serial work when measured, and fork copies locks of the parent, so
workers come from a fork server. A worker that dies takes its pool with it; what was under way is
then done again one item at a time in pools of its own, so that only the item that kills is lost.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial

from groundtrace.engine import Done, Item, Result, chunked

OUTSTANDING = 3
"""Chunks a worker that may wait in the queue: enough to keep it busy, bounded in memory."""


class LocalEngine:
    """Work in `jobs` processes; with one job, in this one."""

    def __init__(self, jobs: int) -> None:
        self.jobs = max(1, jobs)

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[Done[Item, Result]]:
        if self.jobs == 1:
            for item in items:
                yield do_one(function, item)
            return
        yield from self._in_processes(function, items)

    def _in_processes(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[Done[Item, Result]]:
        chunks = chunked(items)
        pool = _pool(self.jobs)
        waiting: dict[Future[list[Done[Item, Result]]], list[Item]] = {}
        finished = False
        try:
            for chunk in chunks:
                waiting[pool.submit(do_chunk, function, chunk)] = chunk
                if len(waiting) < self.jobs * OUTSTANDING:
                    continue
                lost, results = _collect(waiting)
                yield from results
                if lost:
                    pool.shutdown(wait=False, cancel_futures=True)
                    yield from _one_by_one(function, lost)
                    pool = _pool(self.jobs)
            while waiting:
                lost, results = _collect(waiting)
                yield from results
                if lost:
                    yield from _one_by_one(function, lost)
            finished = True
        finally:
            _close(pool, kill=not finished)


def do_one(function: Callable[[Item], Result], item: Item) -> Done[Item, Result]:
    """One item; the boundary where a bug in a stage becomes a failed trial, not a lost run."""
    try:
        return Done(item, function(item))
    except Exception as error:  # noqa: BLE001 - the rest of the run goes on, and this is reported
        return Done(item, error=f"{type(error).__name__}: {error}")


def do_chunk(function: Callable[[Item], Result], chunk: list[Item]) -> list[Done[Item, Result]]:
    """Every item of a chunk."""
    return [do_one(function, item) for item in chunk]


def _collect(
    waiting: dict[Future[list[Done[Item, Result]]], list[Item]],
) -> tuple[list[Item], list[Done[Item, Result]]]:
    """Results of what is ready, and the items of every chunk that a dying worker took along."""
    ready, _ = wait(waiting, return_when=FIRST_COMPLETED)
    lost: list[Item] = []
    results: list[Done[Item, Result]] = []
    for future in ready:
        chunk = waiting.pop(future)
        try:
            results.extend(future.result())
        except BrokenProcessPool:
            lost.extend(chunk)
    if lost:
        # The pool is gone, and with it everything that still waited.
        for chunk in waiting.values():
            lost.extend(chunk)
        waiting.clear()
    return lost, results


def _one_by_one(
    function: Callable[[Item], Result], items: list[Item]
) -> Iterator[Done[Item, Result]]:
    """Each item in a worker of its own kin: one that dies again is the one to blame."""
    pool = _pool(1)
    try:
        for item in items:
            try:
                yield pool.submit(partial(do_one, function), item).result()
            except BrokenProcessPool:
                pool = _pool(1)
                yield Done(item, error="the worker process died (out of memory or killed)")
    finally:
        _close(pool, kill=False)


def _pool(jobs: int) -> ProcessPoolExecutor:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["groundtrace.pipeline"])
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=_ignore_interrupts)


def _ignore_interrupts() -> None:
    """Ctrl-C is for the parent, which stops the workers itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _close(pool: ProcessPoolExecutor, *, kill: bool) -> None:
    """Stop the pool; at once when the run was interrupted, after its last item otherwise."""
    if kill:
        for process in list(getattr(pool, "_processes", None) or {}).copy():
            _terminate(pool, process)
    pool.shutdown(wait=not kill, cancel_futures=True)


def _terminate(pool: ProcessPoolExecutor, pid: int) -> None:
    process = pool._processes.get(pid)
    if process is not None:
        process.terminate()
