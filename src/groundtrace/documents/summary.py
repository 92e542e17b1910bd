"""The run summary: statistics over all computable tasks, with what was left out and why.

One per run, and one over all runs. The unit of every statistic is one task in one configuration.
Its trials, from all runs of the scope, are averaged first, so a task tried ten times counts as much
as a task tried once (D42).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from groundtrace.documents.base import Count, Record, Share, Time, Version
from groundtrace.documents.looked_at import LookedAtSummary
from groundtrace.documents.metrics import TaxonomyLabel
from groundtrace.model import TrialId

Counts = dict[str, Count]


class Distribution(Record, frozen=True, kw_only=True):
    """Statistics of one value over tasks, with its n (D19)."""

    n: Count
    """Tasks that have the value; a task counts once in each configuration."""
    left_out: Counts
    """Tasks without it, counted by reason."""
    mean: float | None = None
    """Arithmetic mean; null when n is 0."""
    median: float | None = None
    """Median; null when n is 0."""
    sd: float | None = None
    """Sample standard deviation, divided by n - 1; null if n is below 2, and if the number is too
    large."""
    q1: float | None = None
    """First quartile, interpolated linearly between the closest ranks."""
    q3: float | None = None
    """Third quartile, by the same method."""
    minimum: float | None = None
    """Smallest value."""
    maximum: float | None = None
    """Largest value."""
    micro: float | UnsetType = UNSET
    """Sum of the numerators of all tasks, divided by the sum of their denominators; only for shares
    that papers average this way."""


class FirstHit(Record, frozen=True, kw_only=True):
    """Time to the first relevant file, and the hit rate: tasks without a hit have no time (D21)."""

    n: Count
    """Computable tasks; a task counts once in each configuration."""
    n_hit: Count
    """Tasks in which a relevant file was met."""
    n_never_hit: Count
    """Tasks in which none was met."""
    hit_rate: Share | None
    """Mean share of a task's trials with a hit: n_hit / n with one trial per task."""
    ttfr_seconds: Distribution
    """Seconds to the first hit, over tasks that have one."""
    ttfr_tokens: Distribution
    """Tokens to the first hit, over tasks that have one."""
    clock: str | UnsetType = UNSET
    """From when its seconds count, as `elapsed_origin`, if another group's count from another
    moment: the two cannot be compared. Since 1.3."""


class LabelSummary(Record, frozen=True, kw_only=True):
    """One label of the error taxonomy, over trials."""

    n: Count
    """Trials to which the label applies, including those with unknown edit targets."""
    n_with: Count
    """Of these, trials with at least one such file."""
    files: Count
    """Files in all of these trials."""
    not_applicable: Count
    """Trials in which it does not apply: no edit was expected."""
    files_not_applicable: Count
    """Files counted in those trials."""
    edit_targets_unknown: Count = 0
    """Of n, trials whose task does not say which files to edit. Only for labels about writing; 0
    for others."""
    files_edit_targets_unknown: Count = 0
    """Of files, those counted in these trials."""
    per_task: Distribution
    """Files per task, where the label applies."""


class SliceCounts(Record, frozen=True, kw_only=True):
    """Number of trials in each calibration slice."""

    candidate_set_size: Counts
    """Trials by size of the candidate set: small, medium, large."""
    evidence_type: Counts
    """Trials by evidence: local, mcp."""
    none: Count
    """Trials without slices: no trace."""


class CoverageTable(Record, frozen=True, kw_only=True):
    """What could be read from the trials."""

    has_trajectory: Count
    """Trials with a trajectory that parsed."""
    has_transcript: Count
    """Trials with a transcript that parsed."""
    has_ground_truth: Count
    """Trials with file-level ground truth."""
    has_chunk_ground_truth: Count
    """Trials with line ranges."""
    degraded: Count
    """Trials whose document says that something is missing."""
    trace_sources: Counts
    """Trials by trace source; `none` is degraded mode."""
    ground_truth_sources: Counts
    """Trials by ground-truth source; `none` without one."""
    ground_truth_confidences: Counts
    """Trials by confidence in that source; `none` without one."""
    elapsed_origins: Counts
    """Trials by origin of elapsed seconds; `none` without times."""
    patch_sources: Counts = msgspec.field(default_factory=dict)
    """Trials by where edited files come from: a patch in the trace, one in predictions, the calls
    that wrote; `none` if unknown."""
    unmatched_suffixes: Count = 0
    """Trials with a relevant file that nothing matched although a local path ends like it."""


