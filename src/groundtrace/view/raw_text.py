"""A trace by its offsets: a part of it, and where it names a call. As fast in a gigabyte as in a kilobyte.

A part can begin and end anywhere, so it can cut a credential in two. So the text before and after
it is read and masked with it, and then removed again.

The id of a call is searched in the bytes, a little at a time. Only the offsets that were found are
kept. The search continues where it stopped, and it begins after an earlier call if the place of one
is known.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

import msgspec

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


CHUNK = 4 * 1024 * 1024
MAX_PLACES = 8
"""Most places of one id in a file: the call, its answer, and what a harness repeats."""
ENOUGH = 2
"""Places that are enough: the call and its answer."""
BEYOND = 4 * 1024 * 1024
"""Bytes that are still searched after both were found."""

_PARENT = re.compile(rb'"[^"\\]*parent[^"\\]*"\s*:\s*$', re.IGNORECASE)
"""The name of a member that says which call started the agent of this line."""
_NAME = 128
"""Bytes before an id in which the name of its member is searched."""


@dataclass(slots=True)
class IdSearch:
    """The search for one id in one file."""

    file: TraceFile
    needle: bytes
    begin: int = 0
    """Offset where the search begins; the bytes before it are searched last."""
    places: list[int] = field(default_factory=list)
    done: bool = False
    at: int = 0
    wrapped: bool = False

    @classmethod
    def of(cls, file: TraceFile, call_id: str, begin: int = 0) -> IdSearch:
        """A search for a JSON string."""
        begin = begin if 0 <= begin < file.size else 0
        return cls(file, msgspec.json.encode(call_id), begin, at=begin)

    @property
    def looked_at(self) -> int:
        """Bytes searched so far."""
        return self.file.size - self.begin + self.at if self.wrapped else self.at - self.begin

    def go_on(self, until: float) -> None:
        """Search until a time of the monotonic clock, or to the end."""
        if self.done:
            return
        with self.file.open() as stream:
            while not self.done and (self._step(stream) or not self.done):
                if time.monotonic() > until:
                    return

    def _step(self, stream: BinaryIO) -> bool:
        """Search one chunk; False at the end of the search."""
        limit = self.begin if self.wrapped else self.file.size
        if self.at >= limit:
            if self.wrapped or not self.begin or self._enough():
                self.done = True
                return False
            self.wrapped, self.at = True, 0
            return True
        first = max(0, self.at - len(self.needle) - _NAME)
        end = min(self.at + CHUNK, limit)
        data = read_at(stream, first, end + len(self.needle) - first)
        for found in _found(data, self.needle, self.at - first, end - first):
            self.places.append(first + found)
        self.at = end
        if len(self.places) >= MAX_PLACES or self._enough():
            self.done = True
        return not self.done

    def _enough(self) -> bool:
        return len(self.places) >= ENOUGH and (
            self.wrapped or self.at - self.places[ENOUGH - 1] >= BEYOND
        )


def _found(data: bytes, needle: bytes, start: int, end: int) -> Iterator[int]:
    """Places of an id in some bytes, from `start` to before `end`."""
    at = data.find(needle, start)
    while 0 <= at < end:
        if _PARENT.search(data[max(0, at - _NAME) : at]) is None:
            yield at
        at = data.find(needle, at + 1)
