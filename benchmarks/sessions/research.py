"""Writers of the formats of research harnesses: SWE-agent, mini-swe-agent, OpenHands, chats.

1.x of SWE-agent repeats the whole prompt in every step, so the size of a file grows with the square
of its steps and no cost of a megabyte could be compared; 0.x does not, and is what is written here.
"""

from __future__ import annotations

import json

from benchmarks.sessions.session import MODEL, ROOT, STARTED, Call, Session, naive
from benchmarks.sessions.writer import Json, Tools, Writer, as_document, as_lines, asked

INSTANCE = "harbour__harbour-1234"

# --- SWE-agent 0.x --------------------------------------------------------------------------

SWE_AGENT: Tools = {
    "shell": ("bash", {}),
    "read": ("open", {}),
    "search": ("search_dir", {}),
    "edit": ("edit", {}),
}


def _action(call: Call) -> str:
    if call.kind == "read":
        return f'open "{call.path}" {call.first}'
    if call.kind == "search":
        return f'search_dir "{call.pattern}" {call.folder}'
    if call.kind == "edit":
        return f"edit {call.first}:{call.first + 3}\n{call.new}\nend_of_edit"
    return call.command


def _swe_agent(session: Session) -> bytes:
    steps = []
    history: list[Json] = [
        {"role": "system", "content": session.system, "agent": "primary"},
        {"role": "user", "content": session.prompt, "agent": "primary"},
    ]
    for call in session.calls:
        action, thought = _action(call), f"{call.thought}\n\n"
        response = f"{thought}```\n{action}\n```"
        state = json.dumps({"open_file": call.path, "working_dir": ROOT}) + "\n"
        step = {"action": f"{action}\n", "observation": call.output, "response": response}
        steps.append(step | {"state": state, "thought": thought})
        reply = {"role": "assistant", "content": response, "thought": thought, "action": action}
        shown = f"{call.output}\n(Open file: {call.path})\n(Current directory: {ROOT})\nbash-$"
        history += [reply | {"agent": "primary"}, {"role": "user", "content": shown}]
    stats: Json = {"total_cost": 1.5, "instance_cost": 1.5, "tokens_sent": 900000}
    stats |= {"tokens_received": 9000, "api_calls": len(steps)}
    info = {"exit_status": "submitted", "submission": "", "model_stats": stats}
    whole = {"environment": "swe_main", "trajectory": steps, "history": history, "info": info}
    return as_document(whole, ascii_only=True)


# --- mini-swe-agent 1.15 --------------------------------------------------------------------

_ONLY_SHELL: Tools = dict.fromkeys(
    ("shell", "read", "search", "edit"), ("bash", {"command": "command"})
)
SHOWN = 10_000
"""Of longer answers mini-swe-agent shows the start and the end."""


def _mini(session: Session) -> bytes:
    messages: list[Json] = [
        {"role": "system", "content": session.system},
        {"role": "user", "content": session.prompt},
    ]
    for call in session.calls:
        text = f"THOUGHT: {call.thought}\n\n```bash\n{call.command}\n```"
        reply = {"role": "assistant", "content": text}
        messages.append(reply | {"extra": {"response": _mini_response(call, text)}})
        messages.append({"role": "user", "content": _mini_answer(call.output)})
    agent = {"system_template": session.system, "instance_template": session.prompt}
    model = {"model_name": MODEL, "model_kwargs": {"temperature": 0.0}, "cost_tracking": "default"}
    place = {"image": "harbour:latest", "cwd": ROOT, "env": {"PAGER": "cat"}, "timeout": 60}
    config = {"agent": agent | {"step_limit": 1000}, "model": model, "environment": place}
    stats = {"instance_cost": 1.5, "api_calls": len(session.calls)}
    info: Json = {"exit_status": "LimitsExceeded", "submission": "", "model_stats": stats}
    info |= {"mini_version": "1.15.0", "config": config}
    whole = {"info": info, "messages": messages, "trajectory_format": "mini-swe-agent-1"}
    return as_document(whole | {"instance_id": INSTANCE}, ascii_only=True)


