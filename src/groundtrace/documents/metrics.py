"""The per-task metrics document: the four metric stages of one trial (D24)."""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from groundtrace.documents.base import Count, Record, Seconds, Share, Time, Version
from groundtrace.documents.events import Coverage, EventSummary, Provenance
from groundtrace.documents.functions import FunctionLevelMetrics
from groundtrace.documents.looked_at import LookedAt, ServerUse
from groundtrace.documents.patches import FunnelMetrics, PatchMetrics, PublishedMetrics
from groundtrace.model import AccessKind, Category


class JudgedMetrics(Record, frozen=True, kw_only=True):
    """Retrieved files that the task judges: relevant or irrelevant (D120). Since 1.2."""

    reason: str | None
    """Why there are no values, when there are none."""
    n_irrelevant: Count | None = None
    """Files that are judged irrelevant, retrieved or not."""
    bpref: Share | None = None
    """Whether relevant files come before files judged irrelevant; unjudged files are left out."""
    judged_at_10: Share | None = None
    """Share of the first 10 retrieved files that are judged."""


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

    computable: bool
    """Whether the values below could be computed."""
    reason: NotComputable | None
    """Why not, when not computable."""
    precision: ByCutoff | None = None
    """Precision@K by K."""
    recall: ByCutoff | None = None
    """Recall@K by K."""
    f1: ByCutoff | None = None
    """F1@K by K."""
    ndcg: ByCutoff | None = None
    """nDCG@K by K."""
    mrr: Share | None = None
    """Reciprocal rank of the first hit."""
    map_score: Share | None = None
    """Average precision."""
    file_recall: Share | None = None
    """Share of ground-truth files found anywhere."""
    context_efficiency: Share | None = None
    """Share of retrieved files that are relevant; null if none retrieved."""
    n_retrieved: Count | None = None
    """Distinct files retrieved."""
    n_ground_truth: Count | None = None
    """Ground-truth files."""
    n_overlap: Count | None = None
    """Ground-truth files retrieved."""
    first_gt_hit_step: Count | None = None
    """`step_index` of the first hit that is not a write."""
    ttfr_seconds: Seconds | None = None
    """Seconds to the first relevant file."""
    ttfr_tokens: Count | None = None
    """Tokens to the first relevant file."""
    basis: Literal["ranking"] | UnsetType = UNSET
    """ranking: the list is a ranked list without a trace; else absent. Since 1.3."""


class ChunkLevelMetrics(Record, frozen=True, kw_only=True):
    """Stage 2: line ranges; a chunk counts as hit when its file was accessed."""

    resolution: Literal["chunk_level", "file_level_only"]
    """What could be resolved."""
    validity: Literal["file_match_only", "unsupported"]
    """What the value means."""
    chunk_recall: Share | None = None
    """Share of chunks whose file was accessed."""
    chunks_total: Count = 0
    """Ground-truth chunks."""
    chunks_hit: Count | None = None
    """Chunks whose file was accessed."""
    reason: str | None = None
    """Why there is no chunk recall, when there is none."""


class UtilizationProbes(Record, frozen=True, kw_only=True):
    """Stage 3: whether the agent used the evidence that it retrieved."""

    probe_available: bool
    """False only without ground truth or trace."""
    reason: NotComputable | None
    """Why not, when not available."""
    util_read_overlap_with_relevant_files: Share | None = None
    """Share of relevant files that were read."""
    util_write_overlap_with_relevant_files_proxy: Share | None = None
    """Share of relevant files written; null without writes."""
    util_write_overlap_with_expected_edit_files: Share | None = None
    """Share of expected edit files written."""
    util_read_before_write_ratio: Share | None = None
    """Share of written files read at an earlier step."""
    expected_edit_probe_available: bool = False
    """Whether edit targets are known."""
    expected_edit_probe_reason: str | None = None
    """Why the value about expected edits is missing, if it is."""
    files_read: Count | None = None
    """Distinct files read."""
    files_read_relevant: Count | None = None
    """Relevant files read."""
    files_written: Count | None = None
    """Distinct files written."""
    files_written_relevant: Count | None = None
    """Relevant files written."""
    files_written_expected_edit: Count | None = None
    """Expected edit files written."""


class Slices(Record, frozen=True, kw_only=True):
    """Calibration slices of one trial."""

    candidate_set_size: Literal["small", "medium", "large"]
    """Retrieved files: up to 5, 6 to 20, over 20."""
    evidence_type: Literal["local", "mcp"]
    """mcp when at least one MCP call was made."""


