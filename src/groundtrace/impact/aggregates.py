"""Each configuration over all its tasks, matched or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

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
    value_table,
)
from groundtrace.impact.repeats import mean_pass_at_k, repeats
from groundtrace.impact.resample import Floats
from groundtrace.rows.means import mean_of, quantile


def aggregate(trials: Sequence[Observation], copies: dict[str, int]) -> list[ConfigAggregate]:
    """Aggregates of distinct trials by configuration; `copies`: the copies left out of each."""
    configs: dict[str, list[Observation]] = {}
    for trial in trials:
        configs.setdefault(trial.config_name, []).append(trial)
    return [_config(name, own, copies.get(name, 0)) for name, own in sorted(configs.items())]


def _config(name: str, trials: Sequence[Observation], copies: int) -> ConfigAggregate:
    tasks = list(by_task(trials).values())
    return ConfigAggregate(
        config_name=name,
        n_tasks=len(tasks),
        n_trials=len(trials),
        n_copies=copies,
        models=_counted(trial.model for trial in trials),
        harness_versions=_counted(trial.harness_version for trial in trials),
        trial_spread=_spread(tasks),
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
    table = value_table([means(trials, names) for trials in tasks], names)
    return [_metric(name, column, tasks) for name, column in zip(names, table.T, strict=True)]


def _metric(name: str, column: Floats, tasks: Sequence[Sequence[Observation]]) -> MetricAggregate:
    """Mean over tasks of the mean over each task's trials, with what was left out (D19)."""
    absent = np.isnan(column)
    known = column[~absent]
    values = known.tolist()
    left_out = Counter(main_reason(tasks[i], (name,)) for i in np.flatnonzero(absent).tolist())
    return MetricAggregate(
        metric=name,
        direction=COMPARED[name],
        mean=stored_number(mean_of(values)),
        median=stored_number(quantile(np.sort(known).tolist(), 0.5)) if values else None,
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
