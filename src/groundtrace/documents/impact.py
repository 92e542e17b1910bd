"""The impact document: how retrieval relates to outcomes, and how configurations differ.

It shows association only: nothing in it ranks configurations, blocks a run or scores a task.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from groundtrace.documents.aggregates import ConfigAggregate, MetricAggregate
from groundtrace.documents.answer import Answer
from groundtrace.documents.base import Count, Record, Share, Version
from groundtrace.documents.comparison import (
    Coefficient,
    Delta,
    MatchedComparison,
    MatchedTask,
    Reasons,
)
from groundtrace.documents.summary import RefusedDocument

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
