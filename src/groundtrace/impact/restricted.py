"""Time to the first relevant file when some trials never find one: the restricted mean.

A mean over hits only would reward a side for missing its slow tasks. So both sides share a horizon:
a miss counts as the whole horizon, and so does a later hit. Times are compared only if both come
from the same clock: with a clock that starts at the first line of the trace on one side, and at the
start of the agent on the other, equal behaviour gave +55 s. A miss needs a clock too. If the clocks
differ by configuration and misses had none, only pairs with a miss would be left, and a difference
in misses would look like a difference in time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from groundtrace.base.frozen import Frozen
from groundtrace.impact.arrays import Floats, np


class First(Frozen, frozen=True):
    """When one side of a task first reached a relevant file."""

    seconds: float | None
    """None is a miss: the trial was read to its end and found nothing."""
    clock: str | None
    """What the trial's seconds count from, also for a miss; None if nothing says so."""


class RestrictedPairs(Frozen, frozen=True):
    """Restricted times of matched tasks."""

    horizon: float | None
    baseline: Floats
    config: Floats
    kept: tuple[int, ...]
    """Indices of the pairs that count, in order: deltas are `config - baseline`."""
    misses_baseline: int
    misses_config: int
    left_out: dict[str, int]
    """Pairs that do not count, by reason."""


def restricted_pairs(
    pairs: Sequence[tuple[First, First]], horizon: float | None = None
) -> RestrictedPairs:
    """Both sides of each task whose sides used one clock; a miss counts as the horizon.

    If no horizon is given, it is the latest hit among the pairs that count: no hit is cut off, and
    a miss counts as slow as the slowest hit.
    """
    reasons = [_why_not_comparable(*pair) for pair in pairs]
    kept = [i for i, reason in enumerate(reasons) if reason is None]
    hits = [s for i in kept for s in (pairs[i][0].seconds, pairs[i][1].seconds) if s is not None]
    limit = horizon if horizon is not None else max(hits, default=None)
    left_out = Counter(reason for reason in reasons if reason is not None)
    if limit is None:
        left_out.update(no_hit_on_either_side=len(kept))
        kept = []
    sides = [[_restrict(pairs[i][side].seconds, limit) for i in kept] for side in (0, 1)]
    misses = [sum(pairs[i][side].seconds is None for i in kept) for side in (0, 1)]
    return RestrictedPairs(
        horizon=limit,
        baseline=np.array(sides[0], dtype=np.float64),
        config=np.array(sides[1], dtype=np.float64),
        kept=tuple(kept),
        misses_baseline=misses[0],
        misses_config=misses[1],
        left_out={reason: n for reason, n in sorted(left_out.items()) if n},
    )


def _why_not_comparable(baseline: First, config: First) -> str | None:
    """Why a pair's times cannot be compared."""
    if baseline.clock is None or config.clock is None:
        return "clock_unknown"
    return None if baseline.clock == config.clock else "clock_differs"


def _restrict(seconds: float | None, horizon: float | None) -> float:
    limit = horizon if horizon is not None else 0.0
    return limit if seconds is None else min(seconds, limit)
