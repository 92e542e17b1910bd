"""The outline of a JSON file: all its members with little of their values.

Readers recognise a file by the members that tell. A patch of 90 kB or a system prompt of 70 kB may
stand before them, so the first bytes of a file are not enough: a file of mini-swe-agent with a
large submission was "JSON that no reader knows". In an outline long texts keep only their two ends,
and the value of each member at most some kilobytes. It is the start of valid JSON if the file is.
"""

from __future__ import annotations

import re

from groundtrace.base.patterns import regex

MAX_OUTLINE = 64 * 1024
"""Bytes of an outline: as much as the start of a file that readers see."""
MAX_MEMBER = 8 * 1024
"""Bytes after which the rest of a member's value is left out."""
MAX_TEXT = 1024
_START, _END = 256, 512
"""Bytes kept of a longer text. A reply often ends with its call."""

_TOKEN = regex(rb'"(?:[^"\\]++|\\.)*+"|[{}\[\],]|\n|[^"{}\[\],\n]++', re.DOTALL)
_SKIPPED = regex(rb'(?:[^"{}\[\]]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
"""Text that neither opens nor closes anything: whole strings, and everything between them."""


def outline(data: bytes) -> tuple[bytes, bool]:
    """The outline of the start of a file, and whether more of the file would make it longer."""
    scan = _Scan(data)
    scan.run()
    return b"".join(scan.kept), scan.size < MAX_OUTLINE


class _Scan:
    """State of one scan."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.kept: list[bytes] = []
        self.size = 0
        self.closers: list[bytes] = []
        """Brackets that close what is open."""
        self.row = 0
        """How deep the object is whose members are those of a row or of the file."""
        self.member = 0
        """Size of the outline where the current member of that object began."""

    def run(self) -> None:
        position = 0
        while self.size < MAX_OUTLINE:
            token = _TOKEN.match(self.data, position)
            if token is None:
                return  # the end, or a text that goes on behind it
            position = token.end()
            found = token[0]
            if found == b"," and self.is_over():
                position = self.skip(position)
                if position < 0:
                    return
                found = b""
            elif found in (b"{", b"["):
                self.closers.append(b"}" if found == b"{" else b"]")
                if found == b"{" and not self.row:
                    self.row = len(self.closers)
            elif found in (b"}", b"]"):
                if self.closers:
                    self.closers.pop()
                if len(self.closers) < self.row:
                    self.row = 0
            self.keep(_shortened(found) if len(found) > MAX_TEXT else found)
            if len(self.closers) <= self.row:
                self.member = self.size

    def is_over(self) -> bool:
        """Whether the rest of what is open inside a member is left out."""
        return len(self.closers) > self.row > 0 and self.size - self.member > MAX_MEMBER

    def skip(self, position: int) -> int:
        """Go to the end of what is open; returns -1 if it is not in the data."""
        depth = 1
        while depth:
            between = _SKIPPED.match(self.data, position)
            position = (position if between is None else between.end()) + 1
            found = self.data[position - 1 : position]
            if found not in (b"{", b"[", b"}", b"]"):
                return -1
            depth += 1 if found in (b"{", b"[") else -1
        self.keep(self.closers.pop())
        return position

    def keep(self, part: bytes) -> None:
        self.kept.append(part)
        self.size += len(part)


def _shortened(token: bytes) -> bytes:
    """A long text without its middle; blanks and numbers are not kept at such a length."""
    if not token.startswith(b'"'):
        return token[:_START]
    start = token[:_START]
    escape = start.rfind(b"\\", _START - 6)
    if escape >= 0:  # never half an escape
        start = start[:escape].rstrip(b"\\")
    # Half an escape at the cut goes, but not the quote that closes the text.
    return start + b" ... " + token[-_END:-1].lstrip(b'"\\') + b'"'
