"""What a row states about its trial, and how its replies call tools: as objects, as XML in their text,
or as a command line in back-ticks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from groundtrace.base import jsonio
from groundtrace.base.frozen import Frozen
from groundtrace.base.mcp import content_text
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_items, as_mapping, as_number, as_score, as_text
from groundtrace.model import Stated
from groundtrace.traces.kit.rows import Naming, row_id
from groundtrace.traces.swe_agent.actions import read_action

CallSyntax = Literal["tools", "xml", "mini", "ticks", "none"]

_FUNCTION = regex(r"<function=([^>\s]*+)\s*+(>?)")
"""It also matches a name without an end, so that no character of such a name is examined twice."""
_PARAMETER = regex(r"<parameter=([^>\s]{1,100}+)\s{0,9}+>")
_FUNCTION_ENDS, _PARAMETER_BEGINS, _PARAMETER_ENDS = "</function>", "<parameter=", "</parameter>"
_TICKS = regex(r"^```(?:\w*)[ \t]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
_FENCE = regex(r"```(?:bash|mswea_bash_command)\s*\n")
_LISTS = frozenset({"view_range", "insert_line"})
"""Parameters of the editor whose text is JSON."""


class Asked(Frozen, frozen=True):
    """One call of a reply."""

    name: str
    arguments: dict[str, Any]
    call_id: str | None = None
    is_whole: bool = True
    """False if its arguments cannot be decoded."""
    before: str = ""
    """Commands of the same line that ran before it."""


def dialect_of(messages: Sequence[Mapping[str, Any]]) -> CallSyntax:
    """The dialect of a conversation, by the first reply that shows one."""
    replies = [message for message in messages if is_reply(message)]
    if any(isinstance(reply.get("tool_calls"), list) and reply["tool_calls"] for reply in replies):
        return "tools"
    texts = [text_of(reply) for reply in replies]
    if any("<function=" in text for text in texts):
        return "xml"
    answers = [text_of(message) for message in messages if not is_reply(message)]
    if any(map(_FENCE.search, texts)) and any("<returncode>" in text for text in answers):
        return "mini"
    # Code in a conversation is not a command: something must show that a harness ran it.
    is_run = any("(Current directory: " in text or "OBSERVATION:" in text for text in answers)
    return "ticks" if is_run else "none"


_ROLES = {
    "gpt": "assistant",
    "assistant": "assistant",
    "model": "assistant",
    "bot": "assistant",
    "function_call": "assistant",
    "human": "user",
    "user": "user",
    "system": "system",
    "tool": "tool",
    "observation": "tool",
    "function_response": "tool",
}
"""Roles in ShareGPT's rows, with their usual names."""


