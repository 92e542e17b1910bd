"""Messages of a trajectory as types, and what the model asked to run.

Only what is needed has a field, so msgspec skips the rest: `extra.response` repeats every reply
with its reasoning, which is half of a file. A message of any other form is decoded completely and
fitted (`kit.fit`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from groundtrace.base.frozen import Frozen
from groundtrace.base.mcp import content_text
from groundtrace.base.patterns import regex
from groundtrace.base.times import parse_time
from groundtrace.base.values import as_mapping, as_text
from groundtrace.traces.kit.fit import as_arguments


class Tokens(msgspec.Struct, frozen=True, gc=False):
    """Tokens of one model call, as the file states them."""

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


# --- what the model asked to run in one reply ---
# Up to 1.x, and in 2.x without tool calling, a command is the only fence of a reply. A reply with no
# fence or with several is answered with a reminder, and nothing runs. In 2.x the harness also
# records what it took from the reply (`extra.actions`), which is the best evidence, and models may
# call the tool `bash`, several times in one reply.

_FENCES = {
    opens: regex(opens + r"\s*\n(.*?)\n```", re.DOTALL)
    for opens in ("```mswea_bash_command", "```bash")
}


class Asked(Frozen, frozen=True):
    """One command of a reply."""

    command: str
    call_id: str | None = None


class Reply(Frozen, frozen=True):
    """The commands of a reply, and how many fences it had."""

    commands: tuple[Asked, ...] = ()
    fences: int = 0
    bad: int = 0
    """Commands that are not texts."""


def read_reply(message: Message) -> Reply:
    """The commands that ran, or would have run, after a reply of the model."""
    actions = None if message.extra is None else message.extra.actions
    if isinstance(actions, list):
        found = [_action(item) for item in actions]
        return Reply(tuple(asked for asked in found if asked), 0, found.count(None))
    calls = message.tool_calls
    if isinstance(calls, list) and calls:
        found = [_tool_call(item) for item in calls]
        return Reply(tuple(asked for asked in found if asked), 0, found.count(None))
    text = content_text(message.content)
    for opens, pattern in _FENCES.items():
        commands = _fenced(text, opens, pattern) if opens in text else ()
        if commands:
            single = (Asked(commands[0].strip()),) if len(commands) == 1 else ()
            return Reply(single, len(commands))
    return Reply()


def _fenced(text: str, opens: str, pattern: re.Pattern[str]) -> Sequence[str]:
    """What the pattern finds, looked for as plain text: ten times as fast on long commands."""
    found: list[str] = []
    at = 0
    while (start := text.find(opens, at)) >= 0:
        line_end = _LINE_END.match(text, start + len(opens))
        if line_end is None:
            at = start + 1
            continue
        at = text.find("\n```", line_end.end())
        if at < 0:
            return pattern.findall(text)
        found.append(text[line_end.end() : at])
        at += 4
    return found


_LINE_END = regex(r"\s*\n")


def _action(item: Any) -> Asked | None:
    command = as_mapping(item).get("command", as_mapping(item).get("action"))
    if not isinstance(command, str):
        return None
    return Asked(command, as_text(as_mapping(item).get("tool_call_id")))


def _tool_call(item: Any) -> Asked | None:
    function = as_mapping(as_mapping(item).get("function"))
    arguments = as_arguments(function.get("arguments")) or {}
    command = arguments.get("command", arguments.get("cmd"))
    return Asked(command, as_text(as_mapping(item).get("id"))) if isinstance(command, str) else None
