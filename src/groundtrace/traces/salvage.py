"""What is still whole in JSON that is broken: a cut file, a flipped byte, two lines run together.

Inside a JSON string every quote is escaped, so an unescaped `{"` is always a real object's start.
Trying to decode at each such place finds every object whose own bytes are intact, wherever the
damage is and however it shifted the quotes before it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

_START = re.compile(r'\{\s*["}]')
scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder(strict=False).scan_once  # type: ignore[attr-defined]
"""The JSON value at a place of a text, and where it ends; control characters in strings may stand.
Raises StopIteration or ValueError where there is none."""

WORK_PER_CHARACTER = 40
"""A failed attempt costs what it scanned. Real damage fails only for the few objects around it;
a text made of nothing but open braces would cost the square of its length, and is given up."""

RECURSION_COST = 20_000

_WINDOW = 1 << 16


@dataclass(frozen=True, slots=True)
class Piece:
    """An object that could be decoded, and where it lies in the text."""

    start: int
    end: int
    value: dict[str, Any]


def to_text(data: bytes) -> str:
    """Bytes as text, bad ones replaced."""
    return data.decode("utf-8", errors="replace")


def intact_objects(text: str, start: int = 0) -> Iterator[Piece]:
    """The largest intact objects of a damaged text, in order, none inside another."""
    position = start
    work = WORK_PER_CHARACTER * len(text) + 100_000
    # Each failure makes an error that counts the lines before it, so that a text of nothing but
    # `{"` took the square of its length. What was passed is cut away now and then.
    base, rest = 0, text
    window = max(_WINDOW, len(text) // 64)
    while work > 0:
        if position - base > window:
            base, rest = position, text[position:]
        found = _START.search(rest, position - base)
        if found is None:
            return
        begin = found.start()
        position = base + begin + 1
        try:
            value, end = scan(rest, begin)
        except json.JSONDecodeError as error:
            work -= error.pos - begin + begin // 16 + 100
            continue
        except (StopIteration, ValueError, RecursionError):
            work -= RECURSION_COST
            continue
        position = base + end
        if isinstance(value, dict) and value:
            yield Piece(base + begin, base + end, value)


def string_after(text: str, key: str) -> str | None:
    """The string value of the first unescaped `"key": "…"` in a damaged text."""
    found = re.search(rf'"{re.escape(key)}"\s*:\s*"((?:[^"\\]|\\.)*)"', text)
    if found is None:
        return None
    try:
        value = json.loads(f'"{found.group(1)}"', strict=False)
    except ValueError:
        return None
    return value if isinstance(value, str) else None


@dataclass(frozen=True, slots=True)
class Prefix:
    """A JSON value read as far as its text goes."""

    value: Any
    cut: bool
    """Something was missing at the end."""


def read_prefix(text: str) -> Prefix:
    """The value of a JSON text that stops somewhere, with what is unfinished kept as it is.

    Used for the previews that trimmed trajectories hold in place of calls and observations:
    members after the cut are missing, a string at the cut is its head.
    """
    try:
        return Prefix(scan(text, _skip(text, 0))[0], cut=False)
    except (StopIteration, ValueError, RecursionError):
        pass
    try:
        return Prefix(_partial(text, _skip(text, 0), 0)[0], cut=True)
    except (ValueError, RecursionError):
        return Prefix(None, cut=True)


class CutText(str):
    """A string whose end is missing."""

    __slots__ = ()


_WHITE = re.compile(r"\s*")
_STRING_BODY = re.compile(r'(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
_MAX_DEPTH = 64


def _skip(text: str, position: int) -> int:
    found = _WHITE.match(text, position)
    return position if found is None else found.end()


def _partial(text: str, position: int, depth: int) -> tuple[Any, int]:
    if depth > _MAX_DEPTH or position >= len(text):
        raise ValueError("nothing there")
    opener = text[position]
    if opener == "{":
        return _partial_object(text, position + 1, depth)
    if opener == "[":
        return _partial_list(text, position + 1, depth)
    try:
        value, end = scan(text, position)
    except (StopIteration, ValueError):
        if opener != '"':
            raise ValueError("unfinished value") from None
        body = _STRING_BODY.match(text, position + 1)
        raw = "" if body is None else body.group()
        return CutText(json.loads(f'"{raw}"', strict=False)), len(text)
    return value, end


def _partial_object(text: str, position: int, depth: int) -> tuple[Any, int]:
    result: dict[str, Any] = {}
    while True:
        position = _skip(text, position)
        if position >= len(text):
            return result, position
        if text[position] == "}":
            return result, position + 1
        if text[position] == ",":
            position += 1
            continue
        try:
            key, position = scan(text, position)
            position = _skip(text, position)
            if not isinstance(key, str) or text[position : position + 1] != ":":
                return result, len(text)
            value, position = _partial(text, _skip(text, position + 1), depth + 1)
        except (StopIteration, ValueError):
            return result, len(text)
        result[key] = value


def _partial_list(text: str, position: int, depth: int) -> tuple[Any, int]:
    result: list[Any] = []
    while True:
        position = _skip(text, position)
        if position >= len(text):
            return result, position
        if text[position] == "]":
            return result, position + 1
        if text[position] == ",":
            position += 1
            continue
        try:
            value, position = _partial(text, position, depth + 1)
        except ValueError:
            return result, len(text)
        result.append(value)
