"""The per-task metrics document: the four metric stages of one trial (D24)."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from groundtrace.documents.base import Count, Record, Seconds, Share, Time, Version
from groundtrace.documents.events import Coverage, EventSummary, Provenance
from groundtrace.documents.functions import FunctionLevelMetrics
from groundtrace.documents.looked_at import LookedAt, ServerUse
from groundtrace.documents.patches import FunnelMetrics, PatchMetrics, PublishedMetrics
from groundtrace.model import AccessKind, Category


class JudgedMetrics(Record, frozen=True, kw_only=True):
    """Retrieved files that the task judges: relevant or irrelevant (D120). Since 1.2."""

    reason: Annotated[str | None, Meta(description="Why there are no values, when there are none.")]
    n_irrelevant: Annotated[
        Count | None, Meta(description="Files that are judged irrelevant, retrieved or not.")
    ] = None
    bpref: Annotated[
        Share | None,
        Meta(
            description=(
                "Whether relevant files come before files judged irrelevant; unjudged files are "
                "left out."
            )
        ),
    ] = None
    judged_at_10: Annotated[
        Share | None, Meta(description="Share of the first 10 retrieved files that are judged.")
    ] = None


NotComputable = Literal[
    "no_ground_truth",
    "no_trace",
    "empty_trace",
    "answers_missing",
    "subagents_unseen",
    "older_document",
]
"""Why metrics cannot be computed (D19, D190, D191)."""

Cutoff = Literal["1", "3", "5", "10"]
"""The specification's values of K, as keys."""

ByCutoff = dict[Cutoff, Share]

TaxonomyLabel = Literal[
    "irrelevant_retrieval",
    "missed_key_evidence",
    "wrong_evidence_used",
    "unused_correct_retrieval",
    "ambiguity_near_miss",
]


EditTargets = Literal["known", "none_expected", "unknown"]
"""What a task says about the files to edit (D58)."""


class FileLevelMetrics(Record, frozen=True, kw_only=True):
    """Stage 1: the ordered list of files, compared with the ground truth."""

    computable: Annotated[bool, Meta(description="Whether the values below could be computed.")]
    reason: Annotated[NotComputable | None, Meta(description="Why not, when not computable.")]
    precision: Annotated[ByCutoff | None, Meta(description="Precision@K by K.")] = None
    recall: Annotated[ByCutoff | None, Meta(description="Recall@K by K.")] = None
    f1: Annotated[ByCutoff | None, Meta(description="F1@K by K.")] = None
    ndcg: Annotated[ByCutoff | None, Meta(description="nDCG@K by K.")] = None
    mrr: Annotated[Share | None, Meta(description="Reciprocal rank of the first hit.")] = None
    map_score: Annotated[Share | None, Meta(description="Average precision.")] = None
    file_recall: Annotated[
        Share | None, Meta(description="Share of ground-truth files found anywhere.")
    ] = None
    context_efficiency: Annotated[
        Share | None,
        Meta(description="Share of retrieved files that are relevant; null if none retrieved."),
    ] = None
    n_retrieved: Annotated[Count | None, Meta(description="Distinct files retrieved.")] = None
    n_ground_truth: Annotated[Count | None, Meta(description="Ground-truth files.")] = None
    n_overlap: Annotated[Count | None, Meta(description="Ground-truth files retrieved.")] = None
    first_gt_hit_step: Annotated[
        Count | None, Meta(description="`step_index` of the first hit that is not a write.")
    ] = None
    ttfr_seconds: Annotated[
        Seconds | None, Meta(description="Seconds to the first relevant file.")
    ] = None
    ttfr_tokens: Annotated[Count | None, Meta(description="Tokens to the first relevant file.")] = (
        None
    )
    basis: Annotated[
        Literal["ranking"] | UnsetType,
        Meta(
            description="ranking: the list is a ranked list without a trace; else absent. "
            "Since 1.3."
        ),
    ] = UNSET


class ChunkLevelMetrics(Record, frozen=True, kw_only=True):
    """Stage 2: line ranges; a chunk counts as hit when its file was accessed."""

    resolution: Annotated[
        Literal["chunk_level", "file_level_only"], Meta(description="What could be resolved.")
    ]
    validity: Annotated[
        Literal["file_match_only", "unsupported"], Meta(description="What the value means.")
    ]
    chunk_recall: Annotated[
        Share | None, Meta(description="Share of chunks whose file was accessed.")
    ] = None
    chunks_total: Annotated[Count, Meta(description="Ground-truth chunks.")] = 0
    chunks_hit: Annotated[Count | None, Meta(description="Chunks whose file was accessed.")] = None
    reason: Annotated[
        str | None, Meta(description="Why there is no chunk recall, when there is none.")
    ] = None


