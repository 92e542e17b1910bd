"""A folder on disk as it was when it was listed: one listing serves everybody who asks.

The fingerprint of a run, discovery, the plan and the readers each listed the folder of a trial and
asked for its files one by one. What is read later can be newer than the listing, never older: a
fingerprint of the listing shows every change since.
"""

from __future__ import annotations

import os
import stat as stat_module
from collections.abc import Iterator
from typing import TypeAlias

from groundtrace.storage.folder import EntryKind, Folder, FolderEntry
from groundtrace.storage.local import PLAIN, LocalFolder, join, name_of, stamp_of

MAX_LISTED = 2_000
"""Most names in the folder of a trial that is listed at once; a trial has about twenty."""
MAX_LISTED_RUN = 200_000
"""Most names in a run that is listed at once; they take about 60 MB."""

Listed: TypeAlias = dict[str, tuple[EntryKind, int, str, "Listed | None"]]
"""The names in one folder, in order, each with its kind, size and stamp, and the names inside if it
is a folder."""


class ListedFolder(LocalFolder):
    """A folder without links, and everything below it, as it was when it was listed."""

    _follows_links = False
    """A file that has become a link since the listing is not opened."""

    def __init__(
        self, url: str, of: LocalFolder, names: Listed, without: frozenset[str], most: int
    ) -> None:
        """Folders with a name in `without` were not listed; `of` is the folder at this address or
        one above it."""
        self.url = url
        self._root = of._root
        self._real_root = of._real_root
        self._inside_root = True
        self._was_link = False
        self._names = names
        self._without = without
        self._most = most

    def __repr__(self) -> str:
        return f"ListedFolder({self.url!r})"

    @property
    def is_listed(self) -> bool:
        return True

    @property
    def is_link(self) -> bool:
        return False

    def is_as_listed(self) -> bool:
        """Whether the folder still has the same files, by name, size and stamp."""
        return not super().is_link and _listing(self.url, self._without, self._most) == self._names

    def folder(self, relative: str) -> LocalFolder:
        found = self._find(relative)
        if found is None or found[3] is None:
            return super().folder(relative)
        return ListedFolder(join(self.url, relative), self, found[3], self._without, self._most)

    def exists(self) -> bool:
        return True

    def entries(self) -> Iterator[FolderEntry]:
        return (FolderEntry(name, *found[:3]) for name, found in self._names.items())

    def kinds(self) -> Iterator[tuple[str, EntryKind]]:
        return ((name, found[0]) for name, found in self._names.items())

    def stat(self, relative: str) -> FolderEntry | None:
        if not PLAIN.isdisjoint(relative.split("/")):  # it may lead elsewhere
            return super().stat(relative)
        found = self._find(relative)
        return None if found is None else FolderEntry(relative, *found[:3])

    def everything(self, without: frozenset[str]) -> list[str] | None:
        if without != self._without:
            return super().everything(without)
        lines: list[str] = []
        _add_lines(lines, self._names, "")
        lines.sort()
        return lines

    def _find(self, relative: str) -> tuple[EntryKind, int, str, Listed | None] | None:
        """What the listing says about a path below this folder; None if it does not have it."""
        names: Listed | None = self._names
        found = None
        for part in relative.split("/"):
            found = names.get(part) if names is not None else None
            if found is None:
                return None
            names = found[3]
        return found


def listed(folder: Folder, without: frozenset[str] = frozenset(), most: int = MAX_LISTED) -> Folder:
    """The folder with everything below it, listed now and never again; the folder itself where that
    is not possible: in an object store, with a link in it, or with more than `most` names.

    Folders with a name in `without` are left out.
    """
    if not isinstance(folder, LocalFolder) or folder.is_listed or folder.is_link:
        return folder
    names = _listing(folder.url, without, most) if folder.is_here() else None
    return folder if names is None else ListedFolder(folder.url, folder, names, without, most)


def _listing(folder: str, without: frozenset[str], most: int) -> Listed | None:
    """The names below a folder; None if they are not known for certain.

    That is so where there is a link, where a folder cannot be listed, or where there is too much.
    """
    try:
        return _names_in(folder, without, [most])
    except OSError:
        return None


def _names_in(folder: str, without: frozenset[str], left: list[int]) -> Listed | None:
    """The same; `left` holds how many more names may come."""
    with os.scandir(folder) as found:
        items = sorted(found, key=name_of)
    left[0] -= len(items)
    if left[0] < 0:
        return None
    names: Listed = {}
    for item in items:
        info = item.stat(follow_symlinks=False)
        kind: EntryKind = "other"
        inside: Listed | None = None
        if stat_module.S_ISLNK(info.st_mode):
            return None
        if stat_module.S_ISDIR(info.st_mode):
            if item.name in without:
                continue
            kind = "folder"
            inside = _names_in(item.path, without, left)
            if inside is None:
                return None
        elif stat_module.S_ISREG(info.st_mode):
            kind = "file"
        names[item.name] = kind, info.st_size, stamp_of(info), inside
    return names


def _add_lines(lines: list[str], names: Listed, below: str) -> None:
    """Add a line for everything in a listing, as `LocalFolder.everything` does."""
    for name, (_, size, stamp, inside) in names.items():
        if inside is None:
            lines.append(f"{below}{name} {size}:{stamp}")
        else:
            lines.append(f"{below}{name}/")
            _add_lines(lines, inside, f"{below}{name}/")
