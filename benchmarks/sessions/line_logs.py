"""Writers of formats with one record on each line, as the harnesses' own logs have them."""

from __future__ import annotations

import itertools
import json
import random
from collections import defaultdict
from collections.abc import Iterator

from benchmarks.sessions.session import MODEL, ROOT, STARTED, Call, Session, prose, when
from benchmarks.sessions.writer import Json, Tools, Writer, as_lines, asked
from benchmarks.traces import session as claude_session
from groundtrace.demo.recorder import RecordedCall, Recorder
from groundtrace.demo.world import ToolAnswer

Records = Iterator[Json]

# --- Claude Code ----------------------------------------------------------------------------

CLAUDE: Tools = {
    "shell": ("Bash", {"command": "command", "description": "pattern"}),
    "read": ("Read", {"file_path": "path", "offset": "first", "limit": 80}),
    "search": ("Grep", {"pattern": "pattern", "path": "folder", "output_mode": "content"}),
    "edit": ("Edit", {"file_path": "path", "old_string": "old", "new_string": "new"}),
}


def claude_data(call: Call) -> Json:
    """The structured answer that Claude Code keeps beside the text."""
    if call.kind == "shell":
        return {"stdout": call.output, "stderr": "", "interrupted": False, "isImage": False}
    if call.kind == "search":
        found = {"mode": "content", "numFiles": 0, "filenames": [], "content": call.output}
        return {**found, "numLines": call.lines}
    if call.kind == "read":
        shown: Json = {"filePath": call.path, "content": call.plain, "numLines": call.lines}
        shown |= {"startLine": call.first, "totalLines": call.first + call.lines}
        return {"type": "text", "file": shown}
    patch = [{"oldStart": call.first, "oldLines": 3, "newStart": call.first, "newLines": 3}]
    lines = [f"-{line}" for line in call.old.split("\n")]
    lines += [f"+{line}" for line in call.new.split("\n")]
    edit: Json = {"filePath": call.path, "oldString": call.old, "newString": call.new}
    edit |= {"originalFile": call.plain, "userModified": False, "replaceAll": False}
    return {**edit, "structuredPatch": [patch[0] | {"lines": lines}]}


def claude_calls(session: Session) -> list[RecordedCall]:
    """The calls as Claude Code makes them."""
    recorder = Recorder(session.name, STARTED, MODEL)
    return [
        RecordedCall(
            ToolAnswer(*asked(CLAUDE, call), call.output, claude_data(call)),
            call.identifier("toolu_"),
            call.identifier("msg_"),
            None,
            when(call.asked),
            when(call.answered),
            recorder.usage(call.number),
        )
        for call in session.calls
    ]


def _claude_code(session: Session) -> bytes:
    recorder = Recorder(session.name, STARTED, MODEL)
    return claude_session(claude_calls(session), recorder, random.Random("thinking")).encode()


# --- Codex 0.66 -----------------------------------------------------------------------------

CODEX: Tools = {
    **dict.fromkeys(
        ("shell", "read", "search"), ("shell_command", {"command": "command", "workdir": ROOT})
    ),
    "edit": ("apply_patch", {}),
}
_SANDBOX = {"type": "workspace-write", "network_access": False, "exclude_slash_tmp": False}
_LIMITS = {
    "primary": {"used_percent": 2.0, "window_minutes": 300, "resets_at": 1777900000},
    "secondary": {"used_percent": 1.0, "window_minutes": 10080, "resets_at": 1778400000},
    "credits": {"has_credits": False, "unlimited": False, "balance": None},
    "plan_type": None,
}


