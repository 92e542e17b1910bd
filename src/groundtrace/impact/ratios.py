"""Ratios of cost, time and tokens: geometric means, with the sign-flip test of log differences.

Such values are skewed and grow with the size of the task, so a mean of differences mostly shows the
most expensive task. With logs every task counts by its own factor. A ratio of 1 means no
difference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from groundtrace.impact.flips import FLIP_DRAWS
from groundtrace.impact.resample import Draws, Floats, Ints, Mask
from groundtrace.impact.signflip import MeanTest, mean_test

_NOISE = 1e-9
_DEFAULT = Draws(0, FLIP_DRAWS)


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
