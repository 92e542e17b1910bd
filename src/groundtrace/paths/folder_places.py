"""Where the files of a folder lie, once the roots and mounts of a trial are known.

All files of a folder lie alike, so the answer is found once per folder, by going up its folders.
What decides which folders are roots and mounts is in `layout`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import msgspec

from groundtrace.paths.repos import Repo

NOWHERE = ""
"""The unknown folder that relative paths are relative to."""


class RepoPlace(msgspec.Struct, frozen=True):
    """Where a path lies: in a repository, in an unknown one, or outside of all repositories."""

    repo: Repo | None
    path: str
    """Relative to the repository or root; unchanged if it is outside of every root."""
    outside: bool = False
    """It lies in no repository, and is not a file of the ground truth."""
    full: str = ""
    """The unchanged path, if it lies beside the repositories of a root."""


class FolderPlace(msgspec.Struct, frozen=True):
    """Where all files of a folder lie; found once, because a trial touches many files in few
    folders."""

    repo: Repo | None
    cut: int
    """Characters of a path before its part relative to the repository or root."""
    outside: bool
    beside: bool
    """It lies beside the repositories of a root."""


_OUTSIDE = FolderPlace(None, 0, True, False)


class NearestAbove:
    """The nearest of some folders above another one; every folder on the way is remembered."""

    def __init__(self, folders: Iterable[str]) -> None:
        self._known: dict[str, str | None] = {"": None}
        for folder in folders:
            self._known[folder] = folder

    def of(self, folder: str) -> str | None:
        """The folder itself if it is one of them, else the nearest above it, else None."""
        known = self._known
        if folder in known:
            return known[folder]
        passed = [folder]
        above = folder.rpartition("/")[0]
        while above not in known:
            passed.append(above)
            above = above.rpartition("/")[0]
        found = known[above]
        for name in passed:
            known[name] = found
        return found


class Roots:
    """The roots of a trial."""

    def __init__(self, folders: Collection[str]) -> None:
        self.folders = frozenset(folders)
        self._nearest = NearestAbove(folders)

    def of(self, path: str) -> str | None:
        """The root that a path is or lies in; None if it lies in none."""
        if path[:1] in ("/", "~"):
            return self._nearest.of(path)
        return None if path.startswith("..") else NOWHERE


class FolderPlaces:
    """What the roots and mounts of a trial say about its folders."""

    def __init__(
        self,
        roots: Roots,
        mounts: Mapping[str, Repo],
        home: Repo | None,
        tops: Collection[str] = frozenset(),
    ) -> None:
        """`tops` are folders at the top of a clone that a vote found below a root.

        A path with one of them beside that clone is a path of the clone: the shell had entered it
        in an earlier call, and the trace does not say so.
        """
        self._tops = tops
        self._roots = roots
        self._mounts = mounts
        self._mount_of = NearestAbove(mounts).of
        self._home = home
        self._parents: set[str] = set()
        """Roots that hold repositories but are not repositories."""
        for mount in mounts:
            parent = roots.of(mount)
            if parent and parent not in mounts:
                self._parents.add(parent)
        self._found: dict[str, FolderPlace] = {}
        self.used: dict[str, None] = {}
        """The repositories and roots that something was placed in."""

    def place(self, path: str) -> RepoPlace:
        """Where a clean path lies."""
        folder = path.rpartition("/")[0]
        found = self._found.get(folder)
        if found is None or path in self._roots.folders:
            found = self._look_up(path, folder)
        beside = path if found.beside else ""
        return RepoPlace(found.repo, path[found.cut :], found.outside, beside)

    def _look_up(self, path: str, folder: str) -> FolderPlace:
        if not folder or path in self._roots.folders:  # a root is not a file of the folder above
            return self._below(self._roots.of(path), folder)
        found = self._found[folder] = self._below(self._roots.of(folder), folder)
        return found

    def _below(self, root: str | None, folder: str) -> FolderPlace:
        if root is None:
            return _OUTSIDE
        mount = self._mount_of(folder)
        if mount is not None:
            self.used[mount] = None
            return FolderPlace(self._mounts[mount], len(mount) + 1 if mount else 0, False, False)
        cut = len(root) + 1 if root else 0
        if root in self._parents and folder[cut:].partition("/")[0] not in self._tops:
            return FolderPlace(None, cut, True, True)
        self.used[root] = None
        return FolderPlace(self._home, cut, False, False)
