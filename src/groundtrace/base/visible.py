"""Show characters that print nothing, or that change the direction of text, as escapes.

The terminal and the reports share this module, so that a name from a trace looks the same in both.
It also writes numbers with their nouns.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_BLANKS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Characters that Unicode counts as letters or symbols, but that print nothing."""


def visible(text: str, keep: str = "") -> str:
    """The text with control, bidirectional, unpaired and blank characters as escapes."""
    # No character of a hidden category is printable.
    if text.isprintable() and (text.isascii() or _BLANKS.isdisjoint(text)):
        return text
    # Each different character once: most texts that come here are long and hold one line break.
    hidden = {ord(char): _escape(char) for char in set(text).difference(keep) if _hidden(char)}
    return text.translate(hidden) if hidden else text


@lru_cache(maxsize=1024)
def _hidden(char: str) -> bool:
    return char in _BLANKS or unicodedata.category(char) in _HIDDEN_CATEGORIES


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode()


def shell_word(text: str) -> str:
    """A text as one word of a command that is suggested: whatever it holds, a shell runs nothing."""
    if text == visible(text):
        from shlex import quote

        return quote(text)
    inside = visible(text.replace("\\", "\\\\").replace("'", "\\'"))
    return f"$'{inside}'"


def plural(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun, as a person would write it."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def columns_taken(text: str) -> int:
    """Columns that a text takes in a terminal."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def escape(text: str) -> str:
    """`text` with control, bidirectional and unpaired characters shown as escapes."""
    return visible(text, keep="\n\t")


WIDEST = 48
"""Widest padding of a column. A longer name shifts only its own row, not all rows."""


def in_columns(headings: list[str], rows: Iterable[Iterable[str]]) -> str:
    """Rows in columns, as plain text that reads well in a terminal and in a file."""
    cells = [headings, *([visible(cell) for cell in row] for row in rows)]
    widths = [min(max(len(row[i]) for row in cells), WIDEST) for i in range(len(headings))]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    )
    return "\n".join(lines)
