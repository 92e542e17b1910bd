"""The mean of differences: its sign-flip test, and the interval that inverts the test.

The test of a mean m counts how many flips of the signs of d - m give a mean at least as far from 0
as the observed one. Let a flip turn the units N and keep the units P. Let A and B be the sums of
d - m over P and N. The flip is as extreme if |A - B| >= |A + B|, that is, if A * B <= 0: m lies
between the mean of N and the mean of P. So every flip gives two roots, the lower and the higher of
these two means, and the mean of all values lies between them. p(m) falls on both sides of that
mean, and the interval of all m with p(m) >= 0.05 ends at order statistics of the roots. It excludes
0 exactly when p < 0.05, because both come from the same roots.

With units of different size (repositories, or tasks with different spread of a metric), the mean is
a ratio of two sums, and so is each root: the same test gives slopes.

A level below 5 % makes the interval wider. Rows that are tested together share 5 % (D160).
"""

from __future__ import annotations

import math

from groundtrace.base.frozen import Frozen
from groundtrace.impact.arrays import Floats, Ints, np
from groundtrace.impact.flips import FLIP_DRAWS, two_sided_subsets, unit_sums
from groundtrace.impact.resample import EXACT_FLIPS, MIN_INFERENCE, Draws, Interval

MIN_DIFFER = 4
"""An interval needs at least this many units whose delta is not zero: three say nothing about the
spread."""
LEVEL = 0.05
"""The chance of a false finding, of one test or of a family of tests together."""

_SLACK = 1e-9
_DEFAULT = Draws(0, FLIP_DRAWS)


class MeanTest(Frozen, frozen=True):
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


def mean_test(
    deltas: Floats, draws: Draws = _DEFAULT, units: Ints | None = None, level: float = LEVEL
) -> MeanTest:
    """The mean of `deltas`, its two-sided sign-flip p, and the interval of means not rejected.

    `units` is the number of each task's unit (see `flip_units`); without it every task is a unit.
    """
    n = len(deltas)
    sizes = np.ones(n)
    return ratio_test(deltas, sizes, draws, units, level)


def ratio_test(
    values: Floats,
    sizes: Floats,
    draws: Draws = _DEFAULT,
    units: Ints | None = None,
    level: float = LEVEL,
) -> MeanTest:
    """The sum of `values` divided by the sum of `sizes`, with test and interval.

    A unit counts by its size, which must not be negative. With sizes of 1 this is a mean.
    """
    n = len(values)
    if n and not np.isfinite(values).all():
        return MeanTest(n, n, n, None, Interval(None, None, "not_finite"), reason="not_finite")
    scale = _scale(values)
    scaled = values / scale
    sums, weights, size = unit_sums(np.stack([scaled, sizes, np.abs(scaled)]), units)
    # +0.3, -0.1 and -0.2 in one repository add up to 0, although floats leave a last digit.
    sums = np.where(np.abs(sums) <= _SLACK * size, 0.0, sums)
    count, moved = len(sums), int(np.count_nonzero(sums))
    total = float(weights.sum())
    mean = float(np.sum(sums)) / total * scale if total > 0 else None
    if mean is None or count < MIN_INFERENCE:
        short = f"fewer_than_{MIN_INFERENCE}_{'pairs' if units is None else 'clusters'}"
        return MeanTest(n, count, moved, mean, Interval(None, None, short), reason=short)
    lows, highs, exact = _roots(sums, weights, draws)
    p = float(np.mean((lows <= 0) & (highs >= 0)))
    interval = _interval(lows, highs, mean, scale, moved, level)
    if interval.reason == "deltas_all_equal" and p < level:
        interval = _all_equal(mean, count, level)
    if interval.reason is not None and size.any() and not sums.any():
        interval = Interval(None, None, "changes_cancel")
    return MeanTest(n, count, moved, mean, interval, p, exact, smallest_p(moved, draws))


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
    least = _SLACK * float(sizes.sum())
    whole = (counts <= least) | (others <= least)
    means = []
    for total, size in ((sums, counts), (rest, others)):
        total = np.where(np.abs(total) <= noise, 0.0, total)
        means.append(total / np.where(whole, 1.0, size))
    lows = np.where(whole, -np.inf, np.minimum(*means))
    highs = np.where(whole, np.inf, np.maximum(*means))
    return lows, highs, exact


def _interval(
    lows: Floats, highs: Floats, mean: float, scale: float, moved: int, level: float
) -> Interval:
    if moved == 0:
        return Interval(None, None, "no_task_differs")
    if moved < MIN_DIFFER:
        return Interval(None, None, f"fewer_than_{MIN_DIFFER}_differ")
    # p(m) >= level needs at least this many flips with m between their roots.
    needed = max(1, math.ceil(level * len(lows) - _SLACK))
    low = float(np.partition(lows, needed - 1)[needed - 1]) * scale
    high = float(-np.partition(-highs, needed - 1)[needed - 1]) * scale
    if not (math.isfinite(low) and math.isfinite(high)):
        return Interval(None, None, "too_few_flips")
    low, high = min(low, mean), max(high, mean)
    if high - low <= _SLACK * scale:
        # All flips give the same roots: nothing is known about the spread of other tasks.
        return Interval(None, None, "deltas_all_equal")
    return Interval(low, high)


def _all_equal(mean: float, units: int, level: float) -> Interval:
    """The interval if all units differ by the same amount.

    Their spread is unknown, yet 12 of 12 tasks that went from 0 to 1 are a plain finding. Units
    that did not change could be so rare that none was drawn: with a share of 1 - s of them, s **
    units is the chance of drawing none. The interval allows for that share, on both sides.
    """
    share = (level / 2) ** (1 / units)
    ends = (mean * share, mean * (2 - share))
    return Interval(min(ends), max(ends))


# --- typical ratios -----------------------------------------------------------------------


_NOISE = 1e-9


def typical_ratio(
    baseline: Floats, config: Floats, draws: Draws = _DEFAULT, units: Ints | None = None
) -> tuple[float | None, Interval]:
    """The geometric mean of configuration over baseline with its interval; None if a value is 0 or
    less, because leaving such tasks out would compare other tasks than the means beside it.

    It is the factor of a typical task: each task counts by its own factor. What was spent is a
    total, and one expensive task can turn the total the other way.
    """
    if not len(baseline) or min(baseline.min(), config.min()) <= 0:
        return None, Interval(None, None, "values_of_zero")
    if not (np.isfinite(baseline).all() and np.isfinite(config).all()):
        return None, Interval(None, None, "not_finite")
    logs = np.log(config) - np.log(baseline)
    found = mean_test(np.where(np.abs(logs) <= _NOISE, 0.0, logs), draws, units)
    low, high = found.interval.low, found.interval.high
    if low is None or high is None:
        return _exp(found.mean), found.interval
    return _exp(found.mean), Interval(_exp(low), _exp(high))


def _exp(value: float | None) -> float | None:
    return None if value is None or value > 700 else math.exp(value)
