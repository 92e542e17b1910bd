"""The impact document: how retrieval relates to outcomes, and what configurations differ in.

Association only: nothing in it ranks configurations, gates a run or scores a task.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from groundtrace.documents.answer import Answer
from groundtrace.documents.base import Count, Record, Share, Version
from groundtrace.documents.summary import RefusedDocument

Coefficient = Annotated[float, Meta(ge=-1, le=1)]
"""A correlation coefficient."""

Direction = Literal["higher", "lower"]
"""Which values of a metric are better (D35)."""

CorrelationScope = Literal["overall", "config", "within_config"]

PairDropReason = Literal[
    "missing_side",
    "different_runs",
    "same_trial",
    "model_unknown",
    "model_differs",
    "harness_version_unknown",
    "harness_version_differs",
    "no_valid_reward",
    "outcomes_refused",
]
"""Why a task is not matched; a task counts under the requirement that it failed (D33)."""

Side = Literal["baseline", "config", "both"]
"""Which side of a pair something is missing on."""

Requirement = Literal["model", "harness_version", "reward", "run"]
"""What the two sides of a matched pair must share, or both have."""

Reasons = dict[str, Count]


class Method(Record, frozen=True, kw_only=True):
    """How the numbers were made, in words, so that a table can be read without the code."""

    correlation: Annotated[str, Meta(description="The coefficient and its units by scope.")]
    correlation_p: Annotated[str, Meta(description="Its permutation test.")]
    delta_p: Annotated[str, Meta(description="The test of a mean delta.")]
    interval: Annotated[str, Meta(description="The intervals.")]
    ratio: Annotated[str, Meta(description="What is compared as a ratio, and how.")]
    adjusted: Annotated[str, Meta(description="How p values of comparisons are adjusted.")]
    flipped: Annotated[str, Meta(description="What is flipped: tasks or whole repositories.")]
    other: Annotated[str, Meta(description="What the other comparisons are.")]
    ranks: Annotated[str, Meta(description="When resamples are ranked again and when not.")]
    holm: Annotated[str, Meta(description="How p values of correlations are adjusted.")]
    effect_size: Annotated[str, Meta(description="The effect size.")]
    matching: Annotated[str, Meta(description="What makes a matched pair.")]
    minimum: Annotated[str, Meta(description="What is not computed below which size.")]


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
            description="Tasks that another task could trade places with in the permutation test; "
            "null without one."
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
        Meta(description="Where ranking inside suites changes a conclusion, one sentence each."),
    ]


class Delta(Record, frozen=True, kw_only=True):
    """One metric over the matched tasks: configuration minus baseline."""

    metric: Annotated[str, Meta(description="Canonical name of the metric or outcome.")]
    table: Annotated[
        Literal["primary", "other"],
        Meta(description="The family of tests that p_adjusted is adjusted over."),
    ]
    direction: Annotated[Direction, Meta(description="Which values are better.")]
    computable: Annotated[bool, Meta(description="Whether there are enough pairs.")]
    reason: Annotated[str | None, Meta(description="Why not, when not computable.")]
    mean_baseline: Annotated[float | None, Meta(description="Mean of the baseline over n.")]
    mean_config: Annotated[float | None, Meta(description="Mean of the configuration over n.")]
    mean_delta: Annotated[float | None, Meta(description="Mean of configuration - baseline.")]
    median_delta: Annotated[float | None, Meta(description="Median of the deltas.")]
    q1: Annotated[float | None, Meta(description="Lower quartile of the deltas.")]
    q3: Annotated[float | None, Meta(description="Upper quartile of the deltas.")]
    n_better: Annotated[Count, Meta(description="Tasks better than the baseline, by direction.")]
    n_worse: Annotated[Count, Meta(description="Tasks worse than the baseline, by direction.")]
    n_same: Annotated[Count, Meta(description="Tasks that did not change.")]
    ci_low: Annotated[
        float | None,
        Meta(
            description="Lower end of the mean delta's interval; null for what is compared as a "
            "ratio."
        ),
    ]
    ci_high: Annotated[float | None, Meta(description="Upper end of the same interval.")]
    ratio: Annotated[
        float | None,
        Meta(
            description="Geometric mean of configuration over baseline, for cost, time and tokens."
        ),
    ]
    ratio_low: Annotated[float | None, Meta(description="Lower end of the ratio's interval.")]
    ratio_high: Annotated[float | None, Meta(description="Upper end of the ratio's interval.")]
    ratio_left_out: Annotated[
        Count | None,
        Meta(description="Pairs without a ratio because a value is 0 or less; null elsewhere."),
    ]
    p: Annotated[
        Share | None,
        Meta(
            description="Two-sided sign-flip p of the mean delta, or of the mean log of the ratio."
        ),
    ]
    p_adjusted: Annotated[
        Share | None,
        Meta(description="p adjusted over its family; null in one suite, which is exploratory."),
    ]
    p_smallest: Annotated[
        Share | None, Meta(description="The smallest p that this many differences can give.")
    ]
    p_exact: Annotated[
        bool | None, Meta(description="Whether all sign flips were enumerated; null without p.")
    ]
    effect_size: Annotated[
        float | None,
        Meta(description="Mean delta over the standard deviation of the deltas (Cohen's dz)."),
    ]
    inference_reason: Annotated[
        str | None, Meta(description="Why p, interval or effect size is missing, when one is.")
    ]
    n: Annotated[Count, Meta(description="Matched tasks with the metric on both sides.")]
    left_out: Annotated[
        Reasons, Meta(description="Matched tasks without it, by the side that lacks it.")
    ]
    only_baseline_hit: Annotated[
        Count | None,
        Meta(description="For times to the first relevant file: tasks only the baseline hit."),
    ]
    only_config_hit: Annotated[
        Count | None,
        Meta(description="For times to the first relevant file: tasks only the other hit."),
    ]


class MatchedTask(Record, frozen=True, kw_only=True):
    """One matched task: both sides' values, trials averaged."""

    task_name: Annotated[str, Meta(description="Canonical task.")]
    benchmark: Annotated[str | None, Meta(description="Suite; null when unknown.")]
    runs: Annotated[list[str], Meta(description="Runs that its trials come from.")]
    repo: Annotated[str | None, Meta(description="The task's repository; null when not known.")]
    models: Annotated[
        list[str], Meta(description="Models; the same on both sides of a matched task.")
    ]
    harness_versions: Annotated[
        list[str],
        Meta(description="Known harness versions; the same on both sides of a matched task."),
    ]
    not_met: Annotated[
        list[Requirement], Meta(description="Requirements that this pair does not meet.")
    ]
    n_trials_baseline: Annotated[Count, Meta(description="Trials of the baseline.")]
    n_trials_config: Annotated[Count, Meta(description="Trials of the configuration.")]
    baseline: Annotated[dict[str, float], Meta(description="Metric to value; undefined absent.")]
    config: Annotated[dict[str, float], Meta(description="Metric to value; undefined absent.")]


