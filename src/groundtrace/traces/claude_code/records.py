"""Lines of Claude Code's transcripts as types, for the stream and for session logs.

Only what is needed has a field, so msgspec skips the rest (thinking, signatures, prompts in
attachments). A line of any other form is decoded completely and fitted (`kit.fit`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import field
from msgspec.structs import replace

from groundtrace.base import jsonio
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_count, as_items, as_mapping
from groundtrace.model import ContextMark
from groundtrace.traces.kit.fit import NOT_FITTING, fit
from groundtrace.traces.kit.ledger import TokenCounts
from groundtrace.traces.kit.salvage import intact_objects, string_after


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
    """Tokens of one model call, as the file states them: only the members that are counted, of
    about a dozen."""

    input_tokens: Any = None
    cache_creation_input_tokens: Any = None
    cache_read_input_tokens: Any = None
    output_tokens: Any = None


UNSAID = ""
"""In place of a reason to stop, where a line has no such member; null says that the reply went on."""


class Message(msgspec.Struct, frozen=True, gc=False):
    """The API message inside a line."""

    id: Any = None
    model: Any = None
    content: str | list[Block] | None = None
    usage: Tokens | None = None
    stop_reason: Any = UNSAID


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
    git_branch: Any = msgspec.field(default=None, name="gitBranch")
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


def decode_line(data: bytes) -> Line | list[Line]:
    """The event of a line; a list if the line holds several events or none. Raises
    jsonio.BadJsonError if the line is not JSON.

    `--output-format json --verbose` writes a list of events on one line. JSON that is not an event
    gives an empty list.
    """
    try:
        return _decode(data)
    except NOT_FITTING:
        value = jsonio.loads(data)
    items = value if isinstance(value, list) else [value]
    return [fit_line(item) for item in items if isinstance(item, dict)]


def fit_line(value: Mapping[str, Any]) -> Line:
    """A decoded object as a line, with members of any type. A message may be one block without a
    list; a usage of another form gives no numbers, but usage was stated."""
    line = fit(value, Line)
    message = value.get("message")
    if line.message is None or not isinstance(message, dict):
        return line
    content, usage = line.message.content, line.message.usage
    if isinstance(message.get("content"), dict):
        content = [fit(message["content"], Block)]
    if usage is None and message.get("usage") is not None:
        usage = Tokens()
    whole = Message(line.message.id, line.message.model, content, usage)
    return replace(line, message=whole)


# --- where Claude Code changed what its model still sees ---
# The stream and session logs have `compact_boundary` lines; older session logs have only the summary
# that follows (`isCompactSummary`). `microcompact_boundary` says that old answers were removed, but
# not which ones.

_PART_KEPT = ("preservedSegment", "preserved_segment", "preservedMessages", "preserved_messages")
"""Members of a boundary's metadata which say that some messages are kept beside the summary."""


def context_mark(line: Line) -> ContextMark | None:
    """What a line says about the context; None for nearly all lines."""
    if line.type == "system" and line.subtype == "compact_boundary":
        metadata = as_mapping(line.compact_metadata) or as_mapping(line.compact_metadata_session)
        return ContextMark(
            "compaction", drops_all=not any(metadata.get(name) for name in _PART_KEPT)
        )
    if line.type == "system" and line.subtype == "microcompact_boundary":
        return ContextMark("truncation", drops_all=False)
    if line.is_compact_summary is True:
        return ContextMark("compaction", drops_all=True)
    return None


# --- what results say about themselves ---
# Trajectories hold the same results, so the reader of ATIF uses this too.

_ERROR = regex(r"\s*+<tool_use_error>")


def says_failure(text: str, structured: Any) -> bool:
    """Whether the text of the result itself says that the call failed, with or without a flag."""
    return (
        _ERROR.match(text) is not None
        or (isinstance(structured, str) and structured.startswith("Error:"))
        or (isinstance(structured, dict) and structured.get("interrupted") is True)
    )


def shown_image(content: Any) -> dict[str, Any] | None:
    """What the structured result says of an image, for results of the stream that have none.

    Such a result has no text: a picture that was opened would count as nothing shown.
    """
    for block in as_items(content):
        if isinstance(block, dict) and block.get("type") in ("image", "document"):
            return {"type": block["type"], "file": {"type": block["type"]}}
    return None


# --- tokens: for each message, and on the last line for the trial ---


