"""Limits of processor time and memory for one piece of work: the last protection from an input
that hangs or unpacks without end.

`guarded` is for everything that is read before a trial has a worker: discovery, tasks, manifests.
What is over a limit raises `OverLimitError`, an ordinary exception that says which limit.

In the main thread of a process, the system's timer interrupts even a regular expression that is
being matched, and ends work that only waits: a reader of another package that sleeps, a disk that
does not answer. In other threads, such as a Dask worker's, a watcher checks how much processor time
the thread has used and raises in it; there only Python code can be interrupted.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from types import FrameType

AGAIN_SECONDS = 1.0
"""Seconds until the exception is raised again, if some code has caught it."""


IDLE = 10
"""How many times as long work may wait, without a break, as it may compute."""
_PARTS = 20
"""Pieces of this time. A process that was stopped gets one signal for all that it missed."""
_AT_WORK = 0.02
"""Share of processor time from which a process does not merely wait: one of many on a busy machine
has more."""


MEMORY = 320 * 1024 * 1024
"""Bytes that reading one small file may take."""

_OF_SIZE = 4
"""How many times the size of a large file its reading may take more."""

_seconds: ContextVar[float] = ContextVar("groundtrace_limit_seconds", default=60.0)
_is_guarded: ContextVar[bool] = ContextVar("groundtrace_is_guarded", default=False)


class OverLimitError(Exception):
    """Reading an input took more than is allowed; the message says of what."""


@contextmanager
def allowed_seconds(seconds: float) -> Iterator[None]:
    """How much processor time `guarded` work may take in the block (`--trial-seconds`)."""
    token = _seconds.set(seconds)
    try:
        yield
    finally:
        _seconds.reset(token)


@contextmanager
def guarded(size: int | None = 0) -> Iterator[None]:
    """Read an input of this size within the limits; raises OverLimitError.

    Without a size only the time is limited, as for a whole trial and where git is started, which
    would inherit the limit of memory. Inside another `guarded` block, the limits of that block hold.
    """
    if _is_guarded.get():
        yield
        return
    seconds = _seconds.get()
    try:
        of_memory = nullcontext() if size is None else _memory_limit(MEMORY + _OF_SIZE * size)
        with time_limit(seconds), of_memory:
            yield
    except TimeLimitReached as reached:
        raise OverLimitError(f"not read: {reached.why(seconds)}; see --trial-seconds") from None
    except MemoryError:
        raise OverLimitError(
            f"not read: it needs more than {(MEMORY + _OF_SIZE * (size or 0)) >> 20} MB of memory"
        ) from None


LARGE = 4 * 1024 * 1024
"""Bytes from which a file that groundtrace stored itself is decoded within the limits. A smaller one
cannot take long, and there are thousands of them."""


def guarded_if_large(size: int) -> AbstractContextManager[None]:
    """The limits of `guarded` for a stored file of this size."""
    return guarded(size) if size > LARGE else nullcontext()


@contextmanager
def _memory_limit(more: int) -> Iterator[None]:
    """Let the process grow by this many bytes at most; an allocation beyond raises MemoryError."""
    in_use = _bytes_in_use()
    if in_use is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = in_use + more
    if soft != resource.RLIM_INFINITY:
        wanted = min(wanted, soft)
    resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _bytes_in_use() -> int | None:
    """The size of this process's memory; None on systems that do not say."""
    try:
        # Not through pathlib: every file that discovery reads comes here.
        file = os.open("/proc/self/statm", os.O_RDONLY)
        try:
            pages = os.read(file, 100).split()[0]
        finally:
            os.close(file)
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


class TimeLimitReached(BaseException):
    """The work took more processor time than is allowed.

    It is not an `Exception`, because the code that isolates one broken call catches `Exception`
    and must not catch this.
    """

    is_idle = False
    """It used hardly any, and waited for something that did not come."""

    def why(self, seconds: float) -> str:
        """What was over the limit of so many seconds."""
        if self.is_idle:
            return (
                f"it waited more than {IDLE * seconds:g} seconds for something that does not come"
            )
        return f"it took more than {seconds:g} seconds of processor time"


class _WaitedTooLong(TimeLimitReached):
    is_idle = True


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeLimitReached` in the block after this much processor time; 0 means never."""
    token = _is_guarded.set(True)  # one timer at a time
    try:
        with _limit_of(seconds):
            yield
    finally:
        _is_guarded.reset(token)


_held: set[int] = set()
"""Threads in which the exception would be lost."""
_late: set[int] = set()
"""Those of them whose time is over."""


@contextmanager
def held() -> Iterator[Callable[[], bool]]:
    """A block in which a limit raises nothing until its end; gives a function that says if time is over.

    For C code that calls back: tree-sitter goes on after an exception in its reader, and raised
    `SystemError` in place of the limit.
    """
    thread = threading.get_ident()
    _held.add(thread)
    try:
        yield lambda: thread in _late
    finally:
        _held.discard(thread)
        if thread in _late:
            _late.discard(thread)
            raise TimeLimitReached


def _limit_of(seconds: float) -> AbstractContextManager[None]:
    if seconds <= 0:
        return nullcontext()
    is_main = threading.current_thread() is threading.main_thread()
    return _timer(seconds) if is_main and hasattr(signal, "setitimer") else _watcher(seconds)


@contextmanager
def _timer(seconds: float) -> Iterator[None]:
    active = True
    thread = threading.get_ident()

    def reached(_number: int, _frame: FrameType | None) -> None:
        if active and thread in _held:
            _late.add(thread)
        elif active:
            raise TimeLimitReached

    before = signal.signal(signal.SIGPROF, reached)
    signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN_SECONDS)
    try:
        with _no_endless_wait(seconds):
            yield
    finally:
        active = False
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def _no_endless_wait(seconds: float) -> Iterator[None]:
    """Raise in the block if it does nothing for a long time."""
    if signal.getitimer(signal.ITIMER_REAL)[0] > 0:  # somebody else's clock, as of pytest-timeout
        yield
        return
    every = IDLE * seconds / _PARTS
    used, waited = time.process_time(), 0

    def tick(_number: int, _frame: FrameType | None) -> None:
        nonlocal used, waited
        now = time.process_time()
        waited = waited + 1 if now - used < _AT_WORK * every else 0
        used = now
        if waited >= _PARTS:
            raise _WaitedTooLong

    before = signal.signal(signal.SIGALRM, tick)
    signal.setitimer(signal.ITIMER_REAL, every, every)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _watcher(seconds: float) -> Iterator[None]:
    thread = threading.get_ident()
    started = _processor_time(thread)
    ended = threading.Event()
    guard = threading.Lock()

    def watch() -> None:
        while not ended.wait(min(AGAIN_SECONDS, seconds / 4)):
            if _processor_time(thread) - started < seconds:
                continue
            with guard:
                if thread in _held:
                    _late.add(thread)
                elif not ended.is_set():
                    _raise_in(thread)

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    finally:
        with guard:
            ended.set()


def _processor_time(thread: int) -> float:
    try:
        return time.clock_gettime(time.pthread_getcpuclockid(thread))
    except (AttributeError, OSError):  # a system without a clock for each thread
        return time.monotonic()


def _raise_in(thread: int) -> None:
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), ctypes.py_object(TimeLimitReached)
    )
