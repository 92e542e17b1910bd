"""Every kind of problem that a stage can record, with its meaning.

Stages name a kind where they meet it; this module declares the kinds for the type checker and
explains them for the documentation and for whoever counts problems. Tests check that both lists
are the same, that every kind that the package records is in them, and that each is recorded
somewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NewType, TypeAlias

DeclaredKind = Literal[
    # finding trials and reading their records
    "ambiguous_task",
    "bad_cost",
    "bad_row",
    "bad_time",
    "broken_json",
    "broken_toml",
    "config_disagrees",
    "config_unknown",
    "link_loop",
    "link_not_followed",
    "no_result",
    "no_task",
    "not_a_file",
    "not_an_object",
    "not_utf8",
    "result_without_names",
    "time_limit",
    "task_from_folder",
    "times_reversed",
    "too_large",
    "too_many",
    "trace_missing",
    "unlisted_folder",
    "unreadable",
    "verdicts_disagree",
    # reading traces
    "arguments_cut",
    "arguments_lost",
    "broken_line",
    "broken_trajectory",
    "damaged_step",
    "empty_file",
    "foreign_trace",
    "line_too_long",
    "non_json_lines",
    "not_a_transcript",
    "orphan_results",
    "reader_failed",
    "reference_escapes",
    "reference_missing",
    "repeated_calls",
    "result_cut",
    "too_many_folders",
    "trimmed_call",
    "trimmed_result",
    "trimmed_steps",
    "truncated_line",
    "unknown_block",
    "unrecognised",
    "wrong_type",
    # reading calls
    "internal_error",
    # reading the calls of unknown tools
    "answer_too_large",
    # reading shell commands
    "shell_nesting",
    "shell_syntax",
    # loading tasks and ground truth
    "bad_chunk",
    "bad_confidence",
    "bad_entry",
    "bad_patch",
    "bad_symbol",
    "bad_task",
    "chunk_without_lines",
    "directory_entry",
    "duplicate_task",
    "no_file_list",
    "no_ground_truth",
    "no_task_definition",
    "placeholder_chunk",
    "placeholder_edits",
    "regex_pattern",
    "unknown_key",
    # reading documents back
    "broken_document",
    "left_behind",
    "unknown_version",
    "unreadable_document",
]
"""The kinds that groundtrace itself records; the tables below say what each means."""

PluginKind = NewType("PluginKind", str)
"""A kind that a reader of another package brings, such as `PluginKind("oriole_cut")`. It is any
text: documents and summaries count it under its own name, and its package explains it."""

ProblemKind: TypeAlias = DeclaredKind | PluginKind
"""What kind of thing was met. A misspelt kind of groundtrace's own is an error of the type checker."""

TRACES: Mapping[DeclaredKind, str] = {
    "arguments_cut": "Arguments of calls were kept in part, because they exceed the memory budget.",
    "arguments_lost": "Several calls of one step carry the arguments of one of them, and the message does not tell whose.",
    "broken_line": "A line of a transcript does not decode. Tool calls that could be read from its text were kept; the rest are counted as lost.",
    "broken_trajectory": "A trajectory file is no trajectory, or is damaged beyond its steps.",
    "damaged_step": "A step of a trajectory is damaged; the steps around it were read.",
    "empty_file": "A file that should hold a trace or ground truth is empty.",
    "foreign_trace": "A trace is a link into another trial's folder; its calls are that trial's and were not read.",
    "line_too_long": "A line is longer than the memory budget and was not decoded.",
    "non_json_lines": "Lines between the events of a transcript that are no events, such as a shell's noise.",
    "not_a_transcript": "A file lies where a transcript belongs, and no line of it is an event.",
    "orphan_results": "Results that answer no call of the file.",
    "reader_failed": "A reader of another package could not be loaded.",
    "reference_escapes": "A trajectory names a file outside the trial's folder; it was not read.",
    "reference_missing": "A trajectory names another one that is not there, or is nested too deeply.",
    "repeated_calls": "A session goes on from an earlier one and repeats its calls; they count in the earlier one alone.",
    "result_cut": "Results were kept in part, because together they exceed the memory budget.",
    "too_many_folders": "A folder of session logs holds more folders than any trial's; not all were searched.",
    "trimmed_call": "The harness replaced calls by a preview; the arguments that it holds whole were kept.",
    "trimmed_result": "The harness replaced a result by a preview; what the preview shows counts.",
    "trimmed_steps": "The harness took steps out of the trajectory.",
    "truncated_line": "The last line of a transcript breaks off.",
    "unknown_block": "A block of a message looks like a tool call of a type that is not known.",
    "unrecognised": "No reader knows a file that lies where traces do.",
    "wrong_type": "A value has another type than the format says.",
}
"""Met while reading traces."""

CALLS: Mapping[DeclaredKind, str] = {
    "internal_error": "A call found a mistake in groundtrace: its files are unknown, the other calls were read. Please report it.",
}
"""Met while reading any call."""

