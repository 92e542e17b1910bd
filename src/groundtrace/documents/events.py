"""The retrieval-events document: one per trial, the specification's normalized form."""

from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from groundtrace.documents.base import Count, LineNumber, Record, Seconds, Time, Version
from groundtrace.documents.functions import FunctionLines, Functions
from groundtrace.model import AccessKind, Category, Confidence, TraceSource

Scalar = str | int | float | bool | None


class RepoRoot(Record, frozen=True, kw_only=True):
    """A folder that was taken to be a repository (D181)."""

    path: str
    """The folder; relative if the trial's paths are relative to nothing."""
    repo: str | None
    """Short name of the repository; null when unknown."""
    evidence: list[str]
    """What speaks for it, in words."""
    votes: Count | UnsetType = UNSET
    """Weight of the evidence; absent if a rule decided without a vote."""


class Provenance(Record, frozen=True, kw_only=True):
    """Which execution this is."""

    run_id: str
    """Name of the run folder."""
    batch_timestamp: str | None = None
    """Batch folder within the run; null if there is none."""
    task_name: str
    """Canonical name of the task."""
    trial_name: str = ""
    """Name of the trial; empty in documents that do not say it."""
    config_name: str
    """Full label of the configuration."""
    benchmark: str | None
    """Suite; empty when unknown, in some older documents null (D59)."""
    model: str | None = None
    """Model without provider prefix; null when unknown."""
    harness: str | UnsetType | None = UNSET
    """Program that ran the agent; null when unknown. Since 1.2."""
    harness_version: str | UnsetType | None = UNSET
    """Its version; null when unknown. Since 1.2."""
    repo: str | UnsetType | None = UNSET
    """The trial's only repository, short name: from the manifest, else from the task, else from the
    trace; else null. Since 1.2."""
    source_file: str | UnsetType | None = UNSET
    """The trace, relative to RUNS. If there are several files, the main one; if none was read, the
    trial's folder. Since 1.2."""
    repo_roots: list[RepoRoot] | UnsetType = UNSET
    """Folders of the trial that were taken to be repositories; absent if none was. Since 1.3."""
    title: str | UnsetType = UNSET
    """What the user asked first, at most 80 characters; only of sessions that no data set names.
    Since 1.3."""
    branch: str | UnsetType = UNSET
    """Branch that was checked out, if the trace says it. Since 1.3."""
    started_at: str | UnsetType = UNSET
    """Time of the first line of the trace, UTC, if it has one. Since 1.3."""
    last_call_at: str | UnsetType = UNSET
    """Time of the last tool call; only with `started_at`. Since 1.3."""


class Coverage(Record, frozen=True, kw_only=True):
    """What could be read; later stages must check this before they compute."""

    has_trajectory: bool
    """A trajectory was found and parsed."""
    has_transcript: bool
    """A transcript was found and parsed."""
    has_ground_truth: bool
    """File-level ground truth exists for the task."""
    has_chunk_ground_truth: bool
    """Line ranges exist for the task."""
    trace_source: TraceSource | None
    """Which source produced the events; null in degraded mode."""
    degraded_reason: str | None
    """Why events are missing or incomplete; null when nothing was lost."""
    ground_truth_source: str | None = None
    """The source that gave the ground-truth files."""
    ground_truth_confidence: Confidence | None = None
    """The specification's confidence in that source."""
    elapsed_origin: Literal["agent_execution", "first_timestamp"] | UnsetType | None = UNSET
    """From when `elapsed_seconds` counts; null without times. Since 1.1."""
    problems: dict[str, Count] | UnsetType = UNSET
    """Problems found in this trial, counted by kind. Since 1.1."""
    calls_unanswered: Count | UnsetType = UNSET
    """Calls without a result in the trace. Since 1.2."""
    calls_unknown_tool: Count | UnsetType = UNSET
    """Calls of tools that the tool table does not know. Since 1.2."""
    lookups: Count | UnsetType = UNSET
    """Searches, shell commands and calls of unknown tools: only their results say what they found.
    Since 1.2."""
    lookups_unanswered: Count | UnsetType = UNSET
    """Those of them without a result in the trace. Since 1.2."""
    tokens_share: Seconds | UnsetType | None = UNSET
    """Tokens summed over model calls, as a share of the total that the trace records; null if it
    records no total. Since 1.2."""
    subagents_unseen: Count | UnsetType = UNSET
    """Subagents that were started and of whose calls the trace holds none. Since 1.3."""
    unmatched_suffixes: Count | UnsetType = UNSET
    """Relevant files that nothing matched although a local path of the trial ends like them: a
    copy, or a clone that was not recognised. Since 1.3."""


