"""Groups of rows: counts of what could be read, labels, accesses and finders; the groups of a
manifest's columns that groundtrace does not know, by value (D101).
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Generic, TypeVar, get_args

from msgspec import UNSET

from groundtrace.documents.base import in_order
from groundtrace.documents.metrics import TaxonomyLabel
from groundtrace.documents.summary import GroupSummary
from groundtrace.metrics.error_taxonomy import ABOUT_WRITES
from groundtrace.rows.trial_row import Find, TrialRow

LABELS: tuple[TaxonomyLabel, ...] = get_args(TaxonomyLabel)

UNKNOWN = "unknown"
"""Group of rows whose suite or model is not known; reason of rows that give none."""

NONE = "none"
"""Key of counts for rows without a value."""

FLAGS = ("has_trajectory", "has_transcript", "has_ground_truth", "has_chunk_ground_truth")

Name = TypeVar("Name")


def add_counts(total: dict[Name, int], counts: Mapping[Name, int]) -> None:
    """The same as `Counter.update` with a mapping, but without checking the argument's type."""
    for name, count in counts.items():
        total[name] = total.get(name, 0) + count


class GroupCounts:
    """Positions of rows in the table, and counts over these rows."""

    __slots__ = (
        "accesses",
        "categories",
        "confidences",
        "evidence",
        "finders",
        "flags",
        "labels",
        "left_out",
        "origins",
        "patches",
        "rows",
        "sizes",
        "sources",
        "traces",
    )

    def __init__(self) -> None:
        self.rows = array("q")
        self.left_out: defaultdict[str, int] = defaultdict(int)
        self.flags: defaultdict[str, int] = defaultdict(int)
        self.traces: defaultdict[str, int] = defaultdict(int)
        self.sources: defaultdict[str, int] = defaultdict(int)
        self.patches: defaultdict[str, int] = defaultdict(int)
        self.confidences: defaultdict[str, int] = defaultdict(int)
        self.origins: defaultdict[str, int] = defaultdict(int)
        self.sizes: defaultdict[str, int] = defaultdict(int)
        self.evidence: defaultdict[str, int] = defaultdict(int)
        self.categories: dict[str, int] = {}
        self.accesses: dict[str, int] = {}
        self.finders: dict[Find, int] = {}
        self.labels: defaultdict[tuple[TaxonomyLabel, str], int] = defaultdict(int)
        """Counts of each label by the field of its summary."""

    def add(self, position: int, row: TrialRow) -> None:
        """Add the row at a position."""
        self.rows.append(position)
        if not row.computable:
            self.left_out[row.reason or UNKNOWN] += 1
        self._add_coverage(row)
        slices = row.slices
        self.sizes[slices.candidate_set_size if slices else NONE] += 1
        self.evidence[slices.evidence_type if slices else NONE] += 1
        for category, count in row.summary.events_by_category.items():
            self.categories[category] = self.categories.get(category, 0) + count
        add_counts(self.accesses, row.accesses)
        add_counts(self.finders, row.finders)
        for label in LABELS:
            if label in row.labels:
                self._add_label(label, row)

    def _add_coverage(self, row: TrialRow) -> None:
        coverage = row.coverage
        flags = self.flags
        for flag in FLAGS:
            if getattr(coverage, flag):
                flags[flag] += 1
        if coverage.degraded_reason is not None:
            flags["degraded"] += 1
        if coverage.unmatched_suffixes:
            flags["unmatched_suffixes"] += 1
        self.traces[coverage.trace_source or NONE] += 1
        self.sources[coverage.ground_truth_source or NONE] += 1
        self.patches[row.patch_source or NONE] += 1
        self.confidences[coverage.ground_truth_confidence or NONE] += 1
        origin = coverage.elapsed_origin
        self.origins[NONE if origin is UNSET else origin or NONE] += 1

    def _add_label(self, label: TaxonomyLabel, row: TrialRow) -> None:
        counts, files = self.labels, row.labels[label]
        if label in row.not_applicable:
            counts[label, "not_applicable"] += 1
            counts[label, "files_not_applicable"] += files
            return
        counts[label, "n"] += 1
        if files > 0:
            counts[label, "n_with"] += 1
            counts[label, "files"] += files
        if row.edit_targets == "unknown" and label in ABOUT_WRITES:
            counts[label, "edit_targets_unknown"] += 1
            counts[label, "files_edit_targets_unknown"] += files

    def take(self, other: GroupCounts) -> None:
        """Add the counts of other rows, but not their positions."""
        for name in self.__slots__:
            if name != "rows":
                add_counts(getattr(self, name), getattr(other, name))


class Cells:
    """Rows that agree in every dimension of the groups, counted once for all these groups.

    Most rows of a run have one configuration, suite and model. Counting each row in every group
    took six times as long.
    """

    def __init__(self) -> None:
        self._cells: dict[tuple[str | None, ...], GroupCounts] = {}

    def add(self, groups: tuple[str | None, ...], position: int, row: TrialRow) -> None:
        """Add a row; `groups` names its group in each dimension, None if it is in none."""
        cell = self._cells.get(groups)
        if cell is None:
            cell = self._cells[groups] = GroupCounts()
        cell.add(position, row)

    def groups(self, dimension: int) -> dict[str, list[GroupCounts]]:
        """The cells of each group of a dimension, sorted by name."""
        found: dict[str, list[GroupCounts]] = {}
        for names, cell in self._cells.items():
            name = names[dimension]
            if name is not None:
                found.setdefault(name, []).append(cell)
        return in_order(found)

    def everything(self) -> list[GroupCounts]:
        """All cells."""
        return list(self._cells.values())


def positions(cells: list[GroupCounts]) -> array[int]:
    """Positions of all rows of cells, in order."""
    if len(cells) == 1:
        return cells[0].rows
    return array("q", sorted(position for cell in cells for position in cell.rows))


def merged(cells: list[GroupCounts]) -> GroupCounts:
    """The counts of all cells together; positions are left out if there are several cells."""
    if len(cells) == 1:
        return cells[0]
    whole = GroupCounts()
    for cell in cells:
        whole.take(cell)
    return whole


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
            column: {value: summarise(group) for value, group in in_order(groups).items()}
            for column, groups in in_order(self._columns).items()
        }