class ErrorTaxonomy(Record, frozen=True, kw_only=True):
    """Stage 4: five labels with the files behind them."""

    computable: bool
    """Whether the labels could be computed."""
    reason: NotComputable | None
    """Why not, when not computable."""
    labels: dict[TaxonomyLabel, Count] | None = None
    """Files per label."""
    files: dict[TaxonomyLabel, list[str]] | None = None
    """The files behind each label."""
    slices: Slices | None = None
    """Calibration slices."""
    not_applicable: list[TaxonomyLabel] = msgspec.field(default_factory=list)
    """Labels that do not apply: no edit was expected. In documents without `edit_targets` also
    those of trials whose edit targets are unknown."""
    edit_targets: EditTargets | UnsetType = UNSET
    """Whether the task says which files to edit: known; none_expected (the labels about writing do
    not apply); unknown (they count). Since 1.2."""


class LineLevelMetrics(Record, frozen=True, kw_only=True):
    """The right lines: ground-truth lines that were shown (D72). Since 1.2."""

    basis: Literal["chunks", "edit_chunks"] | None
    """Which lines of the ground truth are used; null if it has none."""
    reason: str | None
    """Why there are no values, when there are none."""
    line_recall: Share | None = None
    """Share of the ground-truth lines that were shown."""
    line_precision: Share | None = None
    """Share of the lines shown that are ground-truth lines."""
    chunk_recall_by_lines: Share | None = None
    """Share of chunks with at least one line shown."""
    lines_seen: Count | None = None
    """Distinct lines shown, of any file."""
    lines_relevant: Count | None = None
    """Distinct ground-truth lines."""
    lines_relevant_seen: Count | None = None
    """Distinct ground-truth lines that were shown."""
    accesses_of_truth_files: Count | UnsetType = UNSET
    """Accesses that showed ground-truth files; absent if that is not known."""
    accesses_without_lines: Count | UnsetType = UNSET
    """Those of them whose lines are unknown; absent if that is not known."""


class ContextChars(Record, frozen=True, kw_only=True):
    """Characters in a part of the context."""

    shown: Count
    """Characters shown."""
    relevant: Count
    """Those that are content of relevant files."""


class ContextMetrics(Record, frozen=True, kw_only=True):
    """What the context held, and how large it was (D73). Since 1.2."""

    reason: str | None
    """Why there are no values at all."""
    undefined: dict[str, str] = msgspec.field(default_factory=dict)
    """Reason of each value that is missing, by its name."""
    relevant_chars_share: Share | None = None
    """Share of the characters in results that are content of relevant files."""
    chars_to_first_relevant: Seconds | None = None
    """Characters of results before the first relevant content."""
    repeated_chars_share: Share | None = None
    """Share of content that had been shown before."""
    relevant_in_context_at_first_edit: Share | None = None
    """Share of relevant files in context at the first edit."""
    chars_shown: Count | None = None
    """Characters of all results."""
    chars_relevant: Count | None = None
    """Those of relevant files."""
    first_edit_step: Count | None = None
    """`step_index` of the first write; null without one."""
    by_tool: dict[str, ContextChars] = msgspec.field(default_factory=dict)
    """Characters of results by tool."""
    by_server: dict[str, ContextChars] = msgspec.field(default_factory=dict)
    """Characters of results by MCP server; `none` for other tools."""
    by_kind: dict[str, ContextChars] = msgspec.field(default_factory=dict)
    """Characters of files by kind of access, if known."""


class Finder(Record, frozen=True, kw_only=True):
    """The call that was the first to meet or show a file."""

    tool: str
    """Raw name of the tool."""
    category: Category
    """Its category."""
    kind: AccessKind
    """How it touched the file."""
    mcp_server: str | None
    """MCP server; null for other tools."""
    agent: str | None
    """Subagent; null on the main thread."""
    step: Count
    """`step_index` of the call."""
    seconds: Seconds | None
    """Seconds since the start; null if unknown."""
    tokens: Count | None
    """Tokens so far; null if unknown."""


class DiscoveredFile(Record, frozen=True, kw_only=True):
    """One relevant file, and which call found it."""

    file: str
    """The entry of `ground_truth.files`."""
    first_met: Finder | None
    """Who met it first, not counting writes; null if nobody did."""
    first_shown: Finder | None
    """The call that first showed its content; null if none did."""
    tools: list[str]
    """Tools that met it, by name."""
    mcp_servers: list[str]
    """MCP servers that met it; `none` for other tools."""
    agents: list[str]
    """Subagents that met it; `main` for the main thread."""


