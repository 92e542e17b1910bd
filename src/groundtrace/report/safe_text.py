"""Text of a trace, made safe to show: masked, with invisible characters as escapes, and cut.

Names of files, tasks, trials and configurations are shown in the same way but never masked: they
say what a row is about, and four masked names would look like one (D77).

A name can contain a line break, a bidirectional control character that reverses `exe.txt`, or a
megabyte of text. Such characters are shown as escapes, and a cut says how long the text was.
"""

from __future__ import annotations

from collections.abc import Sequence

from groundtrace.base.visible import visible
from groundtrace.redact import is_masking, mask

NAME_LIMIT = 240
"""Most characters of a name that are shown."""

_LOOKED_AT = 64
"""How many times the characters that are shown are masked."""

_EDGE = 512
"""Characters that are removed at the end of the masked part of a very long text. Longer than any
credential, so that no half of one is shown."""


UNMASKED = "Text of traces is shown as it is: credentials in it are not masked (`--no-mask`)."
"""Shown at the top of a report that was made with `--no-mask`."""


def with_note(status: str) -> str:
    """The line at the top of a report, with a warning if nothing is masked."""
    return status if is_masking() else f"{status} {UNMASKED}"


def plain(text: str, limit: int = NAME_LIMIT) -> str:
    """Text of a trace, safe to show anywhere, on one line."""
    # Mask before the cut, and more than is shown: half of a credential is not recognised as one.
    looked_at = text[: limit * _LOOKED_AT]
    masked = mask(looked_at)
    unseen = len(text) - len(looked_at)
    if unseen:
        # The end of the masked part can be the first half of a credential.
        kept = masked[:-_EDGE]
        return visible(shorten(kept, limit, len(text)))
    return visible(shorten(masked, limit))


def plain_at(text: str, limits: Sequence[int]) -> list[str]:
    """`plain` at several limits, largest first; masked only once if each looks at all of it."""
    if len(text) > limits[-1] * _LOOKED_AT:
        return [plain(text, limit) for limit in limits]
    masked = mask(text)
    if len(masked) <= limits[-1]:
        return [visible(masked)] * len(limits)
    return [visible(shorten(masked, limit)) for limit in limits]


def shown_name(text: str, limit: int = NAME_LIMIT) -> str:
    """A name, safe to show anywhere, on one line; never masked."""
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
