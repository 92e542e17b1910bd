"""Workers that come from a fork server, for processes that cannot be forked themselves."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor
from concurrent.futures import wait as wait_for
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import forkserver
from typing import Any

from groundtrace.runs.engine.base import Done, Item, Result, WorkerReply, do_chunk, do_one
from groundtrace.runs.engine.forked import WorkerDiedError, take_signals
from groundtrace.runs.engine.parent_death import end_with_parent

STOP_SECONDS = 0.5
"""How long a worker may take to end when the run was interrupted, before it is killed."""
DIED = "the worker process died (out of memory or killed)"


class ServedWorkers:
    """Some workers, used like `ForkedWorkers`."""

    def __init__(self, jobs: int, preload: Sequence[str]) -> None:
        """`preload` are modules that the fork server imports."""
        self._jobs = jobs
        self._pool = _new_pool(jobs, preload)
        self._waiting: dict[Future[list[WorkerReply[Any]]], int] = {}
        self._sent = 0

    def __len__(self) -> int:
        return self._jobs

    def grow(self, workers: int) -> None:
        """The pool starts all its workers by itself."""

    def send(self, function: Callable[[Any], Any], chunk: list[Any]) -> int:
        """Give a chunk to the next worker that is free; returns the number of the chunk.

        Raises WorkerDiedError.
        """
        self._sent += 1
        try:
            future = self._pool.submit(do_chunk, function, chunk)
        except BrokenProcessPool as error:
            raise WorkerDiedError from error
        self._waiting[future] = self._sent
        return self._sent

    def replies(self, *, wait: bool) -> list[tuple[int, list[WorkerReply[Any]]]]:
        """Results that are there, by the number of the chunk; `wait` until there is one.

        Raises WorkerDiedError, or the error that a worker raised for all of its work. Results that
        came together with the death of a worker are returned first.
        """
        ready, _ = wait_for(self._waiting, None if wait else 0, FIRST_COMPLETED)
        found = []
        died: BrokenProcessPool | None = None
        for future in ready:
            try:
                answers = future.result()
            except BrokenProcessPool as error:
                died = error
            else:
                found.append((self._waiting.pop(future), answers))
        if died is not None and not found:
            raise WorkerDiedError from died
        return found

    def close(self) -> None:
        """End the workers after their work."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def stop(self) -> None:
        """End the workers now, without waiting for what they are doing."""
        _stop(self._pool)


def one_by_one(
    function: Callable[[Item], Result], items: list[Item], preload: Sequence[str]
) -> Generator[Done[Item, Result], None, None]:
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


def _new_pool(jobs: int, preload: Sequence[str]) -> ProcessPoolExecutor:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*_server_modules(), *preload])
    _start_fork_server()
    return ProcessPoolExecutor(
        jobs, mp_context=context, initializer=_begin, initargs=(dict(os.environ),)
    )


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
    the address of another object store, and the workers wrote to the old one.
    """
    os.environ.clear()
    os.environ.update(environment)
    take_signals()
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
