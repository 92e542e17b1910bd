"""What is counted: distinct trials (D41), tasks, and tasks within a configuration (D42).

All these rules are here. Summaries, the impact analysis, tables and pages use them, so that they
all give the same count and the same mean for a configuration.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from math import isfinite
from typing import TypeVar

from groundtrace.documents.outcomes import TrialOutcome
from groundtrace.metrics.catalogue import METRICS, OUTCOMES
from groundtrace.rows.trial_row import TrialRow

Made = TypeVar("Made")

Counted = tuple[TrialRow, str | None]
"""A row; and, if the row is a copy, the run whose copy counts instead."""


def trial_identity(row: TrialRow) -> str | None:
    """A key that copies of one trial in one configuration share, in whatever runs they are.

    A trial that is stored under two configurations is one trial of each: the numbers of a
    configuration do not depend on which other configurations exist. None for a trial without a
    record: nothing says that two documents with the same name are one trial.
    """
    if row.outcome is None or not row.outcome.trial_key:
        return None
    return f"{row.config_name}\0{row.outcome.trial_key}"


_GETTERS = tuple(record.getter for record in OUTCOMES.values())


def outcome_values(outcome: TrialOutcome | None) -> list[float | None]:
    """The outcomes of a trial, in the order of `OUTCOMES`."""
    if outcome is None:
        return [None] * len(_GETTERS)
    return [getter(outcome) for getter in _GETTERS]


def number_of_values(row: TrialRow) -> int:
    """Number of metrics and outcomes that a trial has. The copy with more of them counts."""
    metrics = row.metrics
    if not isfinite(sum(metrics.values())):
        metrics = {name: value for name, value in metrics.items() if isfinite(value)}
    elif metrics.keys() <= METRICS.keys():  # true for the rows of this version
        return len(metrics) + _number_of_outcomes(row)
    return len(metrics.keys() & METRICS.keys()) + _number_of_outcomes(row)


def _number_of_outcomes(row: TrialRow) -> int:
    return sum([value is not None and isfinite(value) for value in outcome_values(row.outcome)])


class DistinctTrials:
    """Decides which rows count.

    Among copies it is the one with the most values. If several have the most, it is the first by
    name of the run, then in the order in which rows are added.
    """

    def __init__(self) -> None:
        self._values = array("l")
        self._runs = array("l")
        self._run_codes: dict[str, int] = {}
        self._run_names: list[str] = []
        self._counting: dict[str, int] = {}
        self._copies: dict[int, str] = {}
        self.overtaken = False
        """A row counted until a better copy came: results so far must be made again."""

    def add(self, row: TrialRow) -> int:
        """Add one row; returns its position, from 0."""
        place = len(self._values)
        self._values.append(number_of_values(row))
        code = self._run_codes.setdefault(row.run_id, len(self._run_names))
        if code == len(self._run_names):
            self._run_names.append(row.run_id)
        self._runs.append(code)
        identity = trial_identity(row)
        if identity is None:
            return place
        kept = self._counting.setdefault(identity, place)
        if kept != place:
            better = self._rank(place) < self._rank(kept)
            self._copies[kept if better else place] = identity
            if better:
                self._counting[identity] = place
                self.overtaken = True
        return place

    def counted_in(self, place: int) -> str | None:
        """The run whose copy counts instead of this row, among the rows added so far; None if this
        row counts."""
        identity = self._copies.get(place)
        if identity is None:
            return None
        return self._run_names[self._runs[self._counting[identity]]]

    def _rank(self, place: int) -> tuple[int, str, int]:
        return -self._values[place], self._run_names[self._runs[place]], place


def collect_distinct(
    rows: Iterable[TrialRow], collect: Callable[[Iterator[Counted]], Made]
) -> Made:
    """What `collect` makes from the rows, each marked as counting or as a copy.

    Rows are not kept in memory, because there can be too many. They are read once, and a second
    time only if a copy has more values than a row that was read before it.
    """
    again = list(rows) if isinstance(rows, Iterator) else rows
    trials = DistinctTrials()
    made = collect((row, trials.counted_in(trials.add(row))) for row in again)
    if not trials.overtaken:
        return made
    return collect((row, trials.counted_in(place)) for place, row in enumerate(again))


class TaskNames:
    """Decides when two names mean one task.

    Tasks with the same name in two suites are two tasks. A trial whose suite is unknown belongs to
    the suite that has a task of its name, if there is only one.
    """

    def __init__(self) -> None:
        self._suites: dict[str, set[str]] = {}

    def add(self, task_name: str, suite: str | None) -> None:
        """Add the task of one row; rows that are copies too."""
        suites = self._suites.setdefault(task_name, set())
        if suite:
            suites.add(suite)

    def suite(self, task_name: str, suite: str | None) -> str | None:
        """The suite of a task, if it is known."""
        suites = self._suites.get(task_name, ())
        return suite or (next(iter(suites)) if len(suites) == 1 else None)

    def task(self, task_name: str, suite: str | None) -> str:
        """Identity of a task: its name, and its suite if several suites have that name."""
        several = len(self._suites.get(task_name, ())) > 1
        return f"{suite}/{task_name}" if several and suite else task_name


class UnitsOfRows:
    """The unit of each row: its task within its configuration, over all runs (D42)."""

    def __init__(self) -> None:
        self._names = TaskNames()
        self._codes: dict[tuple[str, str, str | None], int] = {}
        self._rows = array("q")

    def see(self, row: TrialRow) -> None:
        """Note the task of a row. Do this for copies too: a copy may know the suite."""
        self._names.add(row.task_name, row.benchmark)

    def add(self, row: TrialRow) -> None:
        """Append a row that counts."""
        key = (row.config_name, row.task_name, row.benchmark or None)
        self._rows.append(self._codes.setdefault(key, len(self._codes)))

    def finished(self) -> array[int]:
        """The unit of each row that was added, as a number. Call this after all rows are added."""
        units: dict[tuple[str, str], int] = {}
        final = [
            units.setdefault((config, self._names.task(name, suite)), len(units))
            for config, name, suite in self._codes
        ]
        return array("q", (final[code] for code in self._rows))
