"""JSON that stops somewhere: previews in trimmed trajectories, answers that a harness cut.

Members after the cut are missing, a string at the cut is its head. Nothing is guessed: a value of
which only a part is there, other than a string, is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder(strict=False).scan_once  # type: ignore[attr-defined]
"""The JSON value at a place of a text, and where it ends; control characters in strings are let
through. Raises StopIteration or ValueError where there is none."""

_WHITE = re.compile(r"\s*")
_STRING_BODY = re.compile(r'(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
_HALF_ESCAPE = 5
"""Characters of an escape whose last one was cut off: `\\u00e` of `\\u00e9`."""
_MAX_DEPTH = 64


@dataclass(frozen=True, slots=True)
class Prefix:
    """A JSON value read as far as its text goes."""

    value: Any
    cut: bool
    """Something was missing at the end."""
    broken: bool = False
    """More is wrong with the text than a missing end: a log line such as `[INFO] started`, or half
    of a number or a word."""


class CutText(str):
    """A string whose end is missing."""

    __slots__ = ()


def without_cut(value: Any) -> Any:
    """The same without strings whose end is missing: half of a name is another name."""
    if isinstance(value, dict):
        return {k: without_cut(v) for k, v in value.items() if not isinstance(v, CutText)}
    if isinstance(value, list):
        return [without_cut(item) for item in value if not isinstance(item, CutText)]
    return value


def read_prefix(text: str) -> Prefix:
    """The value of a JSON text that may stop somewhere."""
    try:
        return Prefix(scan(text, _skip(text, 0))[0], cut=False)
    except (StopIteration, ValueError, RecursionError):
        pass
    part = _Part(text)
    try:
        value, _ = part.value(_skip(text, 0), 0)
    except (ValueError, RecursionError):
        return Prefix(None, cut=True, broken=True)
    return Prefix(value, cut=True, broken=part.broken)


def _skip(text: str, position: int) -> int:
    found = _WHITE.match(text, position)
    return position if found is None else found.end()


class _Part:
    """Reading of one text; each method gives a value and the place after it."""

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
        opener = text[position]
        if opener == "{":
            return self.members(position + 1, depth)
        if opener == "[":
            return self.items(position + 1, depth)
        try:
            value, end = scan(text, position)
        except (StopIteration, ValueError):
            if opener != '"':
                self.broken = True
                raise ValueError("unfinished value") from None
            body = _STRING_BODY.match(text, position + 1)
            raw = "" if body is None else body.group()
            left = len(text) - position - 1 - len(raw)
            self.broken = self.broken or left > _HALF_ESCAPE
            return CutText(json.loads(f'"{raw}"', strict=False)), len(text)
        return value, end

    def next(self, position: int, closer: str, *, first: bool) -> int:
        """Place of the next element, or of what closes the list of them, or the end."""
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
