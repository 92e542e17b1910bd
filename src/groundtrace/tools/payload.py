"""Unwrapping what an MCP server answered: envelopes, JSON inside JSON, JSON cut short.

One answer arrives in many coats: `{"text": "…"}`, the protocol's `{"content": [{"type": "text",
…}], "isError": …}`, that envelope again as text (OpenHands), a list of content blocks, or a
preview that ends in the middle of a string.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from groundtrace import jsonio
from groundtrace.model import ToolResult
from groundtrace.tools.common import as_items, as_mapping, as_text, is_refusal, shown_text

_DEPTH = 6


class Payload(msgspec.Struct, frozen=True):
    """The server's own answer: a JSON value, or text."""

    value: Any = None
    """The JSON value of the JSON era; None where the answer is text."""
    text: str = ""
    """The text of the text era; for JSON the raw text, for what can only be searched."""
    is_error: bool = False
    """The server or the harness said that the call failed."""

    @property
    def mapping(self) -> Mapping[str, Any]:
        """The value if it is an object, else an empty one."""
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
        blocks = _block_text(value)
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
        blocks = _block_text(inner) if isinstance(inner, list) else None
        if blocks:
            return _unwrap_text(blocks, failed, depth)
        if isinstance(value.get("structuredContent"), Mapping):
            return _unwrap(value["structuredContent"], raw, failed, depth - 1)
        if isinstance(value.get("text"), str) and _is_only_text(value):
            return _unwrap_text(value["text"], failed, depth)
        return Payload(value, raw, failed)
    if isinstance(value, str):
        return _unwrap_text(value, is_error, depth)
    return Payload(value, raw, is_error)


def _is_only_text(value: Mapping[str, Any]) -> bool:
    return set(value) <= {"text", "type", "annotations", "_meta"}


def _block_text(blocks: Any) -> str | None:
    """The text of a list of content blocks, or None if the list is something else."""
    texts = []
    for block in as_items(blocks):
        block = as_mapping(block)
        inner = block.get("text")
        if isinstance(inner, Mapping):  # Cursor wraps once more: {"text": {"text": "…"}}
            inner = inner.get("text")
        if isinstance(inner, str) and (_is_only_text(block) or block.get("type") == "text"):
            texts.append(inner)
        elif "resource" in block:
            texts.append(as_text(as_mapping(block["resource"]).get("text")))
    return "\n".join(texts) if texts else None


def parse(text: str) -> Any:
    """The JSON value that the text begins with; what was cut off is closed; None if hopeless."""
    try:
        return jsonio.loads(text.encode("utf-8", errors="surrogatepass"))
    except jsonio.BadJsonError:
        pass
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        pass
    return _close(text)


def _close(text: str) -> Any:
    """The value of JSON that ends too early: open strings, lists and objects are closed."""
    stack: list[str] = []
    in_string = escaped = False
    for character in text:
        if in_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                in_string = False
        elif character == '"':
            in_string = True
        elif character in "{[":
            stack.append("}" if character == "{" else "]")
        elif character in "}]" and (not stack or stack.pop() != character):
            return None
    if not stack or len(stack) > 200:
        return None
    closing = "".join(reversed(stack))
    body = text.rstrip()
    if in_string:
        # A cut inside `\u12` leaves an escape that cannot be read: take it off.
        for cut in range(6):
            closed = _decoded(text[: len(text) - cut] + '"', closing)
            if closed is not None:
                return closed
        return None
    return _decoded(body.rstrip(","), closing) or _decoded(body.rstrip(":") + ":", closing)


def _decoded(body: str, closing: str) -> Any:
    for middle in ("", ":null", "null"):
        try:
            return json.loads(body + middle + closing, strict=False)
        except (ValueError, RecursionError):
            continue
    return None
