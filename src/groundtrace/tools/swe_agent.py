"""Tools of SWE-agent, and the skills of OpenHands that follow them.

A window into the open file, and searches that print what they found.
"""

from __future__ import annotations

from groundtrace.answers.file_names import usable
from groundtrace.answers.fold import fold, gaps
from groundtrace.answers.places import absolute, locate
from groundtrace.answers.swe_agent_text import (
    files_of_term,
    lines_of_term,
    opened_windows,
    term_found,
)
from groundtrace.base.values import first_text
from groundtrace.model import FileRef, ToolCall
from groundtrace.tools.findings import NOTHING, Findings
from groundtrace.tools.generic import generic_findings
from groundtrace.tools.table import ToolEntry
from groundtrace.traces.kit.frames import shown_text


def window(call: ToolCall, entry: ToolEntry, cwd: str | None) -> Findings:
    """`open`, `goto`, `scroll_down`: the lines of the file that the window shows."""
    text = shown_text(call.result)
    windows = list(opened_windows(text))
    if not windows:
        if not first_text(call.arguments, entry.path_arguments):
            return generic_findings(call, cwd)  # a tool with this name from another harness
        return NOTHING
    refs: dict[FileRef, None] = {}
    for name, lines in windows:
        path = absolute(name, cwd)
        if lines is not None and usable(path):
            rule = "window: lines that it shows"
            ranges = gaps(lines.runs)
            ref = FileRef(
                path,
                "read",
                line_start=lines.first,
                line_end=lines.end,
                rule=rule,
                ranges=ranges,
                shown_chars=lines.chars,
            )
            refs[ref] = None
    return Findings(tuple(refs)) if refs else NOTHING


def found_files(call: ToolCall, _entry: ToolEntry, cwd: str | None) -> Findings:
    """`search_dir`, `find_file`: the files listed."""
    text = shown_text(call.result)
    answer = term_found(text)
    if answer is None:
        return NOTHING
    scope = absolute(answer.place, cwd)
    shown = files_of_term(answer.lines, lambda name: locate(name, cwd, scope))
    refs = fold(shown, "search: files that it names")
    return Findings(refs, failed=not refs)


def found_lines(call: ToolCall, _entry: ToolEntry, cwd: str | None) -> Findings:
    """`search_file`: the matching lines of one file."""
    text = shown_text(call.result)
    answer = term_found(text)
    if answer is None:
        return NOTHING
    path = absolute(answer.place, cwd)
    refs = fold(lines_of_term(answer.lines, path), "search: lines of the file that match")
    return Findings(refs, failed=not refs)
