"""Text of a trace made fit to be shown: masked, with nothing hidden in it, and of a sane length.

A name may hold a line break, a bidirectional override that turns `exe.txt` around, or a megabyte
of text. It is shown as the characters that it holds, and where it is cut that is said.
"""

from __future__ import annotations

from groundtrace.redact import mask
from groundtrace.visible import visible

NAME_LIMIT = 240
"""Characters of a name that are shown."""

_EDGE = 512
"""Characters in which a credential fits that was cut in two."""


def plain(text: str, limit: int = NAME_LIMIT) -> str:
    """Text of a trace as it may be shown anywhere, on one line."""
    # Masking first, on more than is shown: a cut could halve a credential past recognition.
    looked_at = text[: limit * 64]
    masked = mask(looked_at)
    unseen = len(text) - len(looked_at)
    if unseen:
        # What stands at the end may be the first half of one.
        kept = masked[:-_EDGE]
        return visible(shorten(kept, limit, len(text)))
    return visible(shorten(masked, limit))


def shorten(text: str, limit: int, length: int | None = None) -> str:
    """The beginning and end of a long text, with its length between them."""
    length = len(text) if length is None else length
    if length <= limit:
        return text
    mark = f"… [{length:,} characters] …"
    room = max(limit - len(mark), 2)
    tail = min(room // 3, len(text))
    return f"{text[: room - tail]}{mark}{text[len(text) - tail :]}"
