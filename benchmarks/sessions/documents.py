"""Writers of formats that are one JSON document: Gemini CLI, Cline, opencode, trae-agent, ATIF."""

from __future__ import annotations

import json
from collections.abc import Callable

from benchmarks.sessions.line_logs import CLAUDE, claude_calls
from benchmarks.sessions.session import MODEL, ROOT, STARTED, Call, Kind, Session, naive, when
from benchmarks.sessions.writer import Json, Tools, Writer, as_document, as_lines, asked
from groundtrace.demo.recorder import RecordedCall

# --- Gemini CLI -----------------------------------------------------------------------------

GEMINI: Tools = {
    "shell": ("run_shell_command", {"command": "command", "description": "pattern"}),
    "read": ("read_file", {"absolute_path": "path", "offset": "first", "limit": 80}),
    "search": ("search_file_content", {"pattern": "pattern", "path": "folder"}),
    "edit": ("replace", {"file_path": "path", "old_string": "old", "new_string": "new"}),
}


def _gemini(session: Session) -> bytes:
    user = {"id": session.name, "timestamp": when(STARTED), "type": "user"}
    messages = [user | {"content": session.prompt}, *map(_gemini_call, session.calls)]
    head = {"sessionId": session.name, "projectHash": "3" * 64, "startTime": when(STARTED)}
    return as_document(head | {"lastUpdated": when(session.ended), "messages": messages})


def _gemini_call(call: Call) -> Json:
    name, given = asked(GEMINI, call)
    call_id = f"{name}-{int(call.asked * 1000)}-{call.identifier('')[:13]}"
    output = call.output
    if call.kind == "shell":
        output = f"Output: {output}\nProcess Group PGID: {4000 + call.number}"
    response = {"id": call_id, "name": name, "response": {"output": output}}
    done: Json = {"id": call_id, "name": name, "args": given, "status": "success"}
    done |= {"result": [{"functionResponse": response}], "timestamp": when(call.answered)}
    done |= {"resultDisplay": call.output if call.kind != "read" else "", "displayName": name}
    done |= {"description": call.about * 4, "renderOutputAsMarkdown": True}
    tokens = {"input": 12000 + 900 * call.number, "output": 180, "cached": 11000, "thoughts": 64}
    thought = {"subject": call.about, "description": call.thought, "timestamp": when(call.asked)}
    return {
        "id": call.uuid("message"),
        "timestamp": when(call.asked),
        "type": "gemini",
        "content": "",
        "thoughts": [thought],
        "tokens": tokens | {"tool": 0, "total": 12244 + 900 * call.number},
        "model": MODEL,
        "toolCalls": [done],
    }


# --- Cline ----------------------------------------------------------------------------------

CLINE: Tools = {
    "shell": ("execute_command", {"command": "command", "requires_approval": False}),
    "read": ("read_file", {"path": "path"}),
    "search": ("search_files", {"path": "folder", "regex": "pattern"}),
    "edit": ("replace_in_file", {"path": "path", "diff": "new"}),
}
_DETAILS = (
    f"<environment_details>\n# Current Working Directory ({ROOT}) Files\n</environment_details>"
)


def _cline(session: Session) -> bytes:
    details = {"type": "text", "text": _DETAILS}
    prompt = {"type": "text", "text": f"<task>\n{session.prompt}\n</task>"}
    messages: list[Json] = [{"role": "user", "content": [prompt, details], "ts": STARTED * 1000}]
    for call in session.calls:
        name, given = asked(CLINE, call)
        call_id = call.identifier("toolu_")
        use = {"type": "tool_use", "id": call_id, "name": name, "input": given}
        thought = {"type": "text", "text": call.thought}
        reply = {"role": "assistant", "content": [thought, use], "ts": call.asked * 1000}
        shown = [{"type": "text", "text": call.output}]
        result = {"type": "tool_result", "tool_use_id": call_id, "content": shown}
        answer = {"role": "user", "content": [result, details], "ts": call.answered * 1000}
        messages += [reply, answer]
    return json.dumps(messages, ensure_ascii=False).encode()


# --- opencode -------------------------------------------------------------------------------

