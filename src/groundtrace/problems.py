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
    "ambiguous_commit",
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
    "no_commit",
    "no_result",
    "no_task",
    "no_trace",
    "not_a_file",
    "not_an_object",
    "not_utf8",
    "order_unknown",
    "result_without_names",
    "stray_trace",
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
    "arguments_differ",
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
    "result_not_captured",
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
    "shell_not_read",
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
    "truth_source_off",
    "unknown_key",
    # reading repositories
    "code_not_read",
    "grammar_missing",
    "repository_not_used",
    # reading documents back
    "broken_document",
    "left_behind",
    "unknown_version",
    "unreadable_document",
]
"""The kinds that groundtrace itself records; the tables below say what each means."""

PluginKind = NewType("PluginKind", str)
"""A kind that a reader of another package records, such as `PluginKind("oriole_cut")`. It can be
any text: documents and summaries count it under its own name, and its package explains it."""

ProblemKind: TypeAlias = DeclaredKind | PluginKind
"""The kind of a problem. The type checker finds a misspelt kind of groundtrace's own."""

TRACES: Mapping[DeclaredKind, str] = {
    "arguments_cut": (
        "Some arguments of calls were shortened, because together they are over the memory limit."
    ),
    "arguments_differ": "Trajectory and transcript state different arguments of one call; the "
    "trajectory's count.",
    "arguments_lost": (
        "Several calls of one step have the same arguments, which belong to only one of them, and "
        "the message does not say to which; or the arguments of a call are masked."
    ),
    "broken_line": (
        "A line of a transcript cannot be decoded. Tool calls that could be read from its text "
        "were kept; the others are counted as lost."
    ),
    "broken_trajectory": (
        "A trajectory file is not a trajectory, or is so damaged that its steps cannot be read."
    ),
    "damaged_step": "A step of a trajectory is damaged; the steps around it were read.",
    "empty_file": "A file that should hold a trace or ground truth is empty.",
    "foreign_trace": (
        "A trace is a link into the folder of another trial. Its calls belong to that trial "
        "and were not read."
    ),
    "line_too_long": "A line is over the memory limit and was not decoded.",
    "non_json_lines": "A transcript has lines that are not events, such as output of a shell.",
    "not_a_transcript": (
        "A file is where a transcript should be, but none of its lines is an event."
    ),
    "orphan_results": "A file has results without a call.",
    "reader_failed": "A reader of another package could not be loaded.",
    "reference_escapes": "A trajectory names a file outside the trial's folder; it was not read.",
    "reference_missing": (
        "A trajectory names another trajectory that does not exist, or trajectories are nested "
        "too deeply."
    ),
    "repeated_calls": (
        "A session continues an earlier one and repeats its calls; they count only in the earlier one."
    ),
    "result_cut": "Some results were shortened, because together they are over the memory limit.",
    "result_not_captured": (
        "The harness did not record what some calls showed; these calls are unanswered."
    ),
    "too_many_folders": (
        "A folder of session logs has too many folders for one trial; not all were searched."
    ),
    "trimmed_call": (
        "The harness replaced calls by a preview; arguments that are complete in the preview "
        "were kept."
    ),
    "trimmed_result": (
        "The harness replaced a result by a preview; only what the preview shows counts."
    ),
    "trimmed_steps": "The harness removed steps from the trajectory.",
    "truncated_line": "The last line of a transcript is not complete.",
    "unknown_block": "A block of a message looks like a tool call, but its type is unknown.",
    "unrecognised": "A file is where traces are, but no reader knows it.",
    "wrong_type": "A value does not have the type that the format says.",
}
"""Met while reading traces."""

CALLS: Mapping[DeclaredKind, str] = {
    "internal_error": (
        "A call triggered a bug in groundtrace: the files of this call are unknown, the other "
        "calls were read. Please report it."
    ),
}
"""Met while reading any call."""

UNKNOWN_TOOLS: Mapping[DeclaredKind, str] = {
    "answer_too_large": (
        "The result of an unknown tool is over the limit for size or nesting; the rest of it "
        "was left out."
    ),
}
"""Met while reading the calls of tools that the tool table does not know."""

SHELL: Mapping[DeclaredKind, str] = {
    "shell_nesting": "A shell command is nested too deeply to be followed; its files are unknown.",
    "shell_not_read": "A shell command uses what is not followed; its files may be missing.",
    "shell_syntax": "A part of a shell command could not be parsed; its files may be missing.",
}
"""Met while reading what shell commands touched."""

