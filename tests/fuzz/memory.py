"""A folder in memory, so that a fuzzed trial needs no disk."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from groundtrace.storage import Folder, FolderEntry


class MemoryFolder(Folder):
    """Files by their path below the root."""

    def __init__(self, files: Mapping[str, bytes], below: str = "", name: str = "memory") -> None:
        self.files = files
        self.below = below
        self._name = name
        self.url = f"memory/{below}"

    @property
    def name(self) -> str:
        return self.below.rstrip("/").rpartition("/")[2] or self._name

    def folder(self, relative: str) -> MemoryFolder:
        return MemoryFolder(self.files, f"{self.below}{relative.strip('/')}/", self._name)

    def entries(self) -> Iterator[FolderEntry]:
        found: dict[str, FolderEntry] = {}
        for path, data in self.files.items():
            if path.startswith(self.below):
                first, _, rest = path[len(self.below) :].partition("/")
                found[first] = FolderEntry(first, "folder") if rest else _entry(first, data)
        yield from (found[name] for name in sorted(found))

    def stat(self, relative: str) -> FolderEntry | None:
        path = self.below + relative.strip("/")
        if path in self.files:
            return _entry(relative, self.files[path])
        if any(name.startswith(f"{path}/") for name in self.files):
            return FolderEntry(relative, "folder")
        return None

    def open(self, relative: str) -> BinaryIO:
        data = self.files.get(self.below + relative.strip("/"))
        if data is None:
            raise FileNotFoundError(f"{self.url}{relative}: no such file")
        return io.BytesIO(data)

    def write(self, relative: str, data: bytes) -> FolderEntry:
        raise PermissionError("a fuzzed folder is read only")

    def remove(self, relative: str) -> None:
        raise PermissionError("a fuzzed folder is read only")

    def everything(self, without: frozenset[str]) -> Iterator[str] | None:
        """Nothing here is ever evaluated a second time."""
        return None

    def sweep(self) -> None:
        """Nothing is ever left behind here."""


def _entry(name: str, data: bytes) -> FolderEntry:
    # With a stamp of its content: readers remember by it what a file was.
    return FolderEntry(name, "file", len(data), str(hash(data)))
