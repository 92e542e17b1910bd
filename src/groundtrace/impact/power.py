"""What a number of tasks can show: the smallest detectable difference, and how many tasks a smaller
difference needs.

A difference of (t.975 + t.80) * sd / sqrt(n) is found at the 5 % level in about 80 % of repeated
experiments. Ratios use the standard deviation of their logs, and the result is the log of a factor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from groundtrace.impact.resample import CONFIDENCE, MIN_INFERENCE, Floats
from groundtrace.impact.student import t_quantile

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
