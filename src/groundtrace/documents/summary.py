"""The run summary: statistics over all computable tasks, with what was left out and why.

One per run, and one over all runs. The unit of every statistic is one task in one configuration.
Its trials, from all runs of the scope, are averaged first, so a task tried ten times counts as much
as a task tried once (D42).
"""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from groundtrace.documents.base import Count, Record, Share, Time, Version
from groundtrace.documents.looked_at import LookedAtSummary
from groundtrace.documents.metrics import TaxonomyLabel
from groundtrace.model import TrialId

Counts = dict[str, Count]


class Distribution(Record, frozen=True, kw_only=True):
    """Statistics of one value over tasks, with its n (D19)."""

    n: Annotated[
        Count,
        Meta(description="Tasks that have the value; a task counts once in each configuration."),
    ]
    left_out: Annotated[Counts, Meta(description="Tasks without it, counted by reason.")]
    mean: Annotated[float | None, Meta(description="Arithmetic mean; null when n is 0.")] = None
    median: Annotated[float | None, Meta(description="Median; null when n is 0.")] = None
    sd: Annotated[
        float | None,
        Meta(
            description="Sample standard deviation, divided by n - 1; null if n is below 2, "
            "and if the number is too large."
        ),
    ] = None
    q1: Annotated[
        float | None,
        Meta(description="First quartile, interpolated linearly between the closest ranks."),
    ] = None
    q3: Annotated[float | None, Meta(description="Third quartile, by the same method.")] = None
    minimum: Annotated[float | None, Meta(description="Smallest value.")] = None
    maximum: Annotated[float | None, Meta(description="Largest value.")] = None
    micro: Annotated[
        float | UnsetType,
        Meta(
            description="Sum of the numerators of all tasks, divided by the sum of their "
            "denominators; only for shares that papers average this way."
        ),
    ] = UNSET


class FirstHit(Record, frozen=True, kw_only=True):
    """Time to the first relevant file, and the hit rate: tasks without a hit have no time (D21)."""

    n: Annotated[
        Count,
        Meta(description="Computable tasks; a task counts once in each configuration."),
    ]
    n_hit: Annotated[Count, Meta(description="Tasks in which a relevant file was met.")]
    n_never_hit: Annotated[Count, Meta(description="Tasks in which none was met.")]
    hit_rate: Annotated[
        Share | None,
        Meta(
            description="Mean share of a task's trials with a hit: n_hit / n with one trial per task."
        ),
    ]
    ttfr_seconds: Annotated[
        Distribution, Meta(description="Seconds to the first hit, over tasks that have one.")
    ]
    ttfr_tokens: Annotated[
        Distribution, Meta(description="Tokens to the first hit, over tasks that have one.")
    ]
    clock: Annotated[
        str | UnsetType,
        Meta(
            description="From when its seconds count, as `elapsed_origin`, if another group's "
            "count from another moment: the two cannot be compared. Since 1.3."
        ),
    ] = UNSET


class LabelSummary(Record, frozen=True, kw_only=True):
    """One label of the error taxonomy, over trials."""

    n: Annotated[
        Count,
        Meta(
            description="Trials to which the label applies, including those with unknown edit "
            "targets."
        ),
    ]
    n_with: Annotated[Count, Meta(description="Of these, trials with at least one such file.")]
    files: Annotated[Count, Meta(description="Files in all of these trials.")]
    not_applicable: Annotated[
        Count, Meta(description="Trials in which it does not apply: no edit was expected.")
    ]
    files_not_applicable: Annotated[Count, Meta(description="Files counted in those trials.")]
    edit_targets_unknown: Annotated[
        Count,
        Meta(
            description="Of n, trials whose task does not say which files to edit. Only for "
            "labels about writing; 0 for others."
        ),
    ] = 0
    files_edit_targets_unknown: Annotated[
        Count, Meta(description="Of files, those counted in these trials.")
    ] = 0
    per_task: Annotated[Distribution, Meta(description="Files per task, where the label applies.")]