def counts_of(usage: Tokens | None) -> TokenCounts | None:
    """Counts from a message's usage; None if it states none."""
    fresh = None if usage is None else as_count(usage.input_tokens)
    if usage is None or fresh is None:
        return None
    created = as_count(usage.cache_creation_input_tokens) or 0
    read = as_count(usage.cache_read_input_tokens) or 0
    return TokenCounts(fresh + created + read, as_count(usage.output_tokens) or 0)


def stated_counts(usage: object) -> TokenCounts | None:
    """The same from the usage that a structured result states."""
    stated = as_mapping(usage)
    fresh, made = as_count(stated.get("input_tokens")), as_count(stated.get("output_tokens"))
    if fresh is None or made is None:
        return None
    created = as_count(stated.get("cache_creation_input_tokens")) or 0
    return TokenCounts(
        fresh + created + (as_count(stated.get("cache_read_input_tokens")) or 0), made
    )


def stated_total(result: Line | None) -> int | None:
    """Tokens of all models that the `result` line states: input with cache, and output."""
    models = [] if result is None else list(as_mapping(result.model_usage).values())
    fields = ("inputTokens", "cacheCreationInputTokens", "cacheReadInputTokens", "outputTokens")
    counts = [as_count(as_mapping(model).get(field)) for model in models for field in fields]
    stated = [count for count in counts if count is not None]
    return sum(stated) if stated and len(stated) == len(counts) else None


def stated_output(result: Line | None) -> tuple[int | None, str | None]:
    """Output tokens of the trial from its `result` line, and where they are stated."""
    if result is None:
        return None, None
    per_model = [
        as_count(as_mapping(item).get("outputTokens"))
        for item in as_mapping(result.model_usage).values()
    ]
    if per_model and None not in per_model:
        return sum(count for count in per_model if count is not None), "modelUsage"
    stated = as_count(as_mapping(result.usage).get("output_tokens"))
    return stated, None if stated is None else "result.usage"


# --- the intact parts of a damaged line ---

EVENT_TYPES = frozenset({"system", "assistant", "user", "result"})

_MESSAGE_ID = regex(r'"id"\s*:\s*"(msg_[^"\\]+)"')
_OTHER_LINE = regex(r'"type"\s*:\s*"(?:user|system|result)"')
_ASSISTANT = regex(r'"type"\s*:\s*"(?:assistant|message)"')


class Salvaged(msgspec.Struct):
    """The pieces of a damaged line."""

    around: Line
    """What is known about the line itself: time, subagent."""
    events: list[Line] = field(default_factory=list)
    """Whole events: from two lines on one, or where only a control character was wrong."""
    blocks: list[Block] = field(default_factory=list)
    message_id: str | None = None
    usage: Tokens | None = None
    no_usage_expected: bool = False
    """Whether no usage is missing: the line is not the model's, or its events are whole."""


def salvage_line(text: str) -> Salvaged:
    """Every object of the line that can still be decoded, sorted by what it is."""
    found = Salvaged(
        fit_line(
            {
                "type": "assistant",
                "parent_tool_use_id": string_after(text, "parent_tool_use_id"),
                "timestamp": string_after(text, "timestamp"),
                "cwd": string_after(text, "cwd"),
            }
        )
    )
    covered = 0
    for piece in intact_objects(text):
        if _take(found, piece.value):
            covered += piece.end - piece.start
    if found.message_id is None:
        message = _MESSAGE_ID.search(text)
        found.message_id = None if message is None else message.group(1)
    is_other = _OTHER_LINE.search(text) is not None and _ASSISTANT.search(text) is None
    # With two lines on one, a few bytes between the whole events are normal.
    found.no_usage_expected = is_other or covered >= len(text) - 8
    return found


def _take(found: Salvaged, value: dict[str, Any]) -> bool:
    """Put one object where it belongs; returns whether it was a whole event."""
    kind = value.get("type")
    if isinstance(kind, str) and kind in EVENT_TYPES:
        found.events.append(fit_line(value))
        return True
    if kind == "message" and "content" in value:
        message = fit_line({"message": value}).message
        if message is not None:
            found.message_id = message.id if isinstance(message.id, str) else None
            found.usage = message.usage
            found.blocks += message.content if isinstance(message.content, list) else []
    elif kind == "tool_use" or "tool_use_id" in value:
        found.blocks.append(fit(value, Block))
    elif "input_tokens" in value:
        found.usage = fit(value, Tokens)
    return False