class UtilizationProbes(Record, frozen=True, kw_only=True):
    """Stage 3: whether the agent used the evidence that it retrieved."""

    probe_available: Annotated[bool, Meta(description="False only without ground truth or trace.")]
    reason: Annotated[NotComputable | None, Meta(description="Why not, when not available.")]
    util_read_overlap_with_relevant_files: Annotated[
        Share | None, Meta(description="Share of relevant files that were read.")
    ] = None
    util_write_overlap_with_relevant_files_proxy: Annotated[
        Share | None, Meta(description="Share of relevant files written; null without writes.")
    ] = None
    util_write_overlap_with_expected_edit_files: Annotated[
        Share | None, Meta(description="Share of expected edit files written.")
    ] = None
    util_read_before_write_ratio: Annotated[
        Share | None, Meta(description="Share of written files read at an earlier step.")
    ] = None
    expected_edit_probe_available: Annotated[
        bool, Meta(description="Whether edit targets are known.")
    ] = False
    expected_edit_probe_reason: Annotated[
        str | None, Meta(description="Why the value about expected edits is missing, if it is.")
    ] = None
    files_read: Annotated[Count | None, Meta(description="Distinct files read.")] = None
    files_read_relevant: Annotated[Count | None, Meta(description="Relevant files read.")] = None
    files_written: Annotated[Count | None, Meta(description="Distinct files written.")] = None
    files_written_relevant: Annotated[Count | None, Meta(description="Relevant files written.")] = (
        None
    )
    files_written_expected_edit: Annotated[
        Count | None, Meta(description="Expected edit files written.")
    ] = None


class Slices(Record, frozen=True, kw_only=True):
    """Calibration slices of one trial."""

    candidate_set_size: Annotated[
        Literal["small", "medium", "large"],
        Meta(description="Retrieved files: up to 5, 6 to 20, over 20."),
    ]
    evidence_type: Annotated[
        Literal["local", "mcp"], Meta(description="mcp when at least one MCP call was made.")
    ]


class ErrorTaxonomy(Record, frozen=True, kw_only=True):
    """Stage 4: five labels with the files behind them."""

    computable: Annotated[bool, Meta(description="Whether the labels could be computed.")]
    reason: Annotated[NotComputable | None, Meta(description="Why not, when not computable.")]
    labels: Annotated[dict[TaxonomyLabel, Count] | None, Meta(description="Files per label.")] = (
        None
    )
    files: Annotated[
        dict[TaxonomyLabel, list[str]] | None, Meta(description="The files behind each label.")
    ] = None
    slices: Annotated[Slices | None, Meta(description="Calibration slices.")] = None
    not_applicable: Annotated[
        list[TaxonomyLabel],
        Meta(
            description="Labels that do not apply: no edit was expected. In documents without "
            "`edit_targets` also those of trials whose edit targets are unknown."
        ),
    ] = msgspec.field(default_factory=list)
    edit_targets: Annotated[
        EditTargets | UnsetType,
        Meta(
            description="Whether the task says which files to edit: known; none_expected (the "
            "labels about writing do not apply); unknown (they count). Since 1.2."
        ),
    ] = UNSET


class LineLevelMetrics(Record, frozen=True, kw_only=True):
    """The right lines: ground-truth lines that were shown (D72). Since 1.2."""

    basis: Annotated[
        Literal["chunks", "edit_chunks"] | None,
        Meta(description="Which lines of the ground truth are used; null if it has none."),
    ]
    reason: Annotated[str | None, Meta(description="Why there are no values, when there are none.")]
    line_recall: Annotated[
        Share | None, Meta(description="Share of the ground-truth lines that were shown.")
    ] = None
    line_precision: Annotated[
        Share | None, Meta(description="Share of the lines shown that are ground-truth lines.")
    ] = None
    chunk_recall_by_lines: Annotated[
        Share | None, Meta(description="Share of chunks with at least one line shown.")
    ] = None
    lines_seen: Annotated[Count | None, Meta(description="Distinct lines shown, of any file.")] = (
        None
    )
    lines_relevant: Annotated[Count | None, Meta(description="Distinct ground-truth lines.")] = None
    lines_relevant_seen: Annotated[
        Count | None, Meta(description="Distinct ground-truth lines that were shown.")
    ] = None
    accesses_of_truth_files: Annotated[
        Count | UnsetType,
        Meta(description="Accesses that showed ground-truth files; absent if that is not known."),
    ] = UNSET
    accesses_without_lines: Annotated[
        Count | UnsetType,
        Meta(description="Those of them whose lines are unknown; absent if that is not known."),
    ] = UNSET


class ContextChars(Record, frozen=True, kw_only=True):
    """Characters in a part of the context."""

    shown: Annotated[Count, Meta(description="Characters shown.")]
    relevant: Annotated[Count, Meta(description="Those that are content of relevant files.")]


