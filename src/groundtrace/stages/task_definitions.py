"""Task definitions: listed for every run, read only when a run has something to do.

Reading 500 of them was more than half of the time of a run without changes.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from groundtrace.artifacts.state import OUTPUT_FOLDERS, fingerprint, fingerprint_lines
from groundtrace.storage import open_folder

if TYPE_CHECKING:
    from groundtrace.model import Problem
    from groundtrace.plan import Fingerprints
    from groundtrace.truth.tasks import TaskIndex


class TaskDefinitions:
    """The task definitions at a location, if there is one."""

    def __init__(self, location: str | None) -> None:
        self._folder = None if location is None else open_folder(location)

    @cached_property
    def index(self) -> TaskIndex | None:
        """The definitions themselves, read when first asked for."""
        from groundtrace.truth.tasks import build_index

        return None if self._folder is None else build_index(self._folder)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Problems of the definitions; reads them."""
        return tuple(self.index.problems) if self.index is not None else ()

    def fingerprint(self, known: Fingerprints) -> str | None:
        """Changes when any definition may have: by listing, or by reading where links forbid it."""
        if self._folder is None:
            return None
        lines = self._folder.everything(OUTPUT_FOLDERS)
        if lines is not None:
            return fingerprint_lines(lines)
        return fingerprint([known.task(task) for task in self.index.tasks] if self.index else [])