def _mini_response(call: Call, text: str) -> Json:
    details = [
        {"type": "reasoning.text", "text": call.thought, "format": "tern-v1", "index": 0},
        {"type": "reasoning.encrypted", "data": call.signature, "format": "tern-v1", "index": 0},
    ]
    message = {"role": "assistant", "content": text, "refusal": None, "reasoning": call.thought}
    choice = {"logprobs": None, "finish_reason": "stop", "native_finish_reason": "STOP", "index": 0}
    usage: Json = {"prompt_tokens": 12000 + 900 * call.number, "completion_tokens": 180}
    usage |= {"total_tokens": 12180 + 900 * call.number, "cost": 0.006, "is_byok": False}
    parts = {"cached_tokens": 11000, "audio_tokens": 0, "video_tokens": 0}
    costs = {"upstream_inference_prompt_cost": 0.003, "upstream_inference_completions_cost": 0.003}
    usage |= {"prompt_tokens_details": parts, "cost_details": costs}
    head: Json = {"id": call.identifier("gen-"), "provider": "Tern", "model": MODEL}
    head |= {"object": "chat.completion", "created": int(call.asked)}
    choices = [choice | {"message": message | {"reasoning_details": details}}]
    return head | {"choices": choices, "usage": usage}


def _mini_answer(output: str) -> str:
    code = "<returncode>0</returncode>\n"
    if len(output) <= SHOWN:
        return f"{code}<output>\n{output}</output>"
    half, elided = SHOWN // 2, len(output) - SHOWN
    head = f"<output_head>\n{output[:half]}\n</output_head>\n"
    middle = f"<elided_chars>\n{elided} characters elided\n</elided_chars>\n"
    return f"{code}{head}{middle}<output_tail>\n{output[-half:]}\n</output_tail>"


# --- OpenHands, and chats of function calls -------------------------------------------------

OPENHANDS: Tools = {
    "shell": ("execute_bash", {"command": "command"}),
    "search": ("execute_bash", {"command": "command"}),
    "read": ("str_replace_editor", {"command": "view", "path": "path"}),
    "edit": (
        "str_replace_editor",
        {"command": "str_replace", "path": "path", "old_str": "old", "new_str": "new"},
    ),
}
_TOOL_WORDS = ("command", "is_input", "path", "file_text", "old_str", "new_str", "view_range")
_DEFINITIONS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": "A tool. " * 60,
            "parameters": {"type": "object", "properties": {word: {} for word in _TOOL_WORDS}},
        },
    }
    for name in ("execute_bash", "str_replace_editor", "think", "finish")
]


def _openhands(session: Session) -> bytes:
    """One row of an evaluation's `output.jsonl`, with V0 events."""
    system: Json = {"content": session.system, "tools": _DEFINITIONS, "agent_class": "CodeActAgent"}
    said: Json = {"content": session.prompt, "image_urls": None, "wait_for_response": False}
    heads = (("agent", "system", system), ("user", "message", said))
    history: list[Json] = [
        {"id": number, "timestamp": naive(STARTED), "source": source, "message": args["content"]}
        | {"action": action, "args": args}
        for number, (source, action, args) in enumerate(heads)
    ]
    for call in session.calls:
        history += _openhands_call(call, len(history))
    llm = {"model": MODEL, "api_key": "**********", "num_retries": 4, "temperature": 0.0}
    metadata = {"agent_class": "CodeActAgent", "llm_config": llm, "max_iterations": 1000}
    tokens = {"prompt_tokens": 900000, "completion_tokens": 9000, "cache_read_tokens": 0}
    metrics = {"accumulated_cost": 1.5, "accumulated_token_usage": tokens, "costs": []}
    row: Json = {
        "instance_id": INSTANCE,
        "test_result": {"git_patch": ""},
        "instruction": session.prompt,
    }
    row |= {"metadata": metadata | {"eval_output_dir": "out"}, "history": history}
    return as_lines([row | {"metrics": metrics, "error": None, "instance": {}}])