class FinderCounts(Record, frozen=True, kw_only=True):
    """Relevant files that one tool, server or kind of agent found, over trials."""

    first_met: Count
    """Relevant files that it met first."""
    first_shown: Count
    """Relevant files whose content it showed first."""
    only: Count
    """Relevant files that it met and that nothing else in their trial met."""
    share_first_met: Share
    """first_met / files of the group."""
    share_only: Share
    """only / files of the group."""


class DiscoverySummary(Record, frozen=True, kw_only=True):
    """Who found the relevant files of a group's trials; each file counts once in each trial."""

    files: Count
    """Relevant files, summed over trials."""
    found: Count
    """Those that were met, not counting writes."""
    shown: Count
    """Those whose content was shown."""
    by_tool: dict[str, FinderCounts]
    """By raw name of the tool."""
    by_server: dict[str, FinderCounts]
    """By MCP server; `none` for other tools."""
    by_agent: dict[str, FinderCounts]
    """`main` thread or `subagent`."""


class GroupSummary(Record, frozen=True, kw_only=True):
    """Everything about one group of trials."""

    trials: Count
    """Distinct trials: copies count once in a configuration."""
    tasks: Count
    """Tasks within a configuration, over all runs of the scope: the unit of statistics. A task that
    two configurations ran counts twice."""
    computable: Count
    """Trials with file-level metrics."""
    left_out: Counts
    """Trials without, counted by reason."""
    metrics: dict[str, Distribution]
    """The specification's metrics, over files that were met: canonical name to statistics. In
    versions before 1.3 all metrics."""
    first_hit: FirstHit
    """Over retrieved files."""
    taxonomy: dict[TaxonomyLabel, LabelSummary]
    """Labels over trials."""
    slices: SliceCounts
    """Trials by calibration slice."""
    coverage: CoverageTable
    """What could be read."""
    events_by_category: Counts
    """Events by tool category."""
    outcomes: dict[str, Distribution]
    """Reward, cost, times and output tokens."""
    volume: dict[str, Distribution]
    """Retrieval volume: events and files per task."""
    first_hit_shown: FirstHit
    """Over files whose content was shown."""
    accesses: Counts
    """Accesses by `category/kind`, such as `file_read/read`."""
    more_metrics: dict[str, Distribution] = msgspec.field(default_factory=dict)
    """Metrics that the specification does not have: over files whose content was shown, lines,
    context and others. Since 1.3."""
    discovery: DiscoverySummary | UnsetType = UNSET
    """Who found the relevant files; absent if no trial says. Since 1.2."""

    def value(self, name: str) -> Distribution | None:
        """The statistics of a metric or outcome."""
        for values in (self.metrics, self.more_metrics, self.outcomes):
            if name in values:
                return values[name]
        return None


class VerdictSummary(Record, frozen=True, kw_only=True):
    """Trials that ended with one verdict (D96). Since 1.2."""

    trials: Count
    """Distinct trials."""
    tasks: Count
    """Tasks within a configuration."""
    metrics: dict[str, Distribution]
    """How far relevant files got, and the patch: name to statistics."""


Verdict = Literal["resolved", "partly", "not_resolved", "no_verdict"]
"""A reward of 1, a reward between 0 and 1, a reward of 0, or no valid reward."""


class NamedTrial(TrialId, Record, frozen=True, kw_only=True):
    """A trial that does not count, and why."""

    reason: str | None
    """Why it does not count."""


class DuplicatedTrial(TrialId, Record, frozen=True, kw_only=True):
    """A copy of a trial; another copy counts in the same configuration."""

    counted_in: str
    """Run whose copy was counted."""


class SkippedPath(Record, frozen=True, kw_only=True):
    """A folder that was skipped."""

    run_id: str
    """Scope of the outcomes that name it."""
    path: str
    """The folder."""
    reason: str
    """Why it was skipped."""


class RefusedDocument(Record, frozen=True, kw_only=True):
    """A document that cannot be read; no result that was made from it counts (D62)."""

    run_id: str
    """Run it belongs to."""
    path: str
    """The file, relative to the run's retrieval_events."""
    problem: str
    """unknown_version, broken_document or unreadable_document."""
    reason: str
    """Why, with the place in the file."""


class CountedTrials(Record, frozen=True, kw_only=True):
    """How many trials of a configuration count, and what became of the others."""

    trials: Count
    """Trials that count: every attempt of a task."""
    repeated: Count
    """Of these, attempts after a task's first."""
    lost: Count
    """Of these, trials without a valid reward."""
    superseded: Count
    """Trials that a rerun replaces; never lost."""


OVERALL, BY_CONFIG = "overall", "by_config."
"""What is written for a group that stands elsewhere already; the name of a configuration follows
the second."""

