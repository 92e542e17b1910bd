"""Writers of the line formats that are read through a mapping: pi, Copilot, Kimi and Qwen Code."""

from __future__ import annotations

import itertools
import json
from collections import Counter

from benchmarks.sessions.session import MODEL, ROOT, STARTED, Call, Session, when
from benchmarks.sessions.writer import Json, Tools, Writer, as_lines, asked

# --- pi -------------------------------------------------------------------------------------

PI: Tools = {
    "shell": ("bash", {"command": "command"}),
    "search": ("bash", {"command": "command"}),
    "read": ("read", {"path": "path", "offset": "first", "limit": 80}),
    "edit": ("edit", {"path": "path", "oldText": "old", "newText": "new"}),
}


def _pi(session: Session) -> bytes:
    head: Json = {"type": "session", "id": session.name, "timestamp": when(STARTED), "cwd": ROOT}
    head |= {"provider": "tern", "modelId": MODEL, "thinkingLevel": "medium"}
    text = [{"type": "text", "text": session.prompt}]
    records = [head, _pi_line(STARTED, {"role": "user", "content": text})]
    for call in session.calls:
        name, given = asked(PI, call)
        call_id = call.identifier("toolu_")
        sealed = {"type": "thinking", "thinking": call.thought, "thinkingSignature": call.signature}
        ran = {"type": "toolCall", "id": call_id, "name": name, "arguments": given}
        cost = {
            "input": 0.001,
            "output": 0.002,
            "cacheRead": 0.003,
            "cacheWrite": 0,
            "total": 0.006,
        }
        usage = {"input": 9, "output": 180, "cacheRead": 12000 + 900 * call.number, "cacheWrite": 0}
        reply: Json = {"role": "assistant", "content": [sealed, ran], "api": "tern-messages"}
        reply |= {"provider": "tern", "model": MODEL, "usage": usage | {"cost": cost}}
        records.append(_pi_line(call.asked, reply | {"stopReason": "toolUse"}))
        shown = [{"type": "text", "text": call.output}]
        answer = {"role": "toolResult", "toolCallId": call_id, "toolName": name, "content": shown}
        records.append(_pi_line(call.answered, answer | {"isError": False}))
    return as_lines(records)


def _pi_line(seconds: float, message: Json) -> Json:
    message = message | {"timestamp": int(seconds * 1000)}
    return {"type": "message", "timestamp": when(seconds), "message": message}


# --- Copilot CLI ----------------------------------------------------------------------------

COPILOT: Tools = {
    "shell": ("bash", {"command": "command", "description": "pattern", "sessionId": "main"}),
    "read": ("view", {"path": "path", "view_range": [1, 80]}),
    "search": ("grep", {"pattern": "pattern", "path": "folder", "output_mode": "content"}),
    "edit": ("edit", {"path": "path", "old_str": "old", "new_str": "new"}),
}


def _copilot(session: Session) -> bytes:
    place: Json = {"cwd": ROOT, "gitRoot": ROOT, "repository": "harbour/harbour", "branch": "main"}
    place |= {"repositoryHost": "github.com", "headCommit": "0" * 40, "hostType": "cli"}
    start: Json = {"sessionId": session.name, "version": 1, "producer": "copilot-agent"}
    start |= {"copilotVersion": "1.0.77", "startTime": when(STARTED), "selectedModel": MODEL}
    events: list[tuple[float, str, Json]] = [
        (STARTED, "session.start", start | {"context": place}),
        (STARTED, "system.message", {"content": session.system, "role": "system"}),
        (
            STARTED,
            "user.message",
            {"content": session.prompt, "transformedContent": session.prompt},
        ),
    ]
    events += itertools.chain.from_iterable(map(_copilot_call, session.calls))
    ids = [f"{number:08x}-0000-7000-8000-{number:012x}" for number in range(len(events))]
    return as_lines(
        {"type": kind, "data": data, "id": own, "timestamp": when(at), "parentId": above}
        for (at, kind, data), own, above in zip(events, ids, [None, *ids], strict=False)
    )


