"""Several trials of one task: how much their results vary.

pass@k is the chance that at least one of k trials passes. The spread inside a task and the share of
tasks whose trials disagree say how much of a difference between configurations could be chance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

PASS = 1.0
"""The reward from which a trial passes."""


@dataclass(frozen=True, slots=True)
class PassAtK:
    """pass@k over tasks."""

    k: int
    n: int
    """Tasks with at least k trials."""
    left_out: int
    """Tasks with fewer than k trials: there is no unbiased estimate for them."""
    value: float | None


@dataclass(frozen=True, slots=True)
class Repeats:
    """How much trials of the same task agree."""

    n: int
    """Tasks with at least two trials."""
    trials: int
    """Trials of these tasks."""
    within_sd: float | None
    """Standard deviation inside a task, pooled over tasks."""
    between_sd: float | None
    """Standard deviation of the tasks' means; None for fewer than two tasks."""
    flip: int
    """Tasks where some trials pass and some do not."""
    flip_share: float | None


def pass_at_k(trials: int, passes: int, k: int) -> float | None:
    """The unbiased estimate from `passes` of `trials`; None when there are fewer than k trials.

    1 - C(trials - passes, k) / C(trials, k): the share of all choices of k trials with a pass.
    """
    if not 0 <= passes <= trials or k < 1:
        raise ValueError(f"{passes} passes of {trials} trials, k = {k}")
    if k > trials:
        return None
    return 1 - math.comb(trials - passes, k) / math.comb(trials, k)


def mean_pass_at_k(tasks: Sequence[Sequence[float]], k: int, passing: float = PASS) -> PassAtK:
    """pass@k, the mean over tasks; `tasks` holds the rewards of each task's trials."""
    found = [
        pass_at_k(len(rewards), sum(reward >= passing for reward in rewards), k)
        for rewards in tasks
    ]
    known = [value for value in found if value is not None]
    value = math.fsum(known) / len(known) if known else None
    return PassAtK(k, len(known), len(found) - len(known), value)


def repeats(tasks: Sequence[Sequence[float]], passing: float = PASS) -> Repeats:
    """Spread inside tasks, and tasks whose trials disagree, over tasks with at least two trials."""
    several = [rewards for rewards in tasks if len(rewards) >= 2]
    means = [math.fsum(rewards) / len(rewards) for rewards in several]
    squares = math.fsum(
        (reward - mean) ** 2
        for rewards, mean in zip(several, means, strict=True)
        for reward in rewards
    )
    trials = sum(len(rewards) for rewards in several)
    free = trials - len(several)
    flip = sum(len({reward >= passing for reward in rewards}) == 2 for rewards in several)
    return Repeats(
        n=len(several),
        trials=trials,
        within_sd=math.sqrt(squares / free) if free else None,
        between_sd=_sd(means),
        flip=flip,
        flip_share=flip / len(several) if several else None,
    )


def _sd(values: Sequence[float]) -> float | None:
    if len(values) < 2:
        return None
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1))