class SliceCounts(Record, frozen=True, kw_only=True):
    """Number of trials in each calibration slice."""

    candidate_set_size: Annotated[
        Counts, Meta(description="Trials by size of the candidate set: small, medium, large.")
    ]
    evidence_type: Annotated[Counts, Meta(description="Trials by evidence: local, mcp.")]
    none: Annotated[Count, Meta(description="Trials without slices: no trace.")]


class CoverageTable(Record, frozen=True, kw_only=True):
    """What could be read from the trials."""

    has_trajectory: Annotated[Count, Meta(description="Trials with a trajectory that parsed.")]
    has_transcript: Annotated[Count, Meta(description="Trials with a transcript that parsed.")]
    has_ground_truth: Annotated[Count, Meta(description="Trials with file-level ground truth.")]
    has_chunk_ground_truth: Annotated[Count, Meta(description="Trials with line ranges.")]
    degraded: Annotated[
        Count, Meta(description="Trials whose document says that something is missing.")
    ]
    trace_sources: Annotated[
        Counts, Meta(description="Trials by trace source; `none` is degraded mode.")
    ]
    ground_truth_sources: Annotated[
        Counts, Meta(description="Trials by ground-truth source; `none` without one.")
    ]
    ground_truth_confidences: Annotated[
        Counts, Meta(description="Trials by confidence in that source; `none` without one.")
    ]
    elapsed_origins: Annotated[
        Counts, Meta(description="Trials by origin of elapsed seconds; `none` without times.")
    ]
    patch_sources: Annotated[
        Counts,
        Meta(
            description="Trials by where edited files come from: a patch in the trace, one in "
            "predictions, the calls that wrote; `none` if unknown."
        ),
    ] = msgspec.field(default_factory=dict)
    unmatched_suffixes: Annotated[
        Count,
        Meta(
            description="Trials with a relevant file that nothing matched although a local path "
            "ends like it."
        ),
    ] = 0


class FinderCounts(Record, frozen=True, kw_only=True):
    """Relevant files that one tool, server or kind of agent found, over trials."""

    first_met: Annotated[Count, Meta(description="Relevant files that it met first.")]
    first_shown: Annotated[Count, Meta(description="Relevant files whose content it showed first.")]
    only: Annotated[
        Count,
        Meta(description=("Relevant files that it met and that nothing else in their trial met.")),
    ]
    share_first_met: Annotated[Share, Meta(description="first_met / files of the group.")]
    share_only: Annotated[Share, Meta(description="only / files of the group.")]


class DiscoverySummary(Record, frozen=True, kw_only=True):
    """Who found the relevant files of a group's trials; each file counts once in each trial."""

    files: Annotated[Count, Meta(description="Relevant files, summed over trials.")]
    found: Annotated[Count, Meta(description="Those that were met, not counting writes.")]
    shown: Annotated[Count, Meta(description="Those whose content was shown.")]
    by_tool: Annotated[dict[str, FinderCounts], Meta(description="By raw name of the tool.")]
    by_server: Annotated[
        dict[str, FinderCounts], Meta(description="By MCP server; `none` for other tools.")
    ]
    by_agent: Annotated[dict[str, FinderCounts], Meta(description="`main` thread or `subagent`.")]


