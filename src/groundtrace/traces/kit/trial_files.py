"""Which names in a folder show that it holds a trace.

Discovery examines every folder of a run, so it uses only names, two levels deep: it lists the
folder and the folders in it that a pattern names, and opens no file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import translate


class TrialFiles:
    """The patterns of all readers."""

    def __init__(self, patterns: Iterable[str]) -> None:
        files: dict[str, list[str]] = {}
        folders: dict[str, list[str]] = {}
        for pattern in dict.fromkeys(patterns):
            parts = pattern.split("/")
            if parts[0] == "**":  # else all folders above the file would count as trials
                parts = parts[-1:]
            if len(parts) == 1:
                files.setdefault("", []).append(parts[0])
            elif len(parts) == 2:
                files.setdefault(parts[0], []).append(parts[1])
            elif parts[1] == "**":
                files.setdefault(parts[0], []).append(parts[-1])
                folders.setdefault(parts[0], []).append("*")
            else:
                # Deeper levels are not listed: the folder that leads there is enough of a sign.
                folders.setdefault(parts[0], []).append(parts[1])
        self._files = {parent: _Names(names) for parent, names in files.items()}
        self._folders = {parent: _Names(names) for parent, names in folders.items()}
        self._parents = _Names({*files, *folders} - {""})

    def is_file(self, name: str, parent: str = "") -> bool:
        """Whether a file of this name, in the folder `parent` of the trial, may hold a trace."""
        return _fits(self._files, name, parent)

    def is_folder(self, name: str, parent: str) -> bool:
        """Whether a folder of this name, in the folder `parent` of the trial, may hold traces."""
        return _fits(self._folders, name, parent)

    def is_parent(self, name: str) -> bool:
        """Whether a folder of this name, directly in the trial's folder, should be listed."""
        return self._parents.has(name)


class _Names:
    """Some patterns of names. Most have one `*` or none, so they are compared as plain text:
    expressions for all of them took a hundredth of a run of one trial to compile."""

    def __init__(self, globs: Iterable[str]) -> None:
        globs = tuple(globs)
        self._exact = frozenset(glob for glob in globs if {"*", "?", "["}.isdisjoint(glob))
        self._ends = [tuple(g.split("*")) for g in globs if re.fullmatch(r"[^*?\[]*\*[^*?\[]*", g)]
        others = [g for g in globs if g.count("*") > 1 or "?" in g or "[" in g]
        self._others = re.compile("|".join(map(translate, others))) if others else None

    def has(self, name: str) -> bool:
        """Whether a pattern fits."""
        if name in self._exact:
            return True
        for start, end in self._ends:
            if name.startswith(start) and name.endswith(end) and len(name) >= len(start + end):
                return True
        return self._others is not None and self._others.match(name) is not None


def _fits(patterns: Mapping[str, _Names], name: str, parent: str) -> bool:
    exact = patterns.get(parent)
    if exact is not None and exact.has(name):
        return True
    return bool(parent) and any(
        found.has(name) for glob, found in patterns.items() if _matches(glob, parent)
    )


def _matches(glob: str, parent: str) -> bool:
    """Whether a folder matches a pattern with `*`; patterns without were checked already."""
    return not {"*", "?", "["}.isdisjoint(glob) and _Names((glob,)).has(parent)


UNREAD: tuple[str, ...] = (
    "agent/*.jsonl",
    "agent/*.jsonl.gz",
    "agent/*.jsonl.zst",
    "agent/openhands.txt",
)
"""Traces that no reader reads yet, as patterns relative to the trial's folder. A folder with one is
still a trial without a usable trace, and it counts. When a format gets a reader, its lines move
there."""

UNREAD_HARNESS_WORDS: tuple[tuple[str, str], ...] = (("opencode", "opencode"),)
"""A word in the path of a harness's class, and the name of that harness."""
