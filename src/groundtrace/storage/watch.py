"""Which files a piece of work opened, and which of them it could not read.

Readers handle an unreadable file each in their own way: as a problem, or by going on without it.
Whether a result may be remembered is decided here, in one place. The case: a temporary disk error
gave "0 events", and every later run kept that, because the file looked the same afterwards.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import msgspec
from msgspec import field


class Watch(msgspec.Struct):
    """The files that were opened while a block ran."""

    files: dict[str, str] = field(default_factory=dict)
    """Path of every file that was opened, with its mark just before it was opened."""
    errors: list[str] = field(default_factory=list)
    """Paths of files that could not be read."""


_watch: ContextVar[Watch | None] = ContextVar("groundtrace_watch", default=None)


@contextmanager
def watched() -> Iterator[Watch]:
    """Record what is opened while the block runs; an outer block does not see it."""
    watch = Watch()
    token = _watch.set(watch)
    try:
        yield watch
    finally:
        _watch.reset(token)


def note_file(path: str, mark: str) -> None:
    """Record that a file is about to be opened."""
    watch = _watch.get()
    if watch is not None:
        watch.files.setdefault(path, mark)


def note_error(path: str) -> None:
    """Record that a file could not be opened or read."""
    watch = _watch.get()
    if watch is not None:
        watch.errors.append(path)


def note_all(watch: Watch) -> None:
    """Record again what an inner block opened."""
    for path, mark in watch.files.items():
        note_file(path, mark)
    for path in watch.errors:
        note_error(path)


def _no_link(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0))


class WatchedFile(io.FileIO):
    """A file that also records an error that happens in the middle of reading."""

    def __init__(self, path: str, follows_links: bool = True) -> None:
        try:
            super().__init__(path, "rb", opener=None if follows_links else _no_link)
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
