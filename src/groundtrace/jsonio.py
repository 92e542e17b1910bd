"""Decoding untrusted JSON: fast where it is clean, tolerant where it is not.

msgspec refuses NaN, lone surrogates and a byte-order mark, which real files hold; the standard
library accepts them, so it is the fallback. Nothing here raises anything but `BadJsonError`.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

_decode = msgspec.json.Decoder().decode


class BadJsonError(ValueError):
    """Bytes that are not JSON, with the place."""

    def __init__(self, reason: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(reason)
        self.line = line
        self.column = column


def loads(data: bytes) -> Any:
    """The value of a JSON text; raises BadJsonError."""
    try:
        return _decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return _tolerant(data)


def _tolerant(data: bytes) -> Any:
    try:
        text = data.decode("utf-8-sig", errors="surrogatepass")
    except UnicodeDecodeError:
        text = data.decode("utf-8-sig", errors="replace")
    if not text.strip():
        raise BadJsonError("empty")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise BadJsonError(error.msg, error.lineno, error.colno) from error
    except RecursionError as error:
        raise BadJsonError("nested too deeply") from error
    except ValueError as error:  # integers over Python's digit limit
        raise BadJsonError(str(error)) from error


def clean_text(text: str) -> str:
    """Text that can be written as UTF-8: lone surrogates become the replacement character."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", errors="surrogatepass").decode("utf-8", errors="replace")
    return text
