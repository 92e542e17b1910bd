"""Trials of one run that were found and wait to be processed.

Which of them count is known only when all are found, and a trial takes 5 kB with its records and
the listing of its files. So only the first ones stay in memory; the others wait in a temporary
file.
"""

from __future__ import annotations

from msgspec.structs import replace

from groundtrace.base.kept_bytes import KeptBytes
from groundtrace.model import Task, Trial

IN_MEMORY = 1_000
"""Trials of a run that stay in memory: a few megabytes."""


class WaitingTrials:
    """Trials by number, in the order in which they were added."""

    def __init__(self) -> None:
        self._here: list[Trial] = []
        self._file = KeptBytes()
        self._places: list[tuple[int, Task | None]] = []
        """Position in the file, and the task: trials of one task share it, so it stays here."""

    def add(self, trial: Trial) -> int:
        """Add a trial; returns its number. Raises OutputError if the disk is full."""
        if len(self._here) < IN_MEMORY:
            self._here.append(trial)
            return len(self._here) - 1
        import pickle

        data = pickle.dumps(replace(trial, task=None), pickle.HIGHEST_PROTOCOL)
        self._places.append((self._file.add(data), trial.task))
        return len(self._here) + len(self._places) - 1

    def get(self, number: int) -> Trial:
        """The trial with this number."""
        if number < len(self._here):
            return self._here[number]
        import pickle

        place, task = self._places[number - len(self._here)]
        trial: Trial = pickle.loads(self._file.data(place))
        return replace(trial, task=task)