def _copilot_call(call: Call) -> list[tuple[float, str, Json]]:
    name, given = asked(COPILOT, call)
    call_id = call.identifier("call_")
    turn = {"turnId": str(call.number), "interactionId": call.uuid("turn")}
    request = {"toolCallId": call_id, "name": name, "arguments": given, "type": "function"}
    message = {"content": "", "toolRequests": [request | {"intentionSummary": call.about}]}
    ids = {key: call.uuid(key) for key in ("messageId", "apiCallId", "requestId")}
    sealed = {"reasoningText": call.thought, "reasoningOpaque": call.signature}
    started = {"toolCallId": call_id, "toolName": name, "arguments": given, "model": MODEL}
    shown = {"content": call.output, "detailedContent": call.output}
    done = {"toolCallId": call_id, "success": True, "result": shown, "model": MODEL, **turn}
    measured = {"metrics": {"durationMs": 1375}, "properties": {"tool": name}}
    return [
        (call.asked, "assistant.turn_start", turn | {"model": MODEL}),
        (call.asked, "assistant.message", message | ids | turn | sealed | {"outputTokens": 180}),
        (call.asked, "tool.execution_start", started | turn),
        (call.answered, "tool.execution_complete", done | {"toolTelemetry": measured}),
        (call.answered, "assistant.turn_end", turn | {"model": MODEL}),
    ]


# --- Kimi CLI -------------------------------------------------------------------------------

KIMI: Tools = {
    "shell": ("Bash", {"command": "command"}),
    "read": ("Read", {"path": "path", "line_offset": "first", "n_lines": 80}),
    "search": ("Grep", {"pattern": "pattern", "path": "folder", "output_mode": "content"}),
    "edit": ("Edit", {"path": "path", "old_string": "old", "new_string": "new"}),
}


def _kimi(session: Session) -> bytes:
    text = [{"type": "text", "text": session.prompt}]
    said = {"role": "user", "content": text, "toolCalls": [], "origin": {"kind": "user"}}
    records: list[Json] = [
        {"type": "metadata", "protocol_version": "1.4", "created_at": int(STARTED * 1000)},
        {"type": "config.update", "profileName": "agent", "systemPrompt": session.system},
        {"type": "turn.prompt", "input": text, "origin": {"kind": "user"}},
        {"type": "context.append_message", "message": said},
    ]
    made: Counter[str] = Counter()
    for call in session.calls:
        name = asked(KIMI, call)[0]
        records += _kimi_call(call, f"{name}_{made[name]}")
        made[name] += 1
    return as_lines(records)


def _kimi_call(call: Call, call_id: str) -> list[Json]:
    name, given = asked(KIMI, call)
    step = {"turnId": "0", "step": call.number + 1}
    inside = {**step, "stepUuid": call.uuid("step")}
    usage = {"inputOther": 900, "output": 180, "inputCacheRead": 12000, "inputCacheCreation": 0}
    request: Json = {"type": "llm.request", "kind": "loop", "provider": "kimi", "model": MODEL}
    request |= {"modelAlias": f"moonshot-ai/{MODEL}", "thinkingEffort": "on", "maxTokens": 262144}
    request |= {"systemPromptHash": "1" * 64, "toolsHash": "2" * 64, "messageCount": call.number}
    part = {"type": "content.part", "uuid": call.uuid("part"), **inside}
    ran: Json = {
        "type": "tool.call",
        "uuid": call_id,
        **inside,
        "toolCallId": call_id,
        "name": name,
    }
    shown = {"kind": "command", "command": call.command, "cwd": ROOT, "language": "bash"}
    ran |= {"args": given, "description": call.about, "display": shown}
    answer = {"type": "tool.result", "parentUuid": call_id, "toolCallId": call_id}
    end: Json = {"type": "step.end", "uuid": call.uuid("step"), **step, "usage": usage}
    end |= {"finishReason": "tool_calls", "llmFirstTokenLatencyMs": 3287, "llmRequestBuildMs": 0}
    end |= {"llmStreamDurationMs": 895, "messageId": call.identifier("chatcmpl-")}
    record = {"type": "usage.record", "model": MODEL, "usage": usage, "usageScope": "turn"}
    events = (
        (call.asked, {"type": "step.begin", "uuid": call.uuid("step"), **step}),
        (call.asked, part | {"part": {"type": "think", "think": call.thought}}),
        (call.asked, ran),
        (call.answered, answer | {"result": {"output": call.output}}),
        (call.answered, end),
    )
    lines: list[Json] = [
        {"type": "context.append_loop_event", "event": event, "time": int(at * 1000)}
        for at, event in events
    ]
    lines.insert(1, request | {"time": int(call.asked * 1000)})
    lines.append(record | {"time": int(call.answered * 1000), "agentId": "main"})
    return lines


