"""The files of a trial: which names show a trace, and reading each by the reader with the strongest
claim on it.

Discovery examines every folder of a run, so `TrialFiles` uses only names, two levels deep: it lists
the folder and the folders in it that a pattern names, and opens no file. An error in a reader of
another package names that package (`PluginReader`): before, it looked like an error of groundtrace,
and nothing said which package to look at.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import translate
from functools import wraps
from inspect import isgenerator
from itertools import takewhile
from pathlib import Path
from typing import Any

from groundtrace.base.jsonio import clean_text
from groundtrace.errors import GroundtraceError, PluginError
from groundtrace.model import Problem
from groundtrace.storage import Folder, LocalFolder
from groundtrace.traces.kit.choose import Detected, candidates, is_spare, reader_for
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.source import Reader, Source, within_limits


def read_sources(
    folder: Folder, readers: Sequence[Reader], problems: list[Problem]
) -> tuple[list[Source], list[str]]:
    """The sources of a trial, and by which evidence each was read.

    Spare copies of a log are read only if no log is complete: they contain other output of the
    shell.
    """
    reading = _Files(folder, problems)
    spare: list[Detected] = []
    for path, expected in candidates(folder, readers, problems).items():
        foreign = foreign_trial(folder, path)
        if foreign is not None:
            problems.append(foreign)
            continue
        is_copy = is_spare(path, readers)
        found, problem = reader_for(folder, path, readers, expected)
        if problem is not None and not is_copy:
            problems.append(problem)
        if found is None:
            continue
        if is_copy:
            spare.append(found)
        else:
            reading.read(found)
    if not any(source.is_whole for source in reading.sources):
        for found in spare:
            reading.read(found)
    return reading.sources, reading.evidence


class _Files:
    """The files of one trial that were read; they share one memory budget."""

    def __init__(self, folder: Folder, problems: list[Problem]) -> None:
        self.folder = folder
        self.problems = problems
        self.keep = Keep()
        self.sources: list[Source] = []
        self.evidence: list[str] = []

    def read(self, found: Detected) -> None:
        cut_before = self.keep.cut_arguments
        try:
            source = within_limits(lambda: found.reader.read(self.folder, found.path, self.keep))
        except OSError as error:
            self.problems.append(Problem(found.path, "unreadable", str(error)))
            return
        self.sources.append(source)
        self.problems += source.problems
        if cut := self.keep.cut_arguments - cut_before:
            reason = f"arguments of {cut} calls were shortened: over the memory limit"
            self.problems.append(Problem(found.path, "arguments_cut", reason))
        self.evidence.append(found.evidence)


_RECORDS = ("result.json", "config.json")


def _has_link(base: str, path: str) -> bool:
    """Whether a file or a folder on the way to it is a link, as far as names alone can tell."""
    parts = path.split("/")
    if ".." in parts:
        return True
    for part in parts:
        base = f"{base}/{part}"
        if os.path.islink(base):  # noqa: PTH114 - a tenth of the time of a Path
            return True
    return False


def foreign_trial(folder: Folder, path: str) -> Problem | None:
    """A problem if a file of a trial is a link into another trial's folder.

    A link to a place where a harness keeps traces for all trials is followed: it belongs to no
    trial.
    """
    if not isinstance(folder, LocalFolder) or folder.is_listed:  # a listed folder has no link
        return None
    if not _has_link(folder.url, path):
        return None
    target = os.path.realpath(f"{folder.url}/{path}")
    own = os.path.realpath(folder.url)
    if target.startswith(f"{own.rstrip('/')}/"):
        return None
    # Folders that also hold this trial, such as a job's, do not count: their records are shared.
    above = takewhile(lambda place: not Path(own).is_relative_to(place), Path(target).parents)
    for place in above:
        if any((place / name).is_file() for name in _RECORDS):
            reason = f"a link to a trace of another trial ({clean_text(place.name)}); not read"
            return Problem(clean_text(path), "foreign_trace", reason)
    return None


class PluginReader:
    """A reader of another package, with its own members and methods."""

    def __init__(self, reader: object, called: str) -> None:
        self._reader = reader
        self._called = called
        """Its name in messages: its entry point and its package."""

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._reader, name)
        return self._guarded(member) if callable(member) else member

    def _guarded(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def guarded(*arguments: Any) -> Any:
            try:
                made = method(*arguments)
            except (OSError, GroundtraceError):
                raise  # a file that cannot be opened is not the reader's fault
            except Exception as error:
                raise self._error(error) from error
            return self._each(made) if isgenerator(made) else made

        return guarded

    def _each(self, items: Iterator[Any]) -> Iterator[Any]:
        try:
            yield from items
        except (OSError, GroundtraceError):
            raise
        except Exception as error:
            raise self._error(error) from error

    def _error(self, error: Exception) -> PluginError:
        return PluginError(f"{self._called} failed: {type(error).__name__}: {error}")


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
