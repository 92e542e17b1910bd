"""Messages of a session as types, for JSON and JSONL; and the output of a call, without what Gemini
CLI puts around it.

Only what is needed has a field, so msgspec skips the rest (thoughts, texts, what the terminal
displayed). A message of any other form is decoded completely and fitted (`kit.fit`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType, field
from msgspec.structs import replace

from groundtrace.base import jsonio
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_mapping, as_text
from groundtrace.traces.kit.fit import NOT_FITTING, fit, value_of
from groundtrace.traces.kit.lists import Listed


class Call(msgspec.Struct, frozen=True, gc=False):
    """One call of a message, with its answer."""

    id: Any = None
    name: Any = None
    args: Any = None
    status: Any = None
    result: Any = None
    result_display: msgspec.Raw = field(default=msgspec.Raw(), name="resultDisplay")
    """What the terminal displayed, not decoded: it repeats the answer and is rarely needed."""
    timestamp: Any = None
    agent_id: Any = field(default=None, name="agentId")


class Tokens(msgspec.Struct, frozen=True, gc=False):
    """Tokens of one model call, as the file states them."""

    input: Any = None
    output: Any = None
    cached: Any = None
    thoughts: Any = None
    tool: Any = None


class Message(msgspec.Struct, frozen=True, gc=False):
    """One message of a session."""

    id: Any = None
    type: Any = None
    timestamp: Any = None
    model: Any = None
    tokens: Tokens | UnsetType | None = UNSET
    """UNSET if the message does not have them, which differs from null."""
    tool_calls: list[Call] | None = field(default=None, name="toolCalls")


class _Session(msgspec.Struct, gc=False):
    """A session in JSON."""

    messages: list[Message]
    session_id: Any = field(default=None, name="sessionId")
    start_time: Any = field(default=None, name="startTime")
    kind: Any = None


class _Line(Message, frozen=True, gc=False):
    """A line of JSONL; one that has any of these members is not a message, or may not be one."""

    rewind: Any = field(default=UNSET, name="$rewindTo")
    changed: Any = field(default=UNSET, name="$set")
    project: Any = field(default=UNSET, name="projectHash")
    stream_session: Any = field(default=UNSET, name="session_id")
    stream_name: Any = field(default=UNSET, name="tool_name")
    stream_id: Any = field(default=UNSET, name="tool_id")


_decode_session = msgspec.json.Decoder(_Session).decode
_decode_line = msgspec.json.Decoder(_Line).decode


def session_in(data: bytes) -> Listed | None:
    """The messages of a session in JSON; None if one of them has another form."""
    try:
        found = _decode_session(data)
    except NOT_FITTING:
        return None
    root = {"sessionId": found.session_id, "startTime": found.start_time, "kind": found.kind}
    return Listed(iter(found.messages), root)


def message_in(data: bytes) -> Message | None:
    """The message on a line of JSONL; None if the line is something else, or of another form."""
    try:
        line = _decode_line(data)
    except NOT_FITTING:
        return None
    others = (line.rewind, line.changed, line.project)
    events = (line.stream_session, line.stream_name, line.stream_id)
    is_message = as_text(line.id) is not None and isinstance(line.type, str)
    return line if is_message and others == events == (UNSET, UNSET, UNSET) else None


def fit_message(value: Mapping[str, Any]) -> Message:
    """A decoded object as a message. Calls that are not a list are kept, to be reported."""
    message = fit(value, Message)
    listed = value.get("toolCalls")
    is_odd = listed is not None and message.tool_calls is None
    return replace(message, tool_calls=listed) if is_odd else message


SHELL = "run_shell_command"
"""Gemini CLI's shell."""
_ROOT = "(root)"
"""Name, in a command's output, of the folder in which Gemini CLI runs."""
_FACT = regex(
    r"\n(?:Error: (?P<error>[^\n]*)|Exit Code: (?P<code>-?\d+|\(none\))|Signal: [^\n]*"
    r"|Background PIDs: [^\n]*|Process Group PGID: [^\n]*)\Z"
)
"""The last line after a command's output that states a fact about the run."""
_MAX_FACTS = 8
READ = "read_file"
_PARTS = regex(
    r"\n?(?:IMPORTANT: The file content has been truncated\.\n"
    r"Status: Showing lines (?P<first>\d{1,9})-(?P<last>\d{1,9}) of \d{1,9} total lines\.\n"
    r"(?:[^\n]*\n){0,4}?--- FILE CONTENT \(truncated\) ---\n"
    r"|\[File content truncated: showing lines (?P<from>\d{1,9})-(?P<to>\d{1,9}) of[^\n]*\]\n)"
)
"""The text before the lines of a file that was shown in part."""
_PLACES = ("offset", "limit", "start_line", "end_line")
_NO_TEXT = regex(r"Cannot display content of|Skipped |Read (?:image|pdf|audio|video) file")


