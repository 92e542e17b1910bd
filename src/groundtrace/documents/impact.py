"""The impact document: how retrieval relates to outcomes, and how configurations differ.

It shows association only: nothing in it ranks configurations, blocks a run or scores a task.
"""

from typing import Literal

from msgspec import UNSET, UnsetType

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

    metric: str
    """Canonical name of the metric or outcome."""
    direction: Direction
    """Which values are better."""
    mean: float | None
    """Mean over n tasks; null when there is none."""
    median: float | None
    """Median over n tasks."""
    n: Count
    """Tasks with a value."""
    left_out: Reasons
    """Tasks without a value, by reason."""
    hit_rate: Share | None
    """For times to the first relevant file: mean share of a task's trials with a hit, over the
    computable tasks."""


class PassShare(Record, frozen=True, kw_only=True):
    """pass@k over tasks."""

    k: Count
    """The k of pass@k."""
    value: Share | None
    """Chance that at least one of k trials has a reward of 1."""
    n: Count
    """Tasks with at least k trials."""
    left_out: Count
    """Tasks with fewer than k trials."""


class TrialSpread(Record, frozen=True, kw_only=True):
    """How much the rewards of several trials of one task agree."""

    n: Count
    """Tasks with at least two rewards."""
    trials: Count
    """Trials of these tasks."""
    within_sd: float | None
    """Standard deviation inside a task, pooled over tasks."""
    between_sd: float | None
    """Standard deviation of the tasks' means."""
    flip: Count
    """Tasks where some trials pass and some do not."""
    flip_share: Share | None
    """Share of tasks where some trials pass and some do not."""
    pass_at: list[PassShare]
    """pass@k."""


class ConfigAggregate(Record, frozen=True, kw_only=True):
    """One configuration over all its tasks, matched or not."""

    config_name: str
    """Configuration."""
    n_tasks: Count
    """Distinct tasks."""
    n_trials: Count
    """Distinct trials, copies counted once."""
    n_copies: Count
    """Copies of trials that were not counted again."""
    models: Reasons
    """Trials by model; `unknown` if not known."""
    harness_versions: Reasons
    """Trials by harness version; `unknown` if not known."""
    trial_spread: TrialSpread | None
    """How trials of the same task differ; null if no task has two rewards, or if rewards of another
    scale do not say which trials pass."""
    metrics: list[MetricAggregate]
    """Every metric and outcome."""


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

    correlation: str
    """The coefficient, and what counts as one unit in each scope."""
    correlation_p: str
    """The permutation test of the coefficient."""
    delta_p: str
    """The test of a mean delta."""
    interval: str
    """How the intervals are made."""
    totals: str
    """How cost, time and tokens are compared."""
    adjusted: str
    """Which rows are one family, and its level."""
    margin: str
    """How a margin is tested."""
    lost: str
    """What attempts without a valid reward do."""
    groups: str
    """How groups that disagree are found."""
    association: str
    """How the answer links retrieval with reward."""
    stopping: str
    """When to look at the results."""
    flipped: str
    """What is flipped: tasks or whole repositories."""
    other: str
    """What the other comparisons are."""
    ranks: str
    """When resamples are ranked again and when not."""
    holm: str
    """How p values of correlations are adjusted."""
    effect_size: str
    """The effect size."""
    matching: str
    """What makes a matched pair."""
    minimum: str
    """The smallest number of tasks for each kind of result."""


class Correlation(Record, frozen=True, kw_only=True):
    """The association of one retrieval metric with one outcome."""

    retrieval_metric: str
    """Canonical name of the metric."""
    outcome: str
    """Canonical name of the outcome."""
    scope: CorrelationScope
    """overall: per-task means over all configurations; config: the tasks of one configuration;
    within_config: ranks inside each configuration, pooled."""
    config_name: str | None
    """The configuration when the scope is config, else null."""
    computable: bool
    """Whether there is a coefficient."""
    reason: str | None
    """Why not, when not computable."""
    spearman_r: Coefficient | None
    """Spearman's coefficient."""
    ci_low: Coefficient | None
    """Lower end of the 95 % interval."""
    ci_high: Coefficient | None
    """Upper end of the 95 % interval."""
    p: Share | None
    """Two-sided permutation p."""
    p_holm: Share | None
    """p adjusted by Holm within the scope."""
    p_exact: bool | None
    """Whether all permutations were enumerated; null without p."""
    inference_reason: str | None
    """Why p or the interval is missing, when one is."""
    ranks_once: bool | None
    """True when ranks were computed once instead of in each resample; null without an interval."""
    n: Count
    """Tasks with both values."""
    n_movable: Count | None
    """Tasks that the permutation test can exchange with another task; null without a test."""
    left_out: Reasons
    """Tasks without both values, by reason."""


class CorrelationAnalysis(Record, frozen=True, kw_only=True):
    """All correlations."""

    computable: bool
    """Whether any coefficient could be computed."""
    reason: str | None
    """Why not, when none could."""
    correlations: list[Correlation]
    """By scope, metric, outcome."""
    notes: list[str]
    """Cases in which ranking inside suites changes a conclusion, one sentence each."""


class ImpactDocument(Record, frozen=True, kw_only=True):
    """Correlations, matched comparisons and aggregates of one run or of all runs."""

    schema_version: Version
    generated_at: Time
    """When it was computed, UTC."""
    scope: str
    """Run id, or `*` for all runs."""
    statement: str
    """What the numbers do and do not say."""
    seed: int
    """Seed of all random draws."""
    draws: Count
    """Random draws of each resampling."""
    baseline: str
    """Name or pattern that chose the baseline."""
    against: str | None
    """Name or pattern that chose what to compare; null for all."""
    pair_across_runs: bool
    """Whether pairs may span runs."""
    allow_unknown_version: bool
    """Whether pairs with an unknown harness version count."""
    primaries: list[str]
    """The metrics and outcomes that were declared primary."""
    n_trials: Count
    """Distinct trials."""
    n_copies: Count
    """Copies of trials that were not counted again."""
    answer: Answer
    """What a reader needs in order to decide: the pair with the most tasks."""
    answers: list[Answer]
    """The same for each configuration that is compared."""
    method: Method
    """How the numbers were made."""
    correlation_analysis: CorrelationAnalysis
    """Correlations of retrieval metrics with outcomes."""
    matched_comparisons: list[MatchedComparison]
    """Configurations compared with the baseline."""
    other_comparisons: list[MatchedComparison]
    """The matched pairs together with pairs that do not meet every requirement; `not_met` names the
    requirements."""
    matched_reason: str | None
    """Why there is no comparison, when there is none."""
    config_aggregates: list[ConfigAggregate]
    """Each configuration, including unmatched tasks."""
    unpaired_comparisons: list[UnpairedComparison] | UnsetType = UNSET
    """Pairs of configurations that share no task; absent if there are none. Since 1.3."""
    refused: list[RefusedDocument] | UnsetType = UNSET
    """Documents that could not be read and do not count. Since 1.2."""
