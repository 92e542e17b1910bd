"""Text of a trace, made safe to show: masked, with invisible characters written out, and cut.

Names of files, tasks, trials and configurations are shown in the same way and never masked: they
decide what a row is about, and four masked names would look like one (D77).

A name can hold a line break, a bidirectional override that turns `exe.txt` around, or a megabyte
of text. Such characters are shown as escapes, and a cut says how long the text was.
"""

from __future__ import annotations

from groundtrace.redact import is_masking, mask
from groundtrace.visible import visible

NAME_LIMIT = 240
"""Characters of a name that are shown."""

_EDGE = 512
"""Longer than any credential that the end of a cut could halve."""


UNMASKED = "Text of traces is shown as it is: credentials in it are not masked (`--no-mask`)."
"""Said in the head of a report that was made so."""


def with_note(status: str) -> str:
    """The line in the head of a report, with a warning where nothing is masked."""
    return status if is_masking() else f"{status} {UNMASKED}"


def plain(text: str, limit: int = NAME_LIMIT) -> str:
    """Text of a trace as it may be shown anywhere, on one line."""
    # Masking first, on more than is shown: a cut could halve a credential past recognition.
    looked_at = text[: limit * 64]
    masked = mask(looked_at)
    unseen = len(text) - len(looked_at)
    if unseen:
        # The end of the part that was looked at can be the first half of a credential.
        kept = masked[:-_EDGE]
        return visible(shorten(kept, limit, len(text)))
    return visible(shorten(masked, limit))


def shown_name(text: str, limit: int = NAME_LIMIT) -> str:
    """A name as it may be shown anywhere, on one line; never masked."""
    return visible(shorten(text, limit))


def shorten(text: str, limit: int, length: int | None = None) -> str:
    """The beginning and end of a long text, with its length between them."""
    length = len(text) if length is None else length
    if length <= limit:
        return text
    mark = f"… [{length:,} characters] …"
    room = max(limit - len(mark), 2)
    tail = min(room // 3, len(text))
    return f"{text[: room - tail]}{mark}{text[len(text) - tail :]}"