class DroppedTask(Record, frozen=True, kw_only=True):
    """A task of either configuration that could not be matched."""

    task_name: Annotated[str, Meta(description="Canonical task.")]
    benchmark: Annotated[str | None, Meta(description="Suite; null when unknown.")]
    reason: Annotated[PairDropReason, Meta(description="The requirement that it failed.")]
    side: Annotated[
        Side | None,
        Meta(description="The side that lacks what is required; null where the sides differ."),
    ]


class TandemEntry(Record, frozen=True, kw_only=True):
    """Differences of a retrieval metric against differences of an outcome, over matched tasks."""

    retrieval_metric: Annotated[str, Meta(description="Canonical name of the metric.")]
    outcome: Annotated[str, Meta(description="Canonical name of the outcome.")]
    n: Annotated[Count, Meta(description="Tasks with both differences.")]
    spearman_r: Annotated[
        Coefficient | None,
        Meta(description="Spearman's coefficient of the differences, ranked inside suites."),
    ]
    ci_low: Annotated[Coefficient | None, Meta(description="Lower end of the 95 % interval.")]
    ci_high: Annotated[Coefficient | None, Meta(description="Upper end of the 95 % interval.")]
    p: Annotated[Share | None, Meta(description="Two-sided permutation p, adjusted for nothing.")]
    reason: Annotated[str | None, Meta(description="Why something is missing.")]
    n_movable: Annotated[Count | None, Meta(description="Tasks that can trade places in the test.")]
    together: Annotated[Count, Meta(description="Tasks where both rose or both fell.")]
    opposed: Annotated[Count, Meta(description="Tasks where one rose and the other fell.")]
    unchanged: Annotated[Count, Meta(description="Tasks where one of them did not change.")]


