"""Who found the relevant files of a group of trials."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import UNSET, UnsetType

from groundtrace.documents.summary import DiscoverySummary, FinderCounts
from groundtrace.rows.finders import DIMENSIONS, FILES, FOUND, SHOWN
from groundtrace.rows.trial_row import Find


def discovery_summary(finds: Mapping[Find, int]) -> DiscoverySummary | UnsetType:
    """The summed counts as shares of all relevant files; absent if nothing was counted."""
    files = finds.get(FILES, 0)
    if not files:
        return UNSET
    groups = {
        dimension: {
            name: _counts(finds, dimension, name, files)
            for name in sorted({name for where, name, _ in finds if where == dimension})
        }
        for dimension in DIMENSIONS
    }
    found, shown = finds.get(FOUND, 0), finds.get(SHOWN, 0)
    return DiscoverySummary(files=files, found=found, shown=shown, **groups)


def _counts(finds: Mapping[Find, int], dimension: str, name: str, files: int) -> FinderCounts:
    first_met = finds.get((dimension, name, "first_met"), 0)
    only = finds.get((dimension, name, "only"), 0)
    return FinderCounts(
        first_met=first_met,
        first_shown=finds.get((dimension, name, "first_shown"), 0),
        only=only,
        share_first_met=first_met / files,
        share_only=only / files,
    )
