"""Two configurations over the tasks that can be compared, as the impact document holds them."""

from typing import Annotated, Literal

from msgspec import Meta, field

from groundtrace.documents.base import Count, Record, Share

Coefficient = Annotated[float, Meta(ge=-1, le=1)]
"""A correlation coefficient."""

Direction = Literal["higher", "lower"]
"""Which values of a metric are better (D35)."""

PairDropReason = Literal[
    "missing_side",
    "document_refused",
    "different_runs",
    "same_trial",
    "model_unknown",
    "model_differs",
    "harness_version_unknown",
    "harness_version_differs",
    "no_valid_reward",
    "outcomes_refused",
]
"""Why a task is not matched: the requirement that it does not meet (D33)."""

Side = Literal["baseline", "config", "both"]
"""Which side of a pair something is missing on."""

Requirement = Literal["model", "harness_version", "reward", "run"]
"""What the two sides of a matched pair must have in common, or must both have."""

Verdict = Literal["higher", "lower", "not_worse", "equivalent", "open", "untestable"]
"""What an interval of a primary metric allows to say."""

Scope = Literal["these_repositories"]
"""What a verdict is about, if it is not about other repositories too."""

Reasons = dict[str, Count]
"""Counts by reason code."""


class Delta(Record, frozen=True, kw_only=True):
    """One metric over the matched tasks: configuration minus baseline."""

    metric: Annotated[str, Meta(description="Canonical name of the metric or outcome.")]
    table: Annotated[
        Literal["primary", "exploratory"],
        Meta(
            description="primary: a row of the answer, with a simultaneous interval and a "
            "verdict. exploratory: one of many, with an interval of its own and no verdict."
        ),
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
            description="Lower end of the mean delta's interval: of all primary rows together "
            "with 95 %, or of an exploratory metric alone."
        ),
    ]
    ci_high: Annotated[float | None, Meta(description="Upper end of the same interval.")]
    typical_ratio: Annotated[
        float | None,
        Meta(
            description="Geometric mean of configuration over baseline, for cost, time and "
            "tokens; null if a value is 0 or less."
        ),
    ]
    typical_low: Annotated[float | None, Meta(description="Lower end of its 95 % interval.")]
    typical_high: Annotated[float | None, Meta(description="Upper end of its 95 % interval.")]
    verdict: Annotated[
        Verdict | None, Meta(description="For primary metrics; see the rows of the answer.")
    ]
    within_margin: Annotated[
        bool | None,
        Meta(description="For reward with a margin: any difference beyond it is ruled out."),
    ]
    p: Annotated[
        Share | None, Meta(description="Two-sided sign-flip p of the mean delta, not adjusted.")
    ]
    p_adjusted: Annotated[
        Share | None,
        Meta(
            description="p times the number of rows that are tested together; null for "
            "exploratory metrics."
        ),
    ]
    p_smallest: Annotated[
        Share | None,
        Meta(description=("The smallest p that is possible with this number of differences.")),
    ]
    p_exact: Annotated[
        bool | None, Meta(description="Whether all sign flips were enumerated; null without p.")
    ]
    effect_size: Annotated[
        float | None,
        Meta(
            description=("Mean delta divided by the standard deviation of the deltas (Cohen's dz).")
        ),
    ]
    inference_reason: Annotated[
        str | None, Meta(description="Why p, interval or effect size is missing, when one is.")
    ]
    n: Annotated[Count, Meta(description="Matched tasks with the metric on both sides.")]
    left_out: Annotated[
        Reasons, Meta(description="Matched tasks without it, by the side on which it is missing.")
    ]
    only_baseline_hit: Annotated[
        Count | None,
        Meta(description="For times to the first relevant file: tasks that only the baseline hit."),
    ]
    only_config_hit: Annotated[
        Count | None,
        Meta(
            description=(
                "For times to the first relevant file: tasks that only the configuration hit."
            )
        ),
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
    baseline: Annotated[
        dict[str, float], Meta(description="Metric to value; a metric without a value is absent.")
    ]
    config: Annotated[
        dict[str, float], Meta(description="Metric to value; a metric without a value is absent.")
    ]


class DroppedTask(Record, frozen=True, kw_only=True):
    """A task of either configuration that could not be matched."""

    task_name: Annotated[str, Meta(description="Canonical task.")]
    benchmark: Annotated[str | None, Meta(description="Suite; null when unknown.")]
    reason: Annotated[PairDropReason, Meta(description="The requirement that it failed.")]
    side: Annotated[
        Side | None,
        Meta(
            description=(
                "The side on which something required is missing; null if the sides differ."
            )
        ),
    ]


class TandemEntry(Record, frozen=True, kw_only=True):
    """Differences of a retrieval metric and differences of an outcome, over matched tasks."""

    retrieval_metric: Annotated[str, Meta(description="Canonical name of the metric.")]
    outcome: Annotated[str, Meta(description="Canonical name of the outcome.")]
    n: Annotated[Count, Meta(description="Tasks with both differences.")]
    spearman_r: Annotated[
        Coefficient | None,
        Meta(description="Spearman's coefficient of the differences, ranked inside suites."),
    ]
    ci_low: Annotated[Coefficient | None, Meta(description="Lower end of the 95 % interval.")]
    ci_high: Annotated[Coefficient | None, Meta(description="Upper end of the 95 % interval.")]
    p: Annotated[Share | None, Meta(description="Two-sided permutation p, not adjusted.")]
    reason: Annotated[str | None, Meta(description="Why something is missing.")]
    n_movable: Annotated[Count | None, Meta(description="Tasks that the test can exchange.")]
    together: Annotated[Count, Meta(description="Tasks where both rose or both fell.")]
    opposed: Annotated[Count, Meta(description="Tasks where one rose and the other fell.")]
    unchanged: Annotated[Count, Meta(description="Tasks where one of them did not change.")]


class FirstHits(Record, frozen=True, kw_only=True):
    """Times to the first relevant file; a miss counts as the horizon (a restricted mean)."""

    metric: Annotated[str, Meta(description="Canonical name of the time.")]
    horizon: Annotated[
        float | None, Meta(description="The latest hit of either side; null without a hit.")
    ]
    n: Annotated[Count, Meta(description="Tasks whose two sides are counted from the same moment.")]
    mean_baseline: Annotated[float | None, Meta(description="Restricted mean of the baseline.")]
    mean_config: Annotated[float | None, Meta(description="Restricted mean of the configuration.")]
    mean_delta: Annotated[float | None, Meta(description="Mean of configuration - baseline.")]
    ci_low: Annotated[float | None, Meta(description="Lower end of its 95 % interval.")]
    ci_high: Annotated[float | None, Meta(description="Upper end of its 95 % interval.")]
    p: Annotated[Share | None, Meta(description="Two-sided sign-flip p, not adjusted.")]
    misses_baseline: Annotated[Count, Meta(description="Tasks that the baseline missed.")]
    misses_config: Annotated[Count, Meta(description="Tasks that the configuration missed.")]
    reason: Annotated[str | None, Meta(description="Why p or the interval is missing.")]
    left_out: Annotated[Reasons, Meta(description="Tasks that do not count, by reason.")]


class FinderDelta(Record, frozen=True, kw_only=True):
    """What one tool, server or agent found over the matched tasks (D130). Since 1.2.

    Shares are of a task's relevant files, averaged over trials and then over tasks.
    """

    by: Annotated[
        Literal["tool", "server", "agent"], Meta(description="What the finder is a name of.")
    ]
    finder: Annotated[
        str,
        Meta(
            description="Tool, MCP server (`none` for other tools), or agent (`main`, `subagent`)."
        ),
    ]
    n: Annotated[Count, Meta(description="Matched tasks with relevant files and a trace.")]
    share_baseline: Annotated[
        Share, Meta(description="Share of relevant files that it met first in the baseline.")
    ]
    share_config: Annotated[
        Share, Meta(description="Share of relevant files that it met first in the configuration.")
    ]
    delta: Annotated[float, Meta(description="share_config - share_baseline.")]
    not_in_baseline: Annotated[
        Share,
        Meta(
            description="Share of relevant files that it met first in the configuration and that "
            "no call of the baseline met."
        ),
    ]
    not_in_config: Annotated[
        Share,
        Meta(
            description="Share of relevant files that it met first in the baseline and that no "
            "call of the configuration met."
        ),
    ]


class GroupMean(Record, frozen=True, kw_only=True):
    """One group of tasks."""

    name: Annotated[str, Meta(description="The group.")]
    n: Annotated[Count, Meta(description="Its tasks.")]
    delta: Annotated[float, Meta(description="Mean of configuration - baseline.")]


class GroupTest(Record, frozen=True, kw_only=True):
    """Whether a difference is the same in all groups of tasks."""

    by: Annotated[
        Literal["suite", "model", "repository"], Meta(description="What makes the groups.")
    ]
    metric: Annotated[str, Meta(description="Canonical name of the metric or outcome.")]
    p: Annotated[Share, Meta(description="Permutation p, not adjusted.")]
    p_adjusted: Annotated[Share, Meta(description="p times the number of such tests.")]
    highest: Annotated[GroupMean, Meta(description="The group with the highest mean delta.")]
    lowest: Annotated[GroupMean, Meta(description="The group with the lowest.")]


class LostAsZero(Record, frozen=True, kw_only=True):
    """Reward if attempts without a valid reward count as 0."""

    n: Annotated[Count, Meta(description="Tasks, with those that only lack a reward.")]
    lost_baseline: Annotated[Count, Meta(description="Attempts lost by the baseline.")]
    lost_config: Annotated[Count, Meta(description="Attempts lost by the configuration.")]
    mean_baseline: Annotated[float, Meta(description="Mean of the baseline.")]
    mean_config: Annotated[float, Meta(description="Mean of the configuration.")]
    verdict: Annotated[Verdict, Meta(description="The verdict that these numbers give.")]


class MatchedComparison(Record, frozen=True, kw_only=True):
    """One configuration compared with the baseline, over the tasks that can be compared.

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
        Meta(description="The same, by the side on which something required is missing."),
    ]
    not_met: Annotated[
        list[Requirement],
        Meta(
            description="Requirements that some of its pairs do not meet; empty for a matched "
            "comparison."
        ),
    ]
    exploratory: Annotated[
        bool, Meta(description="True for one suite: its p values are not adjusted.")
    ]
    flipped: Annotated[
        Literal["tasks", "repositories"], Meta(description="What the sign-flip tests flip.")
    ]
    n_flipped: Annotated[
        Count, Meta(description="Number of tasks or repositories that are flipped.")
    ]
    scope: Annotated[
        Scope | None,
        Meta(
            description="What its verdicts are about, if fewer than 6 repositories are known; "
            "null if they are about all such tasks."
        ),
    ]
    family: Annotated[
        Count, Meta(description="Rows over all configurations that are tested together.")
    ]
    family_rows: Annotated[
        Count, Meta(description="The same, with rows that cannot be tested with so few tasks.")
    ]
    attempts_share: Annotated[
        Share | None,
        Meta(
            description="Share of the spread of reward differences that is chance between "
            "attempts of one task; null if no task has several."
        ),
    ]
    lost_as_zero: Annotated[
        LostAsZero | None, Meta(description="Null if no attempt is lost, and for one suite.")
    ]
    groups: Annotated[
        list[GroupTest], Meta(description="Tests whether groups differ. Empty for one suite.")
    ]
    deltas: Annotated[list[Delta], Meta(description="One for each metric and outcome.")]
    tandem: Annotated[
        list[TandemEntry],
        Meta(
            description=("Did reward change on tasks where retrieval changed? Empty for one suite.")
        ),
    ]
    first_hits: Annotated[
        list[FirstHits],
        Meta(description="Times to the first relevant file with misses. Empty for one suite."),
    ]
    notes: Annotated[
        list[str],
        Meta(
            description=("Choices in the method that would change a conclusion, one sentence each.")
        ),
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
        Meta(description="The tasks not matched; null if tasks is null."),
    ]
    finders: Annotated[
        list[FinderDelta],
        Meta(
            description="Who found the relevant files on each side. Empty for one suite. Since 1.2."
        ),
    ] = field(default_factory=list)


class UnpairedRow(Record, frozen=True, kw_only=True):
    """One metric of two groups of trials that share no task."""

    metric: Annotated[str, Meta(description="Canonical name of the metric or outcome.")]
    n_baseline: Annotated[Count, Meta(description="Trials of the baseline with a value.")]
    n_config: Annotated[Count, Meta(description="Trials of the configuration with a value.")]
    baseline: Annotated[float | None, Meta(description="Mean of the baseline.")]
    config: Annotated[float | None, Meta(description="Mean of the configuration.")]
    delta: Annotated[float | None, Meta(description="Difference of the means.")]
    ci_low: Annotated[float | None, Meta(description="Lower end of its 95 % interval.")]
    ci_high: Annotated[float | None, Meta(description="Upper end of its 95 % interval.")]
    p: Annotated[
        Share | None,
        Meta(description="Two-sided p of exchanging trials inside their repository, not adjusted."),
    ]
    reason: Annotated[str | None, Meta(description="Why something is missing.")]


class UnpairedDifference(Record, frozen=True, kw_only=True):
    """Something besides the configuration in which the groups differ."""

    what: Annotated[str, Meta(description="What is counted.")]
    baseline: Annotated[str, Meta(description="Of the baseline.")]
    config: Annotated[str, Meta(description="Of the configuration.")]


class ServerWorth(Record, frozen=True, kw_only=True):
    """What an MCP server gave to the trials that used it, and what its calls took."""

    server: Annotated[str, Meta(description="Name of the server.")]
    trials: Annotated[Count, Meta(description="Trials that called it.")]
    calls: Annotated[Count, Meta(description="Its calls.")]
    result_chars: Annotated[Count, Meta(description="Characters of its results.")]
    chars_share: Annotated[
        Share | None, Meta(description="Share of the characters of all results of these trials.")
    ]
    seconds: Annotated[
        float | None, Meta(description="Seconds until its results came in; null if unknown.")
    ]
    cost_usd: Annotated[
        float | None,
        Meta(
            description="Cost of these trials times `chars_share`: what its results cost if cost "
            "follows text; null if a cost is unknown."
        ),
    ]
    relevant_files: Annotated[Count, Meta(description="Relevant files of these trials.")]
    found_alone: Annotated[Count, Meta(description="Those that nothing else met.")]


class UnpairedComparison(Record, frozen=True, kw_only=True):
    """Two groups of trials on other tasks and other days (D246). No experiment."""

    baseline: Annotated[str, Meta(description="Name of the baseline.")]
    config: Annotated[str, Meta(description="Name of the configuration.")]
    n_baseline: Annotated[Count, Meta(description="Trials of the baseline.")]
    n_config: Annotated[Count, Meta(description="Trials of the configuration.")]
    rows: Annotated[list[UnpairedRow], Meta(description="Differences of means.")]
    differs: Annotated[
        list[UnpairedDifference], Meta(description="What else differs between the groups.")
    ]
    servers: Annotated[
        list[ServerWorth], Meta(description="MCP servers that the configuration's trials called.")
    ]
    statement: Annotated[str, Meta(description="What this does not show.")]
