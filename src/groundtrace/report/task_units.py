"""Rows as charts count them: by the rules of `groundtrace.rows.units` (D41, D42).

Only what charts show is kept of each trial: a page can cover a million trials.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.impact.answer_names import AS_POINTS
from groundtrace.metrics.catalogue import OUTCOMES, QUANTITIES
from groundtrace.metrics.record import Display
from groundtrace.report.data import ReportData
from groundtrace.rows.clocks import clock_of
from groundtrace.rows.means import mean_of
from groundtrace.rows.trial_row import TrialRow
from groundtrace.rows.units import TaskNames
from groundtrace.rows.verdicts import PASS, on_other_scale

DRAWN_BY_TASK: tuple[Display, ...] = (
    "recall_charts",
    "first_hit_charts",
    "utilization",
    "lines_chart",
    "chain",
)
"""Displays whose charts use the values of single tasks."""

SOLVED = "solved"
"""1 for a trial with a reward of 1, else 0; without a reward there is no value."""

KEPT = tuple(
    dict.fromkeys(
        [
            *AS_POINTS,
            *(name for display in DRAWN_BY_TASK for name in QUANTITIES.names_in(display)),
        ]
    )
)
"""Values that these charts need."""


class ChartTrial(Frozen, frozen=True):
    """What charts need of one trial."""

    hit: bool | None
    values: Mapping[str, float]
    """The values of `KEPT` that the trial has, and whether it was solved."""
    clock: str | None = None
    """What its seconds count from; None if nothing says so."""


class TaskUnit(Frozen, frozen=True):
    """One task within its configuration, with its trials in all runs."""

    config: str
    task: str
    trials: Sequence[ChartTrial]

    def mean(self, name: str) -> float | None:
        """Mean of a metric or outcome over the trials that have it."""
        return mean_of([trial.values[name] for trial in self.trials if name in trial.values])


def value_of(row: TrialRow, name: str) -> float | None:
    """A metric or an outcome of one trial; None when it has none."""
    if name in OUTCOMES:
        return OUTCOMES[name].getter(row.outcome) if row.outcome is not None else None
    return row.metrics.get(name)


class TaskUnits:
    """Collects rows as units."""

    def __init__(self) -> None:
        self._names = TaskNames()
        self._trials: dict[tuple[str, str, str | None], list[ChartTrial]] = {}
        self._largest = 0.0
        """Of the rewards."""

    def add(self, row: TrialRow, *, is_copy: bool) -> None:
        """Add one row; for a copy only the suite is noted."""
        self._names.add(row.task_name, row.benchmark)
        if is_copy:
            return
        key = (row.config_name, row.task_name, row.benchmark or None)
        values = {name: v for name in KEPT if (v := value_of(row, name)) is not None}
        if (reward := value_of(row, "reward")) is not None:
            values[SOLVED] = float(reward >= PASS)
            self._largest = max(self._largest, abs(reward))
        self._trials.setdefault(key, []).append(ChartTrial(row.hit, values, clock_of(row)))

    def by_config(self) -> Mapping[str, list[TaskUnit]]:
        """TaskUnits by configuration, names in order."""
        merged: dict[tuple[str, str], TaskUnit] = {}
        no_verdict = on_other_scale(self._largest)
        for (config, name, suite), found in self._trials.items():
            trials = [_without_verdict(trial) for trial in found] if no_verdict else found
            key = (config, self._names.task(name, suite))
            before = merged[key].trials if key in merged else ()
            merged[key] = TaskUnit(config, name, [*before, *trials])
        groups: dict[str, list[TaskUnit]] = {}
        for unit in merged.values():
            groups.setdefault(unit.config, []).append(unit)
        return dict(sorted(groups.items()))


def _without_verdict(trial: ChartTrial) -> ChartTrial:
    return replace(trial, values={k: v for k, v in trial.values.items() if k != SOLVED})


class DistinctTasks:
    """Counts tasks by name, however many configurations and runs tried them.

    The unit of statistics is the task within a configuration: 14 tasks in two configurations are
    28 units, but only 14 tasks. A name without a suite is the same task in every suite.
    """

    def __init__(self) -> None:
        self._suites: dict[str, set[str]] = {}

    def add(self, row: TrialRow) -> None:
        """Add one row."""
        suites = self._suites.setdefault(row.task_name, set())
        if row.benchmark:
            suites.add(row.benchmark)

    def number(self) -> int:
        """The number of distinct tasks."""
        return sum(max(len(suites), 1) for suites in self._suites.values())


def distinct_tasks(data: ReportData) -> int:
    """How many tasks a report is about; reads the rows if they are not counted yet."""
    if data.tasks is not None:
        return data.tasks
    found = DistinctTasks()
    for row in data.rows:
        found.add(row)
    return found.number()
