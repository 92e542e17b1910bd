"""Lines of a transcript as a stream; memory is limited for any file."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from groundtrace.base.jsonio import BadJsonError, is_heavy, loads

CHUNK = 1 << 20
MAX_LINE = 64 * 1024 * 1024
"""A longer line is not decoded; it is reported with its offset and length."""

_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n"
_NEWLINE = 10


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
    offset = 0  # of the current line
    parts: list[bytes] = []
    length = 0
    while chunk := stream.read(CHUNK):
        pieces = io.BytesIO(chunk)
        ended = b"\n" in chunk
        # The rest of the line that the last chunk began; a chunk of a long line is not copied.
        piece = pieces.readline() if ended else chunk
        length += len(piece) - ended
        if length <= MAX_LINE:
            parts.append(piece.removesuffix(b"\n"))
        else:
            parts = []
        if not ended:
            continue
        line = _line(number, offset, parts, length, ended=True)
        if line is not None:
            yield line
            del line
        number += 1
        offset += length + 1
        parts, length = [], 0
        for piece in pieces:  # lines within one chunk, as nearly all lines
            size = len(piece)
            if piece[-1] != _NEWLINE:
                parts, length = [piece], size
                break
            data = piece.strip(_BLANK)
            if data:
                yield RawLine(number, offset, data, size - 1, True)
            number += 1
            offset += size
    line = _line(number, offset, parts, length, ended=False)
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
