"""Calls from messages, for a sample without tool events.

A coding agent that runs inside Inspect with its own tools leaves only model calls. What the model
asked for is in their outputs; the answers are in the inputs of later model calls. A log without
events has only the sample's messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import field

from groundtrace.base.values import as_mapping, as_text
from groundtrace.traces.inspect_ai.events import Event, Output, value_of


class Asked(msgspec.Struct):
    """A call of a message, and the message that answers it."""

    call: Mapping[str, Any]
    position: int
    """Model calls up to and including the one that asked."""
    made_at: Any = None
    answer: Mapping[str, Any] | None = None


class Conversation(msgspec.Struct):
    """Calls and answers in the order of the calls, each id once."""

    asked: list[Asked] = field(default_factory=list)
    _by_id: dict[str, Asked] = field(default_factory=dict)

    def messages(self, messages: Any, position: int, made_at: Any = None) -> None:
        """Read calls and answers from a list of messages."""
        for message in messages if isinstance(messages, list) else ():
            members = as_mapping(message)
            if members.get("role") == "tool":
                self.answer(members)
            elif members.get("role") == "assistant":
                self.calls(members.get("tool_calls"), position, made_at)

    def model(self, event: Event, position: int) -> None:
        """Read one model call: answers from its input, calls from its output."""
        given = value_of(event.input)
        for message in given if isinstance(given, list) else ():
            if as_mapping(message).get("role") == "tool":
                self.answer(as_mapping(message))
        choices = event.output.choices if isinstance(event.output, Output) else None
        reply = choices[0].message if choices else None
        if reply is not None:
            self.calls(reply.tool_calls, position, event.timestamp)

    def calls(self, calls: Any, position: int, made_at: Any) -> None:
        """Read the calls of one reply."""
        for call in _items(calls):
            key = as_text(call.get("id"))
            if key is not None and key in self._by_id:
                continue
            asked = Asked(call, position, made_at)
            self.asked.append(asked)
            if key is not None:
                self._by_id[key] = asked

    def answer(self, message: Mapping[str, Any]) -> None:
        """Read a message with the role tool; the first answer to a call counts."""
        asked = self._by_id.get(as_text(message.get("tool_call_id")) or "")
        if asked is not None and asked.answer is None:
            asked.answer = message


def _items(value: Any) -> list[Mapping[str, Any]]:
    found: Iterable[Any] = value if isinstance(value, list) else ()
    return [item for item in found if isinstance(item, Mapping)]