class FirstHits(Record, frozen=True, kw_only=True):
    """Times to the first relevant file, a miss counted as the horizon (a restricted mean)."""

    metric: Annotated[str, Meta(description="Canonical name of the time.")]
    horizon: Annotated[
        float | None, Meta(description="The latest hit of either side; null without a hit.")
    ]
    n: Annotated[Count, Meta(description="Tasks whose two sides count from the same moment.")]
    mean_baseline: Annotated[float | None, Meta(description="Restricted mean of the baseline.")]
    mean_config: Annotated[float | None, Meta(description="That of the configuration.")]
    mean_delta: Annotated[float | None, Meta(description="Mean of configuration - baseline.")]
    ci_low: Annotated[float | None, Meta(description="Lower end of its 95 % interval.")]
    ci_high: Annotated[float | None, Meta(description="Upper end of its 95 % interval.")]
    p: Annotated[Share | None, Meta(description="Two-sided sign-flip p, adjusted for nothing.")]
    misses_baseline: Annotated[Count, Meta(description="Tasks that the baseline missed.")]
    misses_config: Annotated[Count, Meta(description="Tasks that the configuration missed.")]
    reason: Annotated[str | None, Meta(description="Why p or the interval is missing.")]
    left_out: Annotated[Reasons, Meta(description="Tasks that do not count, by reason.")]


class MatchedComparison(Record, frozen=True, kw_only=True):
    """One configuration against the baseline, over the tasks that can be compared.

    Both `matched_comparisons` and `other_comparisons` hold such entries.
    """

    run_scope: Annotated[str, Meta(description="Run id, or `*` for all runs.")]
    suite: Annotated[str | None, Meta(description="One suite; null for all of them.")]
    baseline_config: Annotated[str, Meta(description="The baseline.")]
    config: Annotated[str, Meta(description="The configuration compared with it.")]
    computable: Annotated[bool, Meta(description="Whether there are enough matched tasks.")]
    reason: Annotated[str | None, Meta(description="Why not, when not computable.")]
    n_matched_tasks: Annotated[Count, Meta(description="Tasks that meet every requirement.")]
    n_unknown_version: Annotated[
        Count,
        Meta(description="Matched tasks that count although a harness version is unknown."),
    ]
    dropped: Annotated[
        dict[PairDropReason, Count], Meta(description="Tasks not matched, by reason.")
    ]
    dropped_sides: Annotated[
        dict[PairDropReason, dict[Side, Count]],
        Meta(description="The same by the side that lacks what is required, where one does."),
    ]
    not_met: Annotated[
        list[Requirement],
        Meta(
            description="Requirements that some of its pairs do not meet; empty for a matched "
            "comparison."
        ),
    ]
    exploratory: Annotated[
        bool, Meta(description="True for one suite: its p values are adjusted for nothing.")
    ]
    flipped: Annotated[
        Literal["tasks", "repositories"], Meta(description="What the sign-flip tests flip.")
    ]
    n_flipped: Annotated[Count, Meta(description="How many of them there are.")]
    deltas: Annotated[list[Delta], Meta(description="One for each metric and outcome.")]
    tandem: Annotated[
        list[TandemEntry],
        Meta(description="Did reward change where retrieval did? Empty for one suite."),
    ]
    first_hits: Annotated[
        list[FirstHits],
        Meta(description="Times to the first relevant file with misses. Empty for one suite."),
    ]
    notes: Annotated[
        list[str],
        Meta(description="Choices that would change a conclusion, one sentence each."),
    ]
    tasks: Annotated[
        list[MatchedTask] | None,
        Meta(
            description="The matched tasks; null for one suite, whose tasks are in the "
            "comparison over all suites."
        ),
    ]
    dropped_tasks: Annotated[
        list[DroppedTask] | None,
        Meta(description="The tasks not matched; null where tasks is null."),
    ]


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

    k: Annotated[Count, Meta(description="Trials that a task may take.")]
    value: Annotated[
        Share | None, Meta(description="Chance that at least one of k trials has a reward of 1.")
    ]
    n: Annotated[Count, Meta(description="Tasks with at least k trials.")]
    left_out: Annotated[Count, Meta(description="Tasks with fewer.")]


