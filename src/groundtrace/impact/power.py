"""What a number of tasks can show: the smallest detectable difference, and how many tasks a smaller
difference needs.

A difference of (t.975 + t.80) * sd / sqrt(n) is found at the 5 % level in about 80 % of repeated
experiments. Ratios use the standard deviation of their logs, and the result is the log of a factor.

Student's t comes without scipy. With x = sqrt(df) * tan(a) the density becomes cos(a) ** (df - 1).
This is smooth, so one Gauss-Legendre sum gives the distribution function. The function is concave
right of 0, so Newton's steps from 0 climb to the quantile and cannot overshoot it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from groundtrace.impact.resample import CONFIDENCE, MIN_INFERENCE, Floats

# --- Student's t --------------------------------------------------------------------------


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)
_SERIES = (1.0, -1 / 8, 1 / 128, 5 / 1024, -21 / 32768, -399 / 262144)
"""Gamma(z + 1/2) / Gamma(z) / sqrt(z) in powers of 1 / z. For large z the gammas themselves would
lose digits."""
_SERIES_FROM = 50.0


def t_quantile(q: float, df: int) -> float:
    """The `q` quantile of Student's t with `df` degrees of freedom (1 or more)."""
    if not 0 < q < 1 or df < 1:
        raise ValueError(f"no quantile {q} of Student's t with {df} degrees of freedom")
    if q < 0.5:
        return -t_quantile(1 - q, df)
    factor = _gamma_ratio(df / 2) / math.sqrt(math.pi)
    wanted = (q - 0.5) / factor
    angle = 0.0
    for _ in range(200):
        step = (wanted - _area(angle, df)) / float(_density(np.array(angle), df))
        angle += step
        if step <= 1e-16 * angle:
            break
    return math.sqrt(df) * math.tan(angle)


def _area(angle: float, df: int) -> float:
    """The integral of cos ** (df - 1) from 0 to `angle`."""
    at = angle / 2 * (_NODES + 1)
    return float(np.sum(_WEIGHTS * _density(at, df))) * angle / 2


def _density(angle: Floats, df: int) -> Floats:
    """cos ** (df - 1), computed from the sine: near 0 the cosine has lost digits that the power
    needs."""
    log_cos = np.log1p(-2 * np.sin(angle / 2) ** 2)
    return np.asarray(np.exp((df - 1) * log_cos), dtype=np.float64)


def _gamma_ratio(z: float) -> float:
    """Gamma(z + 1/2) / Gamma(z)."""
    if z < _SERIES_FROM:
        return math.exp(math.lgamma(z + 0.5) - math.lgamma(z))
    return math.sqrt(z) * sum(c / z**k for k, c in enumerate(_SERIES))


# --- detectable differences ---------------------------------------------------------------


POWER = 0.8
MAX_TASKS = 1_000_000
"""If more tasks than this are needed, the answer is that the difference cannot be shown."""
ROUND = (1.0, 1.5, 2.0, 3.0, 5.0)
"""A suggested effect is one of these times a power of ten."""
FINER = 2 / 3
"""A suggested effect is at most this share of the detectable one: it must be worth more tasks."""


@dataclass(frozen=True, slots=True)
class Enough:
    """Whether there are enough tasks, in numbers."""

    n: int
    sd: float | None
    """Standard deviation of the differences."""
    detectable: float | None
    """The smallest detectable difference; smaller ones would usually not be found."""
    effect: float | None
    """A round difference below `detectable`."""
    needed: int | None
    """Tasks that would show `effect`."""
    reason: str | None = None


def enough(deltas: Floats) -> Enough:
    """The smallest difference that these tasks can show, and the tasks for a smaller one."""
    n = len(deltas)
    if n < MIN_INFERENCE:
        return Enough(n, None, None, None, None, f"fewer_than_{MIN_INFERENCE}_pairs")
    scale = float(np.max(np.abs(deltas)))
    if not math.isfinite(scale):
        return Enough(n, None, None, None, None, "not_finite")
    sd = float(np.std(deltas / (scale or 1.0), ddof=1)) * scale
    if sd <= 1e-9 * scale:
        return Enough(n, 0.0, None, None, None, "deltas_all_equal")
    smallest = detectable(sd, n)
    effect = round_effect(smallest)
    return Enough(n, sd, smallest, effect, tasks_needed(effect, sd))


def detectable(sd: float, n: int) -> float:
    """The smallest mean difference that `n` tasks show with a power of 80 %."""
    df = n - 1
    tails = t_quantile((1 + CONFIDENCE) / 2, df) + t_quantile(POWER, df)
    return tails * sd / math.sqrt(n)


def tasks_needed(effect: float, sd: float) -> int | None:
    """The fewest tasks that show a mean difference of `effect`; None if a million are too few."""
    if effect <= 0 or detectable(sd, MAX_TASKS) > effect:
        return None
    low, high = MIN_INFERENCE - 1, MIN_INFERENCE
    while detectable(sd, high) > effect:
        low, high = high, min(high * 2, MAX_TASKS)
    while high - low > 1:
        middle = (low + high) // 2
        if detectable(sd, middle) > effect:
            low = middle
        else:
            high = middle
    return high


def round_effect(smallest: float) -> float:
    """The largest round number up to two thirds of the smallest detectable difference."""
    most = smallest * FINER
    power = math.floor(math.log10(most))
    for exponent in (power, power - 1):
        for digit in reversed(ROUND):
            # Made from text, because 1.5 * 10 ** -1 is 0.15000000000000002.
            effect = float(f"{digit}e{exponent}")
            if effect <= most * (1 + 1e-12):
                return effect
    return most
