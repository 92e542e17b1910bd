"""Folders on disk. No link is followed out of the root."""

from __future__ import annotations

import io
import os
import stat as stat_module
from collections.abc import Iterable, Iterator
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO

from groundtrace.base.patterns import regex
from groundtrace.errors import OutputError
from groundtrace.storage.folder import (
    MAX_WHOLE_FILE,
    UNLISTED,
    EntryKind,
    Folder,
    FolderEntry,
    TooLargeError,
)
from groundtrace.storage.watch import WatchedFile, note_error, note_file

_TOKEN = os.urandom(4).hex()
"""Part of the names of this process's temporary files; process ids repeat on other machines."""
_TEMPORARY = regex(r"\..+\.[0-9a-f]{8}\.tmp")


class LocalFolder(Folder):
    """A folder on disk that never follows a link out of its root.

    Paths are plain strings inside: every trial asks for dozens of files, and pathlib's objects
    took a tenth of the time of a whole run.
    """

    _follows_links = True

    def __init__(self, path: Path, root: Path | None = None) -> None:
        self.url = str(path)
        self._root = str(root) if root is not None else self.url
        self._real_root: str | None = None
        self._inside_root: bool | None = None
        self._was_link: bool | None = None
        """Whether the folder was a link when this object was made; None if nobody checked."""

    def __repr__(self) -> str:
        return f"LocalFolder({self.url!r})"

    @property
    def path(self) -> Path:
        """The folder for pathlib."""
        return Path(self.url)

    @property
    def is_link(self) -> bool:
        """Whether the folder itself is a link."""
        return _is_link(self.url)

    @property
    def is_inside(self) -> bool:
        """Whether the folder is below its root once all links are followed."""
        return self._is_inside(self.url)

    @property
    def link_target(self) -> tuple[str, ...]:
        """Where a link to a folder leads, as names below the root; empty if it is no link or leads
        out of the root."""
        if not self.is_link or not self.is_inside:
            return ()
        target = os.path.relpath(os.path.realpath(self.url), self._real_root_path())
        return () if target == "." else tuple(target.split(os.sep))

    def linked_to(self) -> str | None:
        if self._was_link is False or not self.is_link:
            return None
        try:
            info = os.stat(self.url)
        except (OSError, ValueError):
            return self.url
        return f"{info.st_dev}:{info.st_ino}"

    @property
    def name(self) -> str:
        name = os.path.basename(self.url)
        return os.path.basename(os.path.realpath(self.url)) if name in ("", ".", "..") else name

    def folder(self, relative: str) -> LocalFolder:
        child = LocalFolder.__new__(LocalFolder)
        child.url = join(self.url, relative)
        child._root = self._root
        child._real_root = self._real_root_path()
        child._was_link = None
        if relative in PLAIN or "/" in relative or "\0" in relative or not self.is_here():
            child._inside_root = True if self._leads_inside(relative) else None
            return child
        child._was_link = _is_link(child.url)
        inside = not child._was_link or self._is_inside(child.url)
        child._inside_root = True if inside else None
        return child

    def above(self, path: Path) -> LocalFolder | None:
        """A folder above this one, with the same root; None where it is not inside of that."""
        found = LocalFolder(path, Path(self._root))
        return found if found.is_inside else None

    def is_here(self) -> bool:
        """Whether this folder is below its root; the system is asked once."""
        if self._inside_root is None:
            self._inside_root = self._is_inside(self.url)
        return self._inside_root

    def exists(self) -> bool:
        return os.path.isdir(self.url)

    def _real_root_path(self) -> str:
        if self._real_root is None:
            self._real_root = os.path.realpath(self._root)
        return self._real_root

    def _is_inside(self, path: str) -> bool:
        """Whether a path is below the root once all links are followed."""
        root = self._real_root_path()
        try:
            real = os.path.realpath(path)
        except (OSError, ValueError):
            return False
        return real == root or real.startswith(root.rstrip("/") + "/")

    def _leads_inside(self, relative: str) -> bool:
        """The same for a path below this folder; follows links only where there are some."""
        if "\0" in relative:
            return False
        return not self._may_meet_link(relative) or self._is_inside(join(self.url, relative))

    def _may_meet_link(self, relative: str) -> bool:
        """Whether anything on the way to a path below this folder is a link, as far as names tell."""
        parts = relative.split("/")
        if "\0" in relative or ".." in parts or not self.is_here():
            return True
        path = self.url
        for part in parts:
            path = join(path, part)
            if os.path.islink(path):
                return True
        return False

    def _entry(self, path: str, name: str) -> FolderEntry | None:
        try:
            info = os.lstat(path)
            is_link = stat_module.S_ISLNK(info.st_mode)
            if is_link:
                info = os.stat(path)
        except (OSError, ValueError):
            return FolderEntry(name, "other") if _is_link(path) else None
        return self._described(path, name, is_link, info)

    def _described(self, path: str, name: str, is_link: bool, info: os.stat_result) -> FolderEntry:
        kind: EntryKind = "other"
        if is_link and not self._is_inside(path):
            kind = "escape"
        elif stat_module.S_ISDIR(info.st_mode):
            # A link to one of its own parents would make a walk go round forever.
            kind = "escape" if is_link and self._loops(path) else "folder"
        elif stat_module.S_ISREG(info.st_mode):
            kind = "file"
        return FolderEntry(name, kind, info.st_size, stamp_of(info), is_link)

    def _loops(self, path: str) -> bool:
        target = os.path.realpath(path).rstrip("/")
        return f"{os.path.realpath(self.url)}/".startswith(f"{target}/")

    def entries(self) -> Iterator[FolderEntry]:
        try:
            with os.scandir(self.url) as found:
                items = sorted(found, key=name_of)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return
        except OSError as error:
            note_error(self.url)
            yield FolderEntry(UNLISTED, "unlisted", stamp=error.strerror or str(error))
            return
        for item in items:
            try:
                entry = (
                    self._entry(item.path, item.name)
                    if item.is_symlink()
                    else self._described(
                        item.path, item.name, False, item.stat(follow_symlinks=False)
                    )
                )
            except OSError:  # gone since the folder was listed
                continue
            if entry is not None:
                yield entry

    def kinds(self) -> Iterator[tuple[str, EntryKind]]:
        try:
            with os.scandir(self.url) as found:
                items = sorted(found, key=name_of)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return
        except OSError:
            yield UNLISTED, "unlisted"
            return
        for item in items:
            try:
                if item.is_symlink():
                    entry = self._entry(item.path, item.name)
                    if entry is not None:
                        yield entry.name, entry.kind
                elif item.is_dir(follow_symlinks=False):
                    yield item.name, "folder"
                else:
                    yield item.name, "file" if item.is_file(follow_symlinks=False) else "other"
            except OSError:  # gone since the folder was listed
                continue

    def stat(self, relative: str) -> FolderEntry | None:
        path = join(self.url, relative)
        parts = relative.split("/")
        if PLAIN.isdisjoint(parts) and self.is_here():
            # Each name on the way is looked at once: without a link the last one is the file.
            below = self.url
            for part in parts:
                below = join(below, part)
                try:
                    info = os.lstat(below)
                except (OSError, ValueError):
                    return None
                if stat_module.S_ISLNK(info.st_mode):
                    break
            else:
                return self._described(path, relative, False, info)
        if not self._leads_inside(relative):
            return None
        return self._entry(path, relative)

    def _file(self, relative: str) -> tuple[str, FolderEntry]:
        entry = self.stat(relative)
        path = join(self.url, relative)
        if entry is None:
            raise FileNotFoundError(f"{path}: no such file")
        if entry.kind != "file":
            raise OSError(f"{path}: not a regular file")
        note_file(path, entry.mark)
        return path, entry

    def open(self, relative: str) -> BinaryIO:
        return io.BufferedReader(WatchedFile(self._file(relative)[0], self._follows_links))

    def read(self, relative: str, limit: int = MAX_WHOLE_FILE) -> bytes:
        path, entry = self._file(relative)
        if entry.size <= limit:
            with WatchedFile(path, self._follows_links) as stream:
                data = stream.readall()
            if len(data) <= limit:
                return data
        raise TooLargeError(f"{path} is over {limit:,} bytes")

    def write(self, relative: str, data: bytes) -> FolderEntry:
        return self.write_parts(relative, (data,))

    def write_parts(self, relative: str, parts: Iterable[bytes]) -> FolderEntry:
        path = join(self.url, relative)
        folder, _, name = path.rpartition("/")
        temporary = f"{folder or '.'}/.{name}.{_TOKEN}.tmp"
        if self._may_meet_link(relative):
            if not self._leads_inside(relative):
                raise OutputError(
                    f"{path}: lies behind a link that leaves {self._root}; not written"
                )
            self._refuse_links(relative)
        try:
            try:
                _put(temporary, parts)
            except FileNotFoundError:  # before any part was taken
                os.makedirs(folder, exist_ok=True)
                _put(temporary, parts)
            os.replace(temporary, path)
            info = os.stat(path)
        except OSError as error:
            _unlink(temporary)
            reason = error.strerror or str(error)
            raise OutputError(f"{path}: cannot be written ({reason})") from error
        except BaseException:
            _unlink(temporary)
            raise
        return self._described(path, relative, False, info)

    def _refuse_links(self, relative: str) -> None:
        """Raise OutputError if a folder on the way to the file is a link: it is another folder."""
        folder = self.url
        for part in relative.strip("/").split("/")[:-1]:
            folder = join(folder, part)
            if _is_link(folder):
                raise OutputError(f"{folder}: a link; nothing is written or removed behind it")

    def remove(self, relative: str) -> None:
        path = join(self.url, relative)
        self._refuse_links(relative)
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise OutputError(f"{path}: cannot be removed ({error.strerror})") from error

    def file_marks(self) -> dict[str, str]:
        found: dict[str, str] = {}
        # With a link in the folder, each entry is looked at: where does the link lead?
        return found if _add_marks(found, self.url, "") else super().file_marks()

    def everything(self, without: frozenset[str]) -> list[str] | None:
        lines: list[str] = []
        if not _list_all(self.url, "", without, lines):
            return None
        lines.sort()
        return lines

    def sweep(self) -> None:
        for folder in _swept(self.url):
            _swept(folder)