# --- Qwen Code ------------------------------------------------------------------------------

QWEN: Tools = {
    "shell": ("run_shell_command", {"command": "command", "description": "pattern"}),
    "read": ("read_file", {"absolute_path": "path", "offset": "first", "limit": 80}),
    "search": ("grep_search", {"pattern": "pattern", "path": "folder"}),
    "edit": ("edit", {"file_path": "path", "old_string": "old", "new_string": "new"}),
}


def _qwen(session: Session) -> bytes:
    common = {"sessionId": session.name, "cwd": ROOT, "version": "0.21.13", "gitBranch": "main"}
    user = {"uuid": session.name, "parentUuid": None, "timestamp": when(STARTED), "type": "user"}
    said = {"role": "user", "parts": [{"text": session.prompt}]}
    lines = (line | common for call in session.calls for line in _qwen_call(call))
    return as_lines(itertools.chain([user | common | {"message": said}], lines))


def _qwen_call(call: Call) -> list[Json]:
    name, given = asked(QWEN, call)
    call_id = call.identifier("call_")
    tokens: Json = {"promptTokenCount": 12000 + 900 * call.number, "candidatesTokenCount": 180}
    tokens |= {"cachedContentTokenCount": 11000, "thoughtsTokenCount": 64}
    used = {"functionCall": {"id": call_id, "name": name, "args": given}}
    parts = [{"text": call.thought, "thought": True}, used]
    response = {"id": call_id, "name": name, "response": {"output": call.output}}
    answer = {"role": "user", "parts": [{"functionResponse": response}]}
    outcome = {"callId": call_id, "status": "success", "resultDisplay": call.output}
    event: Json = {"event.name": "qwen-code.tool_call", "event.timestamp": when(call.answered)}
    event |= {"function_name": name, "function_args": given, "duration_ms": 1375, "success": True}
    event |= {"prompt_id": call.uuid("prompt"), "tool_type": "native", "content_length": 900}
    spent: Json = {"event.name": "qwen-code.api_response", "event.timestamp": when(call.asked)}
    spent |= {"response_id": call.uuid("response"), "model": MODEL, "status_code": 200}
    spent |= {"input_token_count": 12000, "output_token_count": 180, "total_token_count": 12180}
    bodies: list[Json] = [
        {"type": "system", "subtype": "ui_telemetry", "systemPayload": {"uiEvent": spent}},
        {
            "type": "assistant",
            "model": MODEL,
            "message": {"role": "model", "parts": parts},
            "usageMetadata": tokens,
            "contextWindowSize": 262144,
        },
        {"type": "system", "subtype": "ui_telemetry", "systemPayload": {"uiEvent": event}},
        {"type": "tool_result", "message": answer, "toolCallResult": outcome},
    ]
    ids = [call.uuid(f"line {number}") for number in range(5)]
    times = (call.asked, call.asked, call.answered, call.answered)
    return [
        {"uuid": own, "parentUuid": above, "timestamp": when(at), **body}
        for body, own, above, at in zip(bodies, ids[1:], ids[:-1], times, strict=True)
    ]


# --- a chat, one message a line -------------------------------------------------------------


def _chat_lines(session: Session) -> bytes:
    records: list[Json] = [
        {"role": "system", "content": session.system},
        {"role": "user", "content": session.prompt},
    ]
    for call in session.calls:
        name, given = asked(KIMI, call)
        wanted = {"name": name, "arguments": json.dumps(given)}
        made = {"type": "function", "id": call.identifier("call_"), "function": wanted}
        records += [
            {"role": "assistant", "content": call.thought, "tool_calls": [made]},
            {"role": "tool", "tool_call_id": made["id"], "content": call.output},
        ]
    return as_lines(records)


WRITERS = {
    "chat-lines": Writer("context.jsonl", KIMI, _chat_lines),
    "pi": Writer("2026-05-04T10-00-00-000Z.jsonl", PI, _pi),
    "copilot-cli": Writer("events.jsonl", COPILOT, _copilot),
    "kimi-cli": Writer("wire.jsonl", KIMI, _kimi),
    "qwen-code": Writer("5e551000-0000-0000-0000-000000000000.jsonl", QWEN, _qwen),
}
