"""What the output folders of runs without changes hold, for the later stages of a command.

Each stage loaded the state of each run and listed its results, only to find that nothing had
changed. Until a stage writes into a folder, the first one's listing is as good.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from groundtrace.runs.state import State, load_state, marks_in
from groundtrace.storage import Folder

MOST_FILES = 100_000
"""Files that a command remembers; they take about 20 MB."""


class FolderSeen(NamedTuple):
    """An output folder at one moment."""

    state: State
    marks: Mapping[str, str]
    """Mark of every file in it."""


class KnownResults:
    """The output folders that nobody has written to since they were listed.

    It holds for one command that does all stages, one right after another. Between two commands
    somebody may change a file, so by default nothing is remembered.
    """

    def __init__(self, most: int = 0) -> None:
        """`most`: files of all folders together that may be remembered."""
        self._seen: dict[str, FolderSeen] = {}
        self._left = most

    def __reduce__(self) -> tuple[type[KnownResults], tuple[()]]:
        """A worker process starts with nothing: it gets runs that need work."""
        return KnownResults, ()

    def keep(self, folder: Folder, state: State, marks: Mapping[str, str]) -> None:
        """Remember a folder, unless that would be too many files."""
        if len(marks) <= self._left:
            self._left -= len(marks)
            self._seen[folder.url] = FolderSeen(state, marks)

    def get(self, folder: Folder) -> FolderSeen | None:
        """What is known about a folder."""
        return self._seen.get(folder.url)

    def look_at(self, folder: Folder) -> FolderSeen:
        """The same; a folder that is not known is listed now."""
        return self.get(folder) or FolderSeen(load_state(folder), marks_in(folder))

    def forget(self, folder: Folder) -> None:
        """Forget a folder, before anything is written into it."""
        seen = self._seen.pop(folder.url, None)
        self._left += len(seen.marks) if seen is not None else 0
