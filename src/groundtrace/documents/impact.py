"""The impact document: how retrieval relates to outcomes, and how configurations differ.

It shows association only: nothing in it ranks configurations, blocks a run or scores a task.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from groundtrace.documents.base import Count, Record, Share, Time, Version
from groundtrace.documents.comparison import (
    Coefficient,
    Delta,
    Direction,
    MatchedComparison,
    MatchedTask,
    Reasons,
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


# --- the answer: the few numbers to decide between two configurations ---------------------


class AnswerTask(Record, frozen=True, kw_only=True):
    """One task of a row that has no interval."""

    task_name: Annotated[str, Meta(description="Canonical task.")]
    baseline: Annotated[float, Meta(description="Value of the baseline.")]
    config: Annotated[float, Meta(description="Value of the configuration.")]


class AnswerRow(Record, frozen=True, kw_only=True):
    """One number that answers a question; over the tasks that both configurations have."""

    question: Annotated[str, Meta(description="The question, in words.")]
    metric: Annotated[str, Meta(description="Canonical name of the metric or outcome.")]
    baseline: Annotated[
        float | None, Meta(description="Mean of the baseline; null for one configuration alone.")
    ]
    config: Annotated[float | None, Meta(description="Mean of the configuration.")]
    delta: Annotated[float | None, Meta(description="Mean of configuration - baseline.")]
    ci_low: Annotated[float | None, Meta(description="Lower end of its 95 % interval.")]
    ci_high: Annotated[float | None, Meta(description="Upper end of its 95 % interval.")]
    ratio: Annotated[
        float | None, Meta(description="Geometric mean of the ratios, for cost, time and tokens.")
    ]
    ratio_low: Annotated[float | None, Meta(description="Lower end of its 95 % interval.")]
    ratio_high: Annotated[float | None, Meta(description="Upper end of its 95 % interval.")]
    p: Annotated[Share | None, Meta(description="Two-sided sign-flip p.")]
    p_adjusted: Annotated[Share | None, Meta(description="p adjusted over its family.")]
    better: Annotated[
        Count | None, Meta(description="Tasks better; null for one configuration alone.")
    ]
    same: Annotated[Count | None, Meta(description="Tasks that did not change.")]
    worse: Annotated[Count | None, Meta(description="Tasks worse.")]
    n: Annotated[Count, Meta(description="Number of tasks in the row.")]
    reason: Annotated[str | None, Meta(description="Why a value or the interval is missing.")]
    tasks: Annotated[
        list[AnswerTask],
        Meta(description="The single tasks that changed, if there is no interval."),
    ]


class AnswerEnough(Record, frozen=True, kw_only=True):
    """What this number of tasks can show."""

    metric: Annotated[str | None, Meta(description="The metric or outcome; null if there is none.")]
    n: Annotated[Count, Meta(description="Tasks compared.")]
    detectable: Annotated[
        float | None,
        Meta(description="Smaller mean differences would mostly be missed (power below 80 %)."),
    ]
    effect: Annotated[float | None, Meta(description="A smaller difference, a round number.")]
    needed: Annotated[
        Count | None, Meta(description=("Number of tasks needed to show that difference."))
    ]
    reason: Annotated[str | None, Meta(description="Why there is no such number.")]


class AnswerEquivalence(Record, frozen=True, kw_only=True):
    """Whether a difference of reward beyond the margin can be ruled out."""

    metric: Annotated[str, Meta(description="What is tested.")]
    margin: Annotated[float, Meta(description="The difference that is too small to matter.")]
    n: Annotated[Count, Meta(description="Tasks with both values.")]
    p_not_worse: Annotated[
        Share | None, Meta(description="If small, worse by more than the margin is ruled out.")
    ]
    p_equivalent: Annotated[
        Share | None, Meta(description="If small, any difference beyond the margin is ruled out.")
    ]
    reason: Annotated[str | None, Meta(description="Why there is no p.")]


class Answer(Record, frozen=True, kw_only=True):
    """One configuration compared with the baseline, or only one configuration."""

    baseline: Annotated[str | None, Meta(description="The baseline; null without a comparison.")]
    config: Annotated[
        str | None, Meta(description="The configuration; null if none can be chosen.")
    ]
    comparison: Annotated[
        Literal["matched_comparisons", "other_comparisons"] | None,
        Meta(
            description=(
                "The list in the document that the numbers come from; null without a comparison."
            )
        ),
    ]
    n: Annotated[Count, Meta(description="Tasks compared, or tasks of the one configuration.")]
    rows: Annotated[list[AnswerRow], Meta(description="The numbers, by question.")]
    enough: Annotated[AnswerEnough, Meta(description="Whether there are enough tasks.")]
    reward_per_dollar: Annotated[
        float | None,
        Meta(
            description="Difference of reward for each extra dollar, over tasks that have "
            "both; null if the configuration does not cost more."
        ),
    ]
    equivalence: Annotated[
        AnswerEquivalence | None,
        Meta(description="The test of equivalence, where a margin was given."),
    ]
    look_at: Annotated[list[str], Meta(description="What limits the answer.")]
    hint: Annotated[str | None, Meta(description="A flag that would make more tasks comparable.")]
    statement: Annotated[str, Meta(description="The answer in words; association only.")]


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
    ratio: Annotated[str, Meta(description="What is compared as a ratio, and how.")]
    adjusted: Annotated[str, Meta(description="How p values of comparisons are adjusted.")]
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
        Answer, Meta(description=("The answer: what a reader needs in order to decide."))
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
    refused: Annotated[
        list[RefusedDocument] | UnsetType,
        Meta(description="Documents that could not be read and do not count. Since 1.2."),
    ] = UNSET
