"""The answer: the few numbers and sentences to decide between two configurations."""

from typing import Literal

from msgspec import UNSET, UnsetType

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

    question: Question
    """found (relevant files shown), used (relevant files read), result (reward) or price (cost,
    else time, else tokens)."""
    metric: str
    """Canonical name of the metric or outcome."""
    baseline: float | None
    """Mean of the baseline; null for one configuration alone."""
    config: float | None
    """Mean of the configuration."""
    delta: float | None
    """Mean of configuration - baseline."""
    ci_low: float | None
    """Lower end of its interval. All rows of all configurations hold together with 95 %."""
    ci_high: float | None
    """Upper end of the same interval."""
    verdict: Verdict | None
    """higher or lower exactly if the interval excludes 0; not_worse or equivalent by the margin;
    untestable if no result of so few differences could exclude 0; else open. Open too if
    counting lost attempts as 0 would change the word. Null for one configuration alone."""
    p: Share | None
    """Two-sided sign-flip p, not adjusted."""
    p_adjusted: Share | None
    """p times the number of rows that are tested together."""
    better: Count | None
    """Tasks better; null for one configuration alone."""
    same: Count | None
    """Tasks that did not change."""
    worse: Count | None
    """Tasks worse."""
    n: Count
    """Number of tasks in the row."""
    reason: str | None
    """Why a value or the interval is missing."""
    scope: Scope | UnsetType = UNSET
    """these_repositories: fewer than 6 repositories are known, so the verdict is about tasks of
    these repositories only."""
    within_margin: bool | UnsetType = UNSET
    """With a margin, for reward: whether any difference beyond the margin is ruled out."""
    typical_ratio: float | UnsetType = UNSET
    """Cost, time, tokens: geometric mean of configuration over baseline, the factor of a typical
    task; absent if a value is 0."""


class AnswerTrials(Record, frozen=True, kw_only=True):
    """The trials of one configuration."""

    trials: Count
    """Distinct trials."""
    lost: Count
    """Trials without a valid reward."""
    compared: Count | UnsetType = UNSET
    """Trials of the tasks compared; absent without common tasks. Since 1.3."""
    compared_lost: Count | UnsetType = UNSET
    """Those of them without a valid reward. Since 1.3."""


class AnswerEnough(Record, frozen=True, kw_only=True):
    """What this number of tasks can show, by the test that gives the verdict."""

    metric: str | None
    """The metric or outcome; null if there is none."""
    n: Count
    """Tasks compared."""
    detectable: float | None
    """A true difference of this size is found in 80 of 100 such comparisons, smaller ones in
    fewer."""
    needed: Count | None
    """Tasks that find a difference of `at` in 80 of 100."""
    at: float
    """The margin; without one 0.10, or a tenth of the largest reward if that is 5 or more."""
    reason: str | None
    """Why a number is missing."""


class Linked(Record, frozen=True, kw_only=True):
    """How reward goes with shown recall."""

    n: Count
    """Tasks."""
    trials: Count
    """Trials with both values."""
    r: Coefficient | None
    """Pearson's coefficient."""
    slope: float | None
    """Reward between none and all relevant files shown."""
    ci_low: float | None
    """Lower end of the slope's 95 % interval."""
    ci_high: float | None
    """Upper end of the slope's 95 % interval."""
    p: Share | None
    """Two-sided p of the slope, not adjusted."""
    reason: str | None
    """Why something is missing."""


class Solved(Record, frozen=True, kw_only=True):
    """Trials, and those that are solved."""

    n: Count
    """Trials."""
    solved: Count
    """Trials with a reward of 1."""


class Strata(Record, frozen=True, kw_only=True):
    """The odds of being solved, compared inside groups of similar tasks."""

    by: list[str]
    """What makes tasks similar."""
    n: Count
    """Strata with both kinds of trials."""
    odds_ratio: float
    """Mantel and Haenszel's odds ratio."""
    ci_low: float
    """Lower end of its 95 % interval."""
    ci_high: float
    """Upper end of its 95 % interval."""


class ByFound(Record, frozen=True, kw_only=True):
    """Trials in which every relevant file was shown, and the others."""

    shown_all: Solved
    """Every relevant file was shown."""
    otherwise: Solved
    """At least one was not."""
    difference: float | None
    """Difference of the shares of solved trials."""
    ci_low: float | None
    """Lower end of its 95 % interval."""
    ci_high: float | None
    """Upper end of its 95 % interval."""
    strata: Strata | UnsetType = UNSET
    """Inside strata of similar tasks, where they exist."""


class AssociationOfLevel(Record, frozen=True, kw_only=True):
    """A recall and reward. Association only: a third thing may cause both."""

    across: Linked
    """Over the means of tasks: how hard a task is moves both."""
    within: Linked
    """With task and configuration held fixed; null with a reason if it is not possible."""
    by_found: ByFound
    """Solved trials by whether all was shown."""


class AnswerAssociation(AssociationOfLevel, frozen=True, kw_only=True):
    """Shown recall of files and reward, and the same of functions."""

    functions: AssociationOfLevel | UnsetType = UNSET
    """The same of function recall; absent if no trial has it."""


class CostPerSolved(Record, frozen=True, kw_only=True):
    """What one solved task cost a configuration, its failures included."""

    n: Count
    """Tasks with cost and reward."""
    solved: float
    """Solved tasks; a task counts by its share."""
    value: float | None
    """Total cost divided by solved tasks."""
    ci_low: float | None
    """Lower end of its 95 % interval."""
    ci_high: float | None
    """Upper end of its 95 % interval."""
    reason: str | None
    """Why a number is missing."""


MAX_TASKS_NAMED = 20
"""As `LookAt.tasks` says."""


class LookAt(Record, frozen=True, kw_only=True):
    """Something that limits the answer."""

    kind: LookAtKind
    """What it is about."""
    text: str
    """One line."""
    tasks: list[str]
    """Tasks that it is about, at most 20."""


class Answer(Record, frozen=True, kw_only=True):
    """One configuration compared with the baseline, or only one configuration."""

    headline: str
    """The answer in sentences."""
    baseline: str | None
    """The baseline; null without a comparison."""
    config: str | None
    """The configuration; null if none can be chosen."""
    comparison: Literal["matched_comparisons", "other_comparisons", "unpaired_comparisons"] | None
    """The list in the document that the numbers come from; null without a comparison."""
    n: Count
    """Tasks compared, or tasks of the one configuration."""
    trials: dict[str, AnswerTrials]
    """Each configuration's trials, and lost ones."""
    rows: list[AnswerRow]
    """The numbers, by question."""
    association: AnswerAssociation | None
    """Whether finding goes with solving."""
    enough: AnswerEnough
    """Whether there are enough tasks."""
    cost_per_solved: dict[str, CostPerSolved]
    """By configuration; empty where cost or reward is unknown."""
    look_at: list[LookAt]
    """What limits the answer."""
    statement: str
    """What the numbers do and do not say."""
    prices: str | UnsetType = UNSET
    """Where tokens are known and cost is not: a file for --prices with the models found, to be
    filled in. Since 1.3."""
