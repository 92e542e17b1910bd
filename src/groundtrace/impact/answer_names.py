"""What the answer calls a number, and how its sentences write amounts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from groundtrace.metrics.catalogue import QUANTITIES

MISSING = "–"
"""Shown where there is no value; never a zero (D19)."""
MINUS = "\N{MINUS SIGN}"
MANY = 1000
"""With at least this many tasks a third decimal has a meaning."""

SHORT_NAMES = {
    "cost_usd": "cost a task",
    "agent_seconds": "agent time a task",
    "trial_seconds": "trial time a task",
    "output_tokens": "output tokens a task",
}
"""Names of totals; every other number has the name that its record gives it."""


AS_POINTS = (
    "file_recall",
    "shown.file_recall",
    "util_read_overlap_with_relevant_files",
    "function_recall",
    "util_write_overlap_with_expected_edit_files",
    "function_edit_recall",
)
"""The chain from relevant files met to files edited, with the needed functions where they are
known: shares in per cent, and their differences in points, wherever people read them."""


def short_name(name: str) -> str:
    """The one name of a metric or outcome wherever people read it."""
    record = QUANTITIES.get(name)
    if name in SHORT_NAMES or record is None:
        return SHORT_NAMES.get(name, name)
    plain = record.plain or (record.title if name == "reward" else name)
    return plain if plain == name else f"{plain[0].lower()}{plain[1:]}"


def amount(name: str, value: float | None) -> str:
    """An amount of something that is spent, as a person says it."""
    if value is None:
        return MISSING
    if name == "cost_usd":
        return dollars(value)
    if name.endswith("_seconds"):
        return seconds(value)
    return f"{value:,.0f}"


def dollars(value: float) -> str:
    """Money: cents below a dollar."""
    if value >= 0.995:
        return f"${value:,.2f}"
    cents = 100 * value
    text = f"{cents:.0f}" if cents >= 0.95 else f"{cents:.1g}"
    return "1 cent" if text == "1" else f"{text} cents"


def seconds(value: float) -> str:
    """A duration: minutes from two minutes up."""
    if value >= 120:
        return f"{value / 60:,.0f} min" if value >= 600 else f"{value / 60:,.1f} min"
    return f"{value:,.0f} s" if value >= 10 else f"{value:,.1f} s"


def signed(value: float | None) -> str:
    """A difference with two decimals and its sign."""
    return MISSING if value is None else _with_sign(f"{value:+.2f}")


def points(value: float | None) -> str:
    """A difference of two shares in points, with its sign."""
    return MISSING if value is None else _with_sign(f"{100 * value:+.0f}")


def _with_sign(text: str) -> str:
    """A number that reads as 0 has no sign: a small loss was “−0”."""
    return text.replace("-", MINUS) if re.search("[1-9]", text) else text[1:]


def rounded(number: int) -> int:
    """A number of tasks to two digits: it is an estimate."""
    if number < 100:
        return number
    step = int(10 ** (len(str(number)) - 2))
    return -(-number // step) * step


def listed(names: Sequence[str], last: str = "and") -> str:
    """Names with commas and a last “and”."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


def capital(text: str) -> str:
    """A text that begins a sentence."""
    return f"{text[:1].upper()}{text[1:]}"


def number_or_none(count: int | None) -> str:
    """A count; 0 is “none”."""
    return "none" if not count else f"{count:,}"
