"""Reading the files of a trial, each by the reader with the strongest claim on it."""

from __future__ import annotations

from collections.abc import Sequence

from groundtrace.model import Problem
from groundtrace.storage import Folder
from groundtrace.traces.choose_reader import Detected, candidates, is_spare, reader_for
from groundtrace.traces.foreign import foreign_trial
from groundtrace.traces.keep import Keep
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
