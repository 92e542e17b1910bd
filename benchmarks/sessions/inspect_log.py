"""Writer of Inspect's archive.

A model event repeats the conversation so far, with long texts as references to attachments, so a
log grows with the square of its calls. Here the model sees the last messages only, as many as on
average in a real trial of two dozen calls: else nearly all of a long session would be repetitions.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from typing import Any

from benchmarks.sessions.session import MODEL, ROOT, STARTED, Call, Session, naive
from benchmarks.sessions.writer import Json, Tools, Writer, as_document, asked

INSPECT: Tools = {
    "shell": ("bash", {"cmd": "command"}),
    "search": ("bash", {"cmd": "command"}),
    "read": ("text_editor", {"command": "view", "path": "path", "view_range": [1, 80]}),
    "edit": (
        "text_editor",
        {"command": "str_replace", "path": "path", "old_str": "old", "new_str": "new"},
    ),
}
WINDOW = 20
"""Messages that the model sees."""
LONG = 100
"""Characters from which on a text of an event is an attachment."""
_TOOLS = [
    {"name": name, "description": "Use this function.", "parameters": {"type": "object"}}
    for name in ("bash", "text_editor", "submit")
]


class _Log:
    """The parts of a sample that grow with its calls."""

    def __init__(self) -> None:
        self.attachments: dict[str, str] = {}
        self.messages: list[Json] = []
        self.seen: list[Json] = []
        """The messages with references, as model events repeat them."""
        self.sent: list[Json] = []
        """The same in the words of the model's API."""
        self.events: list[Json] = []

    def short(self, value: Any) -> Any:
        """A value with long texts as references."""
        if isinstance(value, str) and len(value) >= LONG:
            key = hashlib.md5(value.encode(), usedforsecurity=False).hexdigest()
            self.attachments[key] = value
            return f"attachment://{key}"
        if isinstance(value, dict):
            return {name: self.short(item) for name, item in value.items()}
        return [self.short(item) for item in value] if isinstance(value, list) else value

    def say(self, message: Json, sent: Json) -> None:
        """Add a message to the conversation."""
        self.messages.append(message)
        self.seen.append(self.short(message))
        self.sent.append(self.short(sent))

    def event(self, call: Call, kind: str, at: float, members: Json) -> None:
        """Add an event."""
        head: Json = {"uuid": call.identifier(kind)[-22:], "span_id": call.identifier("span")[4:]}
        head |= {"timestamp": f"{naive(at)}+00:00", "working_start": at - STARTED, "event": kind}
        self.events.append(head | members)

    def call(self, call: Call) -> None:
        """A model's reply, and its call in a span of its own."""
        name, given = asked(INSPECT, call)
        call_id, reply_id = call.identifier("toolu_"), call.identifier("reply")[-22:]
        code = {"title": name, "format": "markdown", "content": f"```bash\n{call.command}\n```\n"}
        called = {"id": call_id, "function": name, "arguments": given, "view": code}
        sealed = {"type": "reasoning", "reasoning": call.thought, "signature": call.signature}
        reply: Json = {
            "id": reply_id,
            "content": [sealed | {"redacted": False}],
            "source": "generate",
        }
        reply |= {"role": "assistant", "tool_calls": [called], "model": MODEL}
        usage: Json = {
            "input_tokens": 9,
            "output_tokens": 180,
            "total_tokens": 12189 + 900 * call.number,
        }
        usage |= {"input_tokens_cache_read": 12000 + 900 * call.number, "reasoning_tokens": 64}
        output = {"model": MODEL, "choices": [{"message": reply, "stop_reason": "tool_calls"}]}
        used = {"type": "tool_use", "id": call_id, "name": name, "input": given}
        thought = {"type": "thinking", "thinking": call.thought, "signature": call.signature}
        sent = {"role": "assistant", "content": [thought, used]}
        request = {"messages": self.sent[-WINDOW:], "tools": _TOOLS, "model": MODEL}
        response = self.short(sent | {"id": reply_id, "usage": usage, "stop_reason": "tool_use"})
        members: Json = {"model": MODEL, "input": self.seen[-WINDOW:], "tools": _TOOLS}
        members |= {"tool_choice": "auto", "config": {"max_tokens": 20096}}
        members |= {"output": self.short(output | {"usage": usage, "time": 3.5})}
        members |= {"call": {"request": request, "response": response, "time": 3.5}}
        self.event(call, "model", call.asked, members | {"completed": f"{naive(call.asked)}+00:00"})
        self.say(reply, sent)
        span = {"id": call.identifier("span")[4:], "type": "tool", "name": name}
        self.event(call, "span_begin", call.asked, span)
        if name == "bash":
            ran: Json = {"action": "exec", "cmd": f"bash --login -c {call.command!r}", "result": 0}
            ran |= {"options": {"cwd": ROOT, "user": "agent"}, "output": call.output[:10_000]}
            self.event(call, "sandbox", call.asked, ran)
        done: Json = {"type": "function", **self.short(called), "result": self.short(call.output)}
        done |= {"events": [], "completed": f"{naive(call.answered)}+00:00", "working_time": 0.4}
        self.event(call, "tool", call.answered, done | {"message_id": call.uuid("answer")})
        self.event(call, "span_end", call.answered, {"id": span["id"]})
        answer = {"id": call.uuid("answer"), "content": call.output, "role": "tool"}
        told = {"type": "tool_result", "tool_use_id": call_id, "content": call.output}
        self.say(
            answer | {"tool_call_id": call_id, "function": name},
            {"role": "user", "content": [told]},
        )


def _inspect(session: Session) -> bytes:
    log = _Log()
    prompt = {"id": "prompt", "content": session.prompt, "source": "input", "role": "user"}
    log.say(prompt, {"role": "user", "content": session.prompt})
    for call in session.calls:
        log.call(call)
    usage = {MODEL: {"input_tokens": 900, "output_tokens": 9000, "total_tokens": 900000}}
    sample: Json = {"id": "harbour-1234", "epoch": 1, "input": session.prompt, "target": ""}
    sample |= {"sandbox": {"type": "docker"}, "messages": log.messages, "output": {}}
    sample |= {"scores": {}, "metadata": {}, "store": {}, "events": log.events}
    sample |= {"model_usage": usage, "total_time": session.ended - STARTED, "working_time": 9.0}
    sample |= {"uuid": "sample", "error_retries": [], "attachments": log.attachments}
    run: Json = {"eval_id": "eval", "run_id": "run", "created": f"{naive(STARTED)}+00:00"}
    run |= {"task": "harbour", "task_id": "task", "model": MODEL, "dataset": {"samples": 1}}
    run |= {"config": {"epochs": 1}, "packages": {"inspect_ai": "0.3.132"}, "model_args": {}}
    head = {"version": 2, "eval": run, "plan": {"name": "plan", "steps": [], "config": {}}}
    summary = {key: sample[key] for key in ("id", "epoch", "input", "target", "scores", "uuid")}
    stats = {"started_at": f"{naive(STARTED)}+00:00", "model_usage": usage}
    members = {
        "_journal/start.json": head,
        "samples/harbour-1234_epoch_1.json": sample,
        "summaries.json": [summary | {"model_usage": usage, "completed": True}],
        "header.json": head | {"status": "success", "results": {}, "stats": stats},
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in members.items():
            archive.writestr(zipfile.ZipInfo(name), as_document(value), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


WRITERS = {"inspect": Writer("2026-05-04T10-00-00_harbour_task.eval", INSPECT, _inspect)}
