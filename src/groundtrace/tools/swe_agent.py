"""Tools of SWE-agent, and the skills of OpenHands that follow them.

A window into the open file, and searches that print what they found.

[File: /w/a.py (120 lines total)]        Found 3 matches for "foo" in /w:
12:text                                  /w/a.py (2 matches)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from groundtrace.answers.file_names import usable
from groundtrace.answers.fold import fold, gaps
from groundtrace.answers.found import PathOf
from groundtrace.answers.line import Shown
from groundtrace.answers.numbered import BARRED, Numbered, numbered
from groundtrace.answers.places import absolute, locate
from groundtrace.base.patterns import regex
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


_WINDOW = regex(r"^\[File: (?P<path>[^\n]+?) \(\d+ lines total\)\][^\n]*\n?", re.MULTILINE)
_FOUND = regex(
    r'^\[?Found \d++ matches for "(?P<term>.{0,1000}?)" in (?P<place>[^\n]{0,400}?\S)[\]:]?[ \t]*+$',
    re.MULTILINE | re.DOTALL,
)
_END = regex(r"^\[?End of matches for ", re.MULTILINE)
_COUNT = regex(r"(?<!\s)\s++\((?:\d++ matches?|Line (?P<line>\d{1,9}))\)(?:: .*)?$")
_MATCH = regex(r"Line (\d{1,9}):")


def opened_windows(text: str) -> Iterator[tuple[str, Numbered | None]]:
    """Name and lines of each window: `open a.py && goto 200` shows two."""
    windows = list(_WINDOW.finditer(text))
    ends = [*(window.start() for window in windows[1:]), len(text)]
    for window, end in zip(windows, ends, strict=False):  # `ends` has one item even without windows
        yield window["path"], numbered(text[window.end() : end].split("\n"), BARRED)


class TermFound(msgspec.Struct, frozen=True):
    """Where a term was searched, and the lines of the answer."""

    place: str
    lines: Sequence[str]


def term_found(text: str) -> TermFound | None:
    """The answer of a search for a term; None for any other text."""
    found = _FOUND.search(text)
    if found is None:
        return None
    end = _END.search(text, found.end())
    body = text[found.end() : end.start() if end else len(text)]
    return TermFound(found["place"], body.split("\n"))


def files_of_term(lines: Sequence[str], place: PathOf) -> Iterator[Shown]:
    """Files that hold the term, each with its count or with one line."""
    for line in filter(None, map(str.strip, lines)):
        shown = _COUNT.search(line)
        path = place(line[: shown.start()] if shown else line) or ""
        if shown and shown["line"]:
            yield Shown(path, "matched", int(shown["line"]), None, len(line) + 1)
        else:
            yield Shown(path, "surfaced")


def lines_of_term(lines: Sequence[str], path: str) -> Iterator[Shown]:
    """Lines of the one file that was searched."""
    for line in lines:
        match = _MATCH.match(line)
        if match is not None:
            yield Shown(path, "matched", int(match[1]), None, len(line) + 1)