UNKNOWN_TOOLS: Mapping[DeclaredKind, str] = {
    "answer_too_large": "An unknown tool's answer is larger or deeper than any that is looked at; what lies beyond was left out.",
}
"""Met while reading the calls of tools that the tool table does not know."""

SHELL: Mapping[DeclaredKind, str] = {
    "shell_nesting": "A shell command is nested too deeply to be followed; its files are unknown.",
    "shell_syntax": "A part of a shell command could not be parsed; its files may be missing.",
}
"""Met while reading what shell commands touched."""

TRUTH: Mapping[DeclaredKind, str] = {
    "bad_chunk": "A line range of the ground truth names no file.",
    "bad_confidence": "A registry states an unknown confidence.",
    "bad_entry": "An entry of the ground truth is no path of a file: a URL, a glob, prose, several names.",
    "bad_patch": "A patch is damaged; the files that it still names were taken.",
    "bad_symbol": "A symbol of the ground truth has no name or no file.",
    "bad_task": "A task of a registry is neither a list of files nor an object.",
    "chunk_without_lines": "A chunk has no line range; none was made up.",
    "directory_entry": "An entry of the ground truth is a directory; only files count.",
    "duplicate_task": "Several tasks have one name; in a registry the first one counts, and of task folders a trial is joined to one only where its benchmark tells which.",
    "no_file_list": "A source of ground truth gave no files and was skipped.",
    "no_ground_truth": "No source of the task gave files.",
    "no_task_definition": "The trial's task is not among the task folders or in the registry.",
    "placeholder_chunk": "The line range of a chunk is a placeholder and was dropped.",
    "placeholder_edits": "Expected edits only repeat the relevant files in a converted record and were dropped.",
    "regex_pattern": "An entry is a pattern that fits more than one path.",
    "unknown_key": "A task of a registry has a key that is not known.",
}
"""Met while loading tasks and ground truth."""

RECORDS: Mapping[DeclaredKind, str] = {
    "ambiguous_task": "The trial's records fit several tasks, and nothing tells which.",
    "bad_cost": "A recorded cost is no amount.",
    "bad_row": "A row of a manifest, or a value in it, cannot be used.",
    "bad_time": "A recorded time cannot be read.",
    "broken_json": "A record is not valid JSON.",
    "broken_toml": "A file is not valid TOML.",
    "config_disagrees": "Two records of a trial name different configurations.",
    "config_unknown": "Nothing says which configuration a trial ran.",
    "link_loop": "A link leads to a folder above it and was not followed.",
    "link_not_followed": "A link leads out of the folder and was not followed.",
    "no_result": "The trial has no result.json, so its outcome is unknown.",
    "no_task": "Nothing says which task a trial ran.",
    "not_a_file": "A folder, device or pipe lies where a record belongs; it was not read.",
    "not_an_object": "A record holds something else than an object.",
    "not_utf8": "Bytes that are not UTF-8.",
    "result_without_names": "result.json names neither task nor trial.",
    "task_from_folder": "The task is known from the folder's name only.",
    "time_limit": "The trial took more processor time than `--trial-seconds` allows; nothing of its calls is known.",
    "times_reversed": "An interval ends before it starts; its length is unknown.",
    "too_large": "A record is too large; it was not read.",
    "too_many": "A file holds more steps, calls or entries than are read; the problem names the limit.",
    "trace_missing": "A manifest names a trace, or a sample of one, that is not there.",
    "unlisted_folder": "A folder cannot be listed; what it holds is missing from the results.",
    "unreadable": "A file cannot be read.",
    "verdicts_disagree": "Two records beside a trace give different verdicts; the nearest counts.",
}
"""Met while finding trials and reading their records."""

DOCUMENTS: Mapping[DeclaredKind, str] = {
    "broken_document": "A document of groundtrace does not fit its schema.",
    "left_behind": "A document whose trial is gone or counts no more; it is not evaluated.",
    "unknown_version": "A document is of a major version that cannot be read.",
    "unreadable_document": "A document of groundtrace cannot be read.",
}
"""Met while reading documents back."""

GROUPS: Mapping[str, Mapping[DeclaredKind, str]] = {
    "Finding trials and reading their records": RECORDS,
    "Reading traces": TRACES,
    "Reading calls": CALLS,
    "Reading the calls of unknown tools": UNKNOWN_TOOLS,
    "Reading shell commands": SHELL,
    "Loading tasks and ground truth": TRUTH,
    "Reading documents back": DOCUMENTS,
}
"""The kinds by where they are met first."""

MEANINGS: Mapping[DeclaredKind, str] = {
    kind: meaning for group in GROUPS.values() for kind, meaning in group.items()
}
"""Every declared kind to its meaning."""

PASSING: frozenset[ProblemKind] = frozenset({"unreadable", "unlisted_folder"})
"""Problems that may be gone when the files are read again, though the files stay as they are."""