def as_message(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message with `role`, `content` and `tool_calls`, under any names that a data set uses.

    ShareGPT's rows have `from` and `value`, and call a function by JSON in a text. Before tools had
    ids, a reply had one `function_call`.
    """
    if "role" not in message and isinstance(message.get("from"), str):
        role = _ROLES.get(message["from"], message["from"])
        given = {"role": role, "content": message.get("value")}
        called = _called(message.get("value")) if message["from"] == "function_call" else None
        return given if called is None else {**given, "tool_calls": called}
    calls = message.get("tool_calls")
    if isinstance(calls, dict):
        return {**message, "tool_calls": [calls]}
    if isinstance(message.get("function_call"), dict) and not calls:
        return {**message, "tool_calls": [{"function": message["function_call"]}]}
    return message


def _called(value: Any) -> list[Any] | None:
    """The functions that a JSON text calls."""
    if isinstance(value, str):
        value = jsonio.loads_text(value)
    items = value if isinstance(value, list) else [value]
    return [
        {"function": item} for item in items if isinstance(item, dict) and "name" in item
    ] or None


def is_reply(message: Mapping[str, Any]) -> bool:
    """Whether a message is from the model."""
    return message.get("role") in ("assistant", "ai")


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message; nebius calls it `text`."""
    return content_text(message.get("content", message.get("text")))


def calls_of(
    message: Mapping[str, Any], dialect: CallSyntax, open_file: str | None = None
) -> list[Asked]:
    """The calls that a reply makes."""
    if dialect == "tools":
        return [_object(call) for call in as_items(message.get("tool_calls"))]
    if dialect == "xml":
        return xml_calls(text_of(message))
    if dialect == "none":
        return []
    blocks = _TICKS.findall(text_of(message) + "\n")
    if not blocks or not blocks[-1].strip():
        return []
    action = read_action(blocks[-1], open_file)
    return [Asked(action.name, action.arguments, before=action.before)]


def _object(call: Any) -> Asked:
    function = as_mapping(as_mapping(call).get("function"))
    name = as_text(function.get("name")) or "unknown"
    call_id = as_text(as_mapping(call).get("id"))
    given = function.get("arguments")
    if isinstance(given, str):
        given = jsonio.loads_text(given, given) if given.strip() else {}
    if not isinstance(given, dict):
        return Asked(name, {}, call_id, is_whole=given is None)
    return Asked(name, given, call_id)


def xml_calls(text: str) -> list[Asked]:
    """The functions in a text; one that is cut off at the end is a call without its last words."""
    found: list[Asked] = []
    end = 0
    while (opened := _FUNCTION.search(text, end)) is not None:
        if not (opened[1] and opened[2]):
            end = opened.end()
            continue
        end = text.find(_FUNCTION_ENDS, opened.end())
        end = len(text) if end < 0 else end
        found.append(Asked(opened[1], _parameters(text[opened.end() : end])))
    return found


def _parameters(body: str) -> dict[str, Any]:
    """The parameters of a function; one without an end before the next one begins is left out."""
    found: dict[str, Any] = {}
    position, end = 0, -1
    while (opened := _PARAMETER.search(body, position)) is not None:
        start = opened.end()
        if end < start:
            end = body.find(_PARAMETER_ENDS, start)
            if end < 0:
                break
        if body.find(_PARAMETER_BEGINS, start, end) < 0:
            found[opened[1]] = _value(opened[1], body[start:end])
            position = end
        else:
            position = opened.start() + 1
    return found


def _value(name: str, value: str) -> Any:
    """A parameter's value without the newlines next to its tags."""
    value = value.removeprefix("\n").removesuffix("\n")
    return jsonio.loads_text(value, value) if name in _LISTS else value


_VERDICTS = ("resolved", "target", "reward")
"""Members that may hold the outcome; the first one that is there counts."""
_SUBMISSIONS = ("generated_patch", "output_patch", "model_patch", "git_patch")
"""Members that may hold the submitted patch. `patch` is not one of them: in SWE-smith's rows it may
belong to another repository."""


def name_of(row: Mapping[str, Any]) -> str | None:
    """The instance of a row, as written, or any other id that tells rows apart."""
    inner = as_mapping(row.get("ds")).get("instance_id")
    return as_text(row.get("instance_id")) or as_text(inner) or row_id(row)


NAMING = Naming("chat", name_of)


def stated_of(row: Mapping[str, Any]) -> Stated:
    """What the members next to the conversation state."""
    data = as_mapping(row.get("ds"))
    agent = as_mapping(row.get("agent_args"))
    verdict = next((name for name in _VERDICTS if row.get(name) is not None), None)
    handed_in = next((name for name in _SUBMISSIONS if isinstance(row.get(name), str)), None)
    reward = as_score(row.get(verdict)) if verdict else None
    return Stated(
        task=name_of(row),
        task_place="id of the row",
        model=next(
            (name for key in ("model", "model_name") if (name := as_text(row.get(key)))),
            as_text(agent.get("llm_name")),
        ),
        harness=_harness(row),
        repo=as_text(row.get("repo")) or as_text(data.get("repo")),
        reward=reward,
        reward_source=None if reward is None else verdict,
        agent_seconds=_seconds(row),
        exit_status=as_text(row.get("exit_status")) or as_text(row.get("exit_reason")),
        submission=row[handed_in] if handed_in else None,
        submission_source=handed_in,
    )


def _harness(row: Mapping[str, Any]) -> str | None:
    if "trajectory_steps" in row:
        return "r2e-gym"
    return "openhands" if "fncall_messages" in row else None


def _seconds(row: Mapping[str, Any]) -> float | None:
    """The length of the run; R2E-Gym states it in each step, up to that step."""
    steps = row.get("trajectory_steps")
    last = as_mapping(steps[-1]) if isinstance(steps, list) and steps else {}
    return as_number(last.get("total_time_traj"))
