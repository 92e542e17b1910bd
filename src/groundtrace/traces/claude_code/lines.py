"""Lines of Claude Code's transcripts as types, for the stream and for session logs.

Only what is needed has a field, so msgspec skips the rest (thinking, signatures, prompts in
attachments). A line of any other form is decoded completely and fitted into the same types.
"""

from __future__ import annotations

from typing import Any

import msgspec

from groundtrace.base import jsonio
from groundtrace.base.values import as_mapping


class Block(msgspec.Struct, frozen=True, gc=False):
    """One content block of a message."""

    type: Any = None
    id: Any = None
    name: Any = None
    input: Any = None
    tool_use_id: Any = None
    content: Any = None
    is_error: Any = None
    text: Any = None


class Tokens(msgspec.Struct, frozen=True, gc=False):
    """The usage of a message: only the members that are counted, of about a dozen."""

    input_tokens: Any = None
    cache_creation_input_tokens: Any = None
    cache_read_input_tokens: Any = None
    output_tokens: Any = None


class Message(msgspec.Struct, frozen=True, gc=False):
    """The API message inside a line."""

    id: Any = None
    model: Any = None
    content: str | list[Block] | None = None
    usage: Tokens | None = None


class Line(msgspec.Struct, frozen=True, gc=False):
    """One event of a transcript."""

    type: Any = None
    subtype: Any = None
    message: Message | None = None
    parent_tool_use_id: Any = None
    is_sidechain: Any = msgspec.field(default=None, name="isSidechain")
    tool_use_result: Any = None
    tool_use_result_session: Any = msgspec.field(default=None, name="toolUseResult")
    timestamp: Any = None
    cwd: Any = None
    version: Any = None
    claude_code_version: Any = None
    is_compact_summary: Any = msgspec.field(default=None, name="isCompactSummary")
    compact_metadata: Any = None
    compact_metadata_session: Any = msgspec.field(default=None, name="compactMetadata")
    session_id: Any = msgspec.field(default=None, name="sessionId")
    """Only in session logs; the stream writes `session_id`, which is not needed."""
    model: Any = None
    mcp_servers: Any = None
    usage: Any = None
    model_usage: Any = msgspec.field(default=None, name="modelUsage")
    total_cost_usd: Any = None
    # The next ones are for entries that are themselves a tool call or a result.
    id: Any = None
    name: Any = None
    input: Any = None
    tool_use_id: Any = None
    content: Any = None
    is_error: Any = None
    tool_name: Any = None
    tool_input: Any = None
    parameters: Any = None
    output: Any = None

    @property
    def structured(self) -> Any:
        """`tool_use_result`, in the stream or in a session log."""
        return (
            self.tool_use_result
            if self.tool_use_result is not None
            else self.tool_use_result_session
        )


_decode = msgspec.json.Decoder(Line).decode
_FIELDS = dict(zip(Line.__struct_encode_fields__, Line.__struct_fields__, strict=True))
_BLOCK_FIELDS = Block.__struct_fields__
_TOKEN_FIELDS = Tokens.__struct_fields__


def decode_line(data: bytes) -> Line | list[Line]:
    """The event of a line; a list if the line holds several events or none. Raises
    jsonio.BadJsonError if the line is not JSON.

    `--output-format json --verbose` writes a list of events on one line. JSON that is not an event
    gives an empty list.
    """
    try:
        return _decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        value = jsonio.loads(data)
    items = value if isinstance(value, list) else [value]
    return [fit_line(item) for item in items if isinstance(item, dict)]


def fit_line(value: dict[str, Any]) -> Line:
    """A decoded object as a line, with members of any type."""
    members = {_FIELDS[key]: item for key, item in value.items() if key in _FIELDS}
    message = members.get("message")
    members["message"] = _fit_message(message) if isinstance(message, dict) else None
    return Line(**members)


def _fit_message(value: dict[str, Any]) -> Message:
    content = value.get("content")
    if isinstance(content, dict):
        content = [content]
    blocks: str | list[Block] | None = None
    if isinstance(content, str):
        blocks = content
    elif isinstance(content, list):
        blocks = [fit_block(item) for item in content if isinstance(item, dict)]
    return Message(value.get("id"), value.get("model"), blocks, fit_tokens(value.get("usage")))


def fit_tokens(value: Any) -> Tokens | None:
    """A decoded usage; one of another form gives no numbers, but is not None: usage was stated."""
    if value is None:
        return None
    return Tokens(**{key: as_mapping(value).get(key) for key in _TOKEN_FIELDS})


def fit_block(value: dict[str, Any]) -> Block:
    """A decoded object as a content block."""
    return Block(**{key: value[key] for key in _BLOCK_FIELDS if key in value})