class TrialSpread(Record, frozen=True, kw_only=True):
    """How far the rewards of several trials of one task agree."""

    n: Annotated[Count, Meta(description="Tasks with at least two rewards.")]
    trials: Annotated[Count, Meta(description="Their trials.")]
    within_sd: Annotated[
        float | None, Meta(description="Standard deviation inside a task, pooled over tasks.")
    ]
    between_sd: Annotated[float | None, Meta(description="Standard deviation of the tasks' means.")]
    flip: Annotated[Count, Meta(description="Tasks where some trials pass and some do not.")]
    flip_share: Annotated[Share | None, Meta(description="Their share.")]
    pass_at: Annotated[list[PassShare], Meta(description="pass@k.")]


class ConfigAggregate(Record, frozen=True, kw_only=True):
    """One configuration over all its tasks, matched or not."""

    config_name: Annotated[str, Meta(description="Configuration.")]
    n_tasks: Annotated[Count, Meta(description="Distinct tasks.")]
    n_trials: Annotated[Count, Meta(description="Distinct trials, copies counted once.")]
    n_copies: Annotated[Count, Meta(description="Copies of trials that were not counted again.")]
    models: Annotated[Reasons, Meta(description="Trials by model; `unknown` where not known.")]
    harness_versions: Annotated[
        Reasons, Meta(description="Trials by harness version; `unknown` where not known.")
    ]
    trial_spread: Annotated[
        TrialSpread | None,
        Meta(description="Several trials of a task; null where no task has two rewards."),
    ]
    metrics: Annotated[list[MetricAggregate], Meta(description="Every metric and outcome.")]


class ImpactDocument(Record, frozen=True, kw_only=True):
    """Correlations, matched comparisons and aggregates of one run or of all runs."""

    schema_version: Version
    generated_at: Annotated[str, Meta(description="When it was computed, UTC.")]
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
    answer: Annotated[Answer, Meta(description="What a reader must know to decide, first.")]
    method: Annotated[Method, Meta(description="How the numbers were made.")]
    correlation_analysis: Annotated[
        CorrelationAnalysis, Meta(description="Retrieval metrics against outcomes.")
    ]
    matched_comparisons: Annotated[
        list[MatchedComparison], Meta(description="Configurations against the baseline.")
    ]
    other_comparisons: Annotated[
        list[MatchedComparison],
        Meta(
            description="Pairs that fail requirements of a matched comparison, named in not_met, "
            "with the matched ones."
        ),
    ]
    matched_reason: Annotated[
        str | None, Meta(description="Why there is no comparison, when there is none.")
    ]
    config_aggregates: Annotated[
        list[ConfigAggregate], Meta(description="Each configuration, unmatched tasks included.")
    ]
    refused: Annotated[
        list[RefusedDocument] | UnsetType,
        Meta(description="Documents that could not be read and do not count. Since 1.2."),
    ] = UNSET