class Symbol(Record, frozen=True, kw_only=True):
    """A symbol inside a ground-truth file."""

    file: str
    """File that holds the symbol."""
    symbol: str
    """Name of the function, class or other symbol."""
    repo: str | None = None
    """Repository; null when not named."""


class Chunk(Record, frozen=True, kw_only=True):
    """A line range inside a ground-truth file."""

    file: str
    """File that holds the lines."""
    line_start: LineNumber
    """First line, from 1."""
    line_end: LineNumber
    """Last line, inclusive."""
    annotation: str | None = None
    """What the ground truth says about it."""


class GroundTruthSection(Record, frozen=True, kw_only=True):
    """What the task says an agent should have found."""

    files: list[str]
    """Relevant files, spelled as in the source; empty if unknown."""
    symbols: list[Symbol] | UnsetType = UNSET
    """Symbols; absent when there are none."""
    chunks: list[Chunk] | UnsetType = UNSET
    """Line ranges; absent when there are none."""
    expected_edit_files: list[str] | UnsetType = UNSET
    """Files that the task expects to be edited; empty if it expects no edit, absent if that is
    unknown."""
    expected_edit_files_source: str | UnsetType = UNSET
    """The source that gave the edit files."""
    expected_edit_files_confidence: Confidence | UnsetType = UNSET
    """Confidence in that source."""
    edit_chunks: list[Chunk] | UnsetType = UNSET
    """Lines that a gold patch changes, as they were before: each run of removed lines, and for a
    pure insertion the line before and the line after it. Since 1.2."""
    test_files: list[str] | UnsetType = UNSET
    """Files of the task's test patch: neither relevant files nor edit targets. Since 1.2."""
    functions: list[FunctionLines] | UnsetType = UNSET
    """Relevant functions at the base commit: those that the gold patch changes, or that the task's
    lines meet; absent if they are unknown. Since 1.3."""
    old_names: list[str] | UnsetType = UNSET
    """Distinct names of the gold patch's files before it, as SWE-PolyBench reads them: created
    files can be one `/dev/null`. Absent without a gold patch. Since 1.3."""


class LineRange(Record, frozen=True, kw_only=True):
    """Lines of a file that were shown one after the other."""

    line_start: LineNumber
    """First line, from 1."""
    line_end: LineNumber
    """Last line, inclusive."""


class LineChange(Record, frozen=True, kw_only=True):
    """A place that a write changed; line numbers are those before the change."""

    line_start: LineNumber
    """First line replaced; for an insertion, the line before which it was put."""
    line_end: Count
    """Last line replaced; for an insertion, the line before `line_start`."""
    line_shift: int
    """Lines by which the file grew here."""


