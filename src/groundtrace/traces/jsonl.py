"""Lines of a transcript as a stream; memory is limited for any file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from groundtrace.jsonio import BadJsonError, is_heavy, loads

CHUNK = 1 << 20
MAX_LINE = 64 * 1024 * 1024
"""A longer line is not decoded; it is reported with its offset and length."""

_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r"


class RawLine(msgspec.Struct, frozen=True, gc=False):
    """One line of a file."""

    number: int
    """From 1."""
    offset: int
    """Where it starts, in bytes."""
    data: bytes
    """Without the newline; empty if the line is too long or would need too much memory."""
    length: int
    """In bytes, without the line end."""
    ended: bool
    """False for a last line without a newline; it may have been cut off."""

    @property
    def too_long(self) -> bool:
        return not self.data


def decoded(line: RawLine) -> tuple[Any, str | None]:
    """The value of a line, or why it cannot be decoded; neither for a line that is too long."""
    if line.too_long:
        return None, None
    try:
        return loads(line.data), None
    except BadJsonError as error:
        return None, str(error)


def read_lines(stream: BinaryIO) -> Iterator[RawLine]:
    """All lines that are not blank.

    Only `\\n` ends a line: U+2028 and similar characters occur inside strings.
    """
    number = 1
    offset = 0
    parts: list[bytes] = []
    length = 0
    while chunk := stream.read(CHUNK):
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            if length == 0 and number > 1:  # the line is within one chunk, as nearly all lines
                data = chunk[start:end].strip(_BLANK)
                if data:
                    yield RawLine(number, offset + start, data, end - start, True)
            else:
                length += end - start
                parts.append(chunk[start:end])
                line = _line(number, offset + end - length, parts, length, ended=True)
                if line is not None:
                    yield line
                    del line
                parts, length = [], 0
            number += 1
            start = end + 1
        offset += len(chunk)
        length += len(chunk) - start
        if length <= MAX_LINE:
            parts.append(chunk[start:])
        else:
            parts = []
    line = _line(number, offset - length, parts, length, ended=False)
    if line is not None:
        yield line


def _line(
    number: int, offset: int, parts: list[bytes], length: int, *, ended: bool
) -> RawLine | None:
    if length > MAX_LINE:
        return RawLine(number, offset, b"", length, ended)
    data = parts[0] if len(parts) == 1 else b"".join(parts)
    parts.clear()
    if number == 1:
        data = data.removeprefix(_BOM)
    data = data.strip(_BLANK)
    if not data:
        return None
    return RawLine(number, offset, b"" if is_heavy(data) else data, length, ended)
