"""Lines as arguments and fields state them: `20-22`, `startLine`, `#L30-L31`, ranges of positions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groundtrace.answers import words
from groundtrace.answers.fold import Run
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_mapping, whole_number

_RANGE = regex(r"\s*L?(\d{1,9})\s*(?:-|:|,|\.\.|to)\s*L?(\d{1,9})\s*")
_ONE = regex(r"\s*L?(\d{1,9})\s*")
_ANCHOR = regex(r"(?:#L?|:L?)(\d{1,9})(?:[-:]L?(\d{1,9}))?\Z")


def lines_of(start: int | None, end: int | None) -> Run | None:
    """A range of lines; None if the numbers are not a range."""
    if start is None or start < 1:
        return None
    return (start, end) if end is not None and end >= start else (start, start)


def split_anchor(path: str) -> tuple[str, Run | None]:
    """A path without `#L30-L31` or `:14-16` at its end, and these lines."""
    match = _ANCHOR.search(path[-32:])
    if match is None:
        return path, None
    start = int(match[1])
    end = int(match[2] or start)
    head = path[: len(path) - len(match[0])]
    return head, (start, end) if 1 <= start <= end else None


def lines_in(fields: Mapping[str, Any], *, loose: bool = False, depth: int = 4) -> Run | None:
    """Lines in an object with plain names: two fields, a pair, a text, or a range of positions."""
    if depth <= 0:
        return None
    for key in words.RANGE_FIELDS:
        lines = range_of(fields.get(key), depth)
        if lines is not None:
            return lines
    head = whole_number(fields.get("head")) if loose else None
    if head is not None and head > 0:
        return 1, head
    start = _first_number(fields, words.LOOSE_START_FIELDS if loose else words.START_FIELDS)
    end = _first_number(fields, words.LOOSE_END_FIELDS if loose else words.END_FIELDS)
    if loose and end is None and start is not None:
        count = _first_number(fields, words.COUNT_FIELDS)
        end = start + count - 1 if count is not None else None
    return lines_of(start, end)


def range_of(value: Any, depth: int = 4) -> Run | None:
    """Lines in one value: `20-22`, `[20, 22]`, `{start: 20, end: 22}`, a range of positions."""
    if isinstance(value, str):
        match = _RANGE.fullmatch(value[:64])
        if match is not None:
            return lines_of(int(match[1]), int(match[2]))
        one = _ONE.fullmatch(value[:64])
        return lines_of(int(one[1]), None) if one else None
    if isinstance(value, (list, tuple)) and len(value) == 2:
        numbers = [whole_number(item) for item in value]
        return lines_of(*numbers) if None not in numbers else None
    data = {words.plain(str(key)): inner for key, inner in as_mapping(value).items()}
    if not data:
        return None
    first, last = as_mapping(data.get("start")), as_mapping(data.get("end"))
    if first and last:
        # In the language server protocol positions count from zero and the end is exclusive.
        start, end = whole_number(first.get("line")), whole_number(last.get("line"))
        if start is None or end is None:
            return None
        ends_before = end > start and whole_number(last.get("character")) == 0
        return lines_of(start + 1, end if ends_before else end + 1)
    return lines_in(data, loose=True, depth=depth - 1)


def _first_number(fields: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    for name in names:
        number = whole_number(fields.get(name))
        if number is not None:
            return number
    return None
