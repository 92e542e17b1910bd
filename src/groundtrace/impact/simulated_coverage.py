"""How many of the 95 % intervals held the true value in simulations of few tasks (D122).

Printed by `python -m benchmarks.intervals --parts small --sets 800`: the lowest and the highest
coverage over the simulated populations. From 20 tasks on coverage is near 95 %.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple


class SimulatedCoverage(NamedTuple):
    """Share of the intervals that held the true value, over several populations."""

    lowest: float
    highest: float

    @property
    def words(self) -> str:
        """Such as `92 to 97 %`."""
        return f"{100 * self.lowest:.0f} to {100 * self.highest:.0f} %"


ENOUGH_TASKS = 20
"""Tasks from which on an interval's explanation needs no coverage of its own."""

MEANS: Mapping[int, SimulatedCoverage] = {
    6: SimulatedCoverage(0.96, 1.00),
    8: SimulatedCoverage(0.94, 0.98),
    10: SimulatedCoverage(0.94, 0.96),
    12: SimulatedCoverage(0.94, 0.97),
    15: SimulatedCoverage(0.94, 0.98),
}
"""Mean differences and ratios: number of tasks to coverage."""

CORRELATIONS: Mapping[int, SimulatedCoverage] = {
    6: SimulatedCoverage(0.78, 1.00),
    8: SimulatedCoverage(0.91, 0.97),
    10: SimulatedCoverage(0.92, 0.96),
    12: SimulatedCoverage(0.92, 0.96),
    15: SimulatedCoverage(0.92, 0.96),
}
"""Spearman's coefficient: number of tasks to coverage."""


def simulated_size(table: Mapping[int, SimulatedCoverage], n: int) -> int | None:
    """The simulated number of tasks that speaks for n: the next one below, where n is below 20."""
    if n >= ENOUGH_TASKS:
        return None
    return max((size for size in table if size <= n), default=None)


def coverage_text(table: Mapping[int, SimulatedCoverage], sizes: Iterable[int]) -> str:
    """A sentence about intervals over so many tasks; empty where all have enough of them."""
    simulated = {simulated_size(table, n) for n in sizes} - {None}
    parts = [f"{table[size].words} at {size} tasks" for size in sorted(filter(None, simulated))]
    if not parts:
        return ""
    return (
        f"Share of such intervals that contained the true value in simulations: {', '.join(parts)}."
    )


def coverage_by_size(table: Mapping[int, SimulatedCoverage]) -> str:
    """The whole table in words."""
    return ", ".join(f"{own.words} at {size}" for size, own in table.items())
