"""The folders in which subagents and forks of a rollout are looked for.

Codex keeps a folder for each day (`sessions/2026/05/04/`). A thread is written to the file of the day
on which it began. A subagent that it starts after midnight, or weeks later when it is resumed, has
its file in another folder, so all days are searched. Without such folders it is the file's own.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex
from groundtrace.storage import DAY_FOLDERS, Folder, LocalFolder

_DAY = regex(rf"(?:(.*)/)?({DAY_FOLDERS})/([^/]+)")
_LEVELS = tuple(map(re.compile, DAY_FOLDERS.split("/")))
_SETTLED_SECONDS = 0.1
"""A folder that changed less than this ago may change again and keep its time of change."""


class Place(NamedTuple):
    """A folder of rollouts."""

    folder: Folder
    before: str
    """Its path below the top, with a slash at the end; empty for the top itself."""


class Tree(Frozen, frozen=True):
    """The folder that holds all days, or the only folder."""

    top: Folder
    own: str
    """Path of the rollout below the top."""
    is_dated: bool
    base: str
    """What comes before a path below the top, as the caller names files; may be empty."""
    start: str | None = None
    """For local folders: the caller's folder, from which files are named."""

    def named(self, path: str) -> str:
        """A path below the top, as the caller names it."""
        if self.start is None:
            return f"{self.base}{path}"
        return os.path.relpath(f"{self.base}/{path}", self.start)

    def places(self) -> Iterator[Place]:
        """The folders of rollouts, by day."""
        if self.is_dated:
            yield from _below(self.top, "", 0)
        else:
            yield Place(self.top, "")


def _below(folder: Folder, before: str, level: int) -> Iterator[Place]:
    if level == len(_LEVELS):
        yield Place(folder, before)
        return
    for name, kind in folder.kinds():
        if kind == "folder" and _LEVELS[level].fullmatch(name):
            yield from _below(folder.folder(name), f"{before}{name}/", level + 1)


def tree_of(folder: Folder, path: str) -> Tree:
    """Where related rollouts are looked for; never outside of the folder's root."""
    if isinstance(folder, LocalFolder):
        # With the folder's own path, because users often name the folder of one day.
        found = _DAY.fullmatch(os.path.normpath(folder.path.absolute() / path))
        if found is not None:
            days = folder.above(Path(found[1] or "/"))
            if days is not None:
                start = os.path.normpath(folder.path.absolute())
                return Tree(days, f"{found[2]}/{found[3]}", True, found[1] or "/", start)
    elif (found := _DAY.fullmatch(path)) is not None:
        base = "" if found[1] is None else f"{found[1]}/"
        top = folder.folder(found[1]) if found[1] else folder
        return Tree(top, f"{found[2]}/{found[3]}", True, base)
    parent, slash, name = path.rpartition("/")
    top = folder.folder(parent) if parent else folder
    return Tree(top, name, False, f"{parent}{slash}")


def signature(places: list[Place]) -> tuple[str, ...] | None:
    """When files were last added or removed; None if these times cannot be relied on."""
    found = []
    newest = 0
    for place in places:
        if not isinstance(place.folder, LocalFolder):
            return None
        try:
            info = place.folder.path.stat()
        except OSError:
            return None
        newest = max(newest, info.st_mtime_ns)
        found.append(f"{place.before} {info.st_ino} {info.st_mtime_ns}")
    return tuple(found) if time.time_ns() - newest > _SETTLED_SECONDS * 1e9 else None