PLAIN = frozenset({"", ".", ".."})
"""Names that are not files: the folder itself and its parent."""


def join(base: str, relative: str) -> str:
    """A path below a folder."""
    if base == ".":
        return relative.strip("/") or "."
    relative = relative.strip("/")
    return f"{base.rstrip('/')}/{relative}" if relative else base


def _add_marks(found: dict[str, str], folder: str, below: str) -> bool:
    """Add the marks of a folder's files and, at its top, of those one level below; False if there
    is a link or something cannot be listed."""
    try:
        with os.scandir(folder) as items:
            for item in items:
                if item.is_dir(follow_symlinks=False):
                    if not below and not _add_marks(found, item.path, f"{item.name}/"):
                        return False
                    continue
                info = item.stat(follow_symlinks=False)
                if stat_module.S_ISLNK(info.st_mode):
                    return False
                if stat_module.S_ISREG(info.st_mode):
                    found[f"{below}{item.name}"] = f"{info.st_size}:{stamp_of(info)}"
    except OSError:
        return False
    return True


def _list_all(folder: str, below: str, without: frozenset[str], lines: list[str]) -> bool:
    """Add a line for everything below a folder, in any order; False if there is a link to a folder."""
    try:
        with os.scandir(folder) as found:
            items = list(found)
    except OSError as error:
        lines.append(f"{below} {error.strerror}")
        return True
    for item in items:
        try:
            is_folder = item.is_dir(follow_symlinks=False)
            if is_folder and item.name in without:
                continue
            if not is_folder:
                info = item.stat(follow_symlinks=False)
                if item.is_symlink():
                    if item.is_dir():
                        return False
                    info = item.stat()
                lines.append(f"{below}{item.name} {info.st_size}:{stamp_of(info)}")
                continue
        except OSError as error:
            lines.append(f"{below}{item.name} {error.strerror}")
            continue
        lines.append(f"{below}{item.name}/")
        if not _list_all(item.path, f"{below}{item.name}/", without, lines):
            return False
    return True


