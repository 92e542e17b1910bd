"""The intact parts of a damaged line of Claude Code's transcript."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import field

from groundtrace.base.patterns import regex
from groundtrace.traces.claude_code.lines import (
    Block,
    Line,
    Tokens,
    fit_block,
    fit_line,
    fit_tokens,
)
from groundtrace.traces.kit.salvage import intact_objects, string_after

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
        found.blocks.append(fit_block(value))
    elif "input_tokens" in value:
        found.usage = fit_tokens(value)
    return False
