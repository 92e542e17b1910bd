"""The answer: the few numbers and sentences to decide between two configurations."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from groundtrace.documents.base import Count, Record, Share
from groundtrace.documents.comparison import Coefficient, Scope, Verdict

Question = Literal["found", "used", "result", "price"]
"""What a row of the answer is about."""

LookAtKind = Literal[
    "lost",
    "heterogeneity",
    "left_out",
    "not_matched",
    "dominated",
    "typical",
    "scale",
    "attempts",
    "note",
    "unknown_tools",
    "no_ground_truth",
    "no_trace",
    "empty_trace",
    "answers_missing",
    "subagents_unseen",
    "older_document",
    "elsewhere",
    "truth_sources",
    "baseline",
    "one_commit",
    "no_cost",
]
"""What a line of "Look at" is about."""


class AnswerRow(Record, frozen=True, kw_only=True):
    """One number that answers a question, over the tasks that both configurations have."""

    question: Annotated[
        Question,
        Meta(
            description="found (relevant files shown), used (relevant files read), result "
            "(reward) or price (cost, else time, else tokens)."
        ),
    ]
    metric: Annotated[str, Meta(description="Canonical name of the metric or outcome.")]
    baseline: Annotated[
        float | None, Meta(description="Mean of the baseline; null for one configuration alone.")
    ]
    config: Annotated[float | None, Meta(description="Mean of the configuration.")]
    delta: Annotated[float | None, Meta(description="Mean of configuration - baseline.")]
    ci_low: Annotated[
        float | None,
        Meta(
            description="Lower end of its interval. All rows of all configurations hold together "
            "with 95 %."
        ),
    ]
    ci_high: Annotated[float | None, Meta(description="Upper end of the same interval.")]
    verdict: Annotated[
        Verdict | None,
        Meta(
            description="higher or lower exactly if the interval excludes 0; not_worse or "
            "equivalent by the margin; untestable if no result of so few differences could "
            "exclude 0; else open. Open too if counting lost attempts as 0 would change the "
            "word. Null for one configuration alone."
        ),
    ]
    p: Annotated[Share | None, Meta(description="Two-sided sign-flip p, not adjusted.")]
    p_adjusted: Annotated[
        Share | None, Meta(description="p times the number of rows that are tested together.")
    ]
    better: Annotated[
        Count | None, Meta(description="Tasks better; null for one configuration alone.")
    ]
    same: Annotated[Count | None, Meta(description="Tasks that did not change.")]
    worse: Annotated[Count | None, Meta(description="Tasks worse.")]
    n: Annotated[Count, Meta(description="Number of tasks in the row.")]
    reason: Annotated[str | None, Meta(description="Why a value or the interval is missing.")]
    scope: Annotated[
        Scope | UnsetType,
        Meta(
            description="these_repositories: fewer than 6 repositories are known, so the verdict "
            "is about tasks of these repositories only."
        ),
    ] = UNSET
    within_margin: Annotated[
        bool | UnsetType,
        Meta(
            description="With a margin, for reward: whether any difference beyond the margin is "
            "ruled out."
        ),
    ] = UNSET
    typical_ratio: Annotated[
        float | UnsetType,
        Meta(
            description="Cost, time, tokens: geometric mean of configuration over baseline, the "
            "factor of a typical task; absent if a value is 0."
        ),
    ] = UNSET


class AnswerTrials(Record, frozen=True, kw_only=True):
    """The trials of one configuration."""

    trials: Annotated[Count, Meta(description="Distinct trials.")]
    lost: Annotated[Count, Meta(description="Trials without a valid reward.")]
    compared: Annotated[
        Count | UnsetType,
        Meta(description="Trials of the tasks compared; absent without common tasks. Since 1.3."),
    ] = UNSET
    compared_lost: Annotated[
        Count | UnsetType, Meta(description="Those of them without a valid reward. Since 1.3.")
    ] = UNSET


class AnswerEnough(Record, frozen=True, kw_only=True):
    """What this number of tasks can show, by the test that gives the verdict."""

    metric: Annotated[str | None, Meta(description="The metric or outcome; null if there is none.")]
    n: Annotated[Count, Meta(description="Tasks compared.")]
    detectable: Annotated[
        float | None,
        Meta(
            description="A true difference of this size is found in 80 of 100 such comparisons, "
            "smaller ones in fewer."
        ),
    ]
    needed: Annotated[
        Count | None, Meta(description="Tasks that find a difference of `at` in 80 of 100.")
    ]
    at: Annotated[
        float,
        Meta(
            description="The margin; without one 0.10, or a tenth of the largest reward if that "
            "is 5 or more."
        ),
    ]
    reason: Annotated[str | None, Meta(description="Why a number is missing.")]


class Linked(Record, frozen=True, kw_only=True):
    """How reward goes with shown recall."""

    n: Annotated[Count, Meta(description="Tasks.")]
    trials: Annotated[Count, Meta(description="Trials with both values.")]
    r: Annotated[Coefficient | None, Meta(description="Pearson's coefficient.")]
    slope: Annotated[
        float | None, Meta(description="Reward between none and all relevant files shown.")
    ]
    ci_low: Annotated[float | None, Meta(description="Lower end of the slope's 95 % interval.")]
    ci_high: Annotated[float | None, Meta(description="Upper end of the slope's 95 % interval.")]
    p: Annotated[Share | None, Meta(description="Two-sided p of the slope, not adjusted.")]
    reason: Annotated[str | None, Meta(description="Why something is missing.")]


class Solved(Record, frozen=True, kw_only=True):
    """Trials, and those that are solved."""

    n: Annotated[Count, Meta(description="Trials.")]
    solved: Annotated[Count, Meta(description="Trials with a reward of 1.")]


class Strata(Record, frozen=True, kw_only=True):
    """The odds of being solved, compared inside groups of similar tasks."""

    by: Annotated[list[str], Meta(description="What makes tasks similar.")]
    n: Annotated[Count, Meta(description="Strata with both kinds of trials.")]
    odds_ratio: Annotated[float, Meta(description="Mantel and Haenszel's odds ratio.")]
    ci_low: Annotated[float, Meta(description="Lower end of its 95 % interval.")]
    ci_high: Annotated[float, Meta(description="Upper end of its 95 % interval.")]


class ByFound(Record, frozen=True, kw_only=True):
    """Trials in which every relevant file was shown, and the others."""

    shown_all: Annotated[Solved, Meta(description="Every relevant file was shown.")]
    otherwise: Annotated[Solved, Meta(description="At least one was not.")]
    difference: Annotated[
        float | None, Meta(description="Difference of the shares of solved trials.")
    ]
    ci_low: Annotated[float | None, Meta(description="Lower end of its 95 % interval.")]
    ci_high: Annotated[float | None, Meta(description="Upper end of its 95 % interval.")]
    strata: Annotated[
        Strata | UnsetType, Meta(description="Inside strata of similar tasks, where they exist.")
    ] = UNSET


class AssociationOfLevel(Record, frozen=True, kw_only=True):
    """A recall and reward. Association only: a third thing may cause both."""

    across: Annotated[
        Linked, Meta(description="Over the means of tasks: how hard a task is moves both.")
    ]
    within: Annotated[
        Linked,
        Meta(
            description="With task and configuration held fixed; null with a reason if it is not possible."
        ),
    ]
    by_found: Annotated[ByFound, Meta(description="Solved trials by whether all was shown.")]


class AnswerAssociation(AssociationOfLevel, frozen=True, kw_only=True):
    """Shown recall of files and reward, and the same of functions."""

    functions: Annotated[
        AssociationOfLevel | UnsetType,
        Meta(description="The same of function recall; absent if no trial has it."),
    ] = UNSET


class CostPerSolved(Record, frozen=True, kw_only=True):
    """What one solved task cost a configuration, its failures included."""

    n: Annotated[Count, Meta(description="Tasks with cost and reward.")]
    solved: Annotated[float, Meta(description="Solved tasks; a task counts by its share.")]
    value: Annotated[float | None, Meta(description="Total cost divided by solved tasks.")]
    ci_low: Annotated[float | None, Meta(description="Lower end of its 95 % interval.")]
    ci_high: Annotated[float | None, Meta(description="Upper end of its 95 % interval.")]
    reason: Annotated[str | None, Meta(description="Why a number is missing.")]


MAX_TASKS_NAMED = 20


class LookAt(Record, frozen=True, kw_only=True):
    """Something that limits the answer."""

    kind: Annotated[LookAtKind, Meta(description="What it is about.")]
    text: Annotated[str, Meta(description="One line.")]
    tasks: Annotated[
        list[str], Meta(description=f"Tasks that it is about, at most {MAX_TASKS_NAMED}.")
    ]


class Answer(Record, frozen=True, kw_only=True):
    """One configuration compared with the baseline, or only one configuration."""

    headline: Annotated[str, Meta(description="The answer in sentences.")]
    baseline: Annotated[str | None, Meta(description="The baseline; null without a comparison.")]
    config: Annotated[
        str | None, Meta(description="The configuration; null if none can be chosen.")
    ]
    comparison: Annotated[
        Literal["matched_comparisons", "other_comparisons", "unpaired_comparisons"] | None,
        Meta(
            description=(
                "The list in the document that the numbers come from; null without a comparison."
            )
        ),
    ]
    n: Annotated[Count, Meta(description="Tasks compared, or tasks of the one configuration.")]
    trials: Annotated[
        dict[str, AnswerTrials], Meta(description="Each configuration's trials, and lost ones.")
    ]
    rows: Annotated[list[AnswerRow], Meta(description="The numbers, by question.")]
    association: Annotated[
        AnswerAssociation | None, Meta(description="Whether finding goes with solving.")
    ]
    enough: Annotated[AnswerEnough, Meta(description="Whether there are enough tasks.")]
    cost_per_solved: Annotated[
        dict[str, CostPerSolved],
        Meta(description="By configuration; empty where cost or reward is unknown."),
    ]
    look_at: Annotated[list[LookAt], Meta(description="What limits the answer.")]
    statement: Annotated[str, Meta(description="What the numbers do and do not say.")]
    prices: Annotated[
        str | UnsetType,
        Meta(
            description="Where tokens are known and cost is not: a file for --prices with the models "
            "found, to be filled in. Since 1.3."
        ),
    ] = UNSET
