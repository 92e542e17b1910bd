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

    metric: str
    """Canonical name of the metric or outcome."""
    table: Literal["primary", "exploratory"]
    """primary: a row of the answer, with a simultaneous interval and a verdict. exploratory: one of
    many, with an interval of its own and no verdict."""
    direction: Direction
    """Which values are better."""
    computable: bool
    """Whether there are enough pairs."""
    reason: str | None
    """Why not, when not computable."""
    mean_baseline: float | None
    """Mean of the baseline over n."""
    mean_config: float | None
    """Mean of the configuration over n."""
    mean_delta: float | None
    """Mean of configuration - baseline."""
    median_delta: float | None
    """Median of the deltas."""
    q1: float | None
    """Lower quartile of the deltas."""
    q3: float | None
    """Upper quartile of the deltas."""
    n_better: Count
    """Tasks better than the baseline, by direction."""
    n_worse: Count
    """Tasks worse than the baseline, by direction."""
    n_same: Count
    """Tasks that did not change."""
    ci_low: float | None
    """Lower end of the mean delta's interval: of all primary rows together with 95 %, or of an
    exploratory metric alone."""
    ci_high: float | None
    """Upper end of the same interval."""
    typical_ratio: float | None
    """Geometric mean of configuration over baseline, for cost, time and tokens; null if a value is
    0 or less."""
    typical_low: float | None
    """Lower end of its 95 % interval."""
    typical_high: float | None
    """Upper end of its 95 % interval."""
    verdict: Verdict | None
    """For primary metrics; see the rows of the answer."""
    within_margin: bool | None
    """For reward with a margin: any difference beyond it is ruled out."""
    p: Share | None
    """Two-sided sign-flip p of the mean delta, not adjusted."""
    p_adjusted: Share | None
    """p times the number of rows that are tested together; null for exploratory metrics."""
    p_smallest: Share | None
    """The smallest p that is possible with this number of differences."""
    p_exact: bool | None
    """Whether all sign flips were enumerated; null without p."""
    effect_size: float | None
    """Mean delta divided by the standard deviation of the deltas (Cohen's dz)."""
    inference_reason: str | None
    """Why p, interval or effect size is missing, when one is."""
    n: Count
    """Matched tasks with the metric on both sides."""
    left_out: Reasons
    """Matched tasks without it, by the side on which it is missing."""
    only_baseline_hit: Count | None
    """For times to the first relevant file: tasks that only the baseline hit."""
    only_config_hit: Count | None
    """For times to the first relevant file: tasks that only the configuration hit."""


class MatchedTask(Record, frozen=True, kw_only=True):
    """One matched task: both sides' values, trials averaged."""

    task_name: str
    """Canonical task."""
    benchmark: str | None
    """Suite; null when unknown."""
    runs: list[str]
    """Runs that its trials come from."""
    repo: str | None
    """The task's repository; null when not known."""
    models: list[str]
    """Models; the same on both sides of a matched task."""
    harness_versions: list[str]
    """Known harness versions; the same on both sides of a matched task."""
    not_met: list[Requirement]
    """Requirements that this pair does not meet."""
    n_trials_baseline: Count
    """Trials of the baseline."""
    n_trials_config: Count
    """Trials of the configuration."""
    baseline: dict[str, float]
    """Metric to value; a metric without a value is absent."""
    config: dict[str, float]
    """Metric to value; a metric without a value is absent."""


class DroppedTask(Record, frozen=True, kw_only=True):
    """A task of either configuration that could not be matched."""

    task_name: str
    """Canonical task."""
    benchmark: str | None
    """Suite; null when unknown."""
    reason: PairDropReason
    """The requirement that it failed."""
    side: Side | None
    """The side on which something required is missing; null if the sides differ."""