def _codex(session: Session) -> bytes:
    meta: Json = {
        "id": session.name,
        "timestamp": when(STARTED),
        "cwd": ROOT,
        "cli_version": "0.66.0",
    }
    meta |= {"originator": "codex_cli_rs", "instructions": session.system, "source": "cli"}
    git = {"commit_hash": "0" * 40, "branch": "main"}
    text = [{"type": "input_text", "text": session.prompt}]
    said = {"type": "message", "role": "user", "content": text}
    head = [
        _codex_line(STARTED, "session_meta", meta | {"model_provider": "openai", "git": git}),
        _codex_line(STARTED, "response_item", said),
        _codex_line(STARTED, "event_msg", {"type": "user_message", "message": session.prompt}),
    ]
    calls = itertools.chain.from_iterable(map(_codex_call, session.calls))
    return as_lines(itertools.chain(head, calls))


def _codex_line(seconds: float, kind: str, payload: Json) -> Json:
    return {"timestamp": when(seconds), "type": kind, "payload": payload}


def _codex_call(call: Call) -> Records:
    context: Json = {"cwd": ROOT, "approval_policy": "on-request", "sandbox_policy": _SANDBOX}
    context |= {"model": MODEL, "effort": "medium", "summary": "auto"}
    yield _codex_line(call.asked, "turn_context", context)
    thought = {"type": "agent_reasoning", "text": call.thought}
    yield _codex_line(call.asked, "event_msg", thought)
    sealed: Json = {
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": call.thought}],
    }
    sealed |= {"content": None, "encrypted_content": call.signature}
    yield _codex_line(call.asked, "response_item", sealed)
    name, given = asked(CODEX, call)
    call_id = call.identifier("call_")
    ran: Json
    if call.kind == "edit":
        body = "\n".join(f"-{line}" for line in call.old.split("\n"))
        body += "".join(f"\n+{line}" for line in call.new.split("\n"))
        patch = f"*** Begin Patch\n*** Update File: {call.path}\n@@\n{body}\n*** End Patch"
        ran = {"type": "custom_tool_call", "status": "completed", "input": patch}
        facts = {"output": call.output, "metadata": {"exit_code": 0, "duration_seconds": 0.1}}
        output = json.dumps(facts, ensure_ascii=False, separators=(",", ":"))
    else:
        ran = {"type": "function_call", "arguments": json.dumps(given, ensure_ascii=False)}
        output = f"Exit code: 0\nWall time: 0.1 seconds\nOutput:\n{call.output}"
    answer = {"type": f"{ran['type']}_output", "call_id": call_id, "output": output}
    yield _codex_line(call.asked, "response_item", {**ran, "name": name, "call_id": call_id})
    yield _codex_line(call.asked, "event_msg", _codex_tokens(call))
    yield _codex_line(call.answered, "response_item", answer)
    yield _codex_line(call.answered, "event_msg", _codex_tokens(call))


def _codex_tokens(call: Call) -> Json:
    last: Json = {"input_tokens": 12000 + 900 * call.number, "cached_input_tokens": 11000}
    last |= {"output_tokens": 180, "reasoning_output_tokens": 64}
    last["total_tokens"] = last["input_tokens"] + 180
    total = {key: value * (call.number + 1) for key, value in last.items()}
    info = {"total_token_usage": total, "last_token_usage": last, "model_context_window": 272000}
    return {"type": "token_count", "info": info, "rate_limits": _LIMITS}


# --- Cursor ---------------------------------------------------------------------------------

CURSOR: Tools = {
    "shell": ("shellToolCall", {"command": "command", "workingDirectory": ROOT, "timeout": 30000}),
    "read": ("readToolCall", {"path": "path", "offset": "first", "limit": 80}),
    "search": ("grepToolCall", {"pattern": "pattern", "path": "folder", "headLimit": 200}),
    "edit": ("editToolCall", {"path": "path", "streamContent": "new"}),
}
_DELTA = 24
"""Characters of one piece of thinking: Cursor streams it in pieces, each a line."""


