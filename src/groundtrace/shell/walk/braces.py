"""Brace expansion: `{a,b}` and `{1..5}`, in text with marked quoted characters."""

from __future__ import annotations

import re

from groundtrace.base.patterns import regex
from groundtrace.shell.streams.word import MAX_WORDS

_BRACES = regex(r"(?<!\x01)\{((?:\x01.|[^{}\x01])*)(?<!\x01)\}", re.DOTALL)
_RANGE = regex(r"(-?[0-9]{1,9}|[a-zA-Z])\.\.(-?[0-9]{1,9}|[a-zA-Z])(?:\.\.(-?[0-9]{1,9}))?$")


def braces(text: str) -> list[str]:
    """Brace expansion of marked text: `{a,b}` and `{1..5}`."""
    if "{" not in text or text.count("{") > 12:
        return [text]
    for found in _BRACES.finditer(text):
        options = _options(found[1])
        if options is None:
            continue
        before, after = text[: found.start()], text[found.end() :]
        out: list[str] = []
        for option in options:
            out.extend(braces(f"{before}{option}{after}"))
            if len(out) > MAX_WORDS:
                break
        return out[:MAX_WORDS]
    return [text]


def _options(body: str) -> list[str] | None:
    number_range = _RANGE.match(body)
    if number_range:
        low, high, step = number_range.groups()
        if low.lstrip("-").isdigit() and high.lstrip("-").isdigit():
            a, b, width = int(low), int(high), abs(int(step or 1)) or 1
            if abs(b - a) // width > MAX_WORDS:
                return None
            return [str(n) for n in (range(a, b + 1, width) if a <= b else range(a, b - 1, -width))]
        if low.isalpha() and high.isalpha():
            a, b = ord(low), ord(high)
            return [chr(n) for n in (range(a, b + 1) if a <= b else range(a, b - 1, -1))]
        return None
    options = re.split(r"(?<!\x01),", body)
    return options if len(options) > 1 else None