def _openhands_call(call: Call, number: int) -> list[Json]:
    """An action and its observation, both with the whole reply of the model."""
    name, given = asked(OPENHANDS, call)
    call_id = call.identifier("toolu_")
    function = {"arguments": json.dumps(given, ensure_ascii=False), "name": name}
    called = {"index": 1, "function": function, "id": call_id, "type": "function"}
    said = {"content": call.thought, "role": "assistant", "tool_calls": [called]}
    usage = {"completion_tokens": 180, "prompt_tokens": 12000 + 900 * call.number}
    reply: Json = {"id": call.identifier("gen-"), "created": int(call.asked), "model": MODEL}
    reply |= {"choices": [{"finish_reason": "stop", "index": 0, "message": said}], "usage": usage}
    meta = {"function_name": name, "tool_call_id": call_id, "model_response": reply}
    common = {"source": "agent", "tool_call_metadata": meta | {"total_calls_in_response": 1}}
    kind = {"read": "read", "edit": "edit"}.get(call.kind, "run")
    if kind == "run":
        args = {"command": call.command, "is_input": False, "blocking": False, "hidden": False}
        ran = {"exit_code": 0, "pid": -1, "username": "root", "working_dir": ROOT, "prefix": ""}
        extras: Json = {"command": call.command, "metadata": ran, "hidden": False}
    else:
        args = {"path": call.path, "start": 0, "end": -1, "impl_source": "oh_aci", **given}
        extras = {"path": call.path, "impl_source": "oh_aci"}
    if kind == "edit":
        extras |= {"old_content": call.old, "new_content": call.new, "diff": ""}
    total = {"accumulated_cost": 0.006 * call.number, "accumulated_token_usage": usage}
    action: Json = {
        "id": number,
        "timestamp": naive(call.asked),
        "message": f"Running {call.command}",
    }
    action |= {"action": kind, "llm_metrics": total, "args": args | {"thought": call.thought}}
    seen: Json = {"id": number + 1, "timestamp": naive(call.answered), "cause": number}
    seen |= {"message": f"Command `{call.command}` executed", "observation": kind}
    return [common | action, common | seen | {"content": call.output, "extras": extras}]


_NOTHING = dict.fromkeys(("content", "role", "tool_calls", "tool_call_id", "name"))
_FOOTER = (
    "\n[The command completed with exit code 0.]\n[Current working directory: /workspace/harbour]"
    "\n[Python interpreter: /usr/bin/python]\n[Command finished with exit code 0]"
)


def _chat(session: Session) -> bytes:
    """One row of a data set; every message has all members."""
    messages: list[Json] = [
        _NOTHING | {"content": session.system, "role": "system"},
        _NOTHING | {"content": session.prompt, "role": "user"},
    ]
    for call in session.calls:
        name, given = asked(OPENHANDS, call)
        call_id = call.identifier("toolu_")
        function = {"name": name, "arguments": json.dumps(given)}
        called = [{"index": 1, "function": function, "id": call_id, "type": "function"}]
        reply = {"content": call.thought, "role": "assistant", "tool_calls": called}
        footer = _FOOTER if name == "execute_bash" else ""
        shown = {"content": f"OBSERVATION:\n{call.output}{footer}", "role": "tool"}
        answer = shown | {"tool_call_id": call_id, "name": name}
        messages += [_NOTHING | reply, _NOTHING | answer]
    row = {"instance_id": INSTANCE, "run_id": "tern_1", "resolved": True, "messages": messages}
    return as_lines([row | {"tools": _DEFINITIONS, "test_result": {}}], ascii_only=True)


WRITERS = {
    "swe-agent": Writer(f"{INSTANCE}.traj", SWE_AGENT, _swe_agent),
    "mini-swe-agent": Writer(
        f"{INSTANCE}.traj.json", _ONLY_SHELL, _mini, lambda call: len(call.output) <= SHOWN
    ),
    "openhands": Writer("output.jsonl", OPENHANDS, _openhands),
    "chat": Writer("rows.jsonl", OPENHANDS, _chat),
}
