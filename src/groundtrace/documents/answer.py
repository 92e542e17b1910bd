"""The answer: the few numbers that a reader needs first to decide between two configurations."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from groundtrace.documents.base import Count, Record, Share


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