class TandemEntry(Record, frozen=True, kw_only=True):
    """Differences of a retrieval metric and differences of an outcome, over matched tasks."""

    retrieval_metric: str
    """Canonical name of the metric."""
    outcome: str
    """Canonical name of the outcome."""
    n: Count
    """Tasks with both differences."""
    spearman_r: Coefficient | None
    """Spearman's coefficient of the differences, ranked inside suites."""
    ci_low: Coefficient | None
    """Lower end of the 95 % interval."""
    ci_high: Coefficient | None
    """Upper end of the 95 % interval."""
    p: Share | None
    """Two-sided permutation p, not adjusted."""
    reason: str | None
    """Why something is missing."""
    n_movable: Count | None
    """Tasks that the test can exchange."""
    together: Count
    """Tasks where both rose or both fell."""
    opposed: Count
    """Tasks where one rose and the other fell."""
    unchanged: Count
    """Tasks where one of them did not change."""


class FirstHits(Record, frozen=True, kw_only=True):
    """Times to the first relevant file; a miss counts as the horizon (a restricted mean)."""

    metric: str
    """Canonical name of the time."""
    horizon: float | None
    """The latest hit of either side; null without a hit."""
    n: Count
    """Tasks whose two sides are counted from the same moment."""
    mean_baseline: float | None
    """Restricted mean of the baseline."""
    mean_config: float | None
    """Restricted mean of the configuration."""
    mean_delta: float | None
    """Mean of configuration - baseline."""
    ci_low: float | None
    """Lower end of its 95 % interval."""
    ci_high: float | None
    """Upper end of its 95 % interval."""
    p: Share | None
    """Two-sided sign-flip p, not adjusted."""
    misses_baseline: Count
    """Tasks that the baseline missed."""
    misses_config: Count
    """Tasks that the configuration missed."""
    reason: str | None
    """Why p or the interval is missing."""
    left_out: Reasons
    """Tasks that do not count, by reason."""


class FinderDelta(Record, frozen=True, kw_only=True):
    """What one tool, server or agent found over the matched tasks (D130). Since 1.2.

    Shares are of a task's relevant files, averaged over trials and then over tasks.
    """

    by: Literal["tool", "server", "agent"]
    """What the finder is a name of."""
    finder: str
    """Tool, MCP server (`none` for other tools), or agent (`main`, `subagent`)."""
    n: Count
    """Matched tasks with relevant files and a trace."""
    share_baseline: Share
    """Share of relevant files that it met first in the baseline."""
    share_config: Share
    """Share of relevant files that it met first in the configuration."""
    delta: float
    """share_config - share_baseline."""
    not_in_baseline: Share
    """Share of relevant files that it met first in the configuration and that no call of the
    baseline met."""
    not_in_config: Share
    """Share of relevant files that it met first in the baseline and that no call of the
    configuration met."""


class GroupMean(Record, frozen=True, kw_only=True):
    """One group of tasks."""

    name: str
    """The group."""
    n: Count
    """Its tasks."""
    delta: float
    """Mean of configuration - baseline."""


class GroupTest(Record, frozen=True, kw_only=True):
    """Whether a difference is the same in all groups of tasks."""

    by: Literal["suite", "model", "repository"]
    """What makes the groups."""
    metric: str
    """Canonical name of the metric or outcome."""
    p: Share
    """Permutation p, not adjusted."""
    p_adjusted: Share
    """p times the number of such tests."""
    highest: GroupMean
    """The group with the highest mean delta."""
    lowest: GroupMean
    """The group with the lowest."""


class LostAsZero(Record, frozen=True, kw_only=True):
    """Reward if attempts without a valid reward count as 0."""

    n: Count
    """Tasks, with those that only lack a reward."""
    lost_baseline: Count
    """Attempts lost by the baseline."""
    lost_config: Count
    """Attempts lost by the configuration."""
    mean_baseline: float
    """Mean of the baseline."""
    mean_config: float
    """Mean of the configuration."""
    verdict: Verdict
    """The verdict that these numbers give."""


