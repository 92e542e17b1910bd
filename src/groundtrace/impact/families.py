"""Adjusted p values of the primaries over several configurations (D64).

Within a comparison the primaries are adjusted by step-down maxT. Over comparisons they are
adjusted by Holm's idea: while r comparisons are left, a p must be below the level divided by r. A
comparison is finished only when all of its primaries are significant. So the chance of any false
finding is at most the level, however many true differences there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from groundtrace.documents.comparison import MatchedComparison


def over_configurations(tables: Sequence[Sequence[float]]) -> list[list[float]]:
    """p values, already adjusted within each comparison, now adjusted over all comparisons."""
    own = [i for i, table in enumerate(tables) if table]
    order = sorted(own, key=lambda i: max(tables[i]))
    result = [list(table) for table in tables]
    total = len(order)
    needed = [0.0]
    """The smallest level at which the first 0, 1, 2, ... comparisons are finished."""
    for rank, i in enumerate(order):
        needed.append(max(needed[-1], (total - rank) * max(tables[i])))
    for rank, i in enumerate(order):
        result[i] = [
            min(1.0, *(max(needed[s], (total - s) * p) for s in range(rank + 1))) for p in tables[i]
        ]
    return result


def adjust_primaries(comparisons: Sequence[MatchedComparison]) -> list[MatchedComparison]:
    """The comparisons with their primaries adjusted over all that are not exploratory."""
    counted = [c for c in comparisons if not c.exploratory]
    tables = [
        [d.p_adjusted for d in c.deltas if d.table == "primary" and d.p_adjusted is not None]
        for c in counted
    ]
    adjusted = iter(over_configurations(tables))
    return [c if c.exploratory else _with(c, iter(next(adjusted))) for c in comparisons]


def _with(comparison: MatchedComparison, values: Iterator[float]) -> MatchedComparison:
    return msgspec.structs.replace(
        comparison,
        deltas=[
            msgspec.structs.replace(d, p_adjusted=next(values))
            if d.table == "primary" and d.p_adjusted is not None
            else d
            for d in comparison.deltas
        ],
    )