name_of = attrgetter("name")


def stamp_of(info: os.stat_result) -> str:
    """A text that changes when the file does."""
    # Copying a file can keep its mtime, so the ctime is included. The mode is included because a
    # file that could not be read before may be readable now.
    return f"{info.st_mtime_ns}.{info.st_ctime_ns}.{info.st_mode:o}"


def current_mark(path: str) -> str:
    """The mark of a file as it is now; empty when it is gone."""
    try:
        info = os.stat(path)
    except (OSError, ValueError):
        return ""
    return f"{info.st_size}:{stamp_of(info)}"


def _put(path: str, parts: Iterable[bytes]) -> None:
    # Always a new file: a link that somebody put there points to another file.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    try:
        file = os.open(path, flags, 0o666)
    except FileExistsError:
        os.unlink(path)
        file = os.open(path, flags, 0o666)
    try:
        for part in parts:
            rest = memoryview(part)
            while rest:
                rest = rest[os.write(file, rest) :]
    finally:
        os.close(file)


def _swept(folder: str) -> list[str]:
    """Remove half-written files of a folder; returns the folders in it."""
    folders = []
    try:
        with os.scandir(folder) as found:
            for item in found:
                if item.is_dir(follow_symlinks=False):
                    folders.append(item.path)
                elif item.name.endswith(".tmp") and _TEMPORARY.fullmatch(item.name):
                    _unlink(item.path)
    except OSError:
        pass
    return folders


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


def _is_link(path: str) -> bool:
    try:
        return os.path.islink(path)
    except (OSError, ValueError):
        return False
