"""Adjusted p values: of many similar metrics, and of the primaries over several configurations.

Many metrics: Westfall and Young's step-down maxT. With 49 metrics that are nearly copies of recall,
and 20 tasks, Holm's method reduces the power from .56 to .09, because it does not use that they
change together. Here one flip turns a task (or a repository) in all metrics at once. So the largest
|t| of a flip includes their dependence, and a copy of a metric costs no power.

Several configurations (D64). Within a comparison the primaries are adjusted by step-down maxT. Over
comparisons they are adjusted by Holm's idea: while r comparisons are left, a p must be below the
level divided by r. A comparison is finished only when all of its primaries are significant. So the
chance of any false finding is at most the level, however many true differences there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from groundtrace.documents.comparison import MatchedComparison
from groundtrace.impact.flips import FLIP_DRAWS, every_subset, random_subsets, unit_sums
from groundtrace.impact.resample import EXACT_FLIPS, MIN_INFERENCE, Draws, Floats, Ints, Mask

# --- many similar metrics -----------------------------------------------------------------


_SLACK = 1e-9
_DEFAULT = Draws(0, FLIP_DRAWS)


@dataclass(frozen=True, slots=True)
class Adjusted:
    """One metric's p among the others."""

    n: int
    """Tasks with a pair of this metric."""
    p: float | None
    """Its unadjusted p, from the same flips; the adjusted p is never smaller."""
    p_adjusted: float | None
    exact: bool | None


def max_t(table: Floats, draws: Draws = _DEFAULT, units: Ints | None = None) -> list[Adjusted]:
    """Raw and adjusted p of each column of `table`, tasks in rows, NaN where a pair is missing.

    A missing pair adds nothing to its metric's sum. A metric with fewer than `MIN_INFERENCE` units
    is not tested. The statistic is Student's |t| of the unit sums.
    """
    present = np.isfinite(table)
    sums, here = _by_unit(table, present, units)
    counts = here.sum(axis=1)
    tested = np.flatnonzero(counts >= MIN_INFERENCE)
    result = [Adjusted(int(n), None, None, None) for n in present.sum(axis=0)]
    if len(tested) == 0:
        return result
    values, sizes = sums[tested], counts[tested].astype(np.float64)
    flipped, exact = _flips(values, draws)
    t = _squared_t(values, flipped, sizes)
    # Flips that tie with the observed value can differ from it in their last digits.
    limits = t[:, 0] * (1 - _SLACK)
    raw = (t >= limits[:, None]).mean(axis=1)
    adjusted = _step_down(t, limits)
    for k, i in enumerate(tested):
        result[i] = Adjusted(int(present[:, i].sum()), float(raw[k]), float(adjusted[k]), exact)
    return result


def _by_unit(table: Floats, present: Mask, units: Ints | None) -> tuple[Floats, Mask]:
    """Sums of each metric (rows) by unit, divided by the metric's largest; and which units have a
    pair."""
    filled = np.where(present, table, 0.0).T
    filled = filled / np.maximum(np.max(np.abs(filled), axis=1, initial=0.0), 1e-300)[:, None]
    sums = unit_sums(filled, units)
    noise = _SLACK * unit_sums(np.abs(filled), units)
    here = unit_sums(present.T.astype(np.float64), units) > 0
    return np.where(np.abs(sums) <= noise, 0.0, sums), here


def _flips(values: Floats, draws: Draws) -> tuple[Floats, bool]:
    """Sums over the units that flip; the flip of no unit comes first."""
    moved = values.any(axis=0)
    if moved.sum() <= EXACT_FLIPS:
        return every_subset(values[:, np.flatnonzero(moved)[:-1]]), True
    found = random_subsets(values, draws)
    return np.concatenate([np.zeros((len(values), 1)), found], axis=1), False


def _squared_t(values: Floats, flipped: Floats, sizes: Floats) -> Floats:
    """t squared of each flip; a flip changes only the sum, not the sum of squares."""
    sums = values.sum(axis=1)[:, None] - 2 * flipped
    noise = _SLACK * np.abs(values).sum(axis=1)[:, None]
    sums = np.where(np.abs(sums) <= noise, 0.0, sums)
    most = (sizes * np.sum(values**2, axis=1))[:, None]
    share = np.where(most > 0, sums**2 / np.where(most > 0, most, 1.0), 0.0)
    left = np.where(share >= 1 - 1e-12, 0.0, 1.0 - share)
    degrees = (sizes - 1)[:, None]
    return np.where(left > 0, degrees * share / np.where(left > 0, left, 1.0), np.inf)


def _step_down(t: Floats, limits: Floats) -> Floats:
    """Share of flips whose largest t, over this metric and all weaker ones, reaches this metric's
    observed t."""
    order = np.argsort(limits, kind="stable")
    adjusted = np.zeros(len(limits))
    largest = np.full(t.shape[1], -np.inf)
    for i in order:
        largest = np.maximum(largest, t[i])
        adjusted[i] = float(np.mean(largest >= limits[i]))
    strongest_first = order[::-1]
    adjusted[strongest_first] = np.maximum.accumulate(adjusted[strongest_first])
    return adjusted


# --- several configurations ---------------------------------------------------------------


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
