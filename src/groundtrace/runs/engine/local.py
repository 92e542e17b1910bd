"""Processes on this machine.

Threads were slower than serial work when measured. If the caller allows it and this process has no
other thread, workers are forked from it: then they start with everything that it has imported.
Otherwise they come from a fork server, because fork copies locks that a thread may hold.

When a worker dies, its whole pool is lost. The items in it are then processed again, each in its
own pool, so that only the item that kills its worker is lost.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import multiprocessing.context
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import forkserver

from groundtrace.runs.engine.base import (
    Done,
    Item,
    Result,
    WorkerReply,
    chunk_size,
    chunked,
    do_chunk,
    do_one,
)
from groundtrace.runs.engine.parent_death import end_with_parent

OUTSTANDING = 3
"""Chunks per worker that may wait in the queue: enough to keep the worker busy, few enough to
limit memory."""
STOP_SECONDS = 0.5
"""How long a worker may take to end when the run was interrupted, before it is killed."""
DIED = "the worker process died (out of memory or killed)"

Waiting = dict[Future[list[WorkerReply[Result]]], list[Item]]


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
        self._pool: ProcessPoolExecutor | None = None

    @property
    def workers(self) -> int:
        return self.jobs

    @property
    def forks(self) -> bool:
        return self.jobs > 1 and self._pool is None and self._may_fork and _is_alone()

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item], *, chunk: int | None = None
    ) -> Generator[Done[Item, Result], None, None]:
        if self.jobs == 1:
            for item in items:
                yield Done(item, *do_one(function, item))
            return
        finished = False
        try:
            yield from self._in_processes(function, items, chunk)
            finished = True
        finally:
            if not finished:
                self._stop()

    def _in_processes(
        self, function: Callable[[Item], Result], items: Iterable[Item], size: int | None
    ) -> Iterator[Done[Item, Result]]:
        waiting: Waiting[Result, Item] = {}
        for chunk in chunked(items, size or chunk_size(items, self.jobs)):
            if self._pool is None:
                fork = self._may_fork and _is_alone()
                self._pool = _new_pool(self.jobs, self._preload, fork=fork)
            waiting[self._pool.submit(do_chunk, function, chunk)] = chunk
            if len(waiting) >= self.jobs * OUTSTANDING:
                yield from self._collect(function, waiting)
        while waiting:
            yield from self._collect(function, waiting)

    def _collect(
        self, function: Callable[[Item], Result], waiting: Waiting[Result, Item]
    ) -> Iterator[Done[Item, Result]]:
        """Results that are ready; if a worker died, also those of everything lost with it."""
        ready, _ = wait(waiting, return_when=FIRST_COMPLETED)
        lost: list[Item] = []
        for future in ready:
            chunk = waiting.pop(future)
            try:
                answers = future.result()
            except BrokenProcessPool:
                lost.extend(chunk)
                continue
            for item, (result, error) in zip(chunk, answers, strict=True):
                yield Done(item, result, error)
        if lost:
            # The pool is lost, and with it every chunk that still waited.
            lost.extend(item for chunk in waiting.values() for item in chunk)
            waiting.clear()
            self._stop()
            yield from _one_by_one(function, lost, self._preload)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def _stop(self) -> None:
        """End the workers now: the run was interrupted, or one of them died."""
        pool, self._pool = self._pool, None
        if pool is not None:
            _stop(pool)


def _one_by_one(
    function: Callable[[Item], Result], items: list[Item], preload: Sequence[str]
) -> Iterator[Done[Item, Result]]:
    """Each item in a pool of one worker: if that worker dies too, the item is the cause."""
    pool = _new_pool(1, preload)
    try:
        for item in items:
            try:
                yield Done(item, *pool.submit(do_one, function, item).result())
            except BrokenProcessPool:
                yield Done(item, error=DIED)
                _stop(pool)
                pool = _new_pool(1, preload)
    finally:
        _stop(pool)


def _new_pool(jobs: int, preload: Sequence[str], *, fork: bool = False) -> ProcessPoolExecutor:
    context: multiprocessing.context.BaseContext
    if fork:
        for module in preload:
            importlib.import_module(module)
        context = multiprocessing.get_context("fork")
    else:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([*_server_modules(), *preload])
        _start_fork_server()
    pool = ProcessPoolExecutor(
        jobs, mp_context=context, initializer=_begin, initargs=(dict(os.environ),)
    )
    if fork:
        # All workers start with the first work. Signals wait until a worker has its own handlers:
        # with the handlers of this process it would end with a traceback.
        with _signals_wait():
            pool.submit(int)
    return pool


_OF_PARENT = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
"""Signals for which the program has handlers that a worker must not have."""


@contextlib.contextmanager
def _signals_wait() -> Iterator[None]:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _OF_PARENT)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _is_alone() -> bool:
    """Whether fork is safe: this is Linux, and the process has only one thread.

    Threads of all libraries count.
    """
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


def _server_modules() -> list[str]:
    """Modules that make a fork server and its workers end with this process."""
    modules = ["groundtrace.runs.engine.fork_server"]
    if threading.current_thread() is threading.main_thread():
        modules.insert(0, "groundtrace.runs.engine.fork_server_of_main")
    return modules


def _start_fork_server() -> None:
    """Start the fork server so that it ignores Ctrl-C, which is for this process only.

    By itself it ignores Ctrl-C only after its modules are loaded. Before that it died with a
    traceback, and the run ended with exit code 1.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _watch_parent() -> None:
    """End this worker when the process that started the run ends, in whatever way.

    On Linux the kernel ends the worker, even in the middle of a long match. A thread does it on
    other systems, and if a fork server lives longer than the process that started it.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    end_with_parent(os.getppid())

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _begin(environment: dict[str, str]) -> None:
    """Give a worker the environment that its parent has now.

    The fork server keeps the environment from its own start. In one case the parent had since set
    the address of another object store, and the workers wrote to the old one. Workers ignore
    Ctrl-C: the parent gets it and stops them.
    """
    os.environ.clear()
    os.environ.update(environment)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in _OF_PARENT - {signal.SIGINT}:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _OF_PARENT)
    _watch_parent()


def _stop(pool: ProcessPoolExecutor) -> None:
    """End a pool's processes without waiting for what they are doing."""
    processes = list((pool._processes or {}).values())
    for process in processes:
        process.terminate()
    pool.shutdown(wait=False, cancel_futures=True)
    deadline = time.monotonic() + STOP_SECONDS
    for process in processes:
        process.join(max(0.0, deadline - time.monotonic()))
        if process.is_alive():
            process.kill()
            process.join(STOP_SECONDS)
