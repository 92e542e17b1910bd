"""A folder on disk as it was when it was listed: one listing serves everybody who asks.

Discovery, the plan and the readers each listed the folder of a trial and asked for its files one by
one. What is read later can be newer than the listing, never older: a fingerprint of the listing
shows every change since.
"""

from __future__ import annotations

import os
import stat as stat_module
from collections.abc import Iterator, Mapping

from groundtrace.storage.folder import EntryKind, Folder, FolderEntry
from groundtrace.storage.local import PLAIN, LocalFolder, join, name_of, stamp_of

MAX_LISTED = 2_000
"""Most names in a folder that is listed at once; a trial has about twenty."""

Listed = Mapping[str, tuple[EntryKind, int, str]]
"""The names in one folder, in order, each with its kind, size and stamp."""


class ListedFolder(LocalFolder):
    """A folder without links, and everything below it, as it was when it was listed."""

    _follows_links = False
    """A file that has become a link since the listing is not opened."""

    def __init__(
        self,
        of: LocalFolder,
        tree: Mapping[str, Listed],
        without: frozenset[str] = frozenset(),
        below: str = "",
    ) -> None:
        """`tree` has every folder by its path in the listed folder; this one's is `below`. Folders
        with a name in `without` were not listed."""
        self.url = join(of.url, below) if below else of.url
        self._root = of._root
        self._real_root = of._real_root
        self._inside_root = True
        self._was_link = False
        self._plain = of
        self._tree = tree
        self._without = without
        self._below = below

    def __repr__(self) -> str:
        return f"ListedFolder({self.url!r})"

    @property
    def is_listed(self) -> bool:
        return True

    def is_as_listed(self) -> bool:
        """Whether the folder that was listed still has the same files, by name, size and stamp."""
        return not self._plain.is_link and listed_tree(self._plain.url, self._without) == self._tree

    def folder(self, relative: str) -> LocalFolder:
        path = self._path(relative)
        if path is None or path not in self._tree:
            return super().folder(relative)
        return ListedFolder(self._plain, self._tree, self._without, path)

    def exists(self) -> bool:
        return True

    def entries(self) -> Iterator[FolderEntry]:
        return (FolderEntry(name, *found) for name, found in self._tree[self._below].items())

    def kinds(self) -> Iterator[tuple[str, EntryKind]]:
        return ((name, found[0]) for name, found in self._tree[self._below].items())

    def stat(self, relative: str) -> FolderEntry | None:
        path = self._path(relative)
        if path is None:
            return super().stat(relative)
        folder, _, name = path.rpartition("/")
        found = self._tree.get(folder, {}).get(name)
        return None if found is None else FolderEntry(relative, *found)

    def _path(self, relative: str) -> str | None:
        """A path below this folder as the tree has it; None if it may lead elsewhere."""
        if not PLAIN.isdisjoint(relative.split("/")):
            return None
        return f"{self._below}/{relative}" if self._below else relative


def listed(folder: Folder, without: frozenset[str] = frozenset()) -> Folder:
    """The folder with everything below it, listed now and never again; the folder itself where that
    is not possible: in an object store, or with a link in it.

    Folders with a name in `without` are left out.
    """
    if not isinstance(folder, LocalFolder) or folder.is_listed or folder.is_link:
        return folder
    tree = listed_tree(folder.url, without) if folder.is_here() else None
    return folder if tree is None else ListedFolder(folder, tree, without)


def listed_tree(folder: str, without: frozenset[str]) -> dict[str, Listed] | None:
    """Every folder below a folder, by its path in it; None if that is not known for certain.

    That is so where there is a link, where a folder cannot be listed, or where there is too much.
    """
    tree: dict[str, Listed] = {}
    left = [MAX_LISTED]
    try:
        return tree if _list_into(tree, folder, "", without, left) else None
    except OSError:
        return None


def _list_into(
    tree: dict[str, Listed], folder: str, below: str, without: frozenset[str], left: list[int]
) -> bool:
    with os.scandir(folder) as found:
        items = sorted(found, key=name_of)
    left[0] -= len(items)
    if left[0] < 0:
        return False
    names: dict[str, tuple[EntryKind, int, str]] = {}
    tree[below] = names
    folders = []
    for item in items:
        info = item.stat(follow_symlinks=False)
        kind: EntryKind = "other"
        if stat_module.S_ISLNK(info.st_mode):
            return False
        if stat_module.S_ISDIR(info.st_mode):
            if item.name in without:
                continue
            kind = "folder"
            folders.append(item)
        elif stat_module.S_ISREG(info.st_mode):
            kind = "file"
        names[item.name] = kind, info.st_size, stamp_of(info)
    inside = f"{below}/" if below else ""
    return all(
        _list_into(tree, item.path, f"{inside}{item.name}", without, left) for item in folders
    )
