"""Made-up tasks whose true difference is known, for `benchmarks.intervals`.

A population draws both sides of n tasks. `up` is what the configuration adds; 0 makes the two
sides alike, so that any difference found is an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Sides = tuple[np.ndarray, np.ndarray]


def recalls(random: np.random.Generator, n: int, up: float) -> Sides:
    """Recall of 1 to 5 files, each found by a chance of its task: ties, many at 0 and 1."""
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


def partial(random: np.random.Generator, n: int, up: float) -> Sides:
    """Rewards of 0, 1 or anything between."""

    def side(chance: np.ndarray) -> np.ndarray:
        passed, nothing = random.random(n) < chance, random.random(n) < 0.6
        return np.where(passed, 1.0, np.where(nothing, 0.0, random.random(n).round(2)))

    # A pass adds 1 where a failure adds 0.2 on average: a chance of up / 0.8 adds `up`.
    chance = random.random(n) * 0.7
    return side(chance), side(chance + up / 0.8)


def costs(random: np.random.Generator, n: int, up: float) -> Sides:
    """Costs whose logs have heavy tails: t with 3 degrees of freedom around the task's own."""
    task = random.normal(0, 1, n)
    noise = 0.4 * random.standard_t(3, (2, n))
    return np.exp(task + noise[0]), np.exp(task + noise[1] + up)


RUNAWAY, DEARER = 0.1, math.log(5)


def runaway_costs(random: np.random.Generator, n: int, up: float) -> Sides:
    """Costs where a tenth of the configuration's trials cost five times as much: skewed logs.

    Without an effect both sides have their runaways.
    """
    task = random.normal(0, 1, n)
    noise = 0.4 * random.normal(size=(2, n))
    wild = random.random((2, n)) < RUNAWAY
    first = noise[0] + (DEARER * wild[0] if up == 0 else 0)
    return np.exp(task + first), np.exp(task + noise[1] + DEARER * wild[1])


@dataclass(frozen=True)
class Population:
    """How pairs are drawn, what the configuration adds, and whether as a ratio (of logs)."""

    draw: Callable[[np.random.Generator, int, float], Sides]
    up: float
    ratio: bool = False
    most: float = 0.0
    """The largest `up` that it can draw: a chance cannot be above 1. 0 where `up` is fixed."""


POPULATIONS = {
    "recall, ties at 0 and 1": Population(recalls, 0.2, most=0.2),
    "recall near 1": Population(high_recalls, 0.1, most=0.1),
    "binary reward": Population(binary, 0.2, most=0.2),
    "partial reward": Population(partial, 0.2, most=0.24),
    "cost, heavy tails": Population(costs, 0.3, ratio=True, most=math.inf),
    "cost, runaways": Population(runaway_costs, RUNAWAY * DEARER, ratio=True),
}


def primaries(
    random: np.random.Generator, n: int, recall: float = 0.0, reward: float = 0.0, cost: float = 0.0
) -> np.ndarray:
    """Differences in recall and reward and logs of the cost's ratio, as columns.

    They are drawn apart: kindred primaries would make fewer errors together than these.
    """
    found = (recalls(random, n, recall), binary(random, n, reward), costs(random, n, cost))
    (a, b), (c, d), (e, f) = found
    return np.stack([b - a, d - c, np.log(f / e)], axis=1)


METRIC_COUNT = 49


def kindred(random: np.random.Generator, n: int, up: float) -> np.ndarray:
    """49 metrics that are recall with some noise of their own, as ranks and cuts of it are."""
    baseline, config = recalls(random, n, up)
    delta = config - baseline
    noise = 0.35 * delta.std() * random.normal(size=(n, METRIC_COUNT))
    noise[:, 0] = 0
    # A task that changed nothing changed it in no metric.
    return np.where(delta[:, None] == 0, 0.0, delta[:, None] + noise)


def correlated(random: np.random.Generator, n: int, rho: float, tied: bool) -> np.ndarray:
    """Two columns of a normal pair; tied: rounded to few levels, as rewards and recalls are."""
    x = random.normal(size=n)
    y = rho * x + math.sqrt(1 - rho**2) * random.normal(size=n)
    return np.stack([np.round(x), np.clip(np.round(y), -1, 1)] if tied else [x, y])


def true_spearman(rho: float, tied: bool) -> float:
    """Of the population: by formula without ties, else from a sample of two million."""
    if not tied:
        return 6 / math.pi * math.asin(rho / 2)
    x, y = correlated(np.random.default_rng(0), 2_000_000, rho, tied)
    f, g = (_middle(v) for v in (x, y))
    return float(np.corrcoef(f, g)[0, 1])


def _middle(values: np.ndarray) -> np.ndarray:
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - counts / 2)[place]


def different_tasks(
    random: np.random.Generator, n: int, rho: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two configurations: hard tasks, low on both sides, were run by both, the others by one."""
    hard = random.random(n) < 0.5
    first = hard | (random.random(n) < 0.5)
    present = np.stack([first, hard | ~first], axis=1)
    x = random.normal(size=(n, 1)) + 0.5 * random.normal(size=(n, 2))
    noise = random.normal(size=(n, 1)) + 0.5 * random.normal(size=(n, 2))
    y = rho * x + math.sqrt(1 - rho**2) * noise
    return x - hard[:, None], y - hard[:, None], present
