"""Grep in every output mode: names, counts, and lines with or without file names.

The content mode is the difficult one. Match lines are `path:12:text`, context lines are
`path-11-text`. Paths themselves contain dashes and digits. Paths can be relative on match lines and
absolute on context lines. If only one file was searched, there is no path at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from groundtrace.answers.file_names import named_like_file
from groundtrace.answers.fold import FilesWithLines, surfaced
from groundtrace.answers.places import absolute, locate
from groundtrace.answers.refusals import is_refusal, shown_text
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_mapping, as_texts, first_text, text_or_empty
from groundtrace.model import ToolCall
from groundtrace.tools import structured
from groundtrace.tools.file_blocks import found_blocks, listed_files
from groundtrace.tools.findings import NOTHING, Findings
from groundtrace.tools.local_files import listed
from groundtrace.tools.table import ToolEntry

_NONE = regex(
    r"\s*(?:No matches found|No files found|Found 0 |Error: (?:ripgrep|rg|grep|search) )",
    re.IGNORECASE,
)
_NOTE = regex(
    r"\[Showing results|\(Results are truncated|Found \d+ (?:files?|lines?|total|matches)"
    r"|\[\d+ lines? truncated|\.\.\. \[",
    re.IGNORECASE,
)
_BARE = regex(r"(\d{1,9})([:-])")
_MATCH = regex(r"([^:\t]+):(\d{1,9}):")
_CONTEXT = regex(r"-(\d{1,9})-")
_LONGEST_PATH = 4096
_COUNT = regex(r"(?:(?P<path>.+):)?(?P<count>\d{1,9})")


def grep(call: ToolCall, entry: ToolEntry, cwd: str | None) -> Findings:
    """Files that a search matched or named. A call without a pattern only lists files (D2)."""
    has_pattern = any(
        text_or_empty(call.arguments.get(name)) for name in ("pattern", "query", "regex")
    )
    category = entry.category if has_pattern else "file_search"
    found = _found(call, entry, cwd)
    return Findings(refs=found.refs, failed=found.failed, category=category)


def _found(call: ToolCall, entry: ToolEntry, cwd: str | None) -> Findings:
    result = call.result
    if result is None:
        return NOTHING
    stated = structured.stated(result.data)
    if stated is not None:
        return structured.grep(stated, cwd)
    data = as_mapping(result.data)
    text = shown_text(result) or text_or_empty(data.get("content"))
    if is_refusal(text):
        return NOTHING
    given = first_text(call.arguments, entry.path_arguments)
    scope = absolute(given, cwd) if given else cwd or ""
    mode = text_or_empty(data.get("mode")) or first_text(
        call.arguments, ("output_mode", "outputMode", "mode")
    )
    names = as_texts(data.get("filenames"))
    if names and mode != "content" and result.persisted_path is None:
        paths = (locate(name, cwd, scope) for name in names)
        return Findings(refs=surfaced(paths, "grep: files with matches"))
    if _NONE.match(text) or not text.strip():
        return NOTHING
    spans = listed_files(text, cwd, scope) or found_blocks(text, cwd, scope)
    if spans is not None:
        return Findings(refs=spans.refs(), failed=not spans)
    if mode == "count":
        return _counts(text, cwd, scope, searched=given)
    if mode == "content" or (not mode and any(_MATCH.match(line) for line in _lines(text))):
        spans = content(text, cwd, scope, searched=given)
        return Findings(refs=spans.refs(), failed=not spans)
    if result.is_error:
        return NOTHING
    paths = (locate(name, cwd, scope) for name in listed(text))
    refs = surfaced(paths, "grep: files with matches")
    return Findings(refs=refs, failed=not refs)


def _counts(text: str, cwd: str | None, scope: str, searched: str) -> Findings:
    """`path:12` per file, or only `12` if one file was searched: names, no lines."""
    names = []
    for line in _lines(text):
        match = _COUNT.fullmatch(line.strip())
        if match is None or match["count"].strip("0") == "":
            continue
        if match["path"]:
            names.append(locate(match["path"], cwd, scope))
        elif searched:
            names.append(scope)
    refs = surfaced(names, "grep: counts per file")
    return Findings(refs=refs, failed=not refs)


def _lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        if line.strip() and not _NOTE.match(line):
            yield line


def content(text: str, cwd: str | None, scope: str, searched: str = "") -> FilesWithLines:
    """The files whose lines are shown; `searched` is the path argument, empty if none was given."""
    lines = list(_lines(text))
    spans = FilesWithLines("matched", "grep: lines shown")
    if searched and _one_file(lines, scope):
        for line in lines:
            match = _BARE.match(line)
            if match is not None:
                spans.add(scope, int(match[1]), chars=len(line) + 1)
        if not spans and lines:
            spans.add(scope, shown=True, chars=sum(len(line) + 1 for line in lines))
        return spans
    known = _match_paths(lines, cwd, scope)
    previous: tuple[str, int] | None = None
    for line in lines:
        if line == "--":
            previous = None
            continue
        place = _place(line, cwd, scope, known, previous)
        if place is not None:
            spans.add(*place, chars=len(line) + 1)
            previous = place
    if not spans:
        _without_numbers(lines, cwd, scope, spans)
    return spans


def _one_file(lines: Sequence[str], scope: str) -> bool:
    """Whether the lines have no file names because one file was searched.

    Then every line begins with its number, and the numbers grow. A dated file name (`2024-01-…`)
    also begins with digits, but these do not grow.
    """
    shown = [line for line in lines if line != "--"]
    numbers = [int(match[1]) for line in shown if (match := _BARE.match(line))]
    if numbers and len(numbers) == len(shown):
        grows = all(a < b for a, b in pairwise(numbers))
        return named_like_file(scope) or (grows and not _MATCH.match(shown[0]))
    if not shown or numbers or not named_like_file(scope):
        return False
    return not any(_MATCH.match(line) or "/" in _name_of(line) for line in shown)


def _match_paths(lines: Sequence[str], cwd: str | None, scope: str) -> set[str]:
    """Absolute paths on match lines; the colon shows where such a path ends."""
    known: set[str] = set()
    doubtful: list[str] = []
    for line in lines:
        match = _MATCH.match(line[:_LONGEST_PATH])
        if match is None:
            continue
        if _CONTEXT.search(match[1]):
            doubtful.append(match[1])
        else:
            known.add(locate(match[1], cwd, scope))
    for name in doubtful:
        # Either a file name with `-12-` in it, or a context line with `…:12:` in its text.
        starts = [name[: found.start()] for found in _CONTEXT.finditer(name)]
        if not any(locate(start, cwd, scope) in known for start in starts) and not any(
            named_like_file(start) for start in starts
        ):
            known.add(locate(name, cwd, scope))
    return known


def _place(
    line: str, cwd: str | None, scope: str, known: set[str], previous: tuple[str, int] | None
) -> tuple[str, int] | None:
    """File and number of one line, or None for a line that is neither match nor context."""
    line = line[:_LONGEST_PATH]
    match = _MATCH.match(line)
    if match is not None:
        path = locate(match[1], cwd, scope)
        if path in known:
            return path, int(match[2])
    splits = [(line[: found.start()], int(found[1])) for found in _CONTEXT.finditer(line)]
    places = [(locate(start, cwd, scope), number) for start, number in splits if start]
    for path, number in reversed(places):  # the longest path that is on a match line
        if path in known:
            return path, number
    if previous is not None:
        for path, number in places:
            if path == previous[0] and number == previous[1] + 1:
                return path, number
    # A page may end between a context line and its match. Then the path must look like a file.
    for path, number in places:
        if named_like_file(path) and " " not in path:
            return path, number
    return None


def _without_numbers(
    lines: Sequence[str], cwd: str | None, scope: str, spans: FilesWithLines
) -> None:
    """`path:text` lines of a search without line numbers."""
    for line in lines:
        name = _name_of(line)
        if name:
            spans.add(locate(name, cwd, scope), shown=True, chars=len(line) + 1)


def _name_of(line: str) -> str:
    """The path before the first colon of a `path:text` line; empty if there is no path."""
    name, colon, _ = line.partition(":")
    if not colon or any(character.isspace() for character in name):
        return ""
    return name if "/" in name or named_like_file(name) else ""
