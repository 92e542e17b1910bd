"""One configuration over all its tasks, as the impact document holds it."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from groundtrace.documents.base import Count, Record, Share
from groundtrace.documents.comparison import Direction, Reasons


class MetricAggregate(Record, frozen=True, kw_only=True):
    """One metric over the tasks of a configuration."""

    metric: Annotated[str, Meta(description="Canonical name of the metric or outcome.")]
    direction: Annotated[Direction, Meta(description="Which values are better.")]
    mean: Annotated[float | None, Meta(description="Mean over n tasks; null when there is none.")]
    median: Annotated[float | None, Meta(description="Median over n tasks.")]
    n: Annotated[Count, Meta(description="Tasks with a value.")]
    left_out: Annotated[Reasons, Meta(description="Tasks without a value, by reason.")]
    hit_rate: Annotated[
        Share | None,
        Meta(
            description="For times to the first relevant file: mean share of a task's trials "
            "with a hit, over the computable tasks."
        ),
    ]


class PassShare(Record, frozen=True, kw_only=True):
    """pass@k over tasks."""

    k: Annotated[Count, Meta(description="The k of pass@k.")]
    value: Annotated[
        Share | None, Meta(description="Chance that at least one of k trials has a reward of 1.")
    ]
    n: Annotated[Count, Meta(description="Tasks with at least k trials.")]
    left_out: Annotated[Count, Meta(description="Tasks with fewer than k trials.")]


class TrialSpread(Record, frozen=True, kw_only=True):
    """How much the rewards of several trials of one task agree."""

    n: Annotated[Count, Meta(description="Tasks with at least two rewards.")]
    trials: Annotated[Count, Meta(description="Trials of these tasks.")]
    within_sd: Annotated[
        float | None, Meta(description="Standard deviation inside a task, pooled over tasks.")
    ]
    between_sd: Annotated[float | None, Meta(description="Standard deviation of the tasks' means.")]
    flip: Annotated[Count, Meta(description="Tasks where some trials pass and some do not.")]
    flip_share: Annotated[
        Share | None, Meta(description="Share of tasks where some trials pass and some do not.")
    ]
    pass_at: Annotated[list[PassShare], Meta(description="pass@k.")]


class ConfigAggregate(Record, frozen=True, kw_only=True):
    """One configuration over all its tasks, matched or not."""

    config_name: Annotated[str, Meta(description="Configuration.")]
    n_tasks: Annotated[Count, Meta(description="Distinct tasks.")]
    n_trials: Annotated[Count, Meta(description="Distinct trials, copies counted once.")]
    n_copies: Annotated[Count, Meta(description="Copies of trials that were not counted again.")]
    models: Annotated[Reasons, Meta(description="Trials by model; `unknown` if not known.")]
    harness_versions: Annotated[
        Reasons, Meta(description="Trials by harness version; `unknown` if not known.")
    ]
    trial_spread: Annotated[
        TrialSpread | None,
        Meta(description="How trials of the same task differ; null if no task has two rewards."),
    ]
    metrics: Annotated[list[MetricAggregate], Meta(description="Every metric and outcome.")]
