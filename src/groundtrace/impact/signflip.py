"""The mean of differences: its sign-flip test, and the interval that inverts the test.

The test of a mean m counts how many flips of the signs of d - m give a mean at least as far from 0
as the observed one. Let a flip turn the units N and keep the units P. Let A and B be the sums of
d - m over P and N. The flip is as extreme if |A - B| >= |A + B|, that is, if A * B <= 0: m lies
between the mean of N and the mean of P. So every flip gives two roots, the lower and the higher of
these two means, and the mean of all values lies between them. p(m) falls on both sides of that
mean, and the interval of all m with p(m) >= 0.05 ends at order statistics of the roots. It excludes
0 exactly when p < 0.05, because both come from the same roots.

Ratios of cost, time and tokens are geometric means, with the same test of log differences. Such
values are skewed and grow with the size of the task, so a mean of differences mostly shows the most
expensive task. With logs every task counts by its own factor. A ratio of 1 means no difference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from groundtrace.impact.flips import FLIP_DRAWS, two_sided_subsets, unit_sums
from groundtrace.impact.resample import (
    CONFIDENCE,
    EXACT_FLIPS,
    MIN_INFERENCE,
    Draws,
    Floats,
    Interval,
    Ints,
    Mask,
)

MIN_DIFFER = 4
"""An interval needs at least this many units whose delta is not zero: three say nothing about the
spread."""
LEVEL = 1 - CONFIDENCE

_SLACK = 1e-9
_DEFAULT = Draws(0, FLIP_DRAWS)


@dataclass(frozen=True, slots=True)
class MeanTest:
    """What could be said about the mean of differences."""

    n: int
    """Number of tasks."""
    units: int
    """Units that flip: tasks, or clusters of them."""
    moved: int
    """Units whose difference is not zero."""
    mean: float | None
    interval: Interval
    p: float | None = None
    exact: bool | None = None
    """Whether p comes from all flips."""
    p_smallest: float | None = None
    """The smallest p that this many moved units and draws can give."""
    reason: str | None = None
    """Why there is no p."""


def mean_test(deltas: Floats, draws: Draws = _DEFAULT, units: Ints | None = None) -> MeanTest:
    """The mean of `deltas`, its two-sided sign-flip p, and the interval of means not rejected.

    `units` is the number of each task's unit (see `flip_units`); without it every task is a unit.
    """
    n = len(deltas)
    if n and not np.isfinite(deltas).all():
        return MeanTest(n, n, n, None, Interval(None, None, "not_finite"), reason="not_finite")
    scale = _scale(deltas)
    scaled = deltas / scale
    values, sizes, size = unit_sums(np.stack([scaled, np.ones(n), np.abs(scaled)]), units)
    # +0.3, -0.1 and -0.2 in one repository add up to 0, although floats leave a last digit.
    values = np.where(np.abs(values) <= _SLACK * size, 0.0, values)
    count, moved = len(values), int(np.count_nonzero(values))
    mean = float(np.sum(values)) / n * scale if n else None
    if mean is None or count < MIN_INFERENCE:
        short = f"fewer_than_{MIN_INFERENCE}_{'pairs' if units is None else 'clusters'}"
        return MeanTest(n, count, moved, mean, Interval(None, None, short), reason=short)
    lows, highs, exact = _roots(values, sizes, draws)
    p = float(np.mean((lows <= 0) & (highs >= 0)))
    return MeanTest(
        n,
        count,
        moved,
        mean,
        _interval(lows, highs, mean, scale, moved),
        p,
        exact,
        smallest_p(moved, draws),
    )


def smallest_p(moved: int, draws: Draws = _DEFAULT) -> float:
    """The smallest two-sided p of `moved` differences that are not zero."""
    if moved <= EXACT_FLIPS:
        return 2.0 ** (1 - moved) if moved else 1.0
    return 1.0 / (draws.draws + 1)


def _scale(deltas: Floats) -> float:
    """The power of two below the largest delta. Divided by it, no sum overflows and no digit is
    lost."""
    _, exponent = math.frexp(float(np.max(np.abs(deltas), initial=0.0)) or 1.0)
    return math.ldexp(1.0, exponent - 1)


def _roots(values: Floats, sizes: Floats, draws: Draws) -> tuple[Floats, Floats, bool]:
    """The lower and the higher root of each flip; a flip of no unit or of all units is as extreme
    for every mean."""
    (sums, counts), exact = two_sided_subsets(values, sizes[None], draws)
    noise = _SLACK * float(np.abs(values).sum())
    rest, others = values.sum() - sums, sizes.sum() - counts
    whole = (counts < 0.5) | (others < 0.5)
    means = []
    for total, size in ((sums, counts), (rest, others)):
        total = np.where(np.abs(total) <= noise, 0.0, total)
        means.append(total / np.where(whole, 1.0, size))
    lows = np.where(whole, -np.inf, np.minimum(*means))
    highs = np.where(whole, np.inf, np.maximum(*means))
    return lows, highs, exact


def _interval(lows: Floats, highs: Floats, mean: float, scale: float, moved: int) -> Interval:
    if moved < MIN_DIFFER:
        return Interval(None, None, f"fewer_than_{MIN_DIFFER}_differ")
    # p(m) >= level needs at least this many flips with m between their roots.
    needed = math.ceil(LEVEL * len(lows) - _SLACK)
    low = float(np.partition(lows, needed - 1)[needed - 1]) * scale
    high = float(-np.partition(-highs, needed - 1)[needed - 1]) * scale
    if not (math.isfinite(low) and math.isfinite(high)):
        return Interval(None, None, "too_few_flips")
    low, high = min(low, mean), max(high, mean)
    if high - low <= _SLACK * scale:
        # All flips give the same roots: nothing is known about the spread of other tasks.
        return Interval(None, None, "deltas_all_equal")
    return Interval(low, high)


# --- ratios -------------------------------------------------------------------------------


_NOISE = 1e-9


@dataclass(frozen=True, slots=True)
class RatioTest:
    """The ratio of a configuration to the baseline, over tasks."""

    n: int
    """Pairs with both values above 0."""
    left_out: int
    """Pairs with a value of 0 or less: they have no ratio."""
    ratio: float | None
    """The geometric mean of the ratios, configuration divided by baseline."""
    ratio_low: float | None
    ratio_high: float | None
    logs: MeanTest
    """The test of the log differences: p, and why something is missing."""


def log_ratios(baseline: Floats, config: Floats) -> tuple[Floats, Mask]:
    """Logs of config divided by baseline, and which pairs have one; equal values give exactly 0."""
    kept = (baseline > 0) & (config > 0) & np.isfinite(baseline) & np.isfinite(config)
    logs = np.log(config[kept]) - np.log(baseline[kept])
    return np.where(np.abs(logs) <= _NOISE, 0.0, logs), kept


def ratio_test(
    baseline: Floats, config: Floats, draws: Draws = _DEFAULT, units: Ints | None = None
) -> RatioTest:
    """The ratio of two sides of the same tasks, with its interval and test."""
    logs, kept = log_ratios(baseline, config)
    found = mean_test(logs, draws, None if units is None else units[kept])
    return RatioTest(
        n=len(logs),
        left_out=len(baseline) - len(logs),
        ratio=_exp(found.mean),
        ratio_low=_exp(found.interval.low),
        ratio_high=_exp(found.interval.high),
        logs=found,
    )


def _exp(value: float | None) -> float | None:
    return None if value is None else math.exp(value)