OPENCODE: Tools = {
    "shell": ("bash", {"command": "command", "description": "pattern"}),
    "read": ("read", {"filePath": "path", "offset": "first", "limit": 80}),
    "search": ("grep", {"pattern": "pattern", "path": "folder"}),
    "edit": ("edit", {"filePath": "path", "oldString": "old", "newString": "new"}),
}
_OPENCODE_EXTRA: dict[Kind, Callable[[Call], Json]] = {
    "shell": lambda call: {"output": call.output, "exit": 0, "description": call.about},
    "read": lambda call: {"preview": "\n".join(call.plain.split("\n")[:20]), "truncated": True},
    "search": lambda call: {"matches": call.lines, "truncated": False},
    "edit": lambda call: {"diff": f"-{call.old}\n+{call.new}", "diagnostics": {}},
}


def _opencode(session: Session) -> bytes:
    name = "ses_5e5510000000"
    info: Json = {"id": name, "version": "1.0.180", "projectID": "4" * 40, "directory": ROOT}
    info |= {
        "title": "Fix the harbour",
        "time": {"created": _ms(STARTED), "updated": _ms(session.ended)},
    }
    text = {"id": "prt_0", "sessionID": name, "messageID": "msg_0", "type": "text"}
    user = {"id": "msg_0", "sessionID": name, "role": "user", "time": {"created": _ms(STARTED)}}
    messages = [{"info": user, "parts": [text | {"text": session.prompt}]}]
    messages += [_opencode_call(call, name) for call in session.calls]
    return as_document({"info": info, "messages": messages})


def _ms(seconds: float) -> int:
    return int(seconds * 1000)


def _opencode_call(call: Call, session: str) -> Json:
    name, given = asked(OPENCODE, call)
    times = {"start": _ms(call.asked), "end": _ms(call.answered)}
    state: Json = {
        "status": "completed",
        "input": given,
        "output": call.output,
        "title": call.about,
    }
    state |= {"metadata": _OPENCODE_EXTRA[call.kind](call), "time": times}
    tokens = {"input": 900, "output": 180, "reasoning": 64, "cache": {"read": 12000, "write": 0}}
    message = call.identifier("msg_")
    parts: list[Json] = [
        {"type": "step-start", "snapshot": "5" * 40},
        {"type": "reasoning", "text": call.thought, "time": times},
        {"type": "tool", "callID": call.identifier("call_"), "tool": name, "state": state},
        {"type": "step-finish", "reason": "tool-calls", "cost": 0.006, "tokens": tokens},
    ]
    for number, part in enumerate(parts):
        part |= {"id": call.identifier(f"prt_{number}"), "sessionID": session, "messageID": message}
    info: Json = {"id": message, "sessionID": session, "role": "assistant", "parentID": "msg_0"}
    info |= {"time": {"created": _ms(call.asked), "completed": _ms(call.answered)}}
    info |= {"modelID": MODEL, "providerID": "tern", "mode": "build", "agent": "build"}
    info |= {"path": {"cwd": ROOT, "root": ROOT}, "cost": 0.006, "tokens": tokens}
    return {"info": info | {"finish": "tool-calls"}, "parts": parts}


def _opencode_run(session: Session) -> bytes:
    """What `opencode run --format json` prints of the same parts."""
    kinds = {"tool": "tool_use", "step-start": "step_start", "step-finish": "step_finish"}
    events = []
    for call in session.calls:
        for part in _opencode_call(call, "ses_5e5510000000")["parts"]:
            kind = kinds.get(part["type"])
            event = {"type": kind, "timestamp": _ms(call.answered), "sessionID": part["sessionID"]}
            events += [event | {"part": part}] if kind else []
    return as_lines(events)


# --- trae-agent -----------------------------------------------------------------------------

TRAE: Tools = {
    "shell": ("bash", {"command": "command"}),
    "search": ("bash", {"command": "command"}),
    "read": ("str_replace_based_edit_tool", {"command": "view", "path": "path"}),
    "edit": (
        "str_replace_based_edit_tool",
        {"command": "str_replace", "path": "path", "old_str": "old", "new_str": "new"},
    ),
}


