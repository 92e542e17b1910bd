"""How many of the 95 % intervals contained the true value in simulations with few tasks (D122).

`python -m benchmarks.intervals --parts small --sets 800` printed the numbers: the lowest and the
highest coverage over the simulated populations. With 20 or more tasks coverage is near 95 %.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from groundtrace.base.frozen import Frozen


class SimulatedCoverage(Frozen, frozen=True):
    """Share of the intervals that contained the true value: lowest and highest of several
    populations."""

    lowest: float
    highest: float

    @property
    def words(self) -> str:
        """The range in words, such as `92 to 97 %`."""
        return f"{100 * self.lowest:.0f} to {100 * self.highest:.0f} %"


ENOUGH_TASKS = 20
"""With this many tasks or more, the explanation of an interval does not state its coverage."""

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
    """The simulated number of tasks to quote for n: the largest that is not above n; None from 20
    tasks on."""
    if n >= ENOUGH_TASKS:
        return None
    return max((size for size in table if size <= n), default=None)


def coverage_text(table: Mapping[int, SimulatedCoverage], sizes: Iterable[int]) -> str:
    """A sentence about the coverage of intervals over these numbers of tasks; empty if all have
    enough tasks."""
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
