"""The interface of a folder of inputs or outputs, wherever it lies.

A `Folder` is what every stage reads from and writes to, so that `runs/official` and
`s3://bucket/runs` look alike. Paths inside a folder are relative, with forward slashes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Literal

import msgspec

EntryKind = Literal["file", "folder", "other", "escape", "unlisted"]

MAX_WHOLE_FILE = 64 * 1024 * 1024
"""Small files (results, ground truth) are read whole up to this size and refused beyond it."""

UNLISTED = "."
"""Name of the only entry of a folder that is there but cannot be listed."""


class FolderEntry(msgspec.Struct, frozen=True):
    """One name in a folder."""

    name: str
    kind: EntryKind
    """`other` is a FIFO, device or broken link; `escape` a link that leaves the root or loops;
    `unlisted` says that the folder itself cannot be listed, with the reason as its stamp."""
    size: int = 0
    stamp: str = ""
    """Changes when the file does: times and mode on disk, ETag in a store."""

    @property
    def mark(self) -> str:
        """Size and stamp: what a fingerprint knows of a file."""
        return f"{self.size}:{self.stamp}"


class Links:
    """The links to folders that a walk has followed: each target is entered by a link once.

    Six folders that link to each other have more paths than a walk can end. Folders that are no
    links are entered however often a walk comes to them.
    """

    def __init__(self) -> None:
        self._followed: set[str] = set()

    def enters(self, folder: Folder) -> bool:
        """Whether the walk goes into a folder; a link's target is entered from then on."""
        target = folder.linked_to()
        if target is None:
            return True
        if target in self._followed:
            return False
        self._followed.add(target)
        return True


class TooLargeError(OSError):
    """A file that is read whole is over the limit."""


class Folder(ABC):
    """A folder; cheap to make, picklable, holds no open handles."""

    url: str
    """Path or URL, for messages."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Last part of the path."""

    @abstractmethod
    def folder(self, relative: str) -> Folder:
        """The folder below this one; it need not exist."""

    @abstractmethod
    def entries(self) -> Iterator[FolderEntry]:
        """What it holds, sorted by name; nothing when it does not exist.

        A folder that is there but cannot be listed gives one entry of kind `unlisted`.
        """

    def kinds(self) -> Iterator[tuple[str, EntryKind]]:
        """Names and kinds of what it holds, in the order of `entries`.

        On disk a listing tells them without asking for each file.
        """
        return ((entry.name, entry.kind) for entry in self.entries())

    @abstractmethod
    def stat(self, relative: str) -> FolderEntry | None:
        """The entry of that name, or None when there is none inside."""

    @abstractmethod
    def open(self, relative: str) -> BinaryIO:
        """A file for reading as a stream; raises OSError when it is not a regular file inside."""

    @abstractmethod
    def write(self, relative: str, data: bytes) -> FolderEntry:
        """Write a file whole or not at all (D37); raises OutputError when it cannot be."""

    def write_parts(self, relative: str, parts: Iterable[bytes]) -> FolderEntry:
        """The same of a file that comes in parts, which are not held together where that can be."""
        return self.write(relative, b"".join(parts))

    @abstractmethod
    def remove(self, relative: str) -> None:
        """Remove a file if it is there; raises OutputError when it stays."""

    def linked_to(self) -> str | None:
        """Which folder a link leads to, by device and number; None for a folder that is no link."""
        return None

    def exists(self) -> bool:
        """Whether the folder is there."""
        return next(iter(self.entries()), None) is not None

    def has_file(self, relative: str) -> bool:
        """Whether a regular file of that name is there."""
        entry = self.stat(relative)
        return entry is not None and entry.kind == "file"

    def read(self, relative: str, limit: int = MAX_WHOLE_FILE) -> bytes:
        """A small file, whole; raises OSError (TooLargeError beyond `limit` bytes)."""
        with self.open(relative) as stream:
            data = stream.read(limit + 1)
        if len(data) > limit:
            raise TooLargeError(f"{self.url}/{relative} is over {limit:,} bytes")
        return data

    @abstractmethod
    def everything(self, without: frozenset[str]) -> Iterator[str] | None:
        """A line for everything below that changes when anything does, in a fixed order.

        Folders with a name in `without` are left out. None where it cannot be told, because a
        link leads to a folder elsewhere.
        """

    @abstractmethod
    def sweep(self) -> None:
        """Remove what a killed process left half-written here and one folder below."""
