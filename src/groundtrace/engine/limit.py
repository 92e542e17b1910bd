"""A limit of processor time around one piece of work, the last net under an input that hangs.

In a process's main thread the system's timer interrupts even a pattern that is being matched. In
another thread, such as a Dask worker's, a watcher asks how much processor time the thread has used
and raises in it; there only Python code can be interrupted.
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
"""How often it is raised again, should something catch it."""


class TimeLimitReached(BaseException):
    """The work took more processor time than it may.

    Not an `Exception`: what makes one broken call cost that call alone must not catch it.
    """


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeLimitReached` in the block once it has taken so much processor time; 0: never."""
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
    except (AttributeError, OSError):  # a system without clocks of threads
        return time.monotonic()


def _raise_in(thread: int) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), ctypes.py_object(TimeLimitReached)
    )