def _cursor(session: Session) -> bytes:
    common = {"session_id": session.name}
    start = {"type": "system", "subtype": "init", "apiKeySource": "env", "cwd": ROOT, **common}
    text = [{"type": "text", "text": session.prompt}]
    user = {"type": "user", "message": {"role": "user", "content": text}, **common}
    usage = {"inputTokens": 40000, "outputTokens": 9000, "cacheReadTokens": 900000}
    end: Json = {"type": "result", "subtype": "success", "duration_ms": 9250 * len(session.calls)}
    end |= {"is_error": False, "result": prose(random.Random("end"), 60), **common}
    return as_lines(
        (
            start | {"model": MODEL, "permissionMode": "default"},
            user,
            *(line | common for call in session.calls for line in _cursor_call(call)),
            end | {"usage": usage | {"cacheWriteTokens": 30000}},
        )
    )


def _cursor_call(call: Call) -> Records:
    asked_at = {"timestamp_ms": int(call.asked * 1000)}
    for start in range(0, len(call.thought), _DELTA):
        piece = call.thought[start : start + _DELTA]
        yield {"type": "thinking", "subtype": "delta", "text": piece, **asked_at}
    yield {"type": "thinking", "subtype": "completed", **asked_at}
    name, given = asked(CURSOR, call)
    ids = {"call_id": call.identifier("toolu_vrtx_"), "model_call_id": call.uuid("model")}
    if call.kind == "shell":
        words = [{"type": "word", "value": word} for word in call.command.split()]
        parsed = {"name": words[0]["value"], "args": words[1:], "fullText": call.command}
        commands = {"parsingFailed": False, "executableCommands": [parsed], "hasRedirects": False}
        given |= {"simpleCommands": [words[0]["value"]], "parsingResult": commands}
    begun = {"type": "tool_call", "subtype": "started", "tool_call": {name: {"args": given}}}
    yield begun | ids | asked_at
    body = {"args": given, "result": {"success": _cursor_outcome(call)}}
    done = {"type": "tool_call", "subtype": "completed", "tool_call": {name: body}}
    yield done | ids | {"timestamp_ms": int(call.answered * 1000)}


def _cursor_outcome(call: Call) -> Json:
    if call.kind == "shell":
        ran: Json = {"command": call.command, "workingDirectory": ROOT, "exitCode": 0, "signal": ""}
        ran |= {"stdout": call.output, "stderr": "", "executionTime": 1375}
        return {**ran, "interleavedOutput": call.output}
    if call.kind == "read":
        shown = {"startLine": call.first, "endLine": call.first + call.lines - 1}
        counts = {"totalLines": 2000, "fileSize": 90000, "isEmpty": False, "exceededLimit": False}
        return {"content": call.output, **counts, "path": call.path, "readRange": shown}
    if call.kind == "edit":
        sizes = {"linesAdded": call.new.count("\n") + 1, "linesRemoved": call.old.count("\n") + 1}
        texts = {"diffString": f"-{call.old}\n+{call.new}", "afterFullFileContent": call.plain}
        return {"path": call.path, **sizes, **texts, "message": call.output}
    files: defaultdict[str, list[Json]] = defaultdict(list)
    for line in call.output.split("\n"):
        name, number, text = line.split(":", 2)
        found = {"lineNumber": int(number), "content": text, "contentTruncated": False}
        files[name].append(found | {"isContextLine": False})
    matches = [{"file": name, "matches": found} for name, found in files.items()]
    content = {"matches": matches, "totalLines": call.lines, "totalMatchedLines": call.lines}
    results = {ROOT: {"content": content | {"clientTruncated": False, "ripgrepTruncated": False}}}
    searched = {"pattern": call.pattern, "path": call.folder, "outputMode": "content"}
    return searched | {"workspaceResults": results}


WRITERS = {
    "claude-code": Writer("session.jsonl", CLAUDE, _claude_code),
    "codex": Writer(
        "rollout-2026-05-04T10-00-00-5e551000-0000-0000-0000-000000000000.jsonl", CODEX, _codex
    ),
    "cursor": Writer("cursor-agent.jsonl", CURSOR, _cursor, lambda call: call.kind != "search"),
}