class Access(Record, frozen=True, kw_only=True):
    """One file that a call touched, and how (D7)."""

    file: str
    """The file, in its one spelling; `target_files` has relevant files as the ground truth spells
    them."""
    kind: AccessKind
    """How the file was touched."""
    repo: str | UnsetType = UNSET
    """Short name of its repository, where known."""
    line_start: LineNumber | UnsetType = UNSET
    """First line shown, from 1, where known."""
    line_end: LineNumber | UnsetType = UNSET
    """Last line shown, inclusive, where known."""
    line_ranges: list[LineRange] | UnsetType = UNSET
    """Ranges of lines shown, if not every line from `line_start` to `line_end` was shown; empty if
    it is unknown which. Since 1.2."""
    base_lines: list[LineRange] | UnsetType | None = UNSET
    """The lines shown, numbered as before the agent changed the file. Present if the text of
    results or git shows more than `line_changes`; null if the numbers are unknown. Since 1.2."""
    ground_truth_file: str | UnsetType = UNSET
    """The entry of `ground_truth.files` that the file matches."""
    expected_edit_file: str | UnsetType = UNSET
    """The entry of `ground_truth.expected_edit_files` that the file matches. Since 1.2."""
    near_ground_truth: bool | UnsetType = UNSET
    """True if the file is not a ground-truth file but is in the folder of one; else absent. Since
    1.2."""
    chunks: list[Count] | UnsetType = UNSET
    """Positions in `ground_truth.chunks` that overlap with its lines. Since 1.2."""
    edit_chunks: list[Count] | UnsetType = UNSET
    """Positions in `ground_truth.edit_chunks` that overlap with its lines. Since 1.2."""
    shown_chars: Count | UnsetType = UNSET
    """Characters of this file in the result, if known. Since 1.2."""
    line_shift: int | UnsetType = UNSET
    """Number of lines that a write added to the file, if known. Since 1.2."""
    line_changes: list[LineChange] | UnsetType = UNSET
    """Places that a write changed, if known, in order. Line numbers of each place include the
    changes before it. Since 1.2."""
    evidence: Literal["declared", "generic"] | UnsetType = UNSET
    """declared: read by the rules of a known tool; generic: read from the arguments and the result
    of an unknown tool. Since 1.2."""
    other_revision: bool | UnsetType = UNSET
    """True if the call names another revision of the repository than the task; else absent. Since
    1.2."""
    functions: list[Count] | UnsetType = UNSET
    """Functions of which it showed a line, as positions in `functions.listed`; absent if it showed
    none. Since 1.3."""


class Event(Record, frozen=True, kw_only=True):
    """One tool call (D1)."""

    step_index: Count
    """Zero-based position among all calls."""
    timestamp: Time | None
    """When it was made, UTC; null if unknown."""
    tool_name: str
    """Raw name from the trace."""
    tool_category: Category
    """Category from the tool table."""
    is_mcp: bool
    """Went to an MCP server that counts (D3)."""
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)
    """Only the important arguments: paths, patterns, queries, symbols, ranges; texts, numbers and
    lists of them. Other programs also write nested ones."""
    target_files: list[str]
    """Distinct files accessed or returned, in order; a ground-truth file as in
    `ground_truth.files`."""
    target_symbols: list[str]
    """Symbols asked for."""
    hits_ground_truth: bool
    """A target is a ground-truth file."""
    matched_ground_truth_files: list[str]
    """Entries of `ground_truth.files` that were touched."""
    is_subagent: bool
    """Made by a subagent."""
    cumulative_tokens: Count | None
    """Tokens of all model calls so far; null if unknown."""
    elapsed_seconds: Seconds | None
    """Seconds since the agent started; null if unknown."""
    call_id: str | UnsetType | None = UNSET
    """The harness's id of the call. Since 1.1."""
    accesses: list[Access] | UnsetType = UNSET
    """Each file touched, with its kind. Since 1.1."""
    failed: bool | UnsetType | None = UNSET
    """The call failed: an error, a refusal, or an empty result where content was expected; null if
    the trace has no result. Since 1.2."""
    answered: bool | UnsetType = UNSET
    """False if the trace has no result of the call. Since 1.2."""
    result_chars: Count | UnsetType | None = UNSET
    """Characters of the result as the model saw it; null without a result. Since 1.2."""
    seconds: Seconds | UnsetType = UNSET
    """Seconds until its result came in, if known. Since 1.3."""
    agent: str | UnsetType = UNSET
    """Name or id of the subagent; absent on the main thread. Since 1.2."""
    mcp_server: str | UnsetType = UNSET
    """MCP server of the tool; absent for other tools. Since 1.2."""


