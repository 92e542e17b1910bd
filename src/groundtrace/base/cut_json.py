"""JSON text whose end is missing: previews in trimmed trajectories, answers that a harness cut.

Members after the cut are missing. Of a string at the cut, the part before the cut is kept. Nothing
is guessed: any other value that is only partly there is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex

scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder(strict=False).scan_once  # type: ignore[attr-defined]
"""The JSON value at a position of a text, and where it ends; strings may hold control characters.
Raises StopIteration or ValueError if there is no value."""

_WHITE = regex(r"\s*")
_STRING_BODY = regex(r'(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
_HALF_ESCAPE = 5
"""Characters of the longest incomplete escape: `\\u00e`, where the cut removed the 9."""
_MAX_DEPTH = 64
_WHOLE_FROM = 2
"""Depth from which a value is first read as if it were whole. The start of a file is an object with
one long list, both cut: to try them as well decoded everything three times."""


class Prefix(Frozen, frozen=True):
    """A JSON value read as far as its text goes."""

    value: Any
    cut: bool
    """The end of the text is missing."""
    broken: bool = False
    """The text is wrong in more ways than a missing end: it is a log line such as `[INFO] started`,
    or it stops inside a number or a word such as `true`."""


class CutText(str):
    """A string whose end is missing."""

    __slots__ = ()


def without_cut(value: Any) -> Any:
    """The same value without strings whose end is missing: half of a name is another name."""
    if isinstance(value, dict):
        return {k: without_cut(v) for k, v in value.items() if not isinstance(v, CutText)}
    if isinstance(value, list):
        return [without_cut(item) for item in value if not isinstance(item, CutText)]
    return value


def read_prefix(text: str) -> Prefix:
    """The value of a JSON text whose end may be missing."""
    try:
        return Prefix(scan(text, _skip(text, 0))[0], cut=False)
    except (StopIteration, ValueError, RecursionError):
        pass
    part = _Part(text)
    try:
        value, _ = part.cut_value(_skip(text, 0), 0)
    except (ValueError, RecursionError):
        return Prefix(None, cut=True, broken=True)
    return Prefix(value, cut=True, broken=part.broken)


def read_cut(text: str) -> Any:
    """The same value of a text that is most likely cut, so that it is not tried as a whole."""
    try:
        return _Part(text).value(_skip(text, 0), 0)[0]
    except (ValueError, RecursionError):
        return None


def _skip(text: str, position: int) -> int:
    found = _WHITE.match(text, position)
    return position if found is None else found.end()


class _Part:
    """Reads one text; each method returns a value and the position after it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.broken = False

    def value(self, position: int, depth: int) -> tuple[Any, int]:
        text = self.text
        if position >= len(text):
            raise ValueError("nothing there")
        if depth > _MAX_DEPTH:
            self.broken = True
            raise ValueError("nested too deeply")
        if depth < _WHOLE_FROM and text[position] in "{[":
            return self.cut_value(position, depth)
        try:
            # Of a text that is cut, only the values around the cut are read here: 5 times as fast.
            return scan(text, position)
        except (StopIteration, ValueError, RecursionError):
            return self.cut_value(position, depth)

    def cut_value(self, position: int, depth: int) -> tuple[Any, int]:
        """A value that is known not to be whole."""
        text = self.text
        opener = text[position : position + 1]
        if opener == "{":
            return self.members(position + 1, depth)
        if opener == "[":
            return self.items(position + 1, depth)
        if opener != '"':
            self.broken = self.broken or opener != ""
            raise ValueError("unfinished value")
        body = _STRING_BODY.match(text, position + 1)
        raw = "" if body is None else body.group()
        left = len(text) - position - 1 - len(raw)
        self.broken = self.broken or left > _HALF_ESCAPE
        return CutText(json.loads(f'"{raw}"', strict=False)), len(text)

    def next(self, position: int, closer: str, *, first: bool) -> int:
        """Position of the next element, of the closing bracket or brace, or of the end."""
        text = self.text
        commas = 0
        position = _skip(text, position)
        while text.startswith(",", position):
            commas += 1
            position = _skip(text, position + 1)
        if position < len(text):
            due = 0 if first or text[position] == closer else 1
            self.broken = self.broken or commas != due
        else:
            self.broken = self.broken or commas > (0 if first else 1)
        return position

    def members(self, position: int, depth: int) -> tuple[Any, int]:
        text = self.text
        result: dict[str, Any] = {}
        while (position := self.next(position, "}", first=not result)) < len(text):
            if text[position] == "}":
                return result, position + 1
            self.broken = self.broken or text[position] != '"'
            try:
                key, position = scan(text, position)
                position = _skip(text, position)
                if not isinstance(key, str) or text[position : position + 1] != ":":
                    self.broken = self.broken or position < len(text)
                    return result, len(text)
                value, position = self.value(_skip(text, position + 1), depth + 1)
            except (StopIteration, ValueError):
                return result, len(text)
            result[key] = value
        return result, len(text)

    def items(self, position: int, depth: int) -> tuple[Any, int]:
        text = self.text
        result: list[Any] = []
        while (position := self.next(position, "]", first=not result)) < len(text):
            if text[position] == "]":
                return result, position + 1
            try:
                value, position = self.value(position, depth + 1)
            except ValueError:
                return result, len(text)
            result.append(value)
        return result, len(text)
