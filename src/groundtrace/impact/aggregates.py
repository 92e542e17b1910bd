"""Each configuration over all its tasks, matched or not; and how much several trials of one task vary.

pass@k is the chance that at least one of k trials passes. The spread inside a task and the share of
tasks whose trials disagree say how much of a difference between configurations could be chance.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from groundtrace.base.frozen import Frozen
from groundtrace.documents.impact import (
    ConfigAggregate,
    MetricAggregate,
    PassShare,
    TrialSpread,
)
from groundtrace.impact.deltas import COMPARED
from groundtrace.impact.observations import (
    Observation,
    by_task,
    hit_metric,
    main_reason,
    means,
    stored_number,
)
from groundtrace.rows.means import mean_of, quantile
from groundtrace.rows.verdicts import PASS, on_other_scale

# --- several trials of one task -----------------------------------------------------------


class PassAtK(Frozen, frozen=True):
    """pass@k over tasks."""

    k: int
    n: int
    """Tasks with at least k trials."""
    left_out: int
    """Tasks with fewer than k trials: there is no unbiased estimate for them."""
    value: float | None


class Repeats(Frozen, frozen=True):
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


# --- configurations -----------------------------------------------------------------------


def aggregate(trials: Sequence[Observation], copies: dict[str, int]) -> list[ConfigAggregate]:
    """Aggregates of distinct trials by configuration; `copies`: the copies left out of each."""
    configs: dict[str, list[Observation]] = {}
    for trial in trials:
        configs.setdefault(trial.config_name, []).append(trial)
    # Of all configurations: one with rewards of 3 beside one with 90 is on the same scale.
    largest = max((abs(trial.values.get("reward", 0.0)) for trial in trials), default=0.0)
    passes = not on_other_scale(largest)
    return [
        _config(name, own, copies.get(name, 0), passes=passes)
        for name, own in sorted(configs.items())
    ]


def _config(
    name: str, trials: Sequence[Observation], copies: int, *, passes: bool
) -> ConfigAggregate:
    """`passes`: rewards say which trial passes."""
    tasks = list(by_task(trials).values())
    return ConfigAggregate(
        config_name=name,
        n_tasks=len(tasks),
        n_trials=len(trials),
        n_copies=copies,
        models=_counted(trial.model for trial in trials),
        harness_versions=_counted(trial.harness_version for trial in trials),
        trial_spread=_spread(tasks) if passes else None,
        metrics=_metrics(tasks),
    )


PASS_AT = (1, 2, 3, 5, 10)
"""The k of pass@k; a k is used only where a task has at least k trials."""


def _spread(tasks: Sequence[Sequence[Observation]]) -> TrialSpread | None:
    rewards = [[o.values["reward"] for o in own if "reward" in o.values] for own in tasks]
    rewards = [own for own in rewards if own]
    most = max(map(len, rewards), default=0)
    if most < 2:
        return None
    found = repeats(rewards)
    passes = [mean_pass_at_k(rewards, k) for k in PASS_AT if k <= most]
    return TrialSpread(
        n=found.n,
        trials=found.trials,
        within_sd=stored_number(found.within_sd),
        between_sd=stored_number(found.between_sd),
        flip=found.flip,
        flip_share=found.flip_share,
        pass_at=[PassShare(k=p.k, value=p.value, n=p.n, left_out=p.left_out) for p in passes],
    )


def _counted(values: Iterable[str | None]) -> dict[str, int]:
    return dict(sorted(Counter(value or "unknown" for value in values).items()))


def _metrics(tasks: Sequence[Sequence[Observation]]) -> list[MetricAggregate]:
    names = tuple(COMPARED)
    sides = [means(trials, names) for trials in tasks]
    return [_metric(name, [side.get(name) for side in sides], tasks) for name in names]


def _metric(
    name: str, column: Sequence[float | None], tasks: Sequence[Sequence[Observation]]
) -> MetricAggregate:
    """Mean over tasks of the mean over each task's trials, with what was left out (D19)."""
    values = [value for value in column if value is not None]
    left_out: dict[str, int] = {}
    if len(values) < len(column):
        for trials, value in zip(tasks, column, strict=True):
            if value is None:
                reason = main_reason(trials, (name,))
                left_out[reason] = left_out.get(reason, 0) + 1
    return MetricAggregate(
        metric=name,
        direction=COMPARED[name],
        mean=stored_number(mean_of(values)),
        median=stored_number(quantile(sorted(values), 0.5)) if values else None,
        n=len(values),
        left_out=dict(sorted(left_out.items())),
        hit_rate=stored_number(_hit_rate(name, tasks)),
    )


def _hit_rate(name: str, tasks: Sequence[Sequence[Observation]]) -> float | None:
    """Mean over tasks of the share of trials with a hit, computed as in summaries.

    A mean time to the first hit covers only trials with a hit, so readers need this share (D21).
    """
    recall = hit_metric(name)
    if recall is None:
        return None
    hits = ([o.values[recall] > 0 for o in trials if recall in o.values] for trials in tasks)
    return mean_of([sum(of_task) / len(of_task) for of_task in hits if of_task])
