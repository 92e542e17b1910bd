"""A limit of processor time for one piece of work: the last protection from an input that hangs.

In the main thread of a process, the system's timer interrupts even a regular expression that is
being matched. In other threads, such as a Dask worker's, a watcher checks how much processor time
the thread has used and raises in it; there only Python code can be interrupted.
"""

from __future__ import annotations

import ctypes
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN_SECONDS = 1.0
"""Seconds until the exception is raised again, if some code has caught it."""


class TimeLimitReached(BaseException):
    """The work took more processor time than is allowed.

    It is not an `Exception`, because the code that isolates one broken call catches `Exception`
    and must not catch this.
    """


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeLimitReached` in the block after this much processor time; 0 means never."""
    if seconds <= 0:
        yield
    elif threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):
        with _timer(seconds):
            yield
    else:
        with _watcher(seconds):
            yield


@contextmanager
def _timer(seconds: float) -> Iterator[None]:
    active = True

    def reached(_number: int, _frame: FrameType | None) -> None:
        if active:
            raise TimeLimitReached

    before = signal.signal(signal.SIGPROF, reached)
    signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN_SECONDS)
    try:
        yield
    finally:
        active = False
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


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
                if not ended.is_set():
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
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), ctypes.py_object(TimeLimitReached)
    )
