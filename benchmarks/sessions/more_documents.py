"""Writers of mcpbr's logs, Antigravity, aider, OpenTelemetry and logs of model calls."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from benchmarks.sessions.line_logs import CLAUDE
from benchmarks.sessions.session import MODEL, ROOT, STARTED, Session, when
from benchmarks.sessions.writer import Json, Tools, Writer, as_lines, asked

# --- mcpbr ----------------------------------------------------------------------------------


def _mcpbr(session: Session) -> bytes:
    from benchmarks.sessions.line_logs import WRITERS

    events = [json.loads(line) for line in WRITERS["claude-code"].write(session).splitlines()]
    log = {"instance_id": "harbour__harbour-1", "run_type": "mcp", "events": events}
    return json.dumps(log, ensure_ascii=False).encode()


# --- Antigravity ----------------------------------------------------------------------------

ANTIGRAVITY: Tools = {
    "shell": ("run_command", {"CommandLine": "command", "Cwd": "folder"}),
    "read": ("view_file", {"AbsolutePath": "path", "StartLine": "first"}),
    "search": ("grep_search", {"SearchPath": "folder", "Query": "pattern"}),
    "edit": ("replace_file_content", {"TargetFile": "path", "ReplacementContent": "new"}),
}
_ANSWERS = {
    "shell": "RUN_COMMAND",
    "read": "VIEW_FILE",
    "search": "GREP_SEARCH",
    "edit": "CODE_ACTION",
}


def _antigravity(session: Session) -> bytes:
    steps: list[Json] = []

    def step(source: str, kind: str, seconds: float, content: str, **more: Any) -> None:
        made: Json = {"step_index": len(steps), "source": source, "type": kind, "status": "DONE"}
        steps.append(made | {"created_at": when(seconds), "content": content} | more)

    step("USER_EXPLICIT", "USER_INPUT", STARTED, session.prompt)
    for call in session.calls:
        name, given = asked(ANTIGRAVITY, call)
        made = [{"name": name, "args": {key: json.dumps(value) for key, value in given.items()}}]
        step(
            "MODEL",
            "PLANNER_RESPONSE",
            call.asked,
            "",
            thinking=call.thought,
            tool_calls=made,
        )
        frame = f"Created At: {when(call.asked)}\nCompleted At: {when(call.answered)}\n"
        step("MODEL", _ANSWERS[call.kind], call.answered, frame + call.output)
    return as_lines(steps)


# --- aider ----------------------------------------------------------------------------------


AIDER: Tools = {
    kind: ("aider_edit", {"path": "path"}) for kind in ("shell", "read", "search", "edit")
}


def _aider(session: Session) -> bytes:
    """aider has no answers: every call is an edit, and the text of the answer is the model's."""
    started = datetime.fromtimestamp(STARTED, UTC).strftime("%Y-%m-%d %H:%M:%S")
    parts = [f"\n# aider chat started at {started}\n\n> Aider v0.86.1  \n"]
    for call in session.calls:
        parts.append(f"\n#### {call.about}  \n\n{call.thought}\n\n{call.output}\n")
        parts.append("> Tokens: 900 sent, 180 received. Cost: $0.01 message, $0.02 session.  \n")
        parts.append(f"> Applied edit to {call.path}  \n")
    return "".join(parts).encode()


# --- OpenTelemetry --------------------------------------------------------------------------

OTEL: Tools = {
    "shell": ("run_in_terminal", {"command": "command"}),
    "read": ("read_file", {"filePath": "path", "startLine": "first"}),
    "search": ("grep_search", {"query": "pattern", "path": "folder"}),
    "edit": ("replace_string_in_file", {"filePath": "path", "newString": "new"}),
}


def _otel_value(value: Any) -> Json:
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


def _span(number: int, name: str, begun: float, ended: float, attributes: Json) -> Json:
    return {
        "traceId": "5e" * 16,
        "spanId": f"{number:016x}",
        "parentSpanId": f"{1:016x}" if number > 1 else "",
        "name": name,
        "startTimeUnixNano": str(int(begun * 1000) * 10**6),
        "endTimeUnixNano": str(int(ended * 1000) * 10**6),
        "attributes": [
            {"key": f"gen_ai.{key}", "value": _otel_value(value)}
            for key, value in attributes.items()
        ],
        "status": {},
    }


def _otel(session: Session) -> bytes:
    exports = []
    spans = [_span(1, "invoke_agent", STARTED, session.ended, {"operation.name": "invoke_agent"})]
    for call in session.calls:
        name, given = asked(OTEL, call)
        said = {"operation.name": "chat", "request.model": MODEL}
        said |= {"usage.input_tokens": 900, "usage.output_tokens": 180}
        number = 2 + 2 * call.number
        spans.append(_span(number, f"chat {MODEL}", call.asked - 1, call.asked, said))
        ran = {"operation.name": "execute_tool", "tool.name": name}
        ran |= {"tool.call.id": call.identifier("call_")}
        ran |= {"tool.call.arguments": json.dumps(given), "tool.call.result": call.output}
        spans.append(_span(number + 1, f"execute_tool {name}", call.asked, call.answered, ran))
        exports.append(spans)
        spans = []
    return as_lines(
        {"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": own}]}]} for own in exports
    )


# --- logs of model calls --------------------------------------------------------------------

API: Tools = {
    "shell": ("bash", {"command": "command"}),
    "read": ("read_file", {"path": "path", "offset": "first"}),
    "search": ("grep_search", {"pattern": "pattern", "path": "folder"}),
    "edit": ("edit_file", {"path": "path", "old_string": "old", "new_string": "new"}),
}


def _api_log(session: Session) -> bytes:
    lines: list[Json] = [{"role": "user", "content": f"{session.prompt}\n{ROOT}"}]
    for call in session.calls:
        name, given = asked(API, call)
        call_id = call.identifier("toolu_")
        use = {"type": "tool_use", "id": call_id, "name": name, "input": given}
        thought = {"type": "thinking", "thinking": call.thought, "signature": call.signature}
        usage = {"input_tokens": 9, "cache_read_input_tokens": 900, "output_tokens": 180}
        reply: Json = {"id": call.identifier("msg_"), "type": "message", "role": "assistant"}
        lines.append(reply | {"model": MODEL, "content": [thought, use], "usage": usage})
        shown = [{"type": "text", "text": call.output}]
        result = {"type": "tool_result", "tool_use_id": call_id, "content": shown}
        lines.append({"role": "user", "content": [result]})
    return as_lines(lines)


WRITERS = {
    "mcpbr": Writer("harbour__harbour-1_mcp_20260504_100000.json", CLAUDE, _mcpbr),
    "antigravity": Writer("transcript.jsonl", ANTIGRAVITY, _antigravity),
    "aider": Writer(".aider.chat.history.md", AIDER, _aider, keeps=lambda _: False),
    "otel": Writer("traces.jsonl", OTEL, _otel),
    "api-log": Writer("messages.jsonl", API, _api_log),
}
