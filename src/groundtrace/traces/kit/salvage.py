"""Intact objects in broken JSON: a file that is cut off, a flipped byte, two lines on one.

Inside a JSON string every quote is escaped, so an unescaped `{"` always starts a real object.
Decoding is tried at each such place. This finds every object whose own bytes are intact, wherever
the damage is and however it shifted the quotes before it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from groundtrace.base.cut_json import scan
from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex

_START = regex(r'\{\s*["}]')
WORK_PER_CHARACTER = 40
"""Limit for the work of failed attempts; an attempt costs what it scanned. Real damage makes only
the few objects around it fail. The attempts on a text of open braces alone would take
quadratic time; they are stopped."""

RECURSION_COST = 20_000

_WINDOW = 1 << 16


class Salvaged(Frozen, frozen=True):
    """An object that could be decoded, and its place in the text."""

    start: int
    end: int
    value: dict[str, Any]


def to_text(data: bytes) -> str:
    """Bytes as text, with invalid ones replaced."""
    return data.decode("utf-8", errors="replace")


def intact_objects(text: str, start: int = 0) -> Iterator[Salvaged]:
    """The largest intact objects of a damaged text, in order; none is inside another."""
    position = start
    work = WORK_PER_CHARACTER * len(text) + 100_000
    # Each failure creates an error that counts the lines before it, so a text of `{"` alone took
    # quadratic time. So the text before `position` is cut away from time to time.
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
            yield Salvaged(base + begin, base + end, value)


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