class ContextMetrics(Record, frozen=True, kw_only=True):
    """What the context held, and how large it was (D73). Since 1.2."""

    reason: Annotated[str | None, Meta(description="Why there are no values at all.")]
    undefined: Annotated[
        dict[str, str], Meta(description="Reason of each value that is missing, by its name.")
    ] = msgspec.field(default_factory=dict)
    relevant_chars_share: Annotated[
        Share | None,
        Meta(
            description=("Share of the characters in results that are content of relevant files.")
        ),
    ] = None
    chars_to_first_relevant: Annotated[
        Seconds | None,
        Meta(description=("Characters of results before the first relevant content.")),
    ] = None
    repeated_chars_share: Annotated[
        Share | None, Meta(description="Share of content that had been shown before.")
    ] = None
    relevant_in_context_at_first_edit: Annotated[
        Share | None, Meta(description="Share of relevant files in context at the first edit.")
    ] = None
    chars_shown: Annotated[Count | None, Meta(description="Characters of all results.")] = None
    chars_relevant: Annotated[Count | None, Meta(description="Those of relevant files.")] = None
    first_edit_step: Annotated[
        Count | None, Meta(description="`step_index` of the first write; null without one.")
    ] = None
    by_tool: Annotated[
        dict[str, ContextChars], Meta(description="Characters of results by tool.")
    ] = msgspec.field(default_factory=dict)
    by_server: Annotated[
        dict[str, ContextChars],
        Meta(description="Characters of results by MCP server; `none` for other tools."),
    ] = msgspec.field(default_factory=dict)
    by_kind: Annotated[
        dict[str, ContextChars],
        Meta(description="Characters of files by kind of access, if known."),
    ] = msgspec.field(default_factory=dict)


class Finder(Record, frozen=True, kw_only=True):
    """The call that was the first to meet or show a file."""

    tool: Annotated[str, Meta(description="Raw name of the tool.")]
    category: Annotated[Category, Meta(description="Its category.")]
    kind: Annotated[AccessKind, Meta(description="How it touched the file.")]
    mcp_server: Annotated[str | None, Meta(description="MCP server; null for other tools.")]
    agent: Annotated[str | None, Meta(description="Subagent; null on the main thread.")]
    step: Annotated[Count, Meta(description="`step_index` of the call.")]
    seconds: Annotated[
        Seconds | None, Meta(description=("Seconds since the start; null if unknown."))
    ]
    tokens: Annotated[Count | None, Meta(description="Tokens so far; null if unknown.")]


class DiscoveredFile(Record, frozen=True, kw_only=True):
    """One relevant file, and which call found it."""

    file: Annotated[str, Meta(description="The entry of `ground_truth.files`.")]
    first_met: Annotated[
        Finder | None,
        Meta(description=("Who met it first, not counting writes; null if nobody did.")),
    ]
    first_shown: Annotated[
        Finder | None, Meta(description="The call that first showed its content; null if none did.")
    ]
    tools: Annotated[list[str], Meta(description="Tools that met it, by name.")]
    mcp_servers: Annotated[
        list[str], Meta(description="MCP servers that met it; `none` for other tools.")
    ]
    agents: Annotated[
        list[str], Meta(description="Subagents that met it; `main` for the main thread.")
    ]


class DiscoveryMetrics(Record, frozen=True, kw_only=True):
    """Who found the relevant files (D74). Since 1.2."""

    reason: Annotated[str | None, Meta(description="Why there are no values, when there are none.")]
    files: Annotated[
        list[DiscoveredFile], Meta(description="Each relevant file with its finders.")
    ] = msgspec.field(default_factory=list)
    found_first_by_mcp: Annotated[
        Share | None, Meta(description="Share of relevant files that MCP calls met first.")
    ] = None
    shown_first_by_mcp: Annotated[
        Share | None, Meta(description="Share of relevant files that MCP calls showed first.")
    ] = None
    found_only_by_mcp: Annotated[
        Share | None, Meta(description="Share of relevant files that only MCP calls met.")
    ] = None
    found_first_by_subagents: Annotated[
        Share | None, Meta(description="Share of relevant files that subagents met first.")
    ] = None


class SubagentWork(Record, frozen=True, kw_only=True):
    """What one subagent did."""

    agent: Annotated[str, Meta(description="Its id.")]
    calls: Annotated[Count, Meta(description="Number of its calls.")]
    result_chars: Annotated[
        Count | None, Meta(description="Characters of their results; null if unknown.")
    ]
    seconds: Annotated[
        Seconds | None, Meta(description="From its first to its last access; null if unknown.")
    ]
    files_met: Annotated[
        Count, Meta(description=("Distinct files that it met, not counting writes."))
    ]
    files_read: Annotated[Count, Meta(description="Distinct files that it read.")]
    relevant_met: Annotated[list[str], Meta(description="Relevant files that it met.")]
    relevant_read: Annotated[list[str], Meta(description="Relevant files that it read.")]
    came_back: Annotated[
        list[str],
        Meta(
            description="Relevant files that it met and that the main thread met at a later step."
        ),
    ]
    returned_chars: Annotated[
        Count | None,
        Meta(description="Characters of its report to the main thread; null if unknown."),
    ]
    input_tokens: Annotated[
        Count | UnsetType | None,
        Meta(
            description="Input tokens of all its model calls, cache included; null if the trace "
            "does not state them."
        ),
    ] = UNSET