class GroupSummary(Record, frozen=True, kw_only=True):
    """Everything about one group of trials."""

    trials: Annotated[
        Count, Meta(description="Distinct trials: copies count once in a configuration.")
    ]
    tasks: Annotated[
        Count,
        Meta(
            description="Tasks within a configuration, over all runs of the scope: the unit of "
            "statistics. A task that two configurations ran counts twice."
        ),
    ]
    computable: Annotated[Count, Meta(description="Trials with file-level metrics.")]
    left_out: Annotated[Counts, Meta(description="Trials without, counted by reason.")]
    metrics: Annotated[
        dict[str, Distribution],
        Meta(
            description="The specification's metrics, over files that were met: canonical name to "
            "statistics. In versions before 1.3 all metrics."
        ),
    ]
    first_hit: Annotated[FirstHit, Meta(description="Over retrieved files.")]
    taxonomy: Annotated[dict[TaxonomyLabel, LabelSummary], Meta(description="Labels over trials.")]
    slices: Annotated[SliceCounts, Meta(description="Trials by calibration slice.")]
    coverage: Annotated[CoverageTable, Meta(description="What could be read.")]
    events_by_category: Annotated[Counts, Meta(description="Events by tool category.")]
    outcomes: Annotated[
        dict[str, Distribution], Meta(description="Reward, cost, times and output tokens.")
    ]
    volume: Annotated[
        dict[str, Distribution],
        Meta(description="Retrieval volume: events and files per task."),
    ]
    first_hit_shown: Annotated[FirstHit, Meta(description="Over files whose content was shown.")]
    accesses: Annotated[
        Counts, Meta(description="Accesses by `category/kind`, such as `file_read/read`.")
    ]
    more_metrics: Annotated[
        dict[str, Distribution],
        Meta(
            description="Metrics that the specification does not have: over files whose content "
            "was shown, lines, context and others. Since 1.3."
        ),
    ] = msgspec.field(default_factory=dict)
    discovery: Annotated[
        DiscoverySummary | UnsetType,
        Meta(description="Who found the relevant files; absent if no trial says. Since 1.2."),
    ] = UNSET

    def value(self, name: str) -> Distribution | None:
        """The statistics of a metric or outcome."""
        for values in (self.metrics, self.more_metrics, self.outcomes):
            if name in values:
                return values[name]
        return None


class VerdictSummary(Record, frozen=True, kw_only=True):
    """Trials that ended with one verdict (D96). Since 1.2."""

    trials: Annotated[Count, Meta(description="Distinct trials.")]
    tasks: Annotated[Count, Meta(description="Tasks within a configuration.")]
    metrics: Annotated[
        dict[str, Distribution],
        Meta(description="How far relevant files got, and the patch: name to statistics."),
    ]


Verdict = Literal["resolved", "partly", "not_resolved", "no_verdict"]
"""A reward of 1, a reward between 0 and 1, a reward of 0, or no valid reward."""


class NamedTrial(TrialId, Record, frozen=True, kw_only=True):
    """A trial that does not count, and why."""

    reason: Annotated[str | None, Meta(description="Why it does not count.")]


class DuplicatedTrial(TrialId, Record, frozen=True, kw_only=True):
    """A copy of a trial; another copy counts in the same configuration."""

    counted_in: Annotated[str, Meta(description="Run whose copy was counted.")]


class SkippedPath(Record, frozen=True, kw_only=True):
    """A folder that was skipped."""

    run_id: Annotated[str, Meta(description="Scope of the outcomes that name it.")]
    path: Annotated[str, Meta(description="The folder.")]
    reason: Annotated[str, Meta(description="Why it was skipped.")]


class RefusedDocument(Record, frozen=True, kw_only=True):
    """A document that cannot be read; no result that was made from it counts (D62)."""

    run_id: Annotated[str, Meta(description="Run it belongs to.")]
    path: Annotated[str, Meta(description="The file, relative to the run's retrieval_events.")]
    problem: Annotated[
        str,
        Meta(description="unknown_version, broken_document or unreadable_document."),
    ]
    reason: Annotated[str, Meta(description="Why, with the place in the file.")]


class CountedTrials(Record, frozen=True, kw_only=True):
    """How many trials of a configuration count, and what became of the others."""

    trials: Annotated[Count, Meta(description="Trials that count: every attempt of a task.")]
    repeated: Annotated[Count, Meta(description="Of these, attempts after a task's first.")]
    lost: Annotated[Count, Meta(description="Of these, trials without a valid reward.")]
    superseded: Annotated[Count, Meta(description="Trials that a rerun replaces; never lost.")]


