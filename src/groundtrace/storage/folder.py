"""The interface of a folder of inputs or outputs, on disk or in an object store.

Every stage reads from a `Folder` and writes to one, so `runs/official` and `s3://bucket/runs` look
the same. Paths inside a folder are relative, with forward slashes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Literal

import msgspec

EntryKind = Literal["file", "folder", "other", "escape", "unlisted"]

MAX_WHOLE_FILE = 64 * 1024 * 1024
"""Small files (results, ground truth) are read whole up to this size; larger ones are refused."""

UNLISTED = "."
"""Name of the only entry of a folder that exists but cannot be listed."""


class FolderEntry(msgspec.Struct, frozen=True):
    """One name in a folder."""

    name: str
    kind: EntryKind
    """`other` is a FIFO, device or broken link. `escape` is a link that leaves the root or loops.
    `unlisted` means that the folder itself cannot be listed; the reason is in `stamp`."""
    size: int = 0
    stamp: str = ""
    """Changes when the file does: times and mode on disk, ETag in a store."""
    is_link: bool = False

    @property
    def time(self) -> float | None:
        """When its content last changed, in seconds since the epoch; None in an object store."""
        changed, dot, _ = self.stamp.partition(".")
        return int(changed) / 1e9 if dot and changed.isdecimal() else None

    @property
    def mark(self) -> str:
        """Size and stamp: what a fingerprint uses of a file."""
        return f"{self.size}:{self.stamp}"


class Links:
    """The links to folders that a walk has followed: each target is entered through a link once.

    Six folders that link to each other have too many paths for a walk to finish. A folder that is
    not a link is entered every time that the walk comes to it.
    """

    def __init__(self) -> None:
        self._followed: set[str] = set()

    def enters(self, folder: Folder) -> bool:
        """Whether the walk enters a folder; remembers the target of a link as entered."""
        target = folder.linked_to()
        if target is None:
            return True
        if target in self._followed:
            return False
        self._followed.add(target)
        return True


class TooLargeError(OSError):
    """A file that is read whole is larger than the limit."""


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
        """The folder below this one; it does not have to exist."""

    @property
    def is_listed(self) -> bool:
        """Whether this is the folder as it was when it was listed (`storage.listed`)."""
        return False

    @abstractmethod
    def entries(self) -> Iterator[FolderEntry]:
        """What the folder holds, sorted by name; nothing when it does not exist.

        A folder that exists but cannot be listed gives one entry of kind `unlisted`.
        """

    def kinds(self) -> Iterator[tuple[str, EntryKind]]:
        """Names and kinds of what the folder holds, in the order of `entries`.

        On disk one listing gives both, without a request for each file.
        """
        return ((entry.name, entry.kind) for entry in self.entries())

    @abstractmethod
    def stat(self, relative: str) -> FolderEntry | None:
        """The entry of that name, or None when the folder has none."""

    @abstractmethod
    def open(self, relative: str) -> BinaryIO:
        """Open a file as a stream; raises OSError when it is not a regular file in the folder."""

    @abstractmethod
    def write(self, relative: str, data: bytes) -> FolderEntry:
        """Write a file as a whole or not at all (D37); raises OutputError when writing fails."""

    def write_parts(self, relative: str, parts: Iterable[bytes]) -> FolderEntry:
        """The same for a file that comes in parts; where possible, not all are kept in memory."""
        return self.write(relative, b"".join(parts))

    @abstractmethod
    def remove(self, relative: str) -> None:
        """Remove a file if it exists; raises OutputError when it cannot be removed."""

    def linked_to(self) -> str | None:
        """The folder that a link points to, by device and inode number; None if this is no link."""
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

    def file_marks(self) -> dict[str, str]:
        """Mark of every file in the folder and one level below, by path."""
        found: dict[str, str] = {}
        for entry in self.entries():
            if entry.kind == "file":
                found[entry.name] = entry.mark
            elif entry.kind == "folder":
                inside = self.folder(entry.name).entries()
                found.update((f"{entry.name}/{e.name}", e.mark) for e in inside if e.kind == "file")
        return found

    @abstractmethod
    def everything(self, without: frozenset[str]) -> list[str] | None:
        """A line for each file and folder below, in a fixed order; any change below changes a line.

        Folders with a name in `without` are left out. None when a link points to a folder, because
        changes there cannot be seen.
        """

    @abstractmethod
    def sweep(self) -> None:
        """Remove what a killed process left half-written, here and one folder below."""
