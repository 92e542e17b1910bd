"""What the tools of SWE-agent print: windows of an open file, and what a term was found in.

[File: /w/a.py (120 lines total)]        Found 3 matches for "foo" in /w:
12:text                                  /w/a.py (2 matches)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from groundtrace.answers.found import PathOf
from groundtrace.answers.line import Shown
from groundtrace.answers.numbered import BARRED, Numbered, numbered
from groundtrace.base.patterns import regex

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