TRUTH: Mapping[DeclaredKind, str] = {
    "bad_chunk": "A line range of the ground truth names no file.",
    "bad_confidence": "A registry has an unknown confidence.",
    "bad_entry": (
        "An entry of the ground truth is not the path of a file, but a URL, a glob, a sentence "
        "or several names."
    ),
    "bad_patch": "A patch is damaged; files that can still be read from it are used.",
    "bad_symbol": "A symbol of the ground truth has no name or no file.",
    "bad_task": "A task of a registry is neither a list of files nor an object.",
    "chunk_without_lines": "A chunk has no line range; none was invented.",
    "directory_entry": "An entry of the ground truth is a folder; only files count.",
    "duplicate_task": (
        "Several tasks have the same name. In a registry the first one counts. With task "
        "folders, a trial gets a task only if its benchmark says which one."
    ),
    "no_file_list": "A source of ground truth gave no files and was skipped.",
    "no_ground_truth": "None of the task's sources gave files.",
    "no_task_definition": "The trial's task is not among the task folders or in the registry.",
    "placeholder_chunk": "The line range of a chunk is only a placeholder and was not used.",
    "placeholder_edits": (
        "In a converted record, the expected edits are the same as the relevant files; these "
        "edits were not used."
    ),
    "regex_pattern": "An entry is a pattern that matches more than one path.",
    "truth_source_off": "A source names relevant files, but `--truth-sources` does not choose it.",
    "unknown_key": "A task of a registry has an unknown key.",
}
"""Met while loading tasks and ground truth."""

RECORDS: Mapping[DeclaredKind, str] = {
    "ambiguous_commit": "Several sessions, or commits in several places, may belong together.",
    "ambiguous_task": "The trial's records match several tasks, and nothing says which is right.",
    "bad_cost": "A recorded cost is not a number.",
    "bad_row": "A row of a manifest, of predictions or of ranked lists, or a value in it, cannot be used.",
    "bad_time": "A recorded time cannot be read.",
    "broken_json": "A record is not valid JSON.",
    "broken_toml": "A file is not valid TOML.",
    "config_disagrees": "Two records of a trial name different configurations.",
    "config_unknown": "Nothing says which configuration a trial ran.",
    "link_loop": "A link leads to a folder above it and was not followed.",
    "link_not_followed": "A link leads out of the folder and was not followed.",
    "no_commit": "No commit came out of a session, as far as its times and files tell.",
    "no_result": "The trial has no result.json, so its outcome is unknown.",
    "no_task": "Nothing says which task a trial ran.",
    "no_trace": "A trial has a verdict, but the trace of its agent is not there.",
    "not_a_file": "A folder, device or pipe is where a record should be; it was not read.",
    "not_an_object": "A record is not a JSON object.",
    "not_utf8": "A file has bytes that are not UTF-8.",
    "order_unknown": (
        "A task has several batches (or trials, with `--trials latest`), and no time tells which is the "
        "latest: all count."
    ),
    "result_without_names": "result.json names neither task nor trial.",
    "stray_trace": (
        "A trace lies outside of every trial's folder, among folders of trials; it is not evaluated."
    ),
    "task_from_folder": "Only the folder's name says which task the trial ran.",
    "time_limit": (
        "The trial took more processor time than `--trial-seconds` allows; nothing is known "
        "about its calls."
    ),
    "times_reversed": "An interval ends before it starts; its length is unknown.",
    "too_large": (
        "A record or a file is too large, or takes more time or memory than is allowed; it was not "
        "read."
    ),
    "too_many": (
        "A file has more steps, calls or entries than the limit; the problem names the limit."
    ),
    "trace_missing": "A manifest names a trace, or a sample in a trace, that does not exist.",
    "unlisted_folder": "A folder cannot be listed; its contents are missing from the results.",
    "unreadable": "A file cannot be read.",
    "verdicts_disagree": "Two records beside a trace give different verdicts. A report of the trial itself counts; of lists none does.",
}
"""Met while finding trials and reading their records."""

REPOSITORIES: Mapping[DeclaredKind, str] = {
    "code_not_read": "Some of a source file could not be parsed; its other functions count.",
    "grammar_missing": "The grammar of a language is not installed: groundtrace[functions] has it.",
    "repository_not_used": "A repository of `--repos` cannot be read, or leads to other folders.",
}
"""Met while reading repositories."""

DOCUMENTS: Mapping[DeclaredKind, str] = {
    "broken_document": "A document of groundtrace does not fit its schema.",
    "left_behind": (
        "The trial of a document no longer exists or no longer counts; the document is not "
        "evaluated."
    ),
    "unknown_version": "A document has a major version that cannot be read.",
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
    "Reading repositories": REPOSITORIES,
    "Reading documents back": DOCUMENTS,
}
"""The kinds by the step that meets them first."""

MEANINGS: Mapping[DeclaredKind, str] = {
    kind: meaning for group in GROUPS.values() for kind, meaning in group.items()
}
"""Every declared kind to its meaning."""

TEMPORARY: frozenset[ProblemKind] = frozenset({"unreadable", "unlisted_folder"})
"""Problems that may be gone at the next reading even if the files do not change."""
