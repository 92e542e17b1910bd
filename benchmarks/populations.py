"""Made-up tasks whose true difference is known, for `benchmarks.intervals`.

A population draws both sides of n tasks. `up` is what the configuration adds; with 0 the two sides
have the same distribution, so any difference found is an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Sides = tuple[np.ndarray, np.ndarray]


def recalls(random: np.random.Generator, n: int, up: float) -> Sides:
    """Recall of 1 to 5 files, each found with the task's probability: ties, and many at 0 and 1."""
    files = random.integers(1, 6, n)
    chance = random.beta(0.8, 0.8, n) * 0.8
    return random.binomial(files, chance) / files, random.binomial(files, chance + up) / files


def high_recalls(random: np.random.Generator, n: int, up: float) -> Sides:
    """Recall near its ceiling: most tasks at 1 on both sides, the differences skewed."""
    files = random.integers(1, 6, n)
    chance = 0.75 + 0.15 * random.random(n)
    return random.binomial(files, chance) / files, random.binomial(files, chance + up) / files


def binary(random: np.random.Generator, n: int, up: float) -> Sides:
    """Rewards of 0 and 1: more than half of the differences are 0."""
    chance = random.beta(0.7, 0.7, n) * 0.8
    return (random.random(n) < chance) * 1.0, (random.random(n) < chance + up) * 1.0


def hard_binary(random: np.random.Generator, n: int, up: float) -> Sides:
    """Rewards of 0 and 1 of tasks that are seldom solved, so that there is room for large gains."""
    chance = random.beta(0.7, 0.7, n) * 0.4
    return (random.random(n) < chance) * 1.0, (random.random(n) < chance + up) * 1.0


def partial(random: np.random.Generator, n: int, up: float) -> Sides:
    """Rewards of 0, 1 or anything between."""

    def side(chance: np.ndarray) -> np.ndarray:
        passed, nothing = random.random(n) < chance, random.random(n) < 0.6
        return np.where(passed, 1.0, np.where(nothing, 0.0, random.random(n).round(2)))

    # A pass gives 1 and a failure gives 0.2 on average: a chance of up / 0.8 adds `up`.
    chance = random.random(n) * 0.7
    return side(chance), side(chance + up / 0.8)


def costs(random: np.random.Generator, n: int, up: float) -> Sides:
    """Costs whose logs have heavy tails: t with 3 degrees of freedom around the task's cost."""
    task = random.normal(0, 1, n)
    noise = 0.4 * random.standard_t(3, (2, n))
    return np.exp(task + noise[0]), np.exp(task + noise[1] + up)


def bills(random: np.random.Generator, n: int, up: float) -> Sides:
    """Costs with a mean: lognormal around the task's cost, which is lognormal too."""
    task = random.normal(0, 1, n)
    noise = 0.4 * random.normal(size=(2, n))
    return np.exp(task + noise[0]), np.exp(task + noise[1] + up)


RUNAWAY, DEARER = 0.1, math.log(5)


def runaway_costs(random: np.random.Generator, n: int, up: float) -> Sides:
    """Costs with skewed logs: a tenth of the configuration's trials cost five times as much.

    Without an effect both sides have such trials.
    """
    task = random.normal(0, 1, n)
    noise = 0.4 * random.normal(size=(2, n))
    wild = random.random((2, n)) < RUNAWAY
    first = noise[0] + (DEARER * wild[0] if up == 0 else 0)
    return np.exp(task + first), np.exp(task + noise[1] + DEARER * wild[1])


@dataclass(frozen=True)
class Population:
    """How pairs are drawn, what the configuration adds, and whether ratios (logs) are compared."""

    draw: Callable[[np.random.Generator, int, float], Sides]
    up: float
    ratio: bool = False
    most: float = 0.0
    """The largest possible `up`: a probability cannot be above 1. It is 0 if `up` is fixed."""


POPULATIONS = {
    "recall, ties at 0 and 1": Population(recalls, 0.2, most=0.2),
    "recall near 1": Population(high_recalls, 0.1, most=0.1),
    "binary reward": Population(binary, 0.2, most=0.2),
    "partial reward": Population(partial, 0.2, most=0.24),
    "cost, heavy tails": Population(costs, 0.3, ratio=True, most=math.inf),
    "cost, runaways": Population(runaway_costs, RUNAWAY * DEARER, ratio=True),
}


def correlated(random: np.random.Generator, n: int, rho: float, tied: bool) -> np.ndarray:
    """Two correlated normal columns; `tied`: rounded to few levels, like rewards and recalls."""
    x = random.normal(size=n)
    y = rho * x + math.sqrt(1 - rho**2) * random.normal(size=n)
    return np.stack([np.round(x), np.clip(np.round(y), -1, 1)] if tied else [x, y])


def true_spearman(rho: float, tied: bool) -> float:
    """Spearman's coefficient of the population: by formula without ties, else from a sample of two
    million."""
    if not tied:
        return 6 / math.pi * math.asin(rho / 2)
    x, y = correlated(np.random.default_rng(0), 2_000_000, rho, tied)
    f, g = (_middle(v) for v in (x, y))
    return float(np.corrcoef(f, g)[0, 1])


def _middle(values: np.ndarray) -> np.ndarray:
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - counts / 2)[place]


def different_tasks(
    random: np.random.Generator, n: int, rho: float, level: float = 1.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two configurations: both ran the hard tasks, with values lower by `level`; one ran each
    other task."""
    hard = random.random(n) < 0.5
    first = hard | (random.random(n) < 0.5)
    present = np.stack([first, hard | ~first], axis=1)
    x = random.normal(size=(n, 1)) + 0.5 * random.normal(size=(n, 2))
    noise = random.normal(size=(n, 1)) + 0.5 * random.normal(size=(n, 2))
    y = rho * x + math.sqrt(1 - rho**2) * noise
    return x - level * hard[:, None], y - level * hard[:, None], present
