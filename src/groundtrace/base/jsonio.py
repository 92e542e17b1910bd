"""Decode untrusted JSON: fast if it is clean, tolerant if it is not.

Real files hold NaN, lone surrogates and byte-order marks. msgspec refuses them; the standard
library accepts them, so it is the fallback. Nothing here raises anything but `BadJsonError`.
"""

from __future__ import annotations

from typing import Any

import msgspec

_decode = msgspec.json.Decoder().decode


SMALL = 4 * 1024 * 1024
"""Bytes up to which a text is always decoded, without an estimate of its memory."""
MAX_DECODED = 192 * 1024 * 1024
"""Bytes of memory that a decoded value may take. A long text takes about its own size, but many
small objects take thirty times as much: 60 MB of `{"a":1},` took 1.8 GB."""

_NOT_COUNTED = bytes(set(range(256)) - set(b'{[",'))


class BadJsonError(ValueError):
    """Bytes that are not JSON, with the place."""

    def __init__(self, reason: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(reason)
        self.line = line
        self.column = column


class HeavyJsonError(BadJsonError):
    """JSON that would take more memory than is allowed."""

    def __init__(self) -> None:
        super().__init__(f"needs more than {MAX_DECODED >> 20} MB of memory; not decoded")


def is_heavy(data: bytes) -> bool:
    """Whether the value of a large text may take too much memory once decoded.

    The estimate counts braces, brackets, quotes and commas, and adds the memory of a value for
    each.
    """
    if len(data) <= SMALL:
        return False
    # One pass leaves what is counted; four counts of the whole text took as long as decoding it.
    marks = data.translate(None, _NOT_COUNTED)
    values = 240 * marks.count(b"{") + 64 * marks.count(b"[")
    return len(data) + values + 29 * marks.count(b'"') + 36 * marks.count(b",") > MAX_DECODED


def loads(data: bytes) -> Any:
    """The value of a JSON text; raises BadJsonError."""
    if is_heavy(data):
        raise HeavyJsonError
    try:
        return _decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return _tolerant(data)


def loads_text(text: str, otherwise: Any = None) -> Any:
    """The value of JSON in a text, such as arguments that a file stores as JSON in JSON;
    `otherwise` if the text is not JSON."""
    try:
        return loads(text.encode("utf-8", errors="surrogatepass"))
    except BadJsonError:
        return otherwise


def written(value: Any) -> str:
    """A decoded value as JSON in a text; empty if it is nested too deeply."""
    import json

    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return ""


def _tolerant(data: bytes) -> Any:
    # Here: evaluating documents, which are clean, takes 5 million instructions less without it.
    import json

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
        raise BadJsonError("a number with thousands of digits") from error


def name_text(name: str) -> str:
    """The name of a file as text: bytes that are not UTF-8 as `\\xe9`, so that no two names become
    one."""
    if name.isascii():
        return name
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def clean_text(text: str) -> str:
    """Text that can be written as UTF-8: lone surrogates become the replacement character."""
    if text.isascii():  # a cheap check, true for most texts
        return text
    try:
        text.encode("utf-16-le")  # refuses the same as UTF-8, in two thirds of the time
    except UnicodeEncodeError:
        return text.encode("utf-8", errors="surrogatepass").decode("utf-8", errors="replace")
    return text
