"""The flat tables: their columns in order, with type, unit and meaning. `flat_rows` fills them.

Parquet, CSV, SQL and the page of the documentation are made from these columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from msgspec import Struct

ColumnType = Literal["text", "integer", "number", "boolean"]

_Record = type[Struct]

SQL_TYPES: Mapping[ColumnType, str] = {
    "text": "VARCHAR",
    "integer": "BIGINT",
    "number": "DOUBLE",
    "boolean": "BOOLEAN",
}


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    name: str
    type: ColumnType
    said: str | _Record
    """Its meaning in words, or the record that it is a field of."""
    unit: str = ""

    @property
    def meaning(self) -> str:
        """What it means."""
        if isinstance(self.said, str):
            return self.said
        from groundtrace.documents.schema import descriptions  # reads sources: only for the page

        return descriptions(self.said)[self.name]


def _text(name: str, meaning: str) -> Column:
    return Column(name, "text", meaning)


def _count(name: str, meaning: str) -> Column:
    return Column(name, "integer", meaning)


def _flag(name: str, meaning: str) -> Column:
    return Column(name, "boolean", meaning)


def _number(name: str, meaning: str, unit: str) -> Column:
    return Column(name, "number", meaning, unit)


KEY = (
    _text("run_id", "Run of the trial."),
    _text("config_name", "Configuration of the trial."),
    _text("task_name", "Task of the trial."),
    _text("trial_name", "Name of the trial; with the columns before it, the key of a trial."),
)
"""The first columns of every table."""

TABLES: Mapping[str, tuple[Column, ...]] = {
    "trials": (
        *KEY,
        _text("benchmark", "Suite."),
        _text("model", "Model without provider prefix."),
        _text("harness", "Agent harness."),
        _text("harness_version", "Its version."),
        _text("batch_timestamp", "Batch folder within the run."),
        _text(
            "trial_key",
            "Equal for copies of one trial; distinct with `config_name` for distinct trials (D41).",
        ),
        _text("state", "selected, or failed to be processed."),
        _count("attempt", "Number among the attempts of its task that count, by time, from 1."),
        _text("batch", "Batch folder; another batch of a task is a rerun."),
        _flag("computable", "File-level metrics could be computed."),
        _text("reason", "Why not, if they could not."),
        _text("trace_source", "Which source gave the events."),
        _flag("has_trajectory", "A trajectory was found and parsed."),
        _flag("has_transcript", "A transcript was found and parsed."),
        _flag("has_ground_truth", "File-level ground truth exists."),
        _flag("has_chunk_ground_truth", "Line ranges exist."),
        _text("ground_truth_source", "Source of the ground-truth files."),
        _text("ground_truth_confidence", "Confidence in that source."),
        _text("degraded_reason", "What is missing, in words."),
        _count("calls_unanswered", "Calls without a result in the trace."),
        _count("calls_unknown_tool", "Calls of unknown tools."),
        _count(
            "unmatched_suffixes",
            "Relevant files that nothing matched although a path of the trial ends like them.",
        ),
        _number(
            "tokens_share",
            "Tokens of all calls as a share of the total that the trace records.",
            "",
        ),
        _text("repo", "Repository of the task or trial, where known."),
        _text("source_file", "The trace's file, relative to RUNS."),
        _text("elapsed_origin", "From when elapsed seconds are counted."),
        _count("total_events", "Tool calls."),
        _count("mcp_events", "Calls to MCP servers that count."),
        _count("local_events", "Other calls."),
        _count("unique_files_accessed", "Distinct files touched."),
        _count("ground_truth_files", "Ground-truth files."),
        _count("ground_truth_files_hit", "Ground-truth files touched."),
        _text("candidate_set_size", "Slice by number of retrieved files."),
        _text("evidence_type", "Slice by use of MCP tools."),
        _text(
            "edit_targets",
            "known, none_expected or unknown: whether the task says which files to edit.",
        ),
        _number("reward", "Valid reward.", ""),
        _text("reward_reason", "Why there is no reward."),
        _number("cost_usd", "Cost.", "US dollars"),
        _text("cost_source", "Where the cost was found."),
        _number("agent_seconds", "How long the agent ran, by the clock.", "seconds"),
        _number("trial_seconds", "How long the trial ran, by the clock.", "seconds"),
        _count("output_tokens", "Output tokens."),
        _text("output_tokens_source", "Where they were found."),
        _count("model_calls", "How often the model was called."),
        _text("exception", "Recorded exception."),
        _text("document", "Events document, relative to the run's retrieval_events folder."),
    ),
    "events": (
        *KEY,
        _count("step_index", "Zero-based position among the trial's calls."),
        _text("timestamp", "When the call was made, UTC."),
        _text("tool_name", "Raw name of the tool."),
        _text("tool_category", "Its category."),
        _flag("is_mcp", "Went to an MCP server that counts."),
        _flag("is_subagent", "Made by a subagent."),
        _flag("hits_ground_truth", "Touched a ground-truth file."),
        _count("target_files", "Distinct files touched."),
        _count("cumulative_tokens", "Tokens of all model calls so far."),
        _number("elapsed_seconds", "Since the agent started.", "seconds"),
        _text("call_id", "The harness's id of the call."),
        _text("agent", "Subagent that made it."),
        _text("mcp_server", "MCP server of the tool."),
        _flag("failed", "The call failed; null if the trace has no result."),
        _flag("answered", "The trace has its result."),
        _count("result_chars", "Characters of the result."),
        _text("arguments", "The important arguments, as JSON."),
    ),
    "accesses": (
        *KEY,
        _count("step_index", "The call that touched the file."),
        _count("position", "Zero-based position within the call."),
        _text("file", "The file, in its one spelling."),
        _text("repo", "Short name of its repository, where known."),
        _text("kind", "read, matched, surfaced or written."),
        _count("line_start", "First line shown, where known."),
        _count("line_end", "Last line shown, where known."),
        _text("ground_truth_file", "The ground-truth entry that the file matches."),
        _text("expected_edit_file", "The edit target that the file matches."),
        _count("shown_chars", "Characters of the file in the result, if known."),
        _count("line_shift", "Number of lines that a write added, if known."),
        _text("evidence", "declared (a known tool) or generic (read from an unknown tool)."),
        _flag("other_revision", "The call names another revision of the repository."),
    ),
    "files": (
        *KEY,
        _text("file", "A file that the trial touched."),
        _text("repo", "Short name of its repository, where known."),
        _count("reads", "Calls that opened it."),
        _count("searches", "Calls whose search showed lines of it, or its name."),
        _count("writes", "Calls that wrote it."),
        _count("repeated_reads", "Reads of lines that were read before and not written since."),
        _count("shown_chars", "Characters of it in results, if every result shows how many."),
    ),
    "tools": (
        *KEY,
        _text("tool", "Raw name of a tool."),
        _count("calls", "Its calls."),
        _count("failed", "Calls that failed."),
        _count("unanswered", "Calls without a result in the trace."),
        _count("result_chars", "Characters of the results."),
    ),
    "metrics": (
        *KEY,
        _text("metric", "Canonical name, such as recall@10."),
        _number("value", "Its value; null when undefined.", "the metric's own"),
        _text("undefined", "Why it has no value, when it has none."),
    ),
    "truth": (
        *KEY,
        _count("position", "Zero-based position within its kind."),
        _text("kind", "file, expected_edit, symbol, chunk, edit_chunk or test_file."),
        _text("file", "The file."),
        _text("repo", "Repository, for symbols."),
        _text("symbol", "Name, for symbols."),
        _count("line_start", "First line, for chunks."),
        _count("line_end", "Last line, for chunks."),
        _text("annotation", "What the ground truth says about a chunk."),
    ),
    "discovery": (
        *KEY,
        _text("file", "The relevant file."),
        _text("what", "met or shown: the call that met it first, or that first showed it."),
        _text("tool_name", "Raw name of the tool; null if nothing met or showed the file."),
        _text("tool_category", "Its category."),
        _text("kind", "How it touched the file."),
        _text("mcp_server", "MCP server of the tool."),
        _text("agent", "Subagent; null on the main thread."),
        _count("step_index", "Step of the call."),
        _number("elapsed_seconds", "Since the agent started.", "seconds"),
        _count("cumulative_tokens", "Tokens of all model calls so far."),
        _flag("one_tool", "No other tool of the trial met the file."),
        _flag("one_server", "No tool of another server, or of none, met the file."),
    ),
    "subagents": (
        *KEY,
        _text("agent", "Id of the subagent."),
        _count("calls", "Its calls."),
        _count("result_chars", "Characters of their results, if known."),
        _number("seconds", "From its first to its last access, if known.", "seconds"),
        _count("input_tokens", "Input tokens of all its model calls, cache included, if known."),
        _count("files_met", "Distinct files that it met, not counting writes."),
        _count("files_read", "Distinct files that it read."),
        _count("relevant_met", "Relevant files that it met."),
        _count("relevant_read", "Relevant files that it read."),
        _count("came_back", "Relevant files that it met and the main thread met later."),
        _count("returned_chars", "Characters of its report to the main thread, if known."),
    ),
    "funnel": (
        *KEY,
        _text("file", "The relevant file."),
        _text("stage", "The last step it reached: never_met, met, shown or edited."),
        _text("edited_from", "Where edited files come from: trace, predictions or writes."),
        _text("verdict", "Verdict of the trial: resolved, partly, not_resolved, no_verdict."),
    ),
    "groups": (
        *KEY,
        _text("name", "A column of the manifest that groundtrace does not know."),
        _text("value", "The trial's value in it."),
    ),
    "problems": (
        *KEY,
        _text("kind", "Kind of problem."),
        _count("count", "How often it was found."),
    ),
}
"""Every table by name."""
