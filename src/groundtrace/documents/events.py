"""The retrieval-events document: one per trial, the specification's normalized form."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from groundtrace.documents.base import Count, LineNumber, Record, Seconds, Time, Version
from groundtrace.documents.functions import FunctionLines, Functions
from groundtrace.model import AccessKind, Category, Confidence, TraceSource

Scalar = str | int | float | bool | None


class RepoRoot(Record, frozen=True, kw_only=True):
    """A folder that was taken to be a repository (D181)."""

    path: Annotated[
        str, Meta(description="The folder; relative if the trial's paths are relative to nothing.")
    ]
    repo: Annotated[
        str | None, Meta(description="Short name of the repository; null when unknown.")
    ]
    evidence: Annotated[list[str], Meta(description="What speaks for it, in words.")]
    votes: Annotated[
        Count | UnsetType,
        Meta(description="Weight of the evidence; absent if a rule decided without a vote."),
    ] = UNSET


class Provenance(Record, frozen=True, kw_only=True):
    """Which execution this is."""

    run_id: Annotated[str, Meta(description="Name of the run folder.")]
    batch_timestamp: Annotated[
        str | None, Meta(description="Batch folder within the run; null if there is none.")
    ] = None
    task_name: Annotated[str, Meta(description="Canonical name of the task.")]
    trial_name: Annotated[
        str, Meta(description="Name of the trial; empty in documents that do not say it.")
    ] = ""
    config_name: Annotated[str, Meta(description="Full label of the configuration.")]
    benchmark: Annotated[
        str | None,
        Meta(description="Suite; empty when unknown, in some older documents null (D59)."),
    ]
    model: Annotated[
        str | None, Meta(description="Model without provider prefix; null when unknown.")
    ] = None
    harness: Annotated[
        str | UnsetType | None,
        Meta(description="Program that ran the agent; null when unknown. Since 1.2."),
    ] = UNSET
    harness_version: Annotated[
        str | UnsetType | None, Meta(description="Its version; null when unknown. Since 1.2.")
    ] = UNSET
    repo: Annotated[
        str | UnsetType | None,
        Meta(
            description="The trial's only repository, short name: from the manifest, else from "
            "the task, else from the trace; else null. Since 1.2."
        ),
    ] = UNSET
    source_file: Annotated[
        str | UnsetType | None,
        Meta(
            description="The trace, relative to RUNS. If there are several files, the main "
            "one; if none was read, the trial's folder. Since 1.2."
        ),
    ] = UNSET
    repo_roots: Annotated[
        list[RepoRoot] | UnsetType,
        Meta(
            description="Folders of the trial that were taken to be repositories; absent if none "
            "was. Since 1.3."
        ),
    ] = UNSET
    title: Annotated[
        str | UnsetType,
        Meta(
            description="What the user asked first, at most 80 characters; only of sessions that no "
            "data set names. Since 1.3."
        ),
    ] = UNSET
    branch: Annotated[
        str | UnsetType,
        Meta(description="Branch that was checked out, if the trace says it. Since 1.3."),
    ] = UNSET
    started_at: Annotated[
        str | UnsetType,
        Meta(description="Time of the first line of the trace, UTC, if it has one. Since 1.3."),
    ] = UNSET
    last_call_at: Annotated[
        str | UnsetType,
        Meta(description="Time of the last tool call; only with `started_at`. Since 1.3."),
    ] = UNSET


class Coverage(Record, frozen=True, kw_only=True):
    """What could be read; later stages must check this before they compute."""

    has_trajectory: Annotated[bool, Meta(description="A trajectory was found and parsed.")]
    has_transcript: Annotated[bool, Meta(description="A transcript was found and parsed.")]
    has_ground_truth: Annotated[
        bool, Meta(description="File-level ground truth exists for the task.")
    ]
    has_chunk_ground_truth: Annotated[bool, Meta(description="Line ranges exist for the task.")]
    trace_source: Annotated[
        TraceSource | None,
        Meta(description="Which source produced the events; null in degraded mode."),
    ]
    degraded_reason: Annotated[
        str | None,
        Meta(description="Why events are missing or incomplete; null when nothing was lost."),
    ]
    ground_truth_source: Annotated[
        str | None, Meta(description="The source that gave the ground-truth files.")
    ] = None
    ground_truth_confidence: Annotated[
        Confidence | None, Meta(description="The specification's confidence in that source.")
    ] = None
    elapsed_origin: Annotated[
        Literal["agent_execution", "first_timestamp"] | UnsetType | None,
        Meta(description="From when `elapsed_seconds` counts; null without times. Since 1.1."),
    ] = UNSET
    problems: Annotated[
        dict[str, Count] | UnsetType,
        Meta(description="Problems found in this trial, counted by kind. Since 1.1."),
    ] = UNSET
    calls_unanswered: Annotated[
        Count | UnsetType,
        Meta(description="Calls without a result in the trace. Since 1.2."),
    ] = UNSET
    calls_unknown_tool: Annotated[
        Count | UnsetType,
        Meta(description="Calls of tools that the tool table does not know. Since 1.2."),
    ] = UNSET
    lookups: Annotated[
        Count | UnsetType,
        Meta(
            description="Searches, shell commands and calls of unknown tools: only their "
            "results say what they found. Since 1.2."
        ),
    ] = UNSET
    lookups_unanswered: Annotated[
        Count | UnsetType,
        Meta(description="Those of them without a result in the trace. Since 1.2."),
    ] = UNSET
    tokens_share: Annotated[
        Seconds | UnsetType | None,
        Meta(
            description="Tokens summed over model calls, as a share of the total that the "
            "trace records; null if it records no total. Since 1.2."
        ),
    ] = UNSET
    subagents_unseen: Annotated[
        Count | UnsetType,
        Meta(
            description="Subagents that were started and of whose calls the trace holds none. "
            "Since 1.3."
        ),
    ] = UNSET
    unmatched_suffixes: Annotated[
        Count | UnsetType,
        Meta(
            description="Relevant files that nothing matched although a local path of the trial ends "
            "like them: a copy, or a clone that was not recognised. Since 1.3."
        ),
    ] = UNSET


class Symbol(Record, frozen=True, kw_only=True):
    """A symbol inside a ground-truth file."""

    file: Annotated[str, Meta(description="File that holds the symbol.")]
    symbol: Annotated[str, Meta(description="Name of the function, class or other symbol.")]
    repo: Annotated[str | None, Meta(description="Repository; null when not named.")] = None


class Chunk(Record, frozen=True, kw_only=True):
    """A line range inside a ground-truth file."""

    file: Annotated[str, Meta(description="File that holds the lines.")]
    line_start: Annotated[LineNumber, Meta(description="First line, from 1.")]
    line_end: Annotated[LineNumber, Meta(description="Last line, inclusive.")]
    annotation: Annotated[str | None, Meta(description="What the ground truth says about it.")] = (
        None
    )


class GroundTruthSection(Record, frozen=True, kw_only=True):
    """What the task says an agent should have found."""

    files: Annotated[
        list[str], Meta(description="Relevant files, spelled as in the source; empty if unknown.")
    ]
    symbols: Annotated[
        list[Symbol] | UnsetType, Meta(description="Symbols; absent when there are none.")
    ] = UNSET
    chunks: Annotated[
        list[Chunk] | UnsetType, Meta(description="Line ranges; absent when there are none.")
    ] = UNSET
    expected_edit_files: Annotated[
        list[str] | UnsetType,
        Meta(
            description="Files that the task expects to be edited; empty if it expects no "
            "edit, absent if that is unknown."
        ),
    ] = UNSET
    expected_edit_files_source: Annotated[
        str | UnsetType, Meta(description="The source that gave the edit files.")
    ] = UNSET
    expected_edit_files_confidence: Annotated[
        Confidence | UnsetType, Meta(description="Confidence in that source.")
    ] = UNSET
    edit_chunks: Annotated[
        list[Chunk] | UnsetType,
        Meta(
            description="Lines that a gold patch changes, as they were before: each run of removed "
            "lines, and for a pure insertion the line before and the line after it. Since 1.2."
        ),
    ] = UNSET
    test_files: Annotated[
        list[str] | UnsetType,
        Meta(
            description=(
                "Files of the task's test patch: neither relevant files nor edit targets. Since "
                "1.2."
            )
        ),
    ] = UNSET
    functions: Annotated[
        list[FunctionLines] | UnsetType,
        Meta(
            description="Relevant functions at the base commit: those that the gold patch changes, or "
            "that the task's lines meet; absent if they are unknown. Since 1.3."
        ),
    ] = UNSET
    old_names: Annotated[
        list[str] | UnsetType,
        Meta(
            description="Distinct names of the gold patch's files before it, as SWE-PolyBench "
            "reads them: created files can be one `/dev/null`. Absent without a gold patch. "
            "Since 1.3."
        ),
    ] = UNSET


class LineRange(Record, frozen=True, kw_only=True):
    """Lines of a file that were shown one after the other."""

    line_start: Annotated[LineNumber, Meta(description="First line, from 1.")]
    line_end: Annotated[LineNumber, Meta(description="Last line, inclusive.")]


class LineChange(Record, frozen=True, kw_only=True):
    """A place that a write changed; line numbers are those before the change."""

    line_start: Annotated[
        LineNumber,
        Meta(
            description=("First line replaced; for an insertion, the line before which it was put.")
        ),
    ]
    line_end: Annotated[
        Count,
        Meta(description="Last line replaced; for an insertion, the line before `line_start`."),
    ]
    line_shift: Annotated[int, Meta(description="Lines by which the file grew here.")]


class Access(Record, frozen=True, kw_only=True):
    """One file that a call touched, and how (D7)."""

    file: Annotated[
        str,
        Meta(
            description="The file, in its one spelling; `target_files` has relevant files as the "
            "ground truth spells them."
        ),
    ]
    kind: Annotated[AccessKind, Meta(description="How the file was touched.")]
    repo: Annotated[
        str | UnsetType, Meta(description="Short name of its repository, where known.")
    ] = UNSET
    line_start: Annotated[
        LineNumber | UnsetType,
        Meta(description="First line shown, from 1, where known."),
    ] = UNSET
    line_end: Annotated[
        LineNumber | UnsetType,
        Meta(description="Last line shown, inclusive, where known."),
    ] = UNSET
    line_ranges: Annotated[
        list[LineRange] | UnsetType,
        Meta(
            description="Ranges of lines shown, if not every line from `line_start` to "
            "`line_end` was shown; empty if it is unknown which. Since 1.2."
        ),
    ] = UNSET
    base_lines: Annotated[
        list[LineRange] | UnsetType | None,
        Meta(
            description="The lines shown, numbered as before the agent changed the file. "
            "Present if the text of results or git shows more than `line_changes`; "
            "null if the numbers are unknown. Since 1.2."
        ),
    ] = UNSET
    ground_truth_file: Annotated[
        str | UnsetType,
        Meta(description=("The entry of `ground_truth.files` that the file matches.")),
    ] = UNSET
    expected_edit_file: Annotated[
        str | UnsetType,
        Meta(
            description=(
                "The entry of `ground_truth.expected_edit_files` that the file matches. Since 1.2."
            )
        ),
    ] = UNSET
    near_ground_truth: Annotated[
        bool | UnsetType,
        Meta(
            description="True if the file is not a ground-truth file but is in the folder of "
            "one; else absent. Since 1.2."
        ),
    ] = UNSET
    chunks: Annotated[
        list[Count] | UnsetType,
        Meta(
            description=(
                "Positions in `ground_truth.chunks` that overlap with its lines. Since 1.2."
            )
        ),
    ] = UNSET
    edit_chunks: Annotated[
        list[Count] | UnsetType,
        Meta(
            description=(
                "Positions in `ground_truth.edit_chunks` that overlap with its lines. Since 1.2."
            )
        ),
    ] = UNSET
    shown_chars: Annotated[
        Count | UnsetType,
        Meta(description="Characters of this file in the result, if known. Since 1.2."),
    ] = UNSET
    line_shift: Annotated[
        int | UnsetType,
        Meta(description="Number of lines that a write added to the file, if known. Since 1.2."),
    ] = UNSET
    line_changes: Annotated[
        list[LineChange] | UnsetType,
        Meta(
            description="Places that a write changed, if known, in order. Line numbers of each "
            "place include the changes before it. Since 1.2."
        ),
    ] = UNSET
    evidence: Annotated[
        Literal["declared", "generic"] | UnsetType,
        Meta(
            description="declared: read by the rules of a known tool; generic: read from the "
            "arguments and the result of an unknown tool. Since 1.2."
        ),
    ] = UNSET
    other_revision: Annotated[
        bool | UnsetType,
        Meta(
            description="True if the call names another revision of the repository than the "
            "task; else absent. Since 1.2."
        ),
    ] = UNSET
    functions: Annotated[
        list[Count] | UnsetType,
        Meta(
            description="Functions of which it showed a line, as positions in `functions.listed`; "
            "absent if it showed none. Since 1.3."
        ),
    ] = UNSET


class Event(Record, frozen=True, kw_only=True):
    """One tool call (D1)."""

    step_index: Annotated[Count, Meta(description="Zero-based position among all calls.")]
    timestamp: Annotated[Time | None, Meta(description="When it was made, UTC; null if unknown.")]
    tool_name: Annotated[str, Meta(description="Raw name from the trace.")]
    tool_category: Annotated[Category, Meta(description="Category from the tool table.")]
    is_mcp: Annotated[bool, Meta(description="Went to an MCP server that counts (D3).")]
    arguments: Annotated[
        dict[str, Any],
        Meta(
            description="Only the important arguments: paths, patterns, queries, symbols, ranges; "
            "texts, numbers and lists of them. Other programs also write nested ones."
        ),
    ] = msgspec.field(default_factory=dict)
    target_files: Annotated[
        list[str],
        Meta(
            description="Distinct files accessed or returned, in order; a ground-truth file as in "
            "`ground_truth.files`."
        ),
    ]
    target_symbols: Annotated[list[str], Meta(description="Symbols asked for.")]
    hits_ground_truth: Annotated[bool, Meta(description="A target is a ground-truth file.")]
    matched_ground_truth_files: Annotated[
        list[str], Meta(description="Entries of `ground_truth.files` that were touched.")
    ]
    is_subagent: Annotated[bool, Meta(description="Made by a subagent.")]
    cumulative_tokens: Annotated[
        Count | None, Meta(description="Tokens of all model calls so far; null if unknown.")
    ]
    elapsed_seconds: Annotated[
        Seconds | None, Meta(description="Seconds since the agent started; null if unknown.")
    ]
    call_id: Annotated[
        str | UnsetType | None, Meta(description="The harness's id of the call. Since 1.1.")
    ] = UNSET
    accesses: Annotated[
        list[Access] | UnsetType, Meta(description="Each file touched, with its kind. Since 1.1.")
    ] = UNSET
    failed: Annotated[
        bool | UnsetType | None,
        Meta(
            description="The call failed: an error, a refusal, or an empty result where "
            "content was expected; null if the trace has no result. Since 1.2."
        ),
    ] = UNSET
    answered: Annotated[
        bool | UnsetType,
        Meta(description="False if the trace has no result of the call. Since 1.2."),
    ] = UNSET
    result_chars: Annotated[
        Count | UnsetType | None,
        Meta(
            description="Characters of the result as the model saw it; null without a result. "
            "Since 1.2."
        ),
    ] = UNSET
    seconds: Annotated[
        Seconds | UnsetType,
        Meta(description="Seconds until its result came in, if known. Since 1.3."),
    ] = UNSET
    agent: Annotated[
        str | UnsetType,
        Meta(description="Name or id of the subagent; absent on the main thread. Since 1.2."),
    ] = UNSET
    mcp_server: Annotated[
        str | UnsetType,
        Meta(description="MCP server of the tool; absent for other tools. Since 1.2."),
    ] = UNSET


class EventSummary(Record, frozen=True, kw_only=True):
    """Counts over all events."""

    total_events: Annotated[Count, Meta(description="Number of events.")]
    mcp_events: Annotated[Count, Meta(description="Events with `is_mcp`.")]
    local_events: Annotated[Count, Meta(description="Events without `is_mcp`.")]
    unique_files_accessed: Annotated[Count, Meta(description="Distinct target files.")]
    ground_truth_files_hit: Annotated[Count, Meta(description="Ground-truth files touched.")]
    ground_truth_files_total: Annotated[Count, Meta(description="Ground-truth files.")]
    first_ground_truth_hit_step: Annotated[
        Count | None, Meta(description="`step_index` of the first hit; null without one.")
    ]
    events_by_category: Annotated[
        dict[Category, Count], Meta(description="Number of events by `tool_category`.")
    ]


FROM_TRACE = "trace: "
"""Start of `Submission.source` when the trace itself states the submission."""


class Submission(Record, frozen=True, kw_only=True):
    """What the agent submitted at the end."""

    files: Annotated[
        list[str], Meta(description="Files that it changes, spelled like edit targets.")
    ]
    new_files: Annotated[
        list[str] | UnsetType, Meta(description="Those of `files` that did not exist before.")
    ] = UNSET
    source: Annotated[str, Meta(description="Where it was found: the trace, a predictions file.")]
    old_names: Annotated[
        list[str] | UnsetType,
        Meta(description="Distinct names of its files before it, as in `ground_truth`. Since 1.3."),
    ] = UNSET
    edit_chunks: Annotated[
        list[Chunk] | UnsetType,
        Meta(
            description="Lines that it changes, as in `ground_truth.edit_chunks`; absent if it "
            "changes none. Since 1.3."
        ),
    ] = UNSET


class Ranking(Record, frozen=True, kw_only=True):
    """Places in the code that a method names as relevant, best first, instead of a trace (D234)."""

    files: Annotated[
        list[str], Meta(description="Distinct files, spelled like relevant files, best first.")
    ]
    modules: Annotated[
        list[str] | UnsetType, Meta(description="Classes and modules, as written, best first.")
    ] = UNSET
    entities: Annotated[
        list[str] | UnsetType, Meta(description="Functions and methods, as written, best first.")
    ] = UNSET


class StatedContext(Record, frozen=True, kw_only=True):
    """Lines of a file that the agent says it used."""

    file: Annotated[str, Meta(description="The file, spelled like relevant files.")]
    line_start: Annotated[LineNumber, Meta(description="First line that the agent names, from 1.")]
    line_end: Annotated[LineNumber, Meta(description="Last line, inclusive.")]


class ContextChange(Record, frozen=True, kw_only=True):
    """A point at which the harness removed something from the model's context."""

    after_step: Annotated[
        Count | None,
        Meta(description="`step_index` of the last call before the change; null at the start."),
    ]
    kind: Annotated[str, Meta(description="Such as compaction, truncation or rollback.")]
    dropped_steps: Annotated[
        list[Count] | None,
        Meta(description="Calls whose results are no longer in the context; null if unknown."),
    ]