class MatchedComparison(Record, frozen=True, kw_only=True):
    """One configuration compared with the baseline, over the tasks that can be compared.

    Both `matched_comparisons` and `other_comparisons` hold such entries.
    """

    run_scope: str
    """Run id, or `*` for all runs."""
    suite: str | None
    """One suite; null for all of them."""
    baseline_config: str
    """The baseline."""
    config: str
    """The configuration compared with it."""
    computable: bool
    """Whether there are enough matched tasks."""
    reason: str | None
    """Why not, when not computable."""
    n_matched_tasks: Count
    """Tasks that meet every requirement."""
    n_unknown_version: Count
    """Matched tasks that count although a harness version is unknown."""
    dropped: dict[PairDropReason, Count]
    """Tasks not matched, by reason."""
    dropped_sides: dict[PairDropReason, dict[Side, Count]]
    """The same, by the side on which something required is missing."""
    not_met: list[Requirement]
    """Requirements that some of its pairs do not meet; empty for a matched comparison."""
    exploratory: bool
    """True for one suite: its p values are not adjusted."""
    flipped: Literal["tasks", "repositories"]
    """What the sign-flip tests flip."""
    n_flipped: Count
    """Number of tasks or repositories that are flipped."""
    scope: Scope | None
    """What its verdicts are about, if fewer than 6 repositories are known; null if they are about
    all such tasks."""
    family: Count
    """Rows over all configurations that are tested together."""
    family_rows: Count
    """The same, with rows that cannot be tested with so few tasks."""
    attempts_share: Share | None
    """Share of the spread of reward differences that is chance between attempts of one task; null
    with fewer than six repeated attempts of one model."""
    lost_as_zero: LostAsZero | None
    """Null if no attempt is lost, and for one suite."""
    groups: list[GroupTest]
    """Tests whether groups differ. Empty for one suite."""
    deltas: list[Delta]
    """One for each metric and outcome."""
    tandem: list[TandemEntry]
    """Did reward change on tasks where retrieval changed? Empty for one suite."""
    first_hits: list[FirstHits]
    """Times to the first relevant file with misses. Empty for one suite."""
    notes: list[str]
    """Choices in the method that would change a conclusion, one sentence each."""
    tasks: list[MatchedTask] | None
    """The matched tasks; null for one suite, whose tasks are in the comparison over all suites."""
    dropped_tasks: list[DroppedTask] | None
    """The tasks not matched; null if tasks is null."""
    finders: list[FinderDelta] = field(default_factory=list)
    """Who found the relevant files on each side. Empty for one suite. Since 1.2."""


class UnpairedRow(Record, frozen=True, kw_only=True):
    """One metric of two groups of trials that share no task."""

    metric: str
    """Canonical name of the metric or outcome."""
    n_baseline: Count
    """Trials of the baseline with a value."""
    n_config: Count
    """Trials of the configuration with a value."""
    baseline: float | None
    """Mean of the baseline."""
    config: float | None
    """Mean of the configuration."""
    delta: float | None
    """Difference of the means."""
    ci_low: float | None
    """Lower end of its 95 % interval."""
    ci_high: float | None
    """Upper end of its 95 % interval."""
    p: Share | None
    """Two-sided p of exchanging trials inside their repository, not adjusted."""
    reason: str | None
    """Why something is missing."""


class UnpairedDifference(Record, frozen=True, kw_only=True):
    """Something besides the configuration in which the groups differ."""

    what: str
    """What is counted."""
    baseline: str
    """Of the baseline."""
    config: str
    """Of the configuration."""


class ServerWorth(Record, frozen=True, kw_only=True):
    """What an MCP server gave to the trials that used it, and what its calls took."""

    server: str
    """Name of the server."""
    trials: Count
    """Trials that called it."""
    calls: Count
    """Its calls."""
    result_chars: Count
    """Characters of its results."""
    chars_share: Share | None
    """Share of the characters of all results of these trials."""
    seconds: float | None
    """Seconds until its results came in; null if unknown."""
    cost_usd: float | None
    """Cost of these trials times `chars_share`: what its results cost if cost follows text; null if
    a cost is unknown."""
    relevant_files: Count
    """Relevant files of these trials."""
    found_alone: Count
    """Those that nothing else met."""


class UnpairedComparison(Record, frozen=True, kw_only=True):
    """Two groups of trials on other tasks and other days (D246). No experiment."""

    baseline: str
    """Name of the baseline."""
    config: str
    """Name of the configuration."""
    n_baseline: Count
    """Trials of the baseline."""
    n_config: Count
    """Trials of the configuration."""
    rows: list[UnpairedRow]
    """Differences of means."""
    differs: list[UnpairedDifference]
    """What else differs between the groups."""
    servers: list[ServerWorth]
    """MCP servers that the configuration's trials called."""
    statement: str
    """What this does not show."""
