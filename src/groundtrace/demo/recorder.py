"""Simulated harnesses: a recorder writes a trial's calls in the form of a real trace."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from groundtrace.demo.world import ToolAnswer

VERSION = "2.1.220"
"""The harness version that the demo's records name."""


@dataclass
class Recorder:
    """Numbers calls and model messages, and keeps a clock, for one trial."""

    seed: str
    started: float
    model: str
    seconds_per_call: float = 4.0
    varied: bool = False
    """Whether calls take different times, as real ones do: from 2 to 40 seconds."""
    clock: float = field(init=False)
    made: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.clock = self.started

    def identifier(self, prefix: str) -> str:
        self.made += 1
        digest = hashlib.sha256(f"{self.seed}/{prefix}/{self.made}".encode()).hexdigest()
        return f"{prefix}_01{digest[:20]}"

    def tick(self) -> str:
        self.clock += self._varied() if self.varied else self.seconds_per_call
        return iso(self.clock)

    def _varied(self) -> float:
        digest = hashlib.sha256(f"{self.seed}/time/{self.clock}".encode()).digest()
        return round(2.0 + 38.0 * (digest[0] / 255) ** 2, 1)

    def usage(self, turn: int) -> dict[str, int]:
        """Usage of one model call: the context grows with every turn."""
        return {
            "input_tokens": 9,
            "cache_creation_input_tokens": 900 + 40 * turn,
            "cache_read_input_tokens": 12000 + 950 * turn,
            "output_tokens": 4,
        }


def iso(seconds: float) -> str:
    """A time as Claude Code writes it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One call as it was recorded, for the writers below."""

    answer: ToolAnswer
    call_id: str
    message_id: str
    parent: str | None
    asked: str
    answered: str
    usage: dict[str, int]
    inner: tuple[RecordedCall, ...] = ()


def record(
    answers: Iterable[ToolAnswer], recorder: Recorder, parent: str | None = None
) -> list[RecordedCall]:
    """Give every call, a subagent's calls included, an id, a model message, times and usage."""
    made: list[RecordedCall] = []
    for answer in answers:
        asked = recorder.tick()
        call_id, message = recorder.identifier("toolu"), recorder.identifier("msg")
        usage = recorder.usage(recorder.made)
        inner = tuple(record(answer.inner, recorder, call_id))
        made.append(
            RecordedCall(answer, call_id, message, parent, asked, recorder.tick(), usage, inner)
        )
    return made


def stream(made: list[RecordedCall], recorder: Recorder, cost: float) -> str:
    """Claude Code's stream JSON, as in agent/claude-code.txt."""
    lines: list[dict[str, Any]] = [
        {
            "type": "system",
            "subtype": "init",
            "cwd": "/workspace",
            "session_id": recorder.seed,
            "tools": ["Task", "Bash", "Glob", "Grep", "Read", "Edit", "Write", "TodoWrite"],
            "mcp_servers": [{"name": "sourcegraph", "status": "connected"}],
            "model": recorder.model,
            "claude_code_version": VERSION,
        }
    ]
    for one in made:
        lines.extend(_stream_lines(one, recorder))
    lines.append(_result_line(made, recorder, cost))
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _stream_lines(one: RecordedCall, recorder: Recorder) -> Iterator[dict[str, Any]]:
    common = {"parent_tool_use_id": one.parent, "session_id": recorder.seed}
    answer = one.answer
    message = {"id": one.message_id, "role": "assistant", "model": recorder.model}
    blocks: list[dict[str, Any]] = [
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": one.call_id, "name": answer.name, "input": answer.arguments},
    ]
    for block in blocks:
        body = {**message, "content": [block], "usage": one.usage}
        yield {"type": "assistant", "message": body, **common, "timestamp": one.asked}
    for inner in one.inner:
        yield from _stream_lines(inner, recorder)
    result = {
        "type": "tool_result",
        "tool_use_id": one.call_id,
        "content": answer.text,
        "is_error": answer.is_error,
    }
    line = {"type": "user", "message": {"role": "user", "content": [result]}, **common}
    line["timestamp"] = one.answered
    if one.parent is None:
        line["tool_use_result"] = f"Error: {answer.text}" if answer.is_error else answer.data
    yield line


def _result_line(made: list[RecordedCall], recorder: Recorder, cost: float) -> dict[str, Any]:
    main = [one.usage for one in made]
    total = {key: sum(usage[key] for usage in main) for key in recorder.usage(0)}
    total["output_tokens"] = 180 * len(main) + 400
    everything = 180 * (len(made) + sum(len(one.inner) for one in made)) + 400
    return {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "duration_ms": int((recorder.clock - recorder.started) * 1000),
        "num_turns": len(main) + 1,
        "total_cost_usd": cost,
        "usage": total,
        "modelUsage": {recorder.model: {"outputTokens": everything, "costUSD": cost}},
    }


def trajectory(made: list[RecordedCall], recorder: Recorder) -> str:
    """Harbor's ATIF 1.2 of a Claude Code trial: subagents' calls are not in it."""
    steps: list[dict[str, Any]] = [
        {
            "step_id": 1,
            "timestamp": iso(recorder.started),
            "source": "user",
            "message": "Please help.",
        }
    ]
    for one in made:
        steps.append(_step(len(steps) + 1, one, recorder))
    agent = {
        "name": "claude-code",
        "version": VERSION,
        "model_name": recorder.model,
        "extra": {"cwds": ["/workspace"]},
    }
    document = {
        "schema_version": "ATIF-v1.2",
        "session_id": recorder.seed,
        "agent": agent,
        "steps": steps,
        "final_metrics": {"total_steps": len(steps)},
    }
    return json.dumps(document, indent=1, ensure_ascii=False)


def _step(number: int, one: RecordedCall, recorder: Recorder) -> dict[str, Any]:
    answer = one.answer
    extra: dict[str, Any] = {
        "cwd": "/workspace",
        "is_sidechain": False,
        "tool_use_name": answer.name,
    }
    content = answer.text
    if isinstance(answer.data, dict):
        extra["tool_result_metadata"] = {"tool_use_result": answer.data}
        content += f"\n\n[metadata] {json.dumps(answer.data)}"
    if answer.is_error:
        extra["tool_result_is_error"] = True
        content += "\n\n[error] tool reported failure"
    usage = one.usage
    return {
        "step_id": number,
        "timestamp": one.asked,
        "source": "agent",
        "model_name": recorder.model,
        "message": f"Executed {answer.name} {one.call_id}",
        "reasoning_content": "null",
        "tool_calls": [
            {
                "tool_call_id": one.call_id,
                "function_name": answer.name,
                "arguments": answer.arguments,
            }
        ],
        "observation": {"results": [{"source_call_id": one.call_id, "content": content}]},
        "metrics": {
            "prompt_tokens": usage["input_tokens"] + usage["cache_read_input_tokens"],
            "completion_tokens": usage["output_tokens"],
            "cached_tokens": usage["cache_read_input_tokens"],
            "extra": {
                "cache_creation_input_tokens": usage["cache_creation_input_tokens"],
                "cache_read_input_tokens": usage["cache_read_input_tokens"],
            },
        },
        "extra": extra,
    }
