"""Text of a trace made fit to be shown: masked, with nothing hidden in it, and of a sane length.

A name may hold a line break, a bidirectional override that turns `exe.txt` around, or a megabyte
of text. It is shown as the characters that it holds, and where it is cut that is said.
"""

from __future__ import annotations

import unicodedata

from groundtrace.redact import mask

_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_BLANKS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Characters that count as letters or symbols and print nothing."""

NAME_LIMIT = 240
"""Characters of a name that are shown."""


def plain(text: str, limit: int = NAME_LIMIT) -> str:
    """Text of a trace as it may be shown anywhere, on one line."""
    # Masking first, on more than is shown: a cut could halve a credential past recognition.
    looked_at = text[: limit * 64]
    masked = mask(looked_at)
    return visible(shorten(masked, limit, len(masked) + len(text) - len(looked_at)))


def visible(text: str, keep: str = "") -> str:
    """The text with control, bidirectional, unpaired and blank characters as escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char in keep or not _hidden(char) else _escape(char) for char in text)


def shorten(text: str, limit: int, length: int | None = None) -> str:
    """The beginning and end of a long text, with its length between them."""
    length = len(text) if length is None else length
    if length <= limit:
        return text
    mark = f"… [{length:,} characters] …"
    room = max(limit - len(mark), 2)
    tail = min(room // 3, len(text))
    return f"{text[: room - tail]}{mark}{text[len(text) - tail :]}"


def _hidden(char: str) -> bool:
    return char in _BLANKS or unicodedata.category(char) in _HIDDEN_CATEGORIES


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode()
