"""Grep in every output mode: names, counts, and lines with or without file names.

`answers.found` and `answers.headed` read the lines. Only the tool knows which path was searched: if
it was one file, the lines have no name at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from groundtrace.answers.file_names import named_like_file
from groundtrace.answers.fold import fold, surfaced
from groundtrace.answers.found import BARE, BREAK, MATCH, found, found_in, no_number, numbers_rise
from groundtrace.answers.headed import (
    below_barred,
    below_in_tag,
    found_below,
    in_workspace,
    is_barred,
    text_below,
)
from groundtrace.answers.line import Shown
from groundtrace.answers.name_rows import ROWS
from groundtrace.answers.object_lines import found_objects, sampled_files
from groundtrace.answers.places import absolute, locate
from groundtrace.answers.texts import text_of
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_mapping, as_texts, first_text, text_or_empty
from groundtrace.model import ToolCall
from groundtrace.tools import structured
from groundtrace.tools.findings import NOTHING, Findings
from groundtrace.tools.local_files import listed
from groundtrace.tools.table import ToolEntry
from groundtrace.traces.kit.frames import is_refusal, shown_text

_NONE = regex(
    r"\s*(?:No matches found|No files found|Found 0 |Error: (?:ripgrep|rg|grep|search) )",
    re.IGNORECASE,
)
_NOTE = regex(
    r"\[Showing results|\(Results are truncated|Found \d+ (?:files?|lines?|total|matches|results?)"
    r"|\[\d+ lines? truncated|\.\.\. \[",
    re.IGNORECASE,
)
_ALONE = regex(r"0*[1-9]\d{0,8}")
"""How often a file matched, if only one was searched."""


def grep(call: ToolCall, entry: ToolEntry, cwd: str | None) -> Findings:
    """Files that a search matched or named. A call without a pattern only lists files (D2)."""
    has_pattern = any(
        text_or_empty(call.arguments.get(name)) for name in ("pattern", "query", "regex", "Query")
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
    text = text if "\x1b" not in text else text_of(text).text
    if is_refusal(text):
        return NOTHING
    given = first_text(call.arguments, entry.path_arguments)
    scope = absolute(given, cwd) if given else cwd if cwd and cwd.startswith("/") else ""
    mode = text_or_empty(data.get("mode")) or first_text(
        call.arguments, ("output_mode", "outputMode", "mode")
    )
    names = as_texts(data.get("filenames"))
    if names and mode != "content" and result.persisted_path is None:
        paths = (locate(name, cwd, scope) for name in names)
        return Findings(refs=surfaced(paths, "grep: files with matches"))
    if _NONE.match(text) or not text.strip():
        return NOTHING
    shown = _in_blocks(text, cwd, scope)
    if shown is not None:
        return Findings(refs=(refs := fold(shown, "grep: blocks of lines")), failed=not refs)
    if mode == "count":
        return _counts(text, cwd, scope, searched=given)
    if mode == "content" or not mode:
        refs = fold(content(text, cwd, scope, searched=given), "grep: lines shown")
        if (
            mode
            or any(ref.kind == "matched" for ref in refs)
            or any(map(MATCH.match, _lines(text)))
        ):
            return Findings(refs=refs, failed=not refs)
    if result.is_error:
        return NOTHING
    paths = (locate(name, cwd, scope) for name in listed(text))
    refs = surfaced(paths, "grep: files with matches")
    return Findings(refs=refs, failed=not refs)


def _counts(text: str, cwd: str | None, scope: str, searched: str) -> Findings:
    """`path:12` per file, or only `12` if one file was searched: names, no lines."""
    names = []
    for line in _lines(text):
        name = ROWS["count"].name(line.strip())
        if name:
            names.append(locate(name, cwd, scope))
        elif searched and _ALONE.fullmatch(line.strip()):
            names.append(scope)
    refs = surfaced(names, "grep: counts per file")
    return Findings(refs=refs, failed=not refs)


def _lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        if line.strip() and not _NOTE.match(line):
            yield line


def content(text: str, cwd: str | None, scope: str, searched: str = "") -> list[Shown]:
    """The lines shown; `searched` is the path argument, empty if none was given."""
    lines = list(_lines(text))

    def place(name: str) -> str:
        return locate(name, cwd, scope)

    def spelled(name: str) -> str | None:
        return place(name) if _is_name(name) else None

    is_name = len(lines) == 1 and place(lines[0]) == scope
    if searched and not is_name and _one_file(lines, scope):
        number = None if numbers_rise(lines) else no_number
        return list(found_in(lines, scope, number=number))
    whole = [line for line in text.split("\n") if not _NOTE.match(line)]
    below = list(found_below(whole, place))
    if below and len(below) == sum(line != BREAK for line in lines):
        return below
    numbered = list(found(lines, place))
    if any(line.first for line in numbered) or any(map(MATCH.match, lines)):
        return numbered
    plain = list(found(lines, spelled, numbered=False))
    return plain or numbered or list(text_below(whole, spelled))


def _one_file(lines: Sequence[str], scope: str) -> bool:
    """Whether the lines have no file names because one file was searched.

    Then every line begins with its number, and the numbers grow. A dated file name (`2024-01-…`)
    also begins with digits, but these do not grow.
    """
    shown = [line for line in lines if line != BREAK]
    numbers = [int(match[1]) for line in shown if (match := BARE.match(line))]
    if numbers and len(numbers) == len(shown):
        grows = all(a < b for a, b in pairwise(numbers))
        return named_like_file(scope) or (grows and not MATCH.match(shown[0]))
    if not shown or numbers or not named_like_file(scope):
        return False
    return not any(MATCH.match(line) or "/" in _name_before(line) for line in shown)


def _name_before(line: str) -> str:
    """The path before the first colon of a `path:text` line; empty if there is no path."""
    name, colon, _ = line.partition(":")
    return name if colon and _is_name(name) else ""


def _is_name(name: str) -> bool:
    if any(character.isspace() for character in name):
        return False
    return "/" in name or named_like_file(name)


# --- blocks below names ---------------------------------------------------------------------


def _in_blocks(text: str, cwd: str | None, scope: str) -> list[Shown] | None:
    """Files and lines of an answer in blocks or fields; None if it has no such block.

    Gemini CLI's search prints `File: path` and below it `L12: text`, that of opencode `path:` and
    below it `  Line 12: text`, that of Cursor the path alone and below it `  12:text`, in a tag.
    Searches of other harnesses answer with an object that lists the files.
    """
    workspace = in_workspace(text)
    if workspace is not None:
        root, below = workspace
        return list(below_in_tag(below, lambda name: absolute(name, root)))
    lines = text.split("\n")
    if is_barred(text):
        kept = [line for line in lines if not _NOTE.match(line)]
        return list(below_barred(kept, lambda name: _name_above(name, cwd, scope))) or None

    def place(name: str) -> str:
        return locate(name, cwd, scope)

    objects = found_objects(text, place)
    if objects is None:
        objects = sampled_files(text, place)
    if objects is not None:
        return objects
    return list(found_below(lines, place, bare=False)) or None


def _name_above(name: str, cwd: str | None, scope: str) -> str | None:
    return locate(name, cwd, scope) if named_like_file(name) or "/" in name else None
