"""Which files a piece of work opened, and which of them it could not read.

Readers turn an error into a problem, or go on without the file: each in its own way. Whether a
result may be remembered is decided here, in one place: a passing error of the disk was kept as
"0 events" by every later run, because the file looked the same afterwards.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Watch:
    """What was opened while a block ran."""

    files: dict[str, str] = field(default_factory=dict)
    """Path of every file that was opened, with its mark just before."""
    errors: list[str] = field(default_factory=list)
    """Paths that could not be read, though they are files."""


_watch: ContextVar[Watch | None] = ContextVar("groundtrace_watch", default=None)


@contextmanager
def watched() -> Iterator[Watch]:
    """Note what is opened while the block runs; an outer block does not see it."""
    watch = Watch()
    token = _watch.set(watch)
    try:
        yield watch
    finally:
        _watch.reset(token)


def note_file(path: str, mark: str) -> None:
    """A file is about to be opened."""
    watch = _watch.get()
    if watch is not None:
        watch.files.setdefault(path, mark)


def note_error(path: str) -> None:
    """A file could not be opened or read."""
    watch = _watch.get()
    if watch is not None:
        watch.errors.append(path)


class WatchedFile(io.FileIO):
    """A file that notes an error in the middle of it as well."""

    def __init__(self, path: str) -> None:
        try:
            super().__init__(path, "rb")
        except OSError:
            note_error(path)
            raise

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer."""
        try:
            return super().readinto(buffer)
        except OSError:
            note_error(str(self.name))
            raise

    def readall(self) -> bytes:
        """The rest of the file."""
        try:
            return super().readall()
        except OSError:
            note_error(str(self.name))
            raise