class RunSummaryDocument(Record, frozen=True, kw_only=True):
    """Statistics of a run, or of all runs."""

    schema_version: Version
    generated_at: Annotated[Time, Meta(description="When it was computed, UTC.")]
    scope: Annotated[str, Meta(description="Run id, or `*` for all runs.")]
    runs: Annotated[list[str], Meta(description="Runs that have evaluated trials.")]
    overall: Annotated[GroupSummary, Meta(description="All trials.")]
    by_config: Annotated[dict[str, GroupSummary], Meta(description="By configuration.")]
    by_suite: Annotated[
        dict[str, GroupSummary], Meta(description="By benchmark; `unknown` where none is known.")
    ]
    by_model: Annotated[
        dict[str, GroupSummary], Meta(description="By model; `unknown` where none is known.")
    ]
    by_candidate_set_size: Annotated[
        dict[str, GroupSummary], Meta(description="By size of the candidate set.")
    ]
    by_evidence_type: Annotated[dict[str, GroupSummary], Meta(description="By evidence type.")]
    by_group: Annotated[
        dict[str, dict[str, GroupSummary]] | UnsetType,
        Meta(
            description="By the columns of a manifest that groundtrace does not know: column, then "
            "value. A trial without a value is in no group of that column. Since 1.2."
        ),
    ] = UNSET
    groups_left_out: Annotated[
        list[str] | UnsetType,
        Meta(description="Such columns with too many values to group by. Since 1.2."),
    ] = UNSET
    unknown_tools: Annotated[
        Counts, Meta(description="Calls of tools that the tool table does not know, by raw name.")
    ]
    looked_at: Annotated[
        list[LookedAtSummary] | UnsetType,
        Meta(
            description="What trials without ground truth looked at, by configuration; "
            "absent where there is no such trial. Since 1.2."
        ),
    ] = UNSET
    problems: Annotated[Counts, Meta(description="Problems met, counted by kind.")]
    trials_found: Annotated[
        Count | None, Meta(description="Trials found by discovery; null without outcomes.")
    ]
    trials_by_config: Annotated[
        dict[str, CountedTrials] | UnsetType,
        Meta(description="Attempts, lost trials and reruns of each configuration. Since 1.3."),
    ] = UNSET
    superseded: Annotated[
        list[NamedTrial],
        Meta(
            description="Trials that do not count: a later batch of the same task and "
            "configuration does (a rerun), or they are copies."
        ),
    ]
    failed: Annotated[list[NamedTrial], Meta(description="Trials that could not be processed.")]
    duplicated: Annotated[
        list[DuplicatedTrial], Meta(description="Copies that were not counted again (D41).")
    ]
    skipped: Annotated[list[SkippedPath], Meta(description="Folders skipped.")]
    refused: Annotated[
        list[RefusedDocument] | UnsetType,
        Meta(description="Documents that could not be read and do not count. Since 1.2."),
    ] = UNSET
    unknown_tool_calls: Annotated[
        dict[str, Counts] | UnsetType,
        Meta(
            description="Calls of each unknown tool by result: the category, where their "
            "form shows it; `failed`, which includes empty and unanswered calls; `unread`. "
            "Since 1.2."
        ),
    ] = UNSET
    servers_not_counted: Annotated[
        Counts | UnsetType,
        Meta(description="Calls of MCP servers that the settings do not count as MCP. Since 1.2."),
    ] = UNSET
    by_verdict: Annotated[
        dict[Verdict, VerdictSummary] | UnsetType, Meta(description="By verdict. Since 1.2.")
    ] = UNSET
    by_config_and_verdict: Annotated[
        dict[str, dict[Verdict, VerdictSummary]] | UnsetType,
        Meta(description="By configuration, then by verdict. Since 1.2."),
    ] = UNSET
