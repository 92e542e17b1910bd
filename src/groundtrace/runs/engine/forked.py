"""Workers that are forked from this process, and talk to it through pipes. Linux only.

`concurrent.futures` does the same with threads. Its modules took 13 of the 180 ms of a small run,
and a process with a thread cannot be forked again. Without threads, workers can be added while
others work.

All workers take work from one pipe, so none waits while there is some. Whoever takes it has the
turn: one byte in a second pipe, which a worker that dies may take along. So all are lost when one
dies. Each has a pipe of its own for results, whose end tells that it died.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import pickle
import select
import signal
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import msgspec
from msgspec import field

from groundtrace.errors import OutputError
from groundtrace.runs.engine.base import WorkerReply, do_chunk
from groundtrace.runs.engine.parent_death import end_with_parent

_LENGTH = 8
"""Bytes that say how long a message is."""
_AT_ONCE = 1 << 20
"""Most bytes that are read from a pipe at a time."""

OF_PARENT = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
"""Signals for which the program has handlers that a worker must not have."""


class WorkerDiedError(Exception):
    """A worker ended before its work was done."""


class _Worker(msgspec.Struct):
    """A worker as this process sees it."""

    process: int
    replies: int
    """The end of its pipe from which its results are read."""
    read: bytearray = field(default_factory=bytearray)
    """What was read of messages that are not complete."""


class ForkedWorkers:
    """Some workers. `send` gives them a chunk, `replies` has the results that are there."""

    def __init__(self, preload: Sequence[str]) -> None:
        """`preload` are modules that each worker imports when it starts."""
        self._preload = preload
        self._asked, self._asks = os.pipe()
        os.set_blocking(self._asks, False)
        self._turn, self._gives = os.pipe()
        os.write(self._gives, b"1")
        self._workers: dict[int, _Worker] = {}
        self._poll = select.poll()
        self._unsent = bytearray()
        self._sent = 0

    def __len__(self) -> int:
        return len(self._workers)

    def grow(self, workers: int) -> None:
        """Start workers until there are so many."""
        # Signals wait until a worker has its own handlers: with the handlers of this process it
        # would end with a traceback.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, OF_PARENT)
        try:
            while len(self._workers) < workers:
                self._fork()
        except OSError:  # no more processes are allowed, or there is no memory for one
            if not self._workers:
                raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _fork(self) -> None:
        parent = os.getpid()
        replies, own = os.pipe()
        try:
            process = os.fork()
        except OSError:
            os.close(replies)
            os.close(own)
            raise
        if not process:
            # An end that only the parent reads: a worker that kept it would wait forever, instead
            # of ending, when nobody reads its results any more.
            os.close(replies)
            self._work(own, parent)
        os.close(own)
        self._workers[replies] = _Worker(process, replies)
        self._poll.register(replies, select.POLLIN)

    def send(self, function: Callable[[Any], Any], chunk: list[Any]) -> int:
        """Give a chunk to the next worker that is free; returns the number of the chunk."""
        self._sent += 1
        self._unsent += _message((self._sent, function, chunk))
        self._send_more()
        return self._sent

    def _send_more(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._unsent:
                del self._unsent[: os.write(self._asks, self._unsent)]

    def replies(self, *, wait: bool) -> list[tuple[int, list[WorkerReply[Any]]]]:
        """Results that are there, by the number of the chunk; `wait` until there is one.

        Raises WorkerDiedError, or the error that a worker raised for all of its work. Results that
        came together with the death of a worker are returned first.
        """
        while True:
            if self._unsent:
                self._poll.register(self._asks, select.POLLOUT)
            ready = self._poll.poll(None if wait else 0)
            if self._unsent:
                self._poll.unregister(self._asks)
                self._send_more()
            found: list[tuple[int, list[WorkerReply[Any]]]] = []
            died = False
            for replies, _ in ready:
                if replies != self._asks:
                    data = os.read(replies, _AT_ONCE)
                    died |= not data
                    found += _complete(self._workers[replies], data)
            if died and not found:
                raise WorkerDiedError
            if found or not wait:
                return found

    def close(self) -> None:
        """End the workers now, without waiting for what they are doing."""
        for worker in self._workers.values():
            with contextlib.suppress(ProcessLookupError):  # where dead children leave no trace
                os.kill(worker.process, signal.SIGKILL)
        for end in (self._asked, self._asks, self._turn, self._gives, *self._workers):
            os.close(end)
        for worker in self._workers.values():
            with contextlib.suppress(ChildProcessError):
                os.waitpid(worker.process, 0)
        self._workers.clear()

    stop = close

    # in the worker

    def _work(self, replies: int, parent: int) -> NoReturn:
        """Do chunks until there are no more. Never returns: what called it is the parent's."""
        try:
            take_signals()
            end_with_parent(parent)
            for end in (self._asks, *self._workers):
                os.close(end)
            gc.freeze()  # what it has from its parent is looked through no more, and stays shared
            for module in self._preload:
                importlib.import_module(module)
            while (asked := self._next()) is not None:
                _write(replies, _done(asked))
        except BaseException:  # noqa: BLE001 - the parent sees the end of the pipe
            os._exit(1)
        os._exit(0)

    def _next(self) -> bytes | None:
        os.read(self._turn, 1)
        try:
            length = _read(self._asked, _LENGTH)
            return _read(self._asked, int.from_bytes(length, "little")) if length else None
        finally:
            os.write(self._gives, b"1")


def take_signals() -> None:
    """Give this worker its own handlers instead of its parent's.

    Workers ignore Ctrl-C: the parent gets it and stops them. What the parent ignores, as after
    `nohup`, they ignore too.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in OF_PARENT - {signal.SIGINT}:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, OF_PARENT)


def _complete(worker: _Worker, data: bytes) -> Iterator[tuple[int, list[WorkerReply[Any]]]]:
    """The messages that are complete with this data of a worker."""
    worker.read += data
    while len(worker.read) >= _LENGTH:
        end = _LENGTH + int.from_bytes(worker.read[:_LENGTH], "little")
        if len(worker.read) < end:
            return
        number, answers, error = pickle.loads(memoryview(worker.read)[_LENGTH:end].tobytes())
        del worker.read[:end]
        if error is not None:
            raise error
        yield number, answers


def _done(asked: bytes) -> bytes:
    """The message about a chunk: what its items gave, or the error that concerns all of them."""
    number, function, chunk = pickle.loads(asked)
    try:
        return _message((number, do_chunk(function, chunk), None))
    except Exception as error:  # noqa: BLE001 - raised in the parent
        return _message((number, [], _sendable(error)))


def _sendable(error: Exception) -> Exception:
    """The error, or one that says the same if it cannot be sent.

    Python makes an error again from its message alone, so one whose class takes more arguments was
    a TypeError in the parent.
    """
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # noqa: BLE001 - whatever an error of another package does there
        kind = OutputError if isinstance(error, OutputError) else RuntimeError
        return kind(str(error) if kind is OutputError else f"{type(error).__name__}: {error}")
    return error


def _message(content: object) -> bytes:
    data = pickle.dumps(content, pickle.HIGHEST_PROTOCOL)
    return len(data).to_bytes(_LENGTH, "little") + data


def _read(end: int, size: int) -> bytes:
    """So many bytes; none if the other side is closed."""
    data = b""
    while len(data) < size:
        more = os.read(end, size - len(data))
        if not more:
            return b""
        data += more
    return data


def _write(end: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(end, left) :]