class EventsDocument(Record, frozen=True, kw_only=True):
    """All retrieval events of one trial."""

    schema_version: Version
    generated_at: Annotated[
        Time | UnsetType,
        Meta(description="When it was written, UTC; absent in some older documents (D59)."),
    ] = UNSET
    provenance: Annotated[Provenance, Meta(description="Which execution this is.")]
    coverage: Annotated[Coverage, Meta(description="What could be read.")]
    ground_truth: Annotated[GroundTruthSection, Meta(description="What should be found.")]
    events: Annotated[list[Event], Meta(description="Tool calls in order.")]
    summary: Annotated[EventSummary | UnsetType, Meta(description="Counts over the events.")] = (
        UNSET
    )
    submission: Annotated[
        Submission | UnsetType,
        Meta(description="What the agent submitted; absent if unknown. Since 1.2."),
    ] = UNSET
    final_context: Annotated[
        list[StatedContext] | UnsetType,
        Meta(
            description="The final context that the agent names, if its harness asks for it; "
            "else absent. Since 1.2."
        ),
    ] = UNSET
    context_changes: Annotated[
        list[ContextChange] | UnsetType,
        Meta(
            description=(
                "Compaction and similar changes; absent if the trace shows none. Since 1.2."
            )
        ),
    ] = UNSET
    subagent_inputs: Annotated[
        dict[str, Count] | UnsetType,
        Meta(
            description="Subagent, as `agent` of its events, to the input tokens of all its model "
            "calls, cache included; absent if the trace does not state them. Since 1.2."
        ),
    ] = UNSET
    functions: Annotated[
        Functions | UnsetType,
        Meta(
            description="Functions that were shown and edited; absent if no repository was given. "
            "Since 1.3."
        ),
    ] = UNSET
    ranking: Annotated[
        Ranking | UnsetType,
        Meta(description="The ranked list that the trial is, if it is one. Since 1.3."),
    ] = UNSET
