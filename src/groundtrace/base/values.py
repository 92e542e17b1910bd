"""Read values of any type: a value that cannot be used becomes None, never an exception.

Other programs write traces and records. The rules for a number, a count, a name that means "not
known" and a model's name are here, so that every stage reads the same value the same way.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from groundtrace.base import jsonio
from groundtrace.base.cut_json import CutText

MAX_COUNT = 1 << 53
"""No trial has this many tokens; a larger number is damage."""

_NOT_KNOWN = frozenset({"", "unknown", "none", "null"})
"""Spellings of "not known" that real records hold: `agent_info.version` is often "unknown"."""


def as_text(value: Any) -> str | None:
    """A non-empty string that can be written as UTF-8."""
    if not isinstance(value, str) or not value:
        return None
    return value if value.isascii() else jsonio.clean_text(value)


def as_id(value: Any) -> str | None:
    """An id or a name as text; in some formats and data sets they are numbers."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return as_text(value)


def as_number(value: Any) -> float | None:
    """A finite number; booleans and text are not numbers."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def as_score(value: Any) -> float | None:
    """A verdict as 1 or 0, or a number."""
    return float(value) if isinstance(value, bool) else as_number(value)


def as_amount(value: Any) -> float | None:
    """A finite number, 0 or more, such as a cost."""
    number = as_number(value)
    return number if number is not None and number >= 0 else None


def as_count(value: Any) -> int | None:
    """A count, such as of tokens: a whole number, 0 or more."""
    if type(value) is int:  # true for nearly all values
        return value if 0 <= value < MAX_COUNT else None
    number = as_number(value)
    if number is None or not number.is_integer() or not 0 <= number < MAX_COUNT:
        return None
    return int(value)


def as_mapping(value: Any) -> Mapping[str, Any]:
    """The object, or an empty one."""
    if isinstance(value, dict):  # nearly always
        return value
    if value is None:  # nearly all others; to ask whether it is a Mapping takes ten times as long
        return {}
    return value if isinstance(value, Mapping) else {}


def known(text: str | None) -> str | None:
    """The text without blanks around it, unless it only says that something is not known."""
    bare = "" if text is None else text.strip()
    return None if bare.casefold() in _NOT_KNOWN else bare


def model_name(raw: str | None) -> str | None:
    """A model without its provider: `anthropic/claude-x` is `claude-x` (D33)."""
    whole = known(raw)
    return None if whole is None else known(whole.rstrip("/").rpartition("/")[2])


_LARGEST = 1_000_000_000
"""No file has more lines; a larger number is not a line number."""


def text_or_empty(value: Any) -> str:
    """The value if it is text, else an empty string."""
    return value if isinstance(value, str) else ""


def whole_name(value: Any) -> str:
    """A name: the value if it is text that was not cut short, else an empty string.

    The first part of a cut name is a different name: `github.com/acme/data-` is not the repository.
    """
    return value if isinstance(value, str) and not isinstance(value, CutText) else ""


def whole_number(value: Any) -> int | None:
    """A whole number from an integer or from text (models send `offset` as text)."""
    if isinstance(value, str) and len(value) < 16:
        try:
            value = int(value.strip())
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if not abs(value) < _LARGEST or value != int(value):
        return None
    return int(value)


def as_items(value: Any) -> Sequence[Any]:
    """The value if it is a list, else an empty list."""
    return value if isinstance(value, (list, tuple)) else ()


def as_texts(value: Any) -> tuple[str, ...]:
    """A text, or the texts of a list."""
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(item for item in as_items(value) if isinstance(item, str) and item)


def first_text(source: Mapping[str, Any], names: Iterable[str]) -> str:
    """The first of the named values that is a non-empty text (or a list that begins with one)."""
    for name in names:
        value = source.get(name)
        if value is None:  # most calls have only a few of the names
            continue
        if isinstance(value, str):
            if value:
                return value
        elif texts := as_texts(value):
            return texts[0]
    return ""


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Non-empty names, each once, in order."""
    return tuple(dict.fromkeys([name for name in names if name]))
