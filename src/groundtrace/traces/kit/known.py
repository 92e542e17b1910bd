"""What is known of files, as long as they are as they were. It is in the memory of this process, and
of workers that are forked from it; what was known longest goes first.

Discovery lists the trials of a file before they are read: all of them together show how they are
called. `HELD` has what it decoded, so that a run that is listed and read in one process decodes a
file once. Workers get positions, never content: of a large run they decode again what this process
decoded to list it.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from groundtrace.storage import Folder

T = TypeVar("T")

FileKey = tuple[Any, ...]
"""A file as it is: its folder, its path, its mark; and more, if several things are known of it."""


def file_key(folder: Folder, path: str, *more: Any) -> FileKey | None:
    """The key of a file; None if it is not there."""
    entry = folder.stat(path)
    return None if entry is None else (folder.url, path, entry.mark, *more)


class Known(Generic[T]):
    """Values by the file that they are about."""

    def __init__(self, most: int) -> None:
        """`most` is how much all values may weigh together."""
        self._most = most
        self._weight = 0
        self._values: dict[FileKey, tuple[T, int]] = {}

    def get(self, key: FileKey | None) -> T | None:
        """What is known."""
        found = self._values.get(key) if key is not None else None
        return None if found is None else found[0]

    def take(self, key: FileKey | None) -> T | None:
        """The same, for the last time: whoever takes it may change it."""
        found = self._values.pop(key, None) if key is not None else None
        if found is None:
            return None
        self._weight -= found[1]
        return found[0]

    def clear(self) -> None:
        """Forget everything."""
        self._values.clear()
        self._weight = 0

    def keep(self, key: FileKey | None, value: T, weight: int = 1) -> None:
        """Keep a value, if it does not weigh too much."""
        self.take(key)
        if key is None or weight > self._most:
            return
        while self._weight + weight > self._most:
            self.take(next(iter(self._values)))
        self._values[key] = value, weight
        self._weight += weight


HELD: Known[Any] = Known(8 * 1024 * 1024)
"""What was decoded to list trials, by the bytes of the files: as much as a command reads in its own
process before it starts workers. Decoded, it takes up to some times the memory."""
