"""Means of exact values, and when two of them are equal (D40).

Documents store full doubles. Averaging leaves noise in the last digits: the means of (1/6, 1/6) and
(1/3, 0) can differ by 1e-17. So only this module decides whether two means differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import fsum, inf, isfinite, isinf

NOISE = 1e-9
"""Two means are equal if their difference, divided by the larger one, is at most this. Averaging a
million doubles leaves less than 1e-12; no metric is so fine that 1e-9 of its value matters."""


def mean_of(values: Sequence[float]) -> float | None:
    """The mean; None without values. The mean of equal values is exactly that value."""
    if len(values) < 2:
        return values[0] if values else None
    n = len(values)
    if n == 2:  # a million of them in an analysis; of two values `fsum` is their plain sum
        one, other = values
        mean = (one + other) / 2
        mean += ((one - mean) + (other - mean)) / 2
        if one >= 0 <= other and mean < inf:
            return mean + 0.0  # as below
    else:
        try:
            mean = fsum(values) / n
            # The sum is rounded before the division: three of 0.1 gave 0.10000000000000002.
            mean += fsum([value - mean for value in values]) / n
        except (OverflowError, ValueError):  # 1e308 twice: the sum is too large for a double
            mean = inf
    if not isfinite(mean):  # so can the distance of such a value from a mean of the other sign
        largest = max(map(abs, values))
        return fsum(value / largest for value in values) / n * largest
    if min(values) >= 0:
        return mean + 0.0  # nothing cancels out, so nothing of it is noise; no minus zero
    if abs(mean) <= NOISE * max(map(abs, values)) / n:
        return 0.0  # rewards of 0.1, 0.2 and -0.3: the rest is noise
    return mean


def difference(baseline: float, config: float) -> float:
    """Configuration minus baseline; exactly 0 if the two differ only by noise (D35)."""
    return without_noise(config - baseline, baseline, config)


def without_noise(delta: float, *sides: float) -> float:
    """A difference of these values, or a mean of such differences; 0 if it is only noise."""
    if isinf(delta):
        return delta
    return 0.0 if abs(delta) <= NOISE * max(map(abs, sides), default=0.0) else delta


def quantile(ordered: Sequence[float], share: float) -> float:
    """The quantile by linear interpolation between the closest ranks (Hyndman and Fan's type 7,
    which numpy and most spreadsheets use)."""
    place = (len(ordered) - 1) * share
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    low, high, part = ordered[below], ordered[above], place - below
    step = high - low
    # The step from -1e308 to 1e308 is too large for a double.
    return low * (1 - part) + high * part if isinf(step) else low + step * part


def quartiles(ordered: Sequence[float]) -> tuple[float, float, float]:
    """The quantiles at 0.25, 0.5 and 0.75. A summary has hundreds of each."""
    first, second, third = (
        low + step * part
        if (step := ordered[above] - (low := ordered[below])) < inf
        else quantile(ordered, share)
        for share, below, above, part in _quarters(len(ordered))
    )
    return first, second, third


@lru_cache
def _quarters(number: int) -> list[tuple[float, int, int, float]]:
    """Each share with the ranks around its place, and the part of the step between them."""
    found = []
    for share in (0.25, 0.5, 0.75):
        place = (number - 1) * share
        below = int(place)
        found.append((share, below, min(below + 1, number - 1), place - below))
    return found