class DiscoveryMetrics(Record, frozen=True, kw_only=True):
    """Who found the relevant files (D74). Since 1.2."""

    reason: str | None
    """Why there are no values, when there are none."""
    files: list[DiscoveredFile] = msgspec.field(default_factory=list)
    """Each relevant file with its finders."""
    found_first_by_mcp: Share | None = None
    """Share of relevant files that MCP calls met first."""
    shown_first_by_mcp: Share | None = None
    """Share of relevant files that MCP calls showed first."""
    found_only_by_mcp: Share | None = None
    """Share of relevant files that only MCP calls met."""
    found_first_by_subagents: Share | None = None
    """Share of relevant files that subagents met first."""


class SubagentWork(Record, frozen=True, kw_only=True):
    """What one subagent did."""

    agent: str
    """Its id."""
    calls: Count
    """Number of its calls."""
    result_chars: Count | None
    """Characters of their results; null if unknown."""
    seconds: Seconds | None
    """From its first to its last access; null if unknown."""
    files_met: Count
    """Distinct files that it met, not counting writes."""
    files_read: Count
    """Distinct files that it read."""
    relevant_met: list[str]
    """Relevant files that it met."""
    relevant_read: list[str]
    """Relevant files that it read."""
    came_back: list[str]
    """Relevant files that it met and that the main thread met at a later step."""
    returned_chars: Count | None
    """Characters of its report to the main thread; null if unknown."""
    input_tokens: Count | UnsetType | None = UNSET
    """Input tokens of all its model calls, cache included; null if the trace does not state
    them."""


class SubagentMetrics(Record, frozen=True, kw_only=True):
    """What subagents added (D75). Since 1.2."""

    reason: str | None
    """Why there are no values, when there are none."""
    agents: list[SubagentWork] = msgspec.field(default_factory=list)
    """Each subagent, in order of its first call."""
    main_thread_recall: Share | None = None
    """Share of relevant files that the main thread met."""
    found_only_by_subagents: Share | None = None
    """Share of relevant files that only subagents met."""
    subagent_findings_used: Share | None = None
    """Share of subagents' relevant files that the main thread met later."""


Basis = Literal["accesses", "categories", "ranking"]
"""What metrics are computed from: the kind of each access; in documents of version 1.0, the
category of each call; for a ranked list without a trace, the list."""


class MetricsDocument(Record, frozen=True, kw_only=True):
    """All metrics of one trial."""

    schema_version: Version
    generated_at: Time
    """When it was computed, UTC."""
    provenance: Provenance
    """Which execution this is."""
    coverage: Coverage
    """What could be read."""
    event_summary: EventSummary
    """Counts over the events."""
    file_level_metrics: FileLevelMetrics
    """Over retrieved files: every kind but written."""
    file_level_metrics_shown: FileLevelMetrics
    """Over files whose content was shown."""
    chunk_level_metrics: ChunkLevelMetrics
    """Line ranges."""
    utilization_probes: UtilizationProbes
    """Use of evidence."""
    error_taxonomy: ErrorTaxonomy
    """Error labels and slices."""
    basis: Basis | UnsetType = UNSET
    """accesses: by the kind of each access; categories: by the category of each call, only from an
    events document of version 1.0; ranking: by a ranked list without a trace. Since 1.2."""
    access_counts: dict[str, Count] | UnsetType = UNSET
    """Accesses counted by `category/kind`. Since 1.2."""
    looked_at: LookedAt | UnsetType = UNSET
    """What a trial without ground truth looked at; absent for other trials. Since 1.2."""
    servers: dict[str, ServerUse] | UnsetType = UNSET
    """What the calls of each MCP server took; `none` for all other tools. Absent if no MCP server
    was called. Since 1.3."""
    line_level_metrics: LineLevelMetrics | UnsetType = UNSET
    """The right lines. Since 1.2."""
    context_metrics: ContextMetrics | UnsetType = UNSET
    """What the context held, and how large it was. Since 1.2."""
    discovery: DiscoveryMetrics | UnsetType = UNSET
    """Who found the relevant files. Since 1.2."""
    subagent_metrics: SubagentMetrics | UnsetType = UNSET
    """What subagents added. Since 1.2."""
    patch_metrics: PatchMetrics | UnsetType = UNSET
    """Edited files compared with the gold patch. Since 1.2."""
    published_metrics: PublishedMetrics | UnsetType = UNSET
    """Metrics as papers define them. Since 1.2."""
    funnel: FunnelMetrics | UnsetType = UNSET
    """How far relevant files got. Since 1.2."""
    judged_metrics: JudgedMetrics | UnsetType = UNSET
    """Metrics over judged files only. Since 1.2."""
    function_level_metrics: FunctionLevelMetrics | UnsetType = UNSET
    """The right functions. Since 1.3."""
