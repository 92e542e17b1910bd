"""The trace files of a generated trial, with everything that real ones contain beside the calls.

A sixth of a real transcript is thinking with signatures, and every line repeats ids and folders.
Session logs also keep the prompt, attachments and a queue. Without these a generated trial would
have half the bytes of a real one, and every figure per megabyte would look worse than it is.
"""

from __future__ import annotations

import base64
import json
import random
from typing import Any

from groundtrace.demo.recorder import RecordedCall, Recorder, iso, stream
from groundtrace.demo.world import ToolAnswer

THINKING = (400, 2600)
"""Fewest and most characters of a signature; most thinking blocks contain little else."""
PROMPT = 1500
"""Words of the prompt that a session log repeats."""


def thinking(chance: random.Random) -> dict[str, str]:
    """A block of thinking: a sentence, and a signature that only the harness reads."""
    signature = base64.b64encode(chance.randbytes(chance.randrange(*THINKING) * 3 // 4)).decode()
    return {"type": "thinking", "thinking": _prose(chance, 20), "signature": signature}


def _prose(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(_PROSE, k=words)).capitalize() + "."


_PROSE = (
    *("the", "callers", "of", "this", "function", "are", "in", "another", "package", "let", "me"),
    *("check", "where", "its", "result", "is", "used", "and", "whether", "tests", "cover", "it"),
)


def _full_usage(usage: dict[str, int]) -> dict[str, Any]:
    """Usage with the members that do not count tokens of the message."""
    created = usage["cache_creation_input_tokens"]
    parts = {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": created}
    return {
        **usage,
        "cache_creation": parts,
        "service_tier": "standard",
        "inference_geo": "not_available",
    }


_ENDS = {"stop_reason": None, "stop_sequence": None, "stop_details": None}


def full_stream(made: list[RecordedCall], recorder: Recorder, chance: random.Random) -> str:
    """Claude Code's stream with thinking before every call."""
    lines: list[dict[str, Any]] = []
    for text in stream(made, recorder, 0.25).splitlines():
        line = json.loads(text)
        message = line.get("message", {})
        if line["type"] == "assistant":
            message.update(_ENDS, usage=_full_usage(message["usage"]))
            line["uuid"] = recorder.identifier("uuid")
            line["request_id"] = recorder.identifier("req")
            if message["content"][0]["type"] == "text":
                message["content"] = [thinking(chance)]
        lines.append(line)
    return _joined(lines)


def _joined(lines: list[dict[str, Any]]) -> str:
    return "".join(
        json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines
    )


def session(made: list[RecordedCall], recorder: Recorder, chance: random.Random) -> str:
    """Claude Code's session log of the same calls: every line repeats ids and folders."""
    common = {
        "isSidechain": False,
        "userType": "external",
        "entrypoint": "sdk-cli",
        "cwd": "/workspace",
        "sessionId": recorder.seed,
        "version": "2.1.220",
        "gitBranch": "main",
    }
    prompt = _prose(chance, PROMPT)
    lines: list[dict[str, Any]] = [
        {"type": "queue-operation", "operation": "enqueue", "content": prompt[: len(prompt) // 2]},
        {
            "type": "user",
            "uuid": recorder.identifier("uuid"),
            "message": {"role": "user", "content": prompt},
            **common,
        },
        {
            "type": "attachment",
            "uuid": recorder.identifier("uuid"),
            "attachment": {"type": "skill_listing", "content": _prose(chance, PROMPT)},
            **common,
        },
    ]
    for one in made:
        lines.extend({**line, **common} for line in _session_lines(one, recorder, chance))
    lines.append({"type": "last-prompt", "lastPrompt": prompt[:200], "sessionId": recorder.seed})
    return _joined(lines)


def _session_lines(
    one: RecordedCall, recorder: Recorder, chance: random.Random
) -> tuple[dict[str, Any], ...]:
    answer = one.answer
    block = {
        "type": "tool_use",
        "id": one.call_id,
        "name": answer.name,
        "input": answer.arguments,
        "caller": {"type": "direct"},
    }
    message = {"id": one.message_id, "type": "message", "role": "assistant"}
    message |= {"model": recorder.model, **_ENDS, "usage": _full_usage(one.usage)}
    uuid = recorder.identifier("uuid")
    head = {"parentUuid": uuid, "type": "assistant", "requestId": recorder.identifier("req")}
    result = {"tool_use_id": one.call_id, "type": "tool_result", "content": answer.text}
    answered = {
        "parentUuid": uuid,
        "type": "user",
        "uuid": recorder.identifier("uuid"),
        "timestamp": one.answered,
        "message": {"role": "user", "content": [result]},
        "toolUseResult": answer.data if answer.data is not None else answer.text,
        "sourceToolAssistantUUID": uuid,
    }
    return (
        {**head, "timestamp": one.asked, "message": {**message, "content": [thinking(chance)]}},
        {**head, "uuid": uuid, "timestamp": one.asked, "message": {**message, "content": [block]}},
        answered,
    )


def openhands(made: list[RecordedCall], recorder: Recorder) -> str:
    """An OpenHands trajectory, with its own names for the shell and the editor."""
    steps: list[dict[str, Any]] = [
        {
            "step_id": 1,
            "timestamp": iso(recorder.started),
            "source": "system",
            "message": "You are OpenHands agent",
        }
    ]
    for one in made:
        name, arguments, text = _as_openhands(one.answer)
        steps.append(
            {
                "step_id": len(steps) + 1,
                "timestamp": one.asked,
                "source": "agent",
                "message": f"Calling {name}",
                "tool_calls": [
                    {"tool_call_id": one.call_id, "function_name": name, "arguments": arguments}
                ],
                "observation": {"results": [{"source_call_id": one.call_id, "content": text}]},
                "metrics": {"prompt_tokens": 12000, "completion_tokens": 80},
            }
        )
    definitions = [
        {
            "type": "function",
            "function": {"name": tool, "parameters": {"properties": {n: {} for n in names}}},
        }
        for tool, names in OPENHANDS_TOOLS.items()
    ]
    agent = {"name": "openhands", "version": "1.5.0", "tool_definitions": definitions}
    agent["extra"] = {"agent_class": "CodeActAgent"}
    document = {"schema_version": "ATIF-v1.5", "session_id": recorder.seed, "agent": agent}
    return json.dumps(document | {"steps": steps}, indent=1, ensure_ascii=False)


OPENHANDS_TOOLS = {
    "execute_bash": ("command", "is_input", "timeout", "security_risk"),
    "str_replace_editor": ("command", "path", "file_text", "old_str", "new_str", "view_range"),
    "think": ("thought",),
    "finish": ("message",),
    "keyword_search": ("query",),
    "read_file": ("repo", "path"),
    "list_files": ("repo", "path"),
}
"""Tools that an OpenHands trajectory defines, with their arguments."""


def _as_openhands(answer: ToolAnswer) -> tuple[str, dict[str, Any], str]:
    """A call with OpenHands' own tools: name, arguments, answer."""
    given = answer.arguments
    if answer.name == "Bash":
        command = {"command": given["command"], "security_risk": "LOW"}
        return "execute_bash", command, answer.text
    if answer.name == "Grep":
        command = {"command": f"grep -rl {given['pattern']} /workspace", "security_risk": "LOW"}
        return "execute_bash", command, answer.text.partition("\n")[2]
    if answer.name == "Read":
        path = given["file_path"]
        numbered = answer.text.replace("→", "\t")
        shown = f"Here's the result of running `cat -n` on {path}:\n{numbered}"
        return "str_replace_editor", {"command": "view", "path": path}, shown
    if answer.name == "Edit":
        edit = {"command": "str_replace", "path": given["file_path"]}
        return "str_replace_editor", edit | {"old_str": "}", "new_str": "} //"}, answer.text
    if answer.name == "Write":
        made = {"command": "create", "path": given["file_path"], "file_text": given["content"]}
        return "str_replace_editor", made, answer.text
    if answer.name == "TodoWrite":
        thought = "; ".join(todo["content"] for todo in given["todos"])
        return "think", {"thought": thought}, "Your thought has been logged."
    return answer.name.removeprefix("mcp__sourcegraph__"), given, answer.text
