"""Reading the files of a trial, each by the reader with the strongest claim on it.

An error in a reader of another package names that package: before, it looked like an error of
groundtrace, and nothing said which package to look at.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from itertools import takewhile
from pathlib import Path
from types import GeneratorType
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
            return self._each(made) if isinstance(made, GeneratorType) else made

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
