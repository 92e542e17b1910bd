"""Equivalence: whether a difference beyond a margin can be ruled out.

A large p never shows that two sides are the same. Two one-sided sign-flip tests can: one tests the
differences plus the margin, the other tests the margin minus the differences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from groundtrace.impact.flips import FLIP_DRAWS, every_subset, random_subsets, unit_sums
from groundtrace.impact.resample import EXACT_FLIPS, MIN_INFERENCE, Draws, Floats, Ints

_SLACK = 1e-9
_DEFAULT = Draws(0, FLIP_DRAWS)


@dataclass(frozen=True, slots=True)
class Equivalence:
    """What can be ruled out about a mean difference."""

    n: int
    margin: float
    p_not_worse: float | None = None
    """Small: worse by more than the margin is ruled out."""
    p_not_better: float | None = None
    """Small: better by more than the margin is ruled out."""
    p_equivalent: float | None = None
    """The larger of the two. Small: any difference beyond the margin is ruled out."""
    exact: bool | None = None
    reason: str | None = None


def equivalence(
    deltas: Floats,
    margin: float,
    draws: Draws = _DEFAULT,
    *,
    better: Literal["higher", "lower"] = "higher",
    units: Ints | None = None,
) -> Equivalence:
    """Two one-sided tests of configuration minus baseline against `margin` (above 0)."""
    if not margin > 0:
        raise ValueError(f"a margin must be above 0, not {margin}")
    n = len(deltas)
    if n and not np.isfinite(deltas).all():
        return Equivalence(n, margin, reason="not_finite")
    if (n if units is None else len(np.unique(units))) < MIN_INFERENCE:
        kind = "pairs" if units is None else "clusters"
        return Equivalence(n, margin, reason=f"fewer_than_{MIN_INFERENCE}_{kind}")
    gains = deltas if better == "higher" else -deltas
    not_worse, exact_low = above_zero(gains + margin, draws, units)
    not_better, exact_high = above_zero(margin - gains, draws, units)
    return Equivalence(
        n, margin, not_worse, not_better, max(not_worse, not_better), exact_low and exact_high
    )


def above_zero(
    values: Floats, draws: Draws = _DEFAULT, units: Ints | None = None
) -> tuple[float, bool]:
    """One-sided p against a mean of 0 or less, and whether it comes from all flips.

    A flip gives a sum at least as large if the values that it turns add up to 0 or less.
    """
    scaled = values / (float(np.max(np.abs(values), initial=0.0)) or 1.0)
    sums, size = unit_sums(np.stack([scaled, np.abs(scaled)]), units)
    moved = sums[np.abs(sums) > _SLACK * size]
    limit = _SLACK * float(np.abs(moved).sum())
    if len(moved) <= EXACT_FLIPS:
        return float(np.mean(every_subset(moved[None])[0] <= limit)), True
    found = random_subsets(moved[None], draws)[0]
    return (float(np.sum(found <= limit)) + 1) / (draws.draws + 1), False
