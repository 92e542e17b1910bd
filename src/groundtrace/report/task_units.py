"""Rows as charts count them: copies once, and the trials of a task averaged (D32).

The summary's rules, but for copies inside one run: those are counted again here. Only
what charts show is kept of each trial: a page can be made of a million.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import NamedTuple

from groundtrace.metrics.catalogue import OUTCOMES, QUANTITIES
from groundtrace.metrics.displays import Display
from groundtrace.rows.trial_row import TrialRow

DRAWN_BY_TASK: tuple[Display, ...] = ("recall_charts", "first_hit_charts", "reward_chart")
"""Charts that are drawn from the values of single tasks."""

KEPT = tuple(
    dict.fromkeys(name for display in DRAWN_BY_TASK for name in QUANTITIES.names_in(display))
)
"""Values that these charts are made of."""


class ChartTrial(NamedTuple):
    """What charts need of one trial."""

    hit: bool | None
    values: Mapping[str, float]
    """Those of `KEPT` that it has."""


@dataclass(frozen=True, slots=True)
class TaskUnit:
    """One task within its run and configuration, with its trials."""

    config: str
    task: str
    trials: Sequence[ChartTrial]

    def mean(self, name: str) -> float | None:
        """Mean of a metric or outcome over the trials that have it."""
        values = [trial.values[name] for trial in self.trials if name in trial.values]
        return fsum(values) / len(values) if values else None


def value_of(row: TrialRow, name: str) -> float | None:
    """A metric or an outcome of one trial; None when it has none."""
    if name in OUTCOMES:
        return OUTCOMES[name].getter(row.outcome) if row.outcome is not None else None
    return row.metrics.get(name)


class Copies:
    """Recognises trials that another run already had, in the order of the summary (D32)."""

    def __init__(self) -> None:
        self._first_run: dict[str, str] = {}

    def is_copy(self, row: TrialRow) -> bool:
        """Whether the trial was seen in another run; call it once for each row."""
        return self._first_run.setdefault(row.trial_key, row.run_id) != row.run_id


class TaskUnits:
    """Collects rows, none of them copies, as units."""

    def __init__(self) -> None:
        self._trials: dict[tuple[str, str, str, str], list[ChartTrial]] = {}

    def add(self, row: TrialRow) -> None:
        """Take one row."""
        key = (row.run_id, row.config_name, row.benchmark or "", row.task_name)
        values = {name: v for name in KEPT if (v := value_of(row, name)) is not None}
        self._trials.setdefault(key, []).append(ChartTrial(row.hit, values))

    def by_config(self) -> Mapping[str, list[TaskUnit]]:
        """TaskUnits by configuration, names in order."""
        groups: dict[str, list[TaskUnit]] = {}
        for (_, config, _, task), trials in self._trials.items():
            groups.setdefault(config, []).append(TaskUnit(config, task, trials))
        return dict(sorted(groups.items()))


def task_units(rows: Iterable[TrialRow]) -> TaskUnits:
    """TaskUnits of rows, copies left out."""
    copies, found = Copies(), TaskUnits()
    for row in rows:
        if not copies.is_copy(row):
            found.add(row)
    return found
