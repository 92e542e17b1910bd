"""One session with everything that Claude Code writes between calls: each call once, with its answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from groundtrace.api import read_trace
from groundtrace.config import Settings
from groundtrace.tools import view_calls

_count = iter(range(10_000))


def line(kind: str, **members: Any) -> dict[str, Any]:
    number = next(_count)
    base = {"uuid": f"u{number}", "sessionId": "s", "cwd": "/w", "version": "2.1.0"}
    time = f"2026-05-04T{10 + number // 3600}:{number // 60 % 60:02d}:{number % 60:02d}Z"
    return {"type": kind, "isSidechain": False, **base, "timestamp": time, **members}


def says(message_id: str, *content: Any, **members: Any) -> dict[str, Any]:
    usage = {"input_tokens": 10, "output_tokens": 1}
    message = {"id": message_id, "role": "assistant", "model": "m", "usage": usage}
    return line("assistant", message={**message, "content": list(content)}, **members)


def use(call_id: str, name: str, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def user(content: Any, **members: Any) -> dict[str, Any]:
    return line("user", message={"role": "user", "content": content}, **members)


def got(call_id: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


TEXT = {"type": "text", "text": "ok"}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
SESSION: list[dict[str, Any]] = [
    {"type": "summary", "summary": "Before", "leafUuid": "x"},
    {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}, "isSnapshotUpdate": False},
    user("<command-name>/clear</command-name>", isMeta=True),
    user("<local-command-stdout></local-command-stdout>"),
    line("system", subtype="local_command", content="<command-name>/model</command-name>"),
    {"type": "queue-operation", "operation": "enqueue", "content": "and then", "sessionId": "s"},
    line("attachment", attachment={"type": "queued_command", "prompt": "and then"}),
    user("fix it"),
    # One message over several lines, and a retry of the API that repeats a line.
    says("m1", {"type": "thinking", "thinking": "hm", "signature": "x"}),
    says("m1", use("c1", "Read", file_path="/w/a.py")),
    says("m1", use("c1", "Read", file_path="/w/a.py")),
    says("m1", use("c2", "Bash", command="cat b.py")),
    line("progress", data={"type": "hook_progress", "hookName": "PostToolUse:Read"}),
    user([got("c2", "y")], toolUseResult={"stdout": "y", "stderr": "", "interrupted": False}),
    user([got("c1", "     1\tx")]),
    line("system", subtype="stop_hook_summary", hookCount=1, hookInfos=[{"command": "lint"}]),
    # An image, and blocks of both kinds in one answer.
    says("m2", use("c3", "Read", file_path="/w/shot.png")),
    user([got("c3", [IMAGE])]),
    says("m3", use("c4", "mcp__srv__look", path="x")),
    user([got("c4", [{"type": "text", "text": "one"}, IMAGE, {"type": "text", "text": "two"}])]),
    # A call that the user refused, one that was interrupted, one that never was answered.
    says("m4", use("c5", "Edit", file_path="/w/a.py", old_string="x", new_string="y")),
    user(
        [got("c5", "The user doesn't want to proceed with this tool use.", is_error=True)],
        toolUseResult="User rejected tool use",
    ),
    user([{"type": "text", "text": "[Request interrupted by user for tool use]"}]),
    says("m5", use("c6", "Bash", command="sleep 100; cat c.py")),
    user(
        [got("c6", "[Request interrupted by user for tool use]", is_error=True)],
        toolUseResult={"stdout": "", "stderr": "", "interrupted": True},
    ),
    # An API error that the harness writes as a message, then the context is summed up.
    line(
        "assistant",
        isApiErrorMessage=True,
        message={"id": "e", "model": "<synthetic>", "role": "assistant", "content": [TEXT]},
    ),
    line("system", subtype="compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 9}),
    user("This session is being continued: c1 read a.py", isCompactSummary=True),
    # A subagent inside of the file, as before files of their own.
    says("m6", use("c7", "Task", prompt="look")),
    user("look", isSidechain=True),
    says("m7", use("c8", "Grep", pattern="x", path="/w"), isSidechain=True),
    user([got("c8", "Found 1 file\n/w/d.py")], isSidechain=True),
    user([got("c7", [TEXT])], toolUseResult={"status": "completed", "agentId": "q"}),
    # An output that was stored in a file.
    says("m8", use("c9", "Bash", command="cat long.py")),
    user(
        [
            got(
                "c9",
                "<persisted-output>\nOutput too large (60KB). Full output saved to:"
                " /w/.claude/tool-results/c9.txt\n\nPreview (first 2KB):\nz\n...\n</persisted-output>",
            )
        ]
    ),
    says("m9", use("c10", "Read", file_path="/w/e.py")),
    {"type": "last-prompt", "lastPrompt": "fix it", "sessionId": "s"},
]
ANSWERED = {f"c{number}" for number in range(1, 10)}


def test_every_call_of_a_session_once_in_order_with_its_answer(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text("".join(json.dumps(entry) + "\n" for entry in SESSION))
    trace, problems = read_trace(file)
    assert not problems
    assert [call.call_id for call in trace.calls] == [f"c{number}" for number in range(1, 11)]
    assert {call.call_id for call in trace.calls if call.result is not None} == ANSWERED
    texts = {c.call_id: c.result.text for c in trace.calls if c.result is not None}
    assert (texts["c1"], texts["c2"], texts["c4"]) == ("     1\tx", "y", "one\ntwo")
    assert [call.call_id for call in trace.calls if call.is_subagent] == ["c8"]
    assert [c.call_id for c in trace.calls if c.result is not None and c.result.is_error] == [
        "c5",
        "c6",
    ]
    files = {
        call.call_id: [(ref.kind, ref.path) for ref in view.refs]
        for call, view in zip(trace.calls, view_calls(trace, Settings()), strict=True)
    }
    assert files == {
        "c1": [("read", "/w/a.py")],
        "c2": [("read", "/w/b.py")],
        "c3": [("read", "/w/shot.png")],
        "c4": files["c4"],  # an unknown tool: by its answer
        "c5": [],
        "c6": [],
        "c7": [],
        "c8": [("surfaced", "/w/d.py")],
        "c9": [("read", "/w/long.py")],
        "c10": files["c10"],
    }
    changes = [call.call_id for call in trace.calls if call.context_change is not None]
    assert changes == ["c6"]
    assert trace.usage.input_tokens == 80  # m1 to m9 without the subagent's m7, each once


def test_partial_messages_of_a_stream_add_no_call(tmp_path: Path) -> None:
    """`--include-partial-messages`: the pieces come first, then the whole message."""

    def event(**inner: Any) -> dict[str, Any]:
        return {"type": "stream_event", "event": inner, "session_id": "s", "uuid": "u"}

    whole = use("c1", "Read", file_path="/w/a.py")
    message = {"id": "m1", "role": "assistant", "model": "m", "content": [whole]}
    answer = {"role": "user", "content": [got("c1", "     1\tx")]}
    around = {"session_id": "s", "parent_tool_use_id": None}
    lines = [
        {"type": "system", "subtype": "init", "cwd": "/w", "model": "m", "session_id": "s"},
        event(type="message_start", message={**message, "content": []}),
        event(type="content_block_start", index=0, content_block={**whole, "input": {}}),
        event(
            type="content_block_delta",
            index=0,
            delta={"type": "input_json_delta", "partial_json": '{"file_path": "/w/'},
        ),
        {"type": "assistant", "message": message, **around},
        event(type="content_block_stop", index=0),
        event(type="message_delta", delta={"stop_reason": "tool_use"}, usage={"output_tokens": 5}),
        {"type": "user", "message": answer, **around},
        {"type": "result", "subtype": "success", "usage": {"output_tokens": 5}, "session_id": "s"},
    ]
    file = tmp_path / "any.log"
    file.write_text("".join(json.dumps(entry) + "\n" for entry in lines))
    trace, problems = read_trace(file)
    assert not problems
    assert [(c.call_id, dict(c.arguments)) for c in trace.calls] == [
        ("c1", {"file_path": "/w/a.py"})
    ]
    assert trace.calls[0].result is not None and trace.usage.output_tokens == 5
