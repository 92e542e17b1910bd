"""Which names in a folder show that it holds a trace.

Discovery examines every folder of a run, so it uses only names, two levels deep: it lists the
folder and the folders in it that a pattern names, and opens no file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import translate


class TrialFiles:
    """The patterns of all readers, compiled once."""

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
        self._files = {parent: _any_of(names) for parent, names in files.items()}
        self._folders = {parent: _any_of(names) for parent, names in folders.items()}
        self._parents = _any_of({*files, *folders} - {""})

    def is_file(self, name: str, parent: str = "") -> bool:
        """Whether a file of this name, in the folder `parent` of the trial, may hold a trace."""
        return _fits(self._files, name, parent)

    def is_folder(self, name: str, parent: str) -> bool:
        """Whether a folder of this name, in the folder `parent` of the trial, may hold traces."""
        return _fits(self._folders, name, parent)

    def is_parent(self, name: str) -> bool:
        """Whether a folder of this name, directly in the trial's folder, should be listed."""
        return self._parents.match(name) is not None


def _fits(patterns: Mapping[str, re.Pattern[str]], name: str, parent: str) -> bool:
    exact = patterns.get(parent)
    if exact is not None and exact.match(name):
        return True
    return bool(parent) and any(
        found.match(name) for glob, found in patterns.items() if _matches(glob, parent)
    )


def _matches(glob: str, parent: str) -> bool:
    """Whether a folder matches a pattern with `*`; patterns without were checked already."""
    return not {"*", "?", "["}.isdisjoint(glob) and re.match(translate(glob), parent) is not None


def _any_of(globs: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(translate(glob) for glob in globs) or r"(?!)")


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