if TYPE_CHECKING:
    Group = GroupSummary
else:  # in a file; `with_groups` puts the groups in place of their names where one is read
    Group = GroupSummary | Annotated[str, Meta(pattern=r"^(overall$|by_config\.)")]
Groups = dict[str, Group]


class RunSummaryDocument(Record, frozen=True, kw_only=True):
    """Statistics of a run, or of all runs."""

    schema_version: Version
    generated_at: Time
    """When it was computed, UTC."""
    scope: str
    """Run id, or `*` for all runs."""
    runs: list[str]
    """Runs that have evaluated trials."""
    overall: GroupSummary
    """All trials."""
    by_config: dict[str, GroupSummary]
    """By configuration."""
    by_suite: Groups
    """By benchmark; `unknown` where none is known. A text in place of a group, here and in the
    next four fields, names a group with the same trials: `overall`, or `by_config.` and the name of
    a configuration. Texts since 1.3."""
    by_model: Groups
    """By model; `unknown` where none is known."""
    by_candidate_set_size: Groups
    """By size of the candidate set."""
    by_evidence_type: Groups
    """By evidence type."""
    by_group: dict[str, Groups] | UnsetType = UNSET
    """By the columns of a manifest that groundtrace does not know: column, then value. A trial
    without a value is in no group of that column. Since 1.2."""
    groups_left_out: list[str] | UnsetType = UNSET
    """Such columns with too many values to group by. Since 1.2."""
    unknown_tools: Counts
    """Calls of tools that the tool table does not know, by raw name."""
    looked_at: list[LookedAtSummary] | UnsetType = UNSET
    """What trials without ground truth looked at, by configuration; absent where there is no such
    trial. Since 1.2."""
    problems: Counts
    """Problems met, counted by kind."""
    trials_found: Count | None
    """Trials found by discovery; null without outcomes."""
    trials_by_config: dict[str, CountedTrials] | UnsetType = UNSET
    """Attempts, lost trials and reruns of each configuration. Since 1.3."""
    superseded: list[NamedTrial]
    """Trials that do not count: a later batch of the same task and configuration does (a rerun), or
    they are copies."""
    failed: list[NamedTrial]
    """Trials that could not be processed."""
    duplicated: list[DuplicatedTrial]
    """Copies that were not counted again (D41)."""
    skipped: list[SkippedPath]
    """Folders skipped."""
    refused: list[RefusedDocument] | UnsetType = UNSET
    """Documents that could not be read and do not count. Since 1.2."""
    unknown_tool_calls: dict[str, Counts] | UnsetType = UNSET
    """Calls of each unknown tool by result: the category, where their form shows it; `failed`,
    which includes empty and unanswered calls; `unread`. Since 1.2."""
    servers_not_counted: Counts | UnsetType = UNSET
    """Calls of MCP servers that the settings do not count as MCP. Since 1.2."""
    by_verdict: dict[Verdict, VerdictSummary] | UnsetType = UNSET
    """By verdict. Since 1.2."""
    by_config_and_verdict: dict[str, dict[Verdict, VerdictSummary]] | UnsetType = UNSET
    """By configuration, then by verdict. Since 1.2."""

    def with_names(self) -> "RunSummaryDocument":
        """As it is written: a group that stands elsewhere already is its name. In a run with one
        configuration, suite and model that leaves out two thirds of the file."""
        names = {id(group): f"{BY_CONFIG}{name}" for name, group in self.by_config.items()}
        names[id(self.overall)] = OVERALL
        return self._changed(lambda group: names.get(id(group), group))

    def with_groups(self) -> "RunSummaryDocument":
        """As it is read: in place of each name the group itself. A name of no group is a
        ValueError."""
        named = {f"{BY_CONFIG}{name}": group for name, group in self.by_config.items()}
        named[OVERALL] = self.overall

        def group_of(value: Any) -> Any:
            if isinstance(value, str) and value not in named:
                raise ValueError(f"no group is called {value!r}")
            return named[value] if isinstance(value, str) else value

        return self._changed(group_of)

    def _changed(self, change: Callable[[Any], Any]) -> "RunSummaryDocument":
        def changed(groups: Groups) -> Groups:
            return {name: change(group) for name, group in groups.items()}

        fields = ("by_suite", "by_model", "by_candidate_set_size", "by_evidence_type")
        changes: dict[str, Any] = {field: changed(getattr(self, field)) for field in fields}
        if self.by_group is not UNSET:
            changes["by_group"] = {name: changed(found) for name, found in self.by_group.items()}
        return replace(self, **changes)