class Output(msgspec.Struct, frozen=True, gc=False):
    """The output of a call."""

    text: str
    failed: bool = False
    cwd: str | None = None
    """The folder in which a command ran, if its output states it."""
    data: Any = None
    """Which lines of a file are shown, because the text has no line numbers."""


def read_result(call: Call, name: str, arguments: Mapping[str, Any]) -> Output | None:
    """The answer to a call as the model saw it; None if the session has none."""
    failed = call.status in ("error", "cancelled")
    answer = _answer(call.result)
    if answer is None:
        return Output(_displayed(call), True) if failed else None
    text, is_error = answer
    if name == SHELL and not is_error:
        command = arguments.get("command")
        output = shell_output(text, command if isinstance(command, str) else "")
        return msgspec.structs.replace(output, failed=True) if failed else output
    if name == READ and not is_error and not failed:
        return _shown_lines(text, arguments)
    return Output(text, is_error or failed)


def _displayed(call: Call) -> str:
    """The text that the terminal displayed."""
    shown = value_of(call.result_display)
    return shown if isinstance(shown, str) else ""


def _shown_lines(text: str, arguments: Mapping[str, Any]) -> Output:
    """The text of a file, and which lines it shows. A whole file begins at line 1; a part states
    its lines."""
    part = _PARTS.match(text)
    if part is not None:
        first, last = int(part["first"] or part["from"]), int(part["last"] or part["to"])
        shown = {"startLine": first, "numLines": last - first + 1}
        return Output(text[part.end() :], data={"file": shown} if last >= first >= 1 else None)
    given = any(arguments.get(name) is not None for name in _PLACES)
    if given or not text or _NO_TEXT.match(text):
        return Output(text)
    count = text.count("\n") + (not text.endswith("\n"))
    return Output(text, data={"file": {"startLine": 1, "numLines": count}})


def _answer(result: Any) -> tuple[str, bool] | None:
    """The text, and whether it is an error, from a part, a list of parts or a text."""
    parts = result if isinstance(result, list) else [result]
    texts: list[str] = []
    is_error = found = False
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
            found = True
            continue
        members = as_mapping(part)
        response = members.get("functionResponse")
        if isinstance(response, dict):
            found = True
            said = as_mapping(response.get("response"))
            if "output" in said:
                texts.append(_text(said["output"]))
            if "error" in said:
                texts.append(_text(said["error"]))
                is_error = is_error or "output" not in said
            elif said and "output" not in said:
                texts.append(_text(said))
        elif isinstance(members.get("text"), str):
            texts.append(members["text"])
            found = True
        elif "inlineData" in members or "fileData" in members:
            found = True
    return ("\n".join([text for text in texts if text]), is_error) if found else None


def _text(value: Any) -> str:
    """A response as text; answers of servers are objects."""
    if isinstance(value, str):
        return value
    content = as_mapping(value).get("content")
    if isinstance(content, list):
        from groundtrace.base.mcp import content_text

        return content_text(content)
    return "" if value is None else jsonio.written(value)


def shell_output(text: str, command: str) -> Output:
    """What a command printed, without the facts around it.

    Until 2025: `Command: …`, `Directory: …`, `Output: …`, then facts. Later: only `Output: …` and
    the facts that are not trivial.
    """
    directory = None
    body = text
    if body.startswith(f"Command: {command}\nDirectory: "):
        line, _, body = body[len(f"Command: {command}\nDirectory: ") :].partition("\n")
        directory = line.strip()
    if not body.startswith("Output: "):
        return Output(text)
    body = body.removeprefix("Output: ")
    code, error = None, ""
    for _ in range(_MAX_FACTS):
        fact = _FACT.search(body, max(0, body.rfind("\n")))
        if fact is None:
            break
        code = fact["code"] if fact["code"] is not None else code
        error = fact["error"] if fact["error"] is not None else error
        body = body[: fact.start()]
    printed = "" if body == "(empty)" else body
    failed = code not in (None, "0", "(none)") or (
        code is None and error not in ("", "(none)") and not printed
    )
    if error not in ("", "(none)"):
        printed = f"{printed}\n{error}" if printed else error
    absolute = directory is not None and directory != _ROOT and directory.startswith("/")
    return Output(printed, failed, directory if absolute else None)
