"""Rows as charts count them: copies once, and the trials of a task averaged (D32).

The same rules as the summary's, so that a chart and a table of the same numbers agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from groundtrace.artifacts.rows import TrialRow
from groundtrace.metrics.table import OUTCOMES


@dataclass(frozen=True, slots=True)
class Unit:
    """One task within its run and configuration, with its trials."""

    config: str
    task: str
    trials: tuple[TrialRow, ...]

    def mean(self, name: str) -> float | None:
        """Mean of a metric or outcome over the trials that have it."""
        values = [value for row in self.trials if (value := value_of(row, name)) is not None]
        return fsum(values) / len(values) if values else None


def value_of(row: TrialRow, name: str) -> float | None:
    """A metric or an outcome of one trial; None when it has none."""
    if name in OUTCOMES:
        return OUTCOMES[name].getter(row.outcome) if row.outcome is not None else None
    return row.metrics.get(name)


def counted(rows: Iterable[TrialRow]) -> list[TrialRow]:
    """Rows without copies of a trial that another run already has."""
    first_run: dict[str, str] = {}
    return [row for row in rows if first_run.setdefault(row.trial_key, row.run_id) == row.run_id]


def units(rows: Iterable[TrialRow]) -> list[Unit]:
    """One unit for each run, configuration and task, in order of first appearance."""
    groups: dict[tuple[str, str, str, str], list[TrialRow]] = {}
    for row in counted(rows):
        key = (row.run_id, row.config_name, row.benchmark or "", row.task_name)
        groups.setdefault(key, []).append(row)
    return [Unit(key[1], key[3], tuple(found)) for key, found in groups.items()]


def by_config(found: Sequence[Unit]) -> Mapping[str, list[Unit]]:
    """Units by configuration, names in order."""
    groups: dict[str, list[Unit]] = {}
    for unit in found:
        groups.setdefault(unit.config, []).append(unit)
    return dict(sorted(groups.items()))
