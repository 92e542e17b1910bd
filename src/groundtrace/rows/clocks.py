"""Which clock is used for times to the first relevant file when configurations are compared.

Seconds count from the start of the agent or from the first line of the trace (`elapsed_origin`).
Configurations are compared by only one of the two (D121): a mean over both would measure which
records a trial has.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from functools import cache

from msgspec import UNSET

from groundtrace.base.frozen import Frozen
from groundtrace.metrics.catalogue import METRICS
from groundtrace.rows.trial_row import TrialRow
from groundtrace.rows.value_columns import ValueTable


@cache
def timed_names() -> tuple[str, ...]:
    """Metrics that are measured with a trial's clock."""
    return tuple(name for name, metric in METRICS.items() if metric.unit == "s")


def clock_of(row: TrialRow) -> str | None:
    """What the trial's seconds count from; None if nothing says so."""
    clock = row.coverage.elapsed_origin
    return None if clock is UNSET else clock


class SharedClock(Frozen, frozen=True):
    """The clock whose times count."""

    clock: str | None
    any_counts: bool
    """All times come from one clock, known or not, so none is left out."""

    def why_not(self, clock: str | None) -> str | None:
        """Why a time by this clock does not count (a reason code); None if it counts."""
        if self.any_counts or clock == self.clock:
            return None
        return "clock_unknown" if clock is None else "clock_differs"


ANY_CLOCK = SharedClock(None, any_counts=True)
"""Leaves nothing out."""


def shared_clock(times: Iterable[tuple[str, str | None]]) -> SharedClock:
    """The clock of most configurations, then of most trials, then the first by name.

    `times` are configuration and clock of each trial that has a time.
    """
    trials = Counter(times)
    clocks = {clock for _, clock in trials}
    if len(clocks) <= 1:
        return ANY_CLOCK

    def rank(clock: str) -> tuple[int, int, str]:
        own = [count for (_, by), count in trials.items() if by == clock]
        return -len(own), -sum(own), clock

    return SharedClock(min((c for c in clocks if c is not None), key=rank), any_counts=False)


class GroupClock(Frozen, frozen=True):
    """What the seconds of a group of trials count from."""

    mark: str | None = None
    """The clock, where not all groups have the same."""
    is_own: bool = False
    """It is not the clock of most configurations, but all times of the group are by it."""


class RowClocks:
    """Configuration and clock of each row, as a small number."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str | None], int] = {}
        self._of_rows = array("l")
        self._timed: frozenset[int] = frozenset()
        """Rows that have a time."""
        self._shared: SharedClock = ANY_CLOCK

    def of(self, rows: Iterable[int]) -> GroupClock:
        """The clock of a group; its times count in its own row whatever others count by (D121)."""
        if self._shared.any_counts:
            return GroupClock()
        named = list(self._codes)
        clocks = {named[self._of_rows[row]][1] for row in rows if row in self._timed}
        if len(clocks) != 1:
            return GroupClock(self._shared.clock if clocks else None)
        (own,) = clocks
        return GroupClock(own or "unknown", is_own=own != self._shared.clock)

    def add(self, row: TrialRow) -> None:
        """Append a row."""
        key = (row.config_name, clock_of(row))
        self._of_rows.append(self._codes.setdefault(key, len(self._codes)))

    def leave_out_others(self, table: ValueTable) -> None:
        """Remove times that count from another moment than the times of most configurations."""
        if len({clock for _, clock in self._codes}) <= 1:
            return
        timed = timed_names()
        named = list(self._codes)
        places = [
            row for row in range(len(self._of_rows)) if any(table[name].has(row) for name in timed)
        ]
        self._timed = frozenset(places)
        self._shared = clock = shared_clock(named[self._of_rows[row]] for row in places)
        reasons = [clock.why_not(by) for _, by in named]
        for row in places:
            why = reasons[self._of_rows[row]]
            if why is not None:
                for name in timed:
                    table.drop(name, row, why)
