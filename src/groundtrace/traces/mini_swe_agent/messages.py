"""Messages of a trajectory as types.

Only what is needed has a field, so msgspec skips the rest: `extra.response` repeats every reply
with its reasoning, which is half of a file. A message of any other form is decoded completely and
fitted into the same types.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from groundtrace.base.times import parse_time
from groundtrace.base.values import as_mapping


class Tokens(msgspec.Struct, frozen=True, gc=False):
    """The usage of a model call."""

    prompt_tokens: Any = None
    completion_tokens: Any = None
    prompt_tokens_details: Any = None


class Response(msgspec.Struct, frozen=True, gc=False):
    """The answer of the model's server, without the reply itself."""

    model: Any = None
    usage: Tokens | None = None


class Extra(msgspec.Struct, frozen=True, gc=False):
    """What the harness adds to a message."""

    actions: Any = None
    response: Response | None = None
    timestamp: Any = None
    tool_call_id: Any = None
    raw_output: Any = None
    returncode: Any = None


NO_EXTRA, NO_RESPONSE, NO_TOKENS = Extra(), Response(), Tokens()


class Message(msgspec.Struct, frozen=True, gc=False):
    """One message."""

    role: Any = None
    content: Any = None
    timestamp: Any = msgspec.UNSET
    """Unset if the message has no such member: then the one in `extra` counts."""
    tool_calls: Any = None
    tool_call_id: Any = None
    extra: Extra | None = None

    @property
    def moment(self) -> float | None:
        """When it was written: stated on the message in 1.17, in `extra` from 2.0 on."""
        stated = self.timestamp
        if stated is msgspec.UNSET:
            stated = None if self.extra is None else self.extra.timestamp
        return None if stated is None else parse_time(stated)


class Root(msgspec.Struct):
    """A trajectory, with the members that are needed."""

    messages: list[Message]
    info: Any = None
    instance_id: Any = None


def message_of(value: Mapping[str, Any]) -> Message:
    """A message from a decoded object; members of a wrong type count as missing."""
    extra = as_mapping(value.get("extra"))
    response = as_mapping(extra.get("response"))
    usage = as_mapping(response.get("usage"))
    return Message(
        value.get("role"),
        value.get("content"),
        value.get("timestamp", msgspec.UNSET),
        value.get("tool_calls"),
        value.get("tool_call_id"),
        Extra(
            extra.get("actions"),
            Response(
                response.get("model"),
                Tokens(
                    usage.get("prompt_tokens"),
                    usage.get("completion_tokens"),
                    usage.get("prompt_tokens_details"),
                ),
            ),
            extra.get("timestamp"),
            extra.get("tool_call_id"),
            extra.get("raw_output"),
            extra.get("returncode"),
        ),
    )
