"""Groups that a manifest states: its columns that groundtrace does not know, by value (D101)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from msgspec import UNSET

from groundtrace.documents.summary import GroupSummary
from groundtrace.rows.trial_row import TrialRow

G = TypeVar("G")

MAX_COLUMNS = 20
MAX_VALUES = 50
"""Most values of a column for which a table of means is useful. A column of notes has as many
values as there are trials."""


class StatedGroups(Generic[G]):
    """The groups of every column; a group is made when a row names it first."""

    def __init__(self, make: Callable[[], G]) -> None:
        self._make = make
        self._columns: dict[str, dict[str, G]] = {}
        self.left_out: set[str] = set()
        """Columns with more values than a table can show, and columns beyond the limit."""

    def of(self, row: TrialRow) -> Iterator[G]:
        """The groups of a row: one for each column in which the row has a value."""
        outcome = row.outcome
        if outcome is None or outcome.groups is UNSET:
            return
        for column, value in outcome.groups.items():
            groups = self._groups(column)
            if groups is None:
                continue
            if value not in groups:
                if len(groups) >= MAX_VALUES:
                    self.left_out.add(column)
                    del self._columns[column]
                    continue
                groups[value] = self._make()
            yield groups[value]

    def _groups(self, column: str) -> dict[str, G] | None:
        if column in self.left_out:
            return None
        if column not in self._columns and len(self._columns) >= MAX_COLUMNS:
            self.left_out.add(column)
            return None
        return self._columns.setdefault(column, {})

    def summaries(
        self, summarise: Callable[[G], GroupSummary]
    ) -> dict[str, dict[str, GroupSummary]]:
        """Column to value to statistics, sorted by name."""
        return {
            column: {value: summarise(groups[value]) for value in sorted(groups)}
            for column, groups in sorted(self._columns.items())
        }