def _trae(session: Session) -> bytes:
    """Each answer is in the next request, in its step's message and in its step's result."""
    interactions, steps = [], []
    before: Json = {"role": "user", "content": session.prompt}
    for call in session.calls:
        name, given = asked(TRAE, call)
        call_id = call.identifier("toolu_")
        ran = {"call_id": call_id, "name": name, "arguments": given, "id": None}
        usage = {"input_tokens": 12000 + 900 * call.number, "output_tokens": 180}
        more = {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        reply = {"content": call.thought, "model": MODEL, "finish_reason": "tool_use"}
        whole = {"usage": usage | more | {"reasoning_tokens": 0}, "tool_calls": [ran]}
        asked_for: Json = {"timestamp": naive(call.asked), "provider": "tern", "model": MODEL}
        asked_for |= {"input_messages": [before], "response": reply | whole}
        tools = ["bash", "str_replace_based_edit_tool", "sequentialthinking", "task_done"]
        interactions.append(asked_for | {"tools_available": tools})
        result = {
            "call_id": call_id,
            "success": True,
            "result": call.output,
            "error": "",
            "id": None,
        }
        before = {"role": "user", "content": None, "tool_result": result}
        step: Json = {"step_number": call.number + 1, "timestamp": naive(call.answered)}
        step |= {"state": "completed", "llm_messages": [before]}
        step |= {"llm_response": reply | {"usage": usage, "tool_calls": [ran]}}
        step |= {"tool_calls": [ran], "tool_results": [result], "reflection": None, "error": None}
        steps.append(step)
    head: Json = {
        "task": session.prompt,
        "start_time": naive(STARTED),
        "end_time": naive(session.ended),
    }
    head |= {"provider": "tern", "model": MODEL, "max_steps": 1000}
    lists = {"llm_interactions": interactions, "agent_steps": steps}
    end = {"success": True, "final_result": None, "execution_time": session.ended - STARTED}
    return as_document(head | lists | end)


# --- ATIF 1.2, Harbor's trajectory of a Claude Code trial -----------------------------------


def _atif(session: Session) -> bytes:
    user = {"step_id": 1, "timestamp": when(STARTED), "source": "user", "message": session.prompt}
    made = claude_calls(session)
    steps = [user, *(_atif_step(number, one) for number, one in enumerate(made, 2))]
    agent = {"name": "claude-code", "version": "2.1.74", "model_name": MODEL}
    head: Json = {"schema_version": "ATIF-v1.2", "session_id": session.name}
    head |= {"agent": agent | {"extra": {"cwds": [ROOT], "git_branches": ["main"]}}}
    totals = {
        "total_prompt_tokens": 900000,
        "total_completion_tokens": 4,
        "total_steps": len(steps),
    }
    return as_document(head | {"steps": steps, "final_metrics": totals}, ascii_only=True)


def _atif_step(number: int, one: RecordedCall) -> Json:
    """Harbor appends the structured answer to the text, and keeps both twice more in `extra`."""
    answer, usage = one.answer, one.usage
    if answer.name == "Bash":
        content = f'{answer.text}\n\n[stdout]\n{answer.text}\n[metadata] {{"isImage": false}}'
    else:
        content = f"{answer.text}\n\n[metadata] {json.dumps(answer.data)}"
    raw = {"tool_use_id": one.call_id, "type": "tool_result", "content": answer.text}
    kept = {"tool_use_result": answer.data, "raw_tool_result": raw}
    tokens = {key: usage[f"cache_{key}_input_tokens"] for key in ("creation", "read")}
    metrics: Json = {"prompt_tokens": 9 + tokens["read"], "completion_tokens": 4}
    metrics |= {"cached_tokens": tokens["read"]}
    spent = {f"cache_{key}_input_tokens": value for key, value in tokens.items()}
    extra: Json = {"cwd": ROOT, "is_sidechain": False, "tool_use_name": answer.name}
    extra |= {"tool_result_metadata": kept, "metadata": kept, "raw_arguments": answer.arguments}
    called = {"tool_call_id": one.call_id, "function_name": answer.name}
    return {
        "step_id": number,
        "timestamp": one.asked,
        "source": "agent",
        "model_name": MODEL,
        "message": f"Executed {answer.name} {one.call_id}",
        "reasoning_content": "null",
        "tool_calls": [called | {"arguments": answer.arguments}],
        "observation": {"results": [{"source_call_id": one.call_id, "content": content}]},
        "metrics": metrics | {"extra": spent | {"service_tier": "standard"}},
        "extra": extra,
    }


WRITERS = {
    "gemini-cli": Writer("session-2026-05-04T10-00-5e551000.json", GEMINI, _gemini),
    "cline": Writer("api_conversation_history.json", CLINE, _cline),
    "opencode": Writer("export.json", OPENCODE, _opencode),
    "opencode-run": Writer("opencode.jsonl", OPENCODE, _opencode_run),
    "trae-agent": Writer("trajectory.json", TRAE, _trae),
    "atif": Writer("trajectory.json", CLAUDE, _atif),
}
