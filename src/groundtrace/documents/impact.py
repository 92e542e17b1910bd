"""The impact document: how retrieval relates to outcomes, and how configurations differ.

It shows association only: nothing in it ranks configurations, blocks a run or scores a task.
"""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from groundtrace.documents.answer import Answer
from groundtrace.documents.base import Count, Record, Share, Time, Version
from groundtrace.documents.comparison import (
    Coefficient,
    Delta,
    Direction,
    MatchedComparison,
    MatchedTask,
    Reasons,
    UnpairedComparison,
)
from groundtrace.documents.summary import RefusedDocument

# --- one configuration over all its tasks -------------------------------------------------


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


__all__ = [
    "ConfigAggregate",
    "Correlation",
    "CorrelationAnalysis",
    "CorrelationScope",
    "Delta",
    "ImpactDocument",
    "MatchedComparison",
    "MatchedTask",
    "Method",
    "MetricAggregate",
]

CorrelationScope = Literal["overall", "config", "within_config"]


class Method(Record, frozen=True, kw_only=True):
    """How the numbers were computed, in words."""

    correlation: Annotated[
        str, Meta(description="The coefficient, and what counts as one unit in each scope.")
    ]
    correlation_p: Annotated[str, Meta(description="The permutation test of the coefficient.")]
    delta_p: Annotated[str, Meta(description="The test of a mean delta.")]
    interval: Annotated[str, Meta(description="How the intervals are made.")]
    totals: Annotated[str, Meta(description="How cost, time and tokens are compared.")]
    adjusted: Annotated[str, Meta(description="Which rows are one family, and its level.")]
    margin: Annotated[str, Meta(description="How a margin is tested.")]
    lost: Annotated[str, Meta(description="What attempts without a valid reward do.")]
    groups: Annotated[str, Meta(description="How groups that disagree are found.")]
    association: Annotated[str, Meta(description="How the answer links retrieval with reward.")]
    stopping: Annotated[str, Meta(description="When to look at the results.")]
    flipped: Annotated[str, Meta(description="What is flipped: tasks or whole repositories.")]
    other: Annotated[str, Meta(description="What the other comparisons are.")]
    ranks: Annotated[str, Meta(description="When resamples are ranked again and when not.")]
    holm: Annotated[str, Meta(description="How p values of correlations are adjusted.")]
    effect_size: Annotated[str, Meta(description="The effect size.")]
    matching: Annotated[str, Meta(description="What makes a matched pair.")]
    minimum: Annotated[
        str, Meta(description=("The smallest number of tasks for each kind of result."))
    ]


class Correlation(Record, frozen=True, kw_only=True):
    """The association of one retrieval metric with one outcome."""

    retrieval_metric: Annotated[str, Meta(description="Canonical name of the metric.")]
    outcome: Annotated[str, Meta(description="Canonical name of the outcome.")]
    scope: Annotated[
        CorrelationScope,
        Meta(
            description="overall: per-task means over all configurations; config: the tasks of one "
            "configuration; within_config: ranks inside each configuration, pooled."
        ),
    ]
    config_name: Annotated[
        str | None, Meta(description="The configuration when the scope is config, else null.")
    ]
    computable: Annotated[bool, Meta(description="Whether there is a coefficient.")]
    reason: Annotated[str | None, Meta(description="Why not, when not computable.")]
    spearman_r: Annotated[Coefficient | None, Meta(description="Spearman's coefficient.")]
    ci_low: Annotated[Coefficient | None, Meta(description="Lower end of the 95 % interval.")]
    ci_high: Annotated[Coefficient | None, Meta(description="Upper end of the 95 % interval.")]
    p: Annotated[Share | None, Meta(description="Two-sided permutation p.")]
    p_holm: Annotated[Share | None, Meta(description="p adjusted by Holm within the scope.")]
    p_exact: Annotated[
        bool | None, Meta(description="Whether all permutations were enumerated; null without p.")
    ]
    inference_reason: Annotated[
        str | None, Meta(description="Why p or the interval is missing, when one is.")
    ]
    ranks_once: Annotated[
        bool | None,
        Meta(
            description="True when ranks were computed once instead of in each resample; "
            "null without an interval."
        ),
    ]
    n: Annotated[Count, Meta(description="Tasks with both values.")]
    n_movable: Annotated[
        Count | None,
        Meta(
            description="Tasks that the permutation test can exchange with another task; null "
            "without a test."
        ),
    ]
    left_out: Annotated[Reasons, Meta(description="Tasks without both values, by reason.")]


class CorrelationAnalysis(Record, frozen=True, kw_only=True):
    """All correlations."""

    computable: Annotated[bool, Meta(description="Whether any coefficient could be computed.")]
    reason: Annotated[str | None, Meta(description="Why not, when none could.")]
    correlations: Annotated[list[Correlation], Meta(description="By scope, metric, outcome.")]
    notes: Annotated[
        list[str],
        Meta(
            description=(
                "Cases in which ranking inside suites changes a conclusion, one sentence each."
            )
        ),
    ]


class ImpactDocument(Record, frozen=True, kw_only=True):
    """Correlations, matched comparisons and aggregates of one run or of all runs."""

    schema_version: Version
    generated_at: Annotated[Time, Meta(description="When it was computed, UTC.")]
    scope: Annotated[str, Meta(description="Run id, or `*` for all runs.")]
    statement: Annotated[str, Meta(description="What the numbers do and do not say.")]
    seed: Annotated[int, Meta(description="Seed of all random draws.")]
    draws: Annotated[Count, Meta(description="Random draws of each resampling.")]
    baseline: Annotated[str, Meta(description="Name or pattern that chose the baseline.")]
    against: Annotated[
        str | None, Meta(description="Name or pattern that chose what to compare; null for all.")
    ]
    pair_across_runs: Annotated[bool, Meta(description="Whether pairs may span runs.")]
    allow_unknown_version: Annotated[
        bool, Meta(description="Whether pairs with an unknown harness version count.")
    ]
    primaries: Annotated[
        list[str], Meta(description="The metrics and outcomes that were declared primary.")
    ]
    n_trials: Annotated[Count, Meta(description="Distinct trials.")]
    n_copies: Annotated[Count, Meta(description="Copies of trials that were not counted again.")]
    answer: Annotated[
        Answer,
        Meta(description="What a reader needs in order to decide: the pair with the most tasks."),
    ]
    answers: Annotated[
        list[Answer], Meta(description="The same for each configuration that is compared.")
    ]
    method: Annotated[Method, Meta(description="How the numbers were made.")]
    correlation_analysis: Annotated[
        CorrelationAnalysis, Meta(description="Correlations of retrieval metrics with outcomes.")
    ]
    matched_comparisons: Annotated[
        list[MatchedComparison], Meta(description="Configurations compared with the baseline.")
    ]
    other_comparisons: Annotated[
        list[MatchedComparison],
        Meta(
            description="The matched pairs together with pairs that do not meet every "
            "requirement; `not_met` names the requirements."
        ),
    ]
    matched_reason: Annotated[
        str | None, Meta(description="Why there is no comparison, when there is none.")
    ]
    config_aggregates: Annotated[
        list[ConfigAggregate], Meta(description="Each configuration, including unmatched tasks.")
    ]
    unpaired_comparisons: Annotated[
        list[UnpairedComparison] | UnsetType,
        Meta(
            description="Pairs of configurations that share no task; absent if there are none. "
            "Since 1.3."
        ),
    ] = UNSET
    refused: Annotated[
        list[RefusedDocument] | UnsetType,
        Meta(description="Documents that could not be read and do not count. Since 1.2."),
    ] = UNSET
