"""Names in C quotes, as git prints those with other characters than ASCII: `"docs/\\303\\251.md"`."""

from __future__ import annotations

import re

from groundtrace.base.patterns import regex

_ESCAPE = regex(rb'\\([0-7]{1,3}|[abtnvfr"\\])')
_ESCAPES = {
    b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r",
    b'"': b'"', b"\\": b"\\",
}  # fmt: skip


def unquote(text: str) -> str:
    """The name inside of C quotes, with octal bytes and escapes decoded."""
    raw = _ESCAPE.sub(_unescape, text.encode("utf-8", errors="surrogatepass"))
    return raw.decode("utf-8", errors="replace")


def _unescape(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return _ESCAPES[code] if code in _ESCAPES else bytes([int(code, 8) & 0xFF])


def without_quotes(name: str) -> str:
    """A name as it is; decoded if it is in quotes."""
    if len(name) > 2 and name[0] == name[-1] == '"':
        return unquote(name[1:-1])
    return name
