"""Means of exact values, and when two of them are equal (D40).

Documents hold full doubles. Averaging leaves noise in their last digits, so that 1/6 and 1/6
against 1/3 and 0 can differ by 1e-17: whether two means differ is decided here alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, inf, isfinite, isinf

NOISE = 1e-9
"""Difference of two means, relative to the larger one, up to which they are equal. Averaging a
million doubles leaves less than 1e-12; no metric tells 1e-9 of its value."""


def mean_of(values: Sequence[float]) -> float | None:
    """Their mean; None when there is none. The mean of equal values is that value."""
    if len(values) < 2:
        return values[0] if values else None
    n = len(values)
    if n == 2:  # a million of them in an analysis; of two values `fsum` is their plain sum
        one, other = values
        mean = (one + other) / 2
        mean += ((one - mean) + (other - mean)) / 2
    else:
        try:
            mean = fsum(values) / n
            # The sum was rounded before it was divided: three of 0.1 gave 0.10000000000000002.
            mean += fsum([value - mean for value in values]) / n
        except (OverflowError, ValueError):  # values of 1e308 add up to more than a double holds
            mean = inf
    if not isfinite(mean):  # so does their distance from a mean of the other sign
        largest = max(map(abs, values))
        return fsum(value / largest for value in values) / n * largest
    if min(values) >= 0:
        return mean + 0.0  # nothing cancels out, so nothing of it is noise; no minus zero
    if abs(mean) <= NOISE * max(map(abs, values)) / n:
        return 0.0  # rewards of 0.1, 0.2 and -0.3: what is left is noise
    return mean


def difference(baseline: float, config: float) -> float:
    """Configuration minus baseline; exactly 0 where the two are equal but for noise (D35)."""
    return without_noise(config - baseline, baseline, config)


def without_noise(delta: float, *sides: float) -> float:
    """A difference of these values, or a mean of such differences; 0 where it is noise."""
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
    # From -1e308 to 1e308 is more than a double holds.
    return low * (1 - part) + high * part if isinf(step) else low + step * part
