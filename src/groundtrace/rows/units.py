"""What is counted: distinct trials (D41), tasks, and tasks within a configuration (D42).

The one place for these rules: summaries, the impact analysis, tables and pages all ask here, so
that they give one count and one mean for one configuration.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from math import isfinite
from typing import TypeVar

from groundtrace.metrics.catalogue import METRICS, OUTCOMES
from groundtrace.rows.trial_row import TrialRow

Made = TypeVar("Made")

Counted = tuple[TrialRow, str | None]
"""A row, and for a copy the run whose copy counts instead."""


def trial_identity(row: TrialRow) -> str | None:
    """Equal for copies of one trial in one configuration, whichever runs they lie in.

    A trial filed under two configurations is one trial of each: the numbers of a configuration do
    not depend on which others lie beside it. None for a trial without a record: nothing tells
    that two documents of one name are one trial.
    """
    if row.outcome is None or not row.outcome.trial_key:
        return None
    return f"{row.config_name}\0{row.outcome.trial_key}"


def number_of_values(row: TrialRow) -> int:
    """Metrics and outcomes that a trial has: of two copies, the one with more says more."""
    metrics = row.metrics
    if isfinite(sum(metrics.values())):  # then each of them is
        known = len(metrics.keys() & METRICS.keys())
    else:
        known = sum(name in METRICS and isfinite(value) for name, value in metrics.items())
    if row.outcome is None:
        return known
    outcomes = (record.getter(row.outcome) for record in OUTCOMES.values())
    return known + sum(value is not None and isfinite(value) for value in outcomes)


class DistinctTrials:
    """Says which rows count. Of copies it is the one with most values, and of those the first: by
    name of the run, then in the order in which rows are added."""

    def __init__(self) -> None:
        self._values = array("l")
        self._runs = array("l")
        self._run_codes: dict[str, int] = {}
        self._run_names: list[str] = []
        self._counting: dict[str, int] = {}
        self._copies: dict[int, str] = {}
        self.overtaken = False
        """A row counted until a better copy came: what was made so far has to be made again."""

    def add(self, row: TrialRow) -> int:
        """Take one row; returns its place, from 0."""
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
        """The run whose copy counts instead of this row, as far as rows were added; None when the
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
    """What `collect` makes of rows that are told apart from copies.

    Rows are read once, and again only where a copy says more than one that was read before it:
    there can be too many to hold.
    """
    again = list(rows) if isinstance(rows, Iterator) else rows
    trials = DistinctTrials()
    made = collect((row, trials.counted_in(trials.add(row))) for row in again)
    if not trials.overtaken:
        return made
    return collect((row, trials.counted_in(place)) for place, row in enumerate(again))


class TaskNames:
    """When two names mean one task: tasks of one name in two suites are two tasks. A trial whose
    suite is unknown belongs to the only suite that has a task of its name."""

    def __init__(self) -> None:
        self._suites: dict[str, set[str]] = {}

    def add(self, task_name: str, suite: str | None) -> None:
        """Take the task of one row; copies count too."""
        suites = self._suites.setdefault(task_name, set())
        if suite:
            suites.add(suite)

    def suite(self, task_name: str, suite: str | None) -> str | None:
        """The suite of a task, as far as it can be told."""
        suites = self._suites.get(task_name, ())
        return suite or (next(iter(suites)) if len(suites) == 1 else None)

    def task(self, task_name: str, suite: str | None) -> str:
        """Identity of a task: its name, with the suite where several suites have that name."""
        several = len(self._suites.get(task_name, ())) > 1
        return f"{suite}/{task_name}" if several and suite else task_name


class UnitsOfRows:
    """The unit of each row: its task within its configuration, over all runs (D42)."""

    def __init__(self) -> None:
        self._names = TaskNames()
        self._codes: dict[tuple[str, str, str | None], int] = {}
        self._rows = array("q")

    def see(self, row: TrialRow) -> None:
        """Take note of a row's task; of copies too, which may know a suite."""
        self._names.add(row.task_name, row.benchmark)

    def add(self, row: TrialRow) -> None:
        """Append a row that counts."""
        key = (row.config_name, row.task_name, row.benchmark or None)
        self._rows.append(self._codes.setdefault(key, len(self._codes)))

    def finished(self) -> array[int]:
        """The unit of each row that was added, as a number; for when all rows are known."""
        units: dict[tuple[str, str], int] = {}
        final = [
            units.setdefault((config, self._names.task(name, suite)), len(units))
            for config, name, suite in self._codes
        ]
        return array("q", (final[code] for code in self._rows))
