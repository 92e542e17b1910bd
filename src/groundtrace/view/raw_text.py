"""A part of a trace by its offset: masked, readable, and as fast in a gigabyte as in a kilobyte.

A part can begin and end anywhere, so it can cut a credential in two. So the text before and after
it is read and masked with it, and then removed again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

from groundtrace.base.visible import visible
from groundtrace.redact import is_masking, mask
from groundtrace.view.trace_files import TraceFile

WINDOW = 64 * 1024
"""Bytes of one part."""
AROUND = 16 * 1024
"""Bytes before and after a part that are masked with it: more than a private key has."""
KEPT = "\n\t"
"""Characters that print nothing but are kept unchanged."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some bytes of a file as text."""

    start: int
    end: int
    size: int
    """Size of the whole file."""
    text: str


def part_at(file: TraceFile, at: int, length: int = WINDOW) -> Part:
    """The part of a file that begins at an offset, or at the line around it."""
    with file.open() as stream:
        size = file.size
        at = max(0, min(at, size))
        start = _line_start(stream, at, min(AROUND, length // 2))
        end = min(start + length, size)
        first = max(0, start - AROUND)
        data = read_at(stream, first, end + AROUND - first)
    cut = end
    if end < size:
        # End at a line break if there is one.
        newline = data.rfind(b"\n", start - first, end - first)
        cut = first + newline + 1 if newline >= 0 and first + newline + 1 > start else end
    before, inside, after = (
        data[: start - first],
        data[start - first : cut - first],
        data[cut - first :],
    )
    return Part(start, cut, size, masked_inside(*map(_decoded, (before, inside, after))))


def read_at(stream: BinaryIO, at: int, length: int) -> bytes:
    """Bytes at an offset; a stream that cannot seek is read up to there."""
    if stream.seekable():
        stream.seek(at)
    else:
        while at > 0 and (skipped := stream.read(min(at, 1 << 20))):
            at -= len(skipped)
    return stream.read(length)


def masked_inside(before: str, inside: str, after: str) -> str:
    """A part of a longer text, safe to show: masked together with the text around it."""
    if not is_masking():
        return readable(inside)
    whole = mask(before + inside + after)
    # Only the masked whole text hides a credential that crosses an end of the part. So remove from
    # it what it shares with the masked text before, and with the masked text after.
    rest = whole[_in_common(mask(before), whole) :]
    beyond = _in_common(mask(after)[::-1], rest[::-1])
    return readable(rest[: len(rest) - beyond])


def _in_common(first: str, second: str) -> int:
    """The length of the common beginning of two texts."""
    pairs = zip(first, second, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))


def readable(text: str) -> str:
    """Text for a page: line breaks and tabs stay, other invisible characters become escapes."""
    return visible(text.replace("\r\n", "\n"), KEPT)


def _line_start(stream: BinaryIO, at: int, within: int) -> int:
    """The start of the line with an offset in it, if it is near; else the offset itself.

    If the start were farther away, a part could end before the requested offset, and the button
    *On* would lead nowhere.
    """
    if at == 0 or not stream.seekable():
        return at
    first = max(0, at - within)
    newline = read_at(stream, first, at - first).rfind(b"\n")
    if newline >= 0:
        return first + newline + 1
    return 0 if first == 0 else at


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")
