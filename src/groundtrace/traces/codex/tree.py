"""The rollouts among which a rollout's kin is looked for.

Codex keeps a folder for each day (`sessions/2026/05/04/`), and a thread goes on in the file of the day
on which it began: a subagent that it starts after midnight, or weeks later when it is resumed, has
its file in another folder. So all days are looked through. Elsewhere it is the file's own folder.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from groundtrace.storage import Folder, LocalFolder

_DAY = re.compile(r"(?:(.*)/)?(\d{4}/\d\d/\d\d)/([^/]+)")
_LEVELS = (re.compile(r"\d{4}"), re.compile(r"\d\d"), re.compile(r"\d\d"))
_SETTLED_SECONDS = 0.1
"""A folder that changed this shortly ago may change again without another time of change."""


class Place(NamedTuple):
    """A folder of rollouts."""

    folder: Folder
    before: str
    """Its path below the top, with a slash at the end; empty for the top itself."""


@dataclass(frozen=True, slots=True)
class Tree:
    """The folder that holds all days, or the only folder."""

    top: Folder
    own: str
    """Path below it of the file that is asked about."""
    is_dated: bool
    base: str
    """What a path below the top begins with; empty where who asks has the top itself."""
    start: str | None = None
    """Of local folders the path of the one that files are named from; else `base` says it."""

    def named(self, path: str) -> str:
        """A path below the top as who asks names it."""
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
    """Where the kin of a rollout is looked for; never outside of the folder's root."""
    if isinstance(folder, LocalFolder):
        # With the folder's own path: what is named is often a day's folder.
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
    """The times at which files were added or removed; None where they say nothing."""
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
