"""What the seconds of each row count from, so that no mean mixes two clocks (D121)."""

from __future__ import annotations

from array import array

from groundtrace.rows.clocks import clock_of, shared_clock, timed_names
from groundtrace.rows.trial_row import TrialRow
from groundtrace.rows.value_columns import ValueTable


class RowClocks:
    """Configuration and clock of each row, as a small number."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str | None], int] = {}
        self._of_rows = array("l")

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
        clock = shared_clock(named[self._of_rows[row]] for row in places)
        reasons = [clock.why_not(by) for _, by in named]
        for row in places:
            why = reasons[self._of_rows[row]]
            if why is not None:
                for name in timed:
                    table.drop(name, row, why)
