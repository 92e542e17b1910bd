"""The elements of a JSON list in a stream, one at a time; each byte is examined once.

For files that are too large to decode as a whole, and for files that are cut off: their complete
elements are read, and it is known how far they go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from groundtrace.base.patterns import regex

CHUNK = 1 << 20
MAX_ELEMENT = 64 * 1024 * 1024

_PLAIN = regex(rb'(?:[^"{}\[\]]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
"""Text that neither opens nor closes anything: whole strings, and everything between them."""
_TEXT = regex(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
"""The rest of a string: up to its end, or to the last whole character of the chunk."""


class Elements:
    """Finds the elements of a list in a stream of JSON.

    A string without an end is skipped piece by piece. Searching for its end from its start again in
    every chunk took minutes for a text of 200 MB.
    """

    def __init__(
        self,
        stream: BinaryIO,
        data: bytes,
        counted: re.Pattern[bytes],
        *,
        chunk: int = CHUNK,
        longest: int = MAX_ELEMENT,
    ) -> None:
        """`data` follows the list's opening bracket; `counted` matches a call in lost bytes."""
        self._chunk = chunk
        self._longest = longest
        self.stream = stream
        self.data = data
        self.position = 0
        """Where in `data` the last element ended."""
        self.passed = 0
        """Bytes that came before `data` since the list's opening bracket."""
        self.closed = False
        """Whether the end of the list was seen."""
        self.lost = 0
        """Calls mentioned in the last element that was skipped because of its length."""
        self._counted = counted
        self._parts: list[bytes] = []
        self._size = self._dropped = 0

    def elements(self) -> Iterator[bytes]:
        """The bytes of each object in the list; empty for an object that is too long."""
        depth = position = start = 0
        in_text = escaped = False
        while True:
            if position >= len(self.data):
                if depth:
                    self._keep(self.data[start:])
                self.passed += len(self.data)
                self.data = self.stream.read(self._chunk)
                if not self.data:
                    return
                # Skip an escaped character at the start of a chunk: it does not end the string.
                position, start, escaped = int(escaped), 0, False
                continue
            if in_text:
                found = _TEXT.match(self.data, position)
                position = position if found is None else found.end()
                if position < len(self.data):
                    escaped = self.data[position : position + 1] == b"\\"
                    in_text = escaped
                    position += 1
                continue
            plain = _PLAIN.match(self.data, position)
            position = (position if plain is None else plain.end()) + 1
            match self.data[position - 1 : position]:
                case b'"':
                    in_text = True
                case b"{" | b"[":
                    start = position - 1 if depth == 0 else start
                    depth += 1
                case b"}" | b"]" if depth == 0:
                    self.closed = True
                    self.data = self.data[position:]
                    return
                case b"}" | b"]":
                    depth -= 1
                    if depth == 0:
                        self.position = position
                        yield self._element(self.data[start:position])
                        start = position

    def _keep(self, data: bytes) -> None:
        """Keep a part of an element that continues in the next chunk."""
        self._size += len(data)
        self._parts.append(data)
        if self._size > self._longest:
            self._dropped += self._mentioned()
            self._parts = []

    def _mentioned(self) -> int:
        return sum(len(self._counted.findall(part)) for part in self._parts)

    def _element(self, end: bytes) -> bytes:
        """The element that ends with these bytes."""
        self._keep(end)
        whole = b"".join(self._parts)
        self.lost = self._dropped
        self._parts, self._size, self._dropped = [], 0, 0
        return whole

    def rest(self) -> bytes:
        """What follows the list; `}` if the file was cut off before its end."""
        if not self.closed:
            return b"}"
        return self.data + self.stream.read(self._longest)

    def lost_calls(self) -> int:
        """Calls mentioned in the element that is cut off at the end of the file."""
        return self._dropped + self._mentioned()
