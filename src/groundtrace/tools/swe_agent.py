"""Tools of SWE-agent, and the skills of OpenHands that follow them.

A window into the open file, and searches that print what they found.
"""

from __future__ import annotations

import re

from groundtrace.answers.file_names import usable
from groundtrace.answers.fold import fold, gaps
from groundtrace.answers.line import Shown
from groundtrace.answers.numbered import BARRED, numbered
from groundtrace.answers.places import absolute, locate
from groundtrace.base.patterns import regex
from groundtrace.base.values import first_text
from groundtrace.model import FileRef, ToolCall
from groundtrace.tools.findings import NOTHING, Findings
from groundtrace.tools.generic import generic_findings
from groundtrace.tools.table import ToolEntry
from groundtrace.traces.kit.frames import shown_text

_WINDOW = regex(r"^\[File: (?P<path>[^\n]+?) \(\d+ lines total\)\][^\n]*\n?", re.MULTILINE)
_FOUND = regex(
    r'^\[?Found \d++ matches for "(?P<term>.{0,1000}?)" in (?P<place>[^\n]{0,400}?\S)[\]:]?[ \t]*+$',
    re.MULTILINE | re.DOTALL,
)
_END = regex(r"^\[?End of matches for ", re.MULTILINE)
_COUNT = regex(r"(?<!\s)\s++\((?:\d++ matches?|Line (?P<line>\d{1,9}))\)(?:: .*)?$")
_MATCH = regex(r"^Line (\d{1,9}):[^\n]*+", re.MULTILINE)


def window(call: ToolCall, entry: ToolEntry, cwd: str | None) -> Findings:
    """`open`, `goto`, `scroll_down`: the lines of the file that the window shows."""
    text = shown_text(call.result)
    windows = list(_WINDOW.finditer(text))
    if not windows:
        if not first_text(call.arguments, entry.path_arguments):
            return generic_findings(call, cwd)  # a tool with this name from another harness
        return NOTHING
    # `open a.py && goto 200` shows two windows.
    ends = [*(shown.start() for shown in windows[1:]), len(text)]
    refs: dict[FileRef, None] = {}
    for shown, stop in zip(windows, ends, strict=True):
        path = absolute(shown["path"], cwd)
        lines = numbered(text[shown.end() : stop].split("\n"), BARRED)
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
    found = _FOUND.search(text)
    if found is None:
        return NOTHING
    end = _END.search(text, found.end())
    body = text[found.end() : end.start() if end else len(text)]
    scope = absolute(found["place"], cwd)
    lines = []
    for line in filter(None, map(str.strip, body.split("\n"))):
        shown = _COUNT.search(line)
        name = line[: shown.start()] if shown else line
        path = locate(name, cwd, scope)
        if shown and shown["line"]:
            lines.append(Shown(path, "matched", int(shown["line"]), None, len(line) + 1))
        else:
            lines.append(Shown(path, "surfaced"))
    refs = fold(lines, "search: files that it names")
    return Findings(refs, failed=not refs)


def found_lines(call: ToolCall, _entry: ToolEntry, cwd: str | None) -> Findings:
    """`search_file`: the matching lines of one file."""
    text = shown_text(call.result)
    found = _FOUND.search(text)
    if found is None:
        return NOTHING
    path = absolute(found["place"], cwd)
    lines = [
        Shown(path, "matched", int(line[1]), None, len(line[0]) + 1)
        for line in _MATCH.finditer(text, found.end())
    ]
    refs = fold(lines, "search: lines of the file that match")
    return Findings(refs, failed=not refs)
