"""Task definitions: listed for every run, but read only if a run needs work.

Reading 500 of them took more than half of the time of a run without changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from groundtrace.base.safe_names import TASK_SCHEMES
from groundtrace.runs.state import OUTPUT_FOLDERS, fingerprint, fingerprint_lines
from groundtrace.storage import open_place

if TYPE_CHECKING:
    from groundtrace.model import Problem
    from groundtrace.runs.plan import Fingerprints
    from groundtrace.truth.tasks import TaskIndex


class TaskDefinitions:
    """The task definitions at some locations, if there are any."""

    def __init__(self, locations: Sequence[str]) -> None:
        self._locations = tuple(locations)
        self._places = [
            open_place(location) for location in self._locations if not _has_scheme(location)
        ]

    @cached_property
    def index(self) -> TaskIndex | None:
        """The definitions themselves, read at first use."""
        if not self._locations:
            return None
        from groundtrace.truth.definitions import load_tasks

        return load_tasks(self._locations)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Problems of the definitions; reads them."""
        return tuple(self.index.problems) if self.index is not None else ()

    @cached_property
    def notes(self) -> list[str]:
        """What to say about the definitions; reads them at first use. Without a word about it, a
        wrong folder looked like tasks without ground truth."""
        notes = [str(problem) for problem in self.problems]
        if self.index is not None and not len(self.index) and not self.index.histories:
            where = ", ".join(self._locations)
            notes.append(f"{where}: no task in it; name the folder that holds the tasks' folders")
        return notes

    def fingerprint(self, known: Fingerprints) -> str | None:
        """A text that changes whenever a definition may have changed. It is made by listing files,
        or by reading them if links make listing unsafe."""
        if not self._locations:
            return None
        marks: list[str] = []
        for place in self._places:
            if place.file is not None:
                entry = place.folder.stat(place.file)
                marks.append(f"{place.file} {entry.mark if entry is not None else ''}")
                continue
            lines = place.folder.everything(OUTPUT_FOLDERS)
            if lines is None:
                break
            marks.append(fingerprint_lines(lines))
        if len(marks) == len(self._locations):
            return fingerprint(marks)
        if self.index is None:
            return fingerprint([])
        histories = [history.mark for history in self.index.histories]
        return fingerprint([*(known.task(task) for task in self.index.tasks), *histories])


def _has_scheme(location: str) -> bool:
    """Whether a location is neither a file nor a folder, such as a commit."""
    return location.partition(":")[0] in TASK_SCHEMES