class EventSummary(Record, frozen=True, kw_only=True):
    """Counts over all events."""

    total_events: Count
    """Number of events."""
    mcp_events: Count
    """Events with `is_mcp`."""
    local_events: Count
    """Events without `is_mcp`."""
    unique_files_accessed: Count
    """Distinct target files."""
    ground_truth_files_hit: Count
    """Ground-truth files touched."""
    ground_truth_files_total: Count
    """Ground-truth files."""
    first_ground_truth_hit_step: Count | None
    """`step_index` of the first hit; null without one."""
    events_by_category: dict[Category, Count]
    """Number of events by `tool_category`."""


FROM_TRACE = "trace: "
"""Start of `Submission.source` when the trace itself states the submission."""


class Submission(Record, frozen=True, kw_only=True):
    """What the agent submitted at the end."""

    files: list[str]
    """Files that it changes, spelled like edit targets."""
    new_files: list[str] | UnsetType = UNSET
    """Those of `files` that did not exist before."""
    source: str
    """Where it was found: the trace, a predictions file."""
    old_names: list[str] | UnsetType = UNSET
    """Distinct names of its files before it, as in `ground_truth`. Since 1.3."""
    edit_chunks: list[Chunk] | UnsetType = UNSET
    """Lines that it changes, as in `ground_truth.edit_chunks`; absent if it changes none. Since
    1.3."""


class Ranking(Record, frozen=True, kw_only=True):
    """Places in the code that a method names as relevant, best first, instead of a trace (D234)."""

    files: list[str]
    """Distinct files, spelled like relevant files, best first."""
    modules: list[str] | UnsetType = UNSET
    """Classes and modules, as written, best first."""
    entities: list[str] | UnsetType = UNSET
    """Functions and methods, as written, best first."""


class StatedContext(Record, frozen=True, kw_only=True):
    """Lines of a file that the agent says it used."""

    file: str
    """The file, spelled like relevant files."""
    line_start: LineNumber
    """First line that the agent names, from 1."""
    line_end: LineNumber
    """Last line, inclusive."""


class ContextChange(Record, frozen=True, kw_only=True):
    """A point at which the harness removed something from the model's context."""

    after_step: Count | None
    """`step_index` of the last call before the change; null at the start."""
    kind: str
    """Such as compaction, truncation or rollback."""
    dropped_steps: list[Count] | None
    """Calls whose results are no longer in the context; null if unknown."""


class EventsDocument(Record, frozen=True, kw_only=True):
    """All retrieval events of one trial."""

    schema_version: Version
    generated_at: Time | UnsetType = UNSET
    """When it was written, UTC; absent in some older documents (D59)."""
    provenance: Provenance
    """Which execution this is."""
    coverage: Coverage
    """What could be read."""
    ground_truth: GroundTruthSection
    """What should be found."""
    events: list[Event]
    """Tool calls in order."""
    summary: EventSummary | UnsetType = UNSET
    """Counts over the events."""
    submission: Submission | UnsetType = UNSET
    """What the agent submitted; absent if unknown. Since 1.2."""
    final_context: list[StatedContext] | UnsetType = UNSET
    """The final context that the agent names, if its harness asks for it; else absent. Since
    1.2."""
    context_changes: list[ContextChange] | UnsetType = UNSET
    """Compaction and similar changes; absent if the trace shows none. Since 1.2."""
    subagent_inputs: dict[str, Count] | UnsetType = UNSET
    """Subagent, as `agent` of its events, to the input tokens of all its model calls, cache
    included; absent if the trace does not state them. Since 1.2."""
    functions: Functions | UnsetType = UNSET
    """Functions that were shown and edited; absent if no repository was given. Since 1.3."""
    ranking: Ranking | UnsetType = UNSET
    """The ranked list that the trial is, if it is one. Since 1.3."""