class SubagentMetrics(Record, frozen=True, kw_only=True):
    """What subagents added (D75). Since 1.2."""

    reason: Annotated[str | None, Meta(description="Why there are no values, when there are none.")]
    agents: Annotated[
        list[SubagentWork], Meta(description="Each subagent, in order of its first call.")
    ] = msgspec.field(default_factory=list)
    main_thread_recall: Annotated[
        Share | None, Meta(description="Share of relevant files that the main thread met.")
    ] = None
    found_only_by_subagents: Annotated[
        Share | None, Meta(description="Share of relevant files that only subagents met.")
    ] = None
    subagent_findings_used: Annotated[
        Share | None,
        Meta(description="Share of subagents' relevant files that the main thread met later."),
    ] = None


Basis = Literal["accesses", "categories", "ranking"]
"""What metrics are computed from: the kind of each access; in documents of version 1.0, the
category of each call; for a ranked list without a trace, the list."""


class MetricsDocument(Record, frozen=True, kw_only=True):
    """All metrics of one trial."""

    schema_version: Version
    generated_at: Annotated[Time, Meta(description="When it was computed, UTC.")]
    provenance: Annotated[Provenance, Meta(description="Which execution this is.")]
    coverage: Annotated[Coverage, Meta(description="What could be read.")]
    event_summary: Annotated[EventSummary, Meta(description="Counts over the events.")]
    file_level_metrics: Annotated[
        FileLevelMetrics, Meta(description="Over retrieved files: every kind but written.")
    ]
    file_level_metrics_shown: Annotated[
        FileLevelMetrics, Meta(description="Over files whose content was shown.")
    ]
    chunk_level_metrics: Annotated[ChunkLevelMetrics, Meta(description="Line ranges.")]
    utilization_probes: Annotated[UtilizationProbes, Meta(description="Use of evidence.")]
    error_taxonomy: Annotated[ErrorTaxonomy, Meta(description="Error labels and slices.")]
    basis: Annotated[
        Basis | UnsetType,
        Meta(
            description="accesses: by the kind of each access; categories: by the category of "
            "each call, only from an events document of version 1.0; ranking: by a ranked list "
            "without a trace. Since 1.2."
        ),
    ] = UNSET
    access_counts: Annotated[
        dict[str, Count] | UnsetType,
        Meta(description="Accesses counted by `category/kind`. Since 1.2."),
    ] = UNSET
    looked_at: Annotated[
        LookedAt | UnsetType,
        Meta(
            description="What a trial without ground truth looked at; absent for other trials. "
            "Since 1.2."
        ),
    ] = UNSET
    servers: Annotated[
        dict[str, ServerUse] | UnsetType,
        Meta(
            description="What the calls of each MCP server took; `none` for all other tools. Absent "
            "if no MCP server was called. Since 1.3."
        ),
    ] = UNSET
    line_level_metrics: Annotated[
        LineLevelMetrics | UnsetType, Meta(description="The right lines. Since 1.2.")
    ] = UNSET
    context_metrics: Annotated[
        ContextMetrics | UnsetType,
        Meta(description="What the context held, and how large it was. Since 1.2."),
    ] = UNSET
    discovery: Annotated[
        DiscoveryMetrics | UnsetType, Meta(description="Who found the relevant files. Since 1.2.")
    ] = UNSET
    subagent_metrics: Annotated[
        SubagentMetrics | UnsetType, Meta(description="What subagents added. Since 1.2.")
    ] = UNSET
    patch_metrics: Annotated[
        PatchMetrics | UnsetType,
        Meta(description=("Edited files compared with the gold patch. Since 1.2.")),
    ] = UNSET
    published_metrics: Annotated[
        PublishedMetrics | UnsetType, Meta(description="Metrics as papers define them. Since 1.2.")
    ] = UNSET
    funnel: Annotated[
        FunnelMetrics | UnsetType, Meta(description="How far relevant files got. Since 1.2.")
    ] = UNSET
    judged_metrics: Annotated[
        JudgedMetrics | UnsetType, Meta(description="Metrics over judged files only. Since 1.2.")
    ] = UNSET
    function_level_metrics: Annotated[
        FunctionLevelMetrics | UnsetType, Meta(description="The right functions. Since 1.3.")
    ] = UNSET
