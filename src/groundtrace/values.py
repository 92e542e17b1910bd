"""Read values of any type: a value that cannot be used becomes None, never an exception.

Other programs write traces and records. The rules for a number, a count, a name that means "not
known" and a model's name are here, so that every stage reads the same value the same way.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from groundtrace import jsonio

MAX_COUNT = 1 << 53
"""No trial has this many tokens; a larger number is damage."""

_NOT_KNOWN = frozenset({"", "unknown", "none", "null"})
"""Spellings of "not known" that real records hold: `agent_info.version` is often "unknown"."""


def as_text(value: Any) -> str | None:
    """A non-empty string that can be written as UTF-8."""
    if not isinstance(value, str) or not value:
        return None
    return value if value.isascii() else jsonio.clean_text(value)


def as_number(value: Any) -> float | None:
    """A finite number; booleans and text are not numbers."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


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
