"""Where a trace names a call: its id is searched in the bytes, a little at a time.

A trace can be a gigabyte. Only the offsets that were found are kept. The search continues where it
stopped, and it begins after an earlier call if the place of one is known.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

import msgspec

from groundtrace.view.raw_text import read_at
from groundtrace.view.trace_files import TraceFile

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
