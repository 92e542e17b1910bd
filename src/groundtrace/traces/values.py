"""Reading values that may be of any type: what is not usable is None, never an exception."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from groundtrace import jsonio

MAX_COUNT = 1 << 53
"""No trial has this many tokens; a larger number is damage."""


def clean(text: str) -> str:
    """Text that can be written as UTF-8; the check is free for ASCII, which most results are."""
    return text if text.isascii() else jsonio.clean_text(text)


def as_text(value: Any) -> str | None:
    """A non-empty string that can be written as UTF-8."""
    return clean(value) if isinstance(value, str) and value else None


def as_count(value: Any) -> int | None:
    """A count of tokens: a whole number from 0, not a boolean."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        if not math.isfinite(value) or not value.is_integer():
            return None
        value = int(value)
    return value if isinstance(value, int) and 0 <= value < MAX_COUNT else None


def as_amount(value: Any) -> float | None:
    """A finite amount from 0, such as a cost."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def as_mapping(value: Any) -> Mapping[str, Any]:
    """The object, or an empty one."""
    return value if isinstance(value, dict) else {}


def as_arguments(value: Any) -> dict[str, Any] | None:
    """Arguments of a call: an object, or the text of one; None when it is neither."""
    if isinstance(value, dict):
        return value
    if value is None:
        return {}
    if isinstance(value, str):
        if not value.strip():
            return {}
        try:
            decoded = jsonio.loads(value.encode("utf-8", errors="surrogatepass"))
        except jsonio.BadJsonError:
            return None
        return decoded if isinstance(decoded, dict) else None
    return None


def parts_text(content: Any) -> str:
    """Text of a result that is a string, a list of parts, or one part."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return ""
    texts = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            text = part.get("text")
            if isinstance(text, dict):  # Cursor nests it: {"text": {"text": …}}
                text = text.get("text")
            if isinstance(text, str):
                texts.append(text)
    return "\n".join(texts)


def server_of(name: str) -> str | None:
    """The MCP server inside a name of the form `mcp__<server>__<tool>`."""
    if not name.startswith("mcp__"):
        return None
    server, separator, tool = name[5:].partition("__")
    return server if server and separator and tool else None
