"""Folders of inputs and outputs, on disk or in an object store, behind one small interface.

A `Folder` is what every stage reads from and writes to, so that `runs/official` and
`s3://bucket/runs` look alike. Paths inside a folder are relative, with forward slashes.
"""

from __future__ import annotations

import os
import stat as stat_module
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from groundtrace.errors import InputError

EntryKind = Literal["file", "folder", "other", "escape"]

MAX_WHOLE_FILE = 64 * 1024 * 1024
"""Small files (results, ground truth) are read whole up to this size and refused beyond it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a folder."""

    name: str
    kind: EntryKind
    """`other` is a FIFO, device or broken link; `escape` a link that leaves the root or loops."""
    size: int = 0
    stamp: str = ""
    """Changes when the file does: mtime on disk, ETag in a store."""


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
    def entries(self) -> Iterator[Entry]:
        """What it holds, sorted by name; nothing when it does not exist or cannot be listed."""

    @abstractmethod
    def stat(self, relative: str) -> Entry | None:
        """The entry of that name, or None when there is none."""

    @abstractmethod
    def open(self, relative: str) -> BinaryIO:
        """A file for reading as a stream; raises OSError when it is not a regular file inside."""

    @abstractmethod
    def write(self, relative: str, data: bytes) -> None:
        """Write a file whole or not at all (D37)."""

    @abstractmethod
    def remove(self, relative: str) -> None:
        """Remove a file if it is there."""

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


class LocalFolder(Folder):
    """A folder on disk that never follows a link out of its root."""

    def __init__(self, path: Path, root: Path | None = None) -> None:
        self.path = path
        self.root = root if root is not None else path
        self.url = str(path)

    def __repr__(self) -> str:
        return f"LocalFolder({self.url!r})"

    @property
    def name(self) -> str:
        return self.path.name or self.path.resolve().name

    def folder(self, relative: str) -> LocalFolder:
        return LocalFolder(self.path / relative, self.root)

    def exists(self) -> bool:
        return self.path.is_dir()

    def _kind(self, path: Path, is_link: bool, mode: int) -> EntryKind:
        if is_link and not self._inside(path):
            return "escape"
        if stat_module.S_ISDIR(mode):
            # A link to one of its own parents would make listing go round for ever.
            return "escape" if is_link and self._loops(path) else "folder"
        return "file" if stat_module.S_ISREG(mode) else "other"

    def _inside(self, path: Path) -> bool:
        try:
            return path.resolve().is_relative_to(self.root.resolve())
        except (OSError, RuntimeError, ValueError):
            return False

    def _loops(self, path: Path) -> bool:
        target = path.resolve()
        return self.path.resolve().is_relative_to(target)

    def _entry(self, path: Path, name: str) -> Entry | None:
        try:
            info = path.lstat()
            is_link = stat_module.S_ISLNK(info.st_mode)
            if is_link:
                info = path.stat()
        except FileNotFoundError:
            return Entry(name, "other") if path.is_symlink() else None
        except (OSError, ValueError):
            return Entry(name, "other") if _is_link(path) else None
        kind = self._kind(path, is_link, info.st_mode)
        return Entry(name, kind, info.st_size, str(info.st_mtime_ns))

    def entries(self) -> Iterator[Entry]:
        try:
            names = sorted(os.listdir(self.path))
        except OSError:
            return
        for name in names:
            entry = self._entry(self.path / name, name)
            if entry is not None:
                yield entry

    def stat(self, relative: str) -> Entry | None:
        path = self.path / relative
        if "\0" in relative or not self._inside(path):
            return None
        return self._entry(path, relative)

    def open(self, relative: str) -> BinaryIO:
        entry = self.stat(relative)
        if entry is None:
            raise FileNotFoundError(f"{self.url}/{relative}: no such file")
        if entry.kind != "file":
            raise OSError(f"{self.url}/{relative}: not a regular file")
        return (self.path / relative).open("rb")

    def write(self, relative: str, data: bytes) -> None:
        path = self.path / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            with temporary.open("wb") as stream:
                stream.write(data)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise

    def remove(self, relative: str) -> None:
        (self.path / relative).unlink(missing_ok=True)


def _is_link(path: Path) -> bool:
    try:
        return path.is_symlink()
    except (OSError, ValueError):
        return False


def folder_at(location: str | os.PathLike[str]) -> Folder:
    """The folder at a path or URL, whether it is there or not."""
    if "://" in str(location):
        from groundtrace.objectstore import SCHEMES, ObjectFolder, is_url

        if not is_url(str(location)):
            known = ", ".join(f"{scheme}://" for scheme in SCHEMES)
            raise InputError(f"{location}: not a kind of store that can be read ({known})")
        return ObjectFolder(str(location))
    return LocalFolder(Path(location))


def open_folder(location: str | os.PathLike[str]) -> Folder:
    """The folder at a path or URL; raises InputError when it is missing or not a folder."""
    folder = folder_at(location)
    if folder.exists():
        return folder
    if isinstance(folder, LocalFolder) and folder.path.exists():
        raise InputError(f"{location}: a file, where a folder is expected")
    raise InputError(f"{location}: no such folder")
