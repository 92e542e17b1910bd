"""How to unwrap the answer of an MCP server: envelopes, JSON inside JSON, JSON cut short.

One answer arrives in many forms: `{"text": "…"}`, the protocol's `{"content": [{"type": "text",
…}], "isError": …}`, that envelope again as text, a list of content blocks, or a preview that ends
in the middle of a string.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from groundtrace.base import jsonio
from groundtrace.base.cut_json import read_prefix
from groundtrace.base.mcp import blocks_text, holds_only_text
from groundtrace.base.values import as_mapping
from groundtrace.model import ToolResult
from groundtrace.traces.kit.frames import is_refusal, shown_text

_DEPTH = 6


class Payload(msgspec.Struct, frozen=True):
    """The server's own answer: a JSON value, or text."""

    value: Any = None
    """The JSON value; None if the answer is text."""
    text: str = ""
    """The text. If the answer is JSON: its raw text, for searches that need no structure."""
    is_error: bool = False
    """The server or the harness said that the call failed."""

    @property
    def mapping(self) -> Mapping[str, Any]:
        """The value if it is an object, else an empty object."""
        return as_mapping(self.value)


def payload_of(result: ToolResult | None) -> Payload:
    """The answer inside a result."""
    if result is None:
        return Payload(is_error=True)
    text = shown_text(result)
    if not text.strip() and result.data is not None and not isinstance(result.data, str):
        return _unwrap(result.data, "", result.is_error, _DEPTH)
    found = _unwrap_text(text, result.is_error, _DEPTH)
    failed = found.is_error or is_refusal(found.text)
    return Payload(found.value, found.text, failed)


def _unwrap_text(text: str, is_error: bool, depth: int) -> Payload:
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    stripped = text.lstrip()
    if depth > 0 and stripped[:1] in ("{", "["):
        value = parse(stripped)
        if value is not None:
            return _unwrap(value, text, is_error, depth - 1)
    return Payload(None, text, is_error)


def _unwrap(value: Any, raw: str, is_error: bool, depth: int) -> Payload:
    if depth <= 0:
        return Payload(value, raw, is_error)
    if isinstance(value, list):
        blocks = blocks_text(value)
        return (
            Payload(value, raw, is_error)
            if blocks is None
            else _unwrap_text(blocks, is_error, depth)
        )
    if isinstance(value, Mapping):
        done = as_mapping(value.get("success"))
        if done:
            return _unwrap(done, raw, is_error, depth - 1)
        failed = is_error or value.get("isError") is True
        inner = value.get("content")
        blocks = blocks_text(inner) if isinstance(inner, list) else None
        if blocks:
            return _unwrap_text(blocks, failed, depth)
        if isinstance(value.get("structuredContent"), Mapping):
            return _unwrap(value["structuredContent"], raw, failed, depth - 1)
        if isinstance(value.get("text"), str) and holds_only_text(value):
            return _unwrap_text(value["text"], failed, depth)
        return Payload(value, raw, failed)
    if isinstance(value, str):
        return _unwrap_text(value, is_error, depth)
    return Payload(value, raw, is_error)


def parse(text: str) -> Any:
    """The JSON value at the start of the text; None if it is not JSON.

    The text may be cut short.
    """
    try:
        return jsonio.loads(text.encode("utf-8", errors="surrogatepass"))
    except jsonio.BadJsonError:
        pass
    try:
        value, end = json.JSONDecoder().raw_decode(text)
        return None if _is_label(value, text, end) else value
    except (ValueError, RecursionError):
        pass
    # Two cases stay text: a complete text with raw control characters in its strings, and a brace
    # with nothing after it.
    prefix = read_prefix(text)
    return (prefix.value or None) if prefix.cut and not prefix.broken else None


def _is_label(value: Any, text: str, end: int) -> bool:
    """Whether a value at the start of a line is a label of its text: `[20] def default_hooks():`."""
    is_plain = isinstance(value, list) and not any(isinstance(v, list | dict) for v in value)
    return is_plain and bool(text[end : text.find("\n", end) % (len(text) + 1)].strip())
