"""What the model asked to run in one reply.

Up to 1.x, and in 2.x without tool calling, a command is the only fence of a reply. A reply with no
fence or with several is answered with a reminder, and nothing runs. In 2.x the harness also records
what it took from the reply (`extra.actions`), which is the best evidence, and models may call the
tool `bash`, several times in one reply.
"""

from __future__ import annotations

import re
from typing import Any

from groundtrace.base.frozen import Frozen
from groundtrace.base.mcp import content_text
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_mapping, as_text
from groundtrace.traces.kit.fit import as_arguments
from groundtrace.traces.mini_swe_agent.messages import Message

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
        commands = pattern.findall(text) if opens in text else ()
        if commands:
            single = (Asked(commands[0].strip()),) if len(commands) == 1 else ()
            return Reply(single, len(commands))
    return Reply()


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
