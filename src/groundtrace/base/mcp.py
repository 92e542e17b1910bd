"""What the Model Context Protocol puts around a tool's name and its answer.

An answer is a list of content blocks inside an envelope, `{"content": [{"type": "text", "text":
"…"}], "isError": …}`. The readers of traces and the readers of tools both need to open it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

UNKNOWN_SERVER = "unknown"
"""Server of a tool that is certainly MCP, if nothing says which server it is."""

_TEXT_KEYS = frozenset({"text", "type", "annotations", "_meta"})


def server_in_name(name: str) -> str | None:
    """The server inside a name of the form `mcp__<server>__<tool>`."""
    if not name.startswith("mcp__"):
        return None
    server, separator, tool = name[5:].partition("__")
    return server if server and separator and tool else None


def block_text(block: Mapping[str, Any]) -> str | None:
    """The text of one content block; Cursor nests it once more: `{"text": {"text": "…"}}`."""
    text = block.get("text")
    if isinstance(text, str):  # nearly always; to ask for a Mapping takes ten times as long
        return text
    if isinstance(text, Mapping):
        text = text.get("text")
    return text if isinstance(text, str) else None


def holds_only_text(block: Mapping[str, Any]) -> bool:
    """Whether an object has only a text and members that the protocol defines beside it."""
    return block.keys() <= _TEXT_KEYS


def content_text(content: Any) -> str:
    """The text of a harness's result: a string, a list of blocks, or one block.

    Every block that has text counts, whatever else is in it: the trace says that it is a result.
    """
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return ""
    texts = []
    for part in content:
        text = block_text(part) if isinstance(part, dict) else part
        if isinstance(text, str):
            texts.append(text)
    return texts[0] if len(texts) == 1 else "\n".join(texts)


def blocks_text(blocks: Any) -> str | None:
    """The text of a list of content blocks; None if the list is something else.

    This is stricter than `content_text`, because the list can be any JSON list in a server's own
    answer. Search results whose objects have a `text` among other members are not blocks.
    """
    texts = []
    for block in blocks if isinstance(blocks, (list, tuple)) else ():
        if not isinstance(block, Mapping):
            continue
        text = block_text(block)
        if text is not None and (holds_only_text(block) or block.get("type") == "text"):
            texts.append(text)
        elif "resource" in block:
            resource = block["resource"]
            inner = resource.get("text") if isinstance(resource, Mapping) else None
            texts.append(inner if isinstance(inner, str) else "")
    return "\n".join(texts) if texts else None


class Envelope(msgspec.Struct, frozen=True):
    """An answer taken out of its envelope."""

    content: list[Any]
    """Its content blocks."""
    is_error: bool
    """The server says that the call failed."""


def envelope_of(value: Any) -> Envelope | None:
    """The protocol's envelope around an answer; None if the value is not an envelope.

    A list under `content` is not enough, because servers' own answers can have one too. An envelope
    also has `isError`, or `meta` as OpenHands writes it.
    """
    if not isinstance(value, dict) or not isinstance(value.get("content"), list):
        return None
    if not {"meta", "isError"} & value.keys():
        return None
    return Envelope(value["content"], value.get("isError") is True)
