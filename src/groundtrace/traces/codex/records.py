"""One line of a rollout, in the form of any version: calls, outputs, totals of tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET, field

from groundtrace.base import jsonio
from groundtrace.base.mcp import content_text, server_in_name
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_count, as_items, as_mapping, as_text
from groundtrace.traces.kit.fit import NOT_FITTING, as_arguments, fit
from groundtrace.traces.kit.ledger import Ledger, TokenCounts
from groundtrace.traces.source import RawCall

CALLS = frozenset(
    {
        "function_call",
        "custom_tool_call",
        "local_shell_call",
        "web_search_call",
        "tool_search_call",
        "tool_call",
    }
)
"""Items that are a call."""
OUTPUTS = frozenset(
    {
        "function_call_output",
        "custom_tool_call_output",
        "local_shell_call_output",
        "mcp_tool_call_output",
        "tool_search_output",
        "tool_result",
        "function_result",
    }
)
"""Items that answer a call."""
_BARE = CALLS | OUTPUTS | {"message", "reasoning", "ghost_snapshot", "compaction"}


ENDS = frozenset({"exec_command_end", "patch_apply_end", "mcp_tool_call_end", "item_completed"})
"""Events about the end of a call."""
_COMPLETE = ENDS | {"session_meta", "compacted"}
"""Lines and events of which all members are needed."""


class Counts(msgspec.Struct, frozen=True, gc=False):
    """Tokens that a `token_count` states."""

    input_tokens: Any = None
    cached_input_tokens: Any = None
    output_tokens: Any = None


class Info(msgspec.Struct, frozen=True, gc=False):
    """The totals of a `token_count`."""

    total: Counts | None = field(default=None, name="total_token_usage")
    last: Counts | None = field(default=None, name="last_token_usage")


class Body(msgspec.Struct, frozen=True, gc=False):
    """What is needed of most items and events. The rest is skipped: encrypted reasoning alone is a
    third of a rollout."""

    type: str = ""
    """Empty if it has none."""
    call_id: Any = None
    id: Any = None
    name: Any = None
    namespace: Any = None
    function: Any = None
    arguments: Any = None
    input: Any = None
    action: Any = None
    output: Any = UNSET
    result: Any = UNSET
    tools: Any = None
    role: Any = None
    content: Any = None
    info: Info | None = None
    num_turns: Any = None
    cwd: Any = None
    model: Any = None


class Line(msgspec.Struct, frozen=True, gc=False):
    """The content of a line."""

    kind: str = field(name="type")
    """`session_meta`, `turn_context`, `response_item`, `event_msg`, `compacted`, …"""
    body: Body = field(name="payload")
    timestamp: Any = UNSET
    created_at: Any = None

    @property
    def stamp(self) -> Any:
        """Its time as it is written."""
        return self.created_at if self.timestamp is UNSET else self.timestamp

    @property
    def members(self) -> Mapping[str, Any]:
        """All members of the body; none if only those that `Body` names were decoded."""
        return {}


class WholeLine(Line, frozen=True, gc=False):
    """A line that was decoded completely."""

    members: Mapping[str, Any] = {}


_decode = msgspec.json.Decoder(Line).decode


def decode_line(data: bytes) -> Line | None:
    """A line with only the members that are needed; None for a line of which all are needed, or of
    another form: `line_of` reads it."""
    try:
        line = _decode(data)
    except NOT_FITTING:
        return None
    return None if line.kind in _COMPLETE or line.body.type in _COMPLETE else line


def line_of(value: Any) -> WholeLine | None:
    """The line in a decoded value; None if the value is not a line of a rollout."""
    if not isinstance(value, dict):
        return None
    kind, body = value.get("type"), value.get("payload")
    stamp = value.get("timestamp", value.get("created_at"))
    if isinstance(kind, str) and isinstance(body, dict):
        return WholeLine(kind, fit(body, Body), stamp, None, body)
    if isinstance(kind, str) and kind in _BARE:
        return WholeLine("response_item", fit(value, Body), stamp, None, value)
    if isinstance(value.get("record_type"), str):
        return WholeLine("state", Body())
    if "id" in value and "timestamp" in value and ("instructions" in value or "git" in value):
        return WholeLine("session_meta", Body(), stamp, None, value)
    if isinstance(kind, str) and "payload" in value:
        return WholeLine(kind, Body(), stamp)
    return None


# --- outputs ---
# Codex puts exit codes and facts about the run around the output of a call.

_FACTS = regex(
    r"(?:Command: (?:(?!\nChunk ID: )[\s\S]){0,20000}+\n(?=Chunk ID: ))?"
    r"(?:(?:Exit code: (?P<exit>-?\d+)|Chunk ID: \S+|Wall time:? [\d.]+ seconds?"
    r"|Process exited with code (?P<code>-?\d+)|Process running with session ID (?P<session>\d+)"
    r"|Script (?:completed|failed|running[^\n]*)|Original token count: \d+"
    r"|Total output lines: \d+)\n)+Output:(?:\n|$)"
)
"""Facts about the run, then the output: 0.66 `Exit code`, 2026 `Process exited with code`; Codex
Desktop repeats the command before them."""
_FAILED = regex(
    r"failed in sandbox |patch rejected|execution error: |exec_command failed|write_stdin failed"
    r"|apply_patch verification failed|unsupported (?:custom tool )?call|failed to parse function "
    r"|aborted(?: by user|$)|exec_command (?:rejected|declined)|rejected by user|err: |Script failed\n"
    r"|command timed out|sandbox error|Rejected\("
)
"""Answers in plain words: the call was refused, or did not run."""


class Output(msgspec.Struct, frozen=True, gc=False):
    """The output of a call."""

    text: str
    failed: bool = False
    data: Any = None
    session: str | None = None
    """Id of the process, if it is still running."""


def read_output(value: Any) -> Output:
    """The output of a call, without what Codex put around it."""
    if isinstance(value, dict) and value:
        return _members(value)
    text = content_text(value)
    if not text and "input_image" in [as_mapping(block).get("type") for block in as_items(value)]:
        return Output("", data={"type": "image"})  # a picture that was opened
    if text.startswith("{"):
        found = as_mapping(jsonio.loads_text(text))
        if isinstance(found.get("output"), str) and "metadata" in found:
            code = as_mapping(found["metadata"]).get("exit_code")
            return Output(found["output"], _is_failure(code))
    facts = _FACTS.match(text)
    if facts is not None:
        code = facts["exit"] or facts["code"]
        failed = code not in (None, "0") or text.startswith("Script failed")
        return Output(text[facts.end() :], failed, session=facts["session"])
    return Output(text, _FAILED.match(text) is not None)


def started_agent(text: str) -> str | None:
    """The id of the agent that a call started, from its answer."""
    answer = as_mapping(jsonio.loads_text(text))
    return as_text(answer.get("agent_id", answer.get("thread_id")))


def _members(members: Mapping[str, Any]) -> Output:
    """An output that is an object: a block of text, or streams and an exit code."""
    if isinstance(members.get("content"), str | list):
        inner = read_output(members["content"])
        refused = members.get("success") is False
        return msgspec.structs.replace(inner, failed=True) if refused else inner
    if isinstance(members.get("text"), str):
        return read_output(members["text"])
    return streams(members)


def streams(members: Mapping[str, Any]) -> Output:
    """What a command printed, from separate stdout and stderr."""
    text = as_text(members.get("aggregated_output")) or as_text(members.get("output"))
    if text is None:
        printed = [as_text(members.get(name)) for name in ("stdout", "stderr")]
        text = "\n".join(part.removesuffix("\n") for part in printed if part)
        text += "\n" if text else ""
    code = members.get("exit_code", members.get("exitCode"))
    failed = members.get("status") in ("failed", "declined") or members.get("success") is False
    return Output(text, failed or _is_failure(code))


def mcp_output(result: Any, error: Any = None) -> Output:
    """The output of a server's tool: `{"Ok": …}`, `{"Err": …}` or the answer itself."""
    if error is not None:
        return Output(as_text(as_mapping(error).get("message")) or content_text(error), failed=True)
    members = as_mapping(result)
    if "Err" in members:
        return Output(content_text(members["Err"]), failed=True)
    answer = as_mapping(members.get("Ok", members))
    structured = answer.get("structured_content", answer.get("structuredContent"))
    return Output(
        content_text(answer.get("content")),
        answer.get("isError") is True or answer.get("is_error") is True,
        structured if isinstance(structured, dict | list) else None,
    )


def _is_failure(code: Any) -> bool:
    return isinstance(code, int) and not isinstance(code, bool) and code != 0


# --- calls ---


class Asked(msgspec.Struct, frozen=True, gc=False):
    """A call as the model asked for it; a name or arguments that cannot be used are None."""

    name: str | None
    arguments: dict[str, Any] | None
    call_id: str | None = None
    server: str | None = None
    output: Output | None = None
    """Its output, if the same line states it."""


def asked_by(body: Body) -> Asked:
    """The call in an item."""
    kind, call_id = body.type, as_text(body.call_id)
    if kind == "web_search_call":
        return Asked("web_search", as_arguments(body.action), call_id)
    if kind == "tool_search_call":
        return Asked("tool_search", as_arguments(body.arguments), call_id)
    if kind == "local_shell_call":
        action = as_mapping(body.action)
        arguments = {"command": action.get("command"), "workdir": action.get("working_directory")}
        given = {key: value for key, value in arguments.items() if value is not None}
        return Asked("local_shell", given, call_id or as_text(body.id))
    tool = as_text(body.name) or as_text(as_mapping(body.function).get("name"))
    if kind == "custom_tool_call":
        text = body.input
        custom = as_arguments(text) if isinstance(text, dict) or _is_object(text) else None
        if custom is None and isinstance(text, str):
            custom = {"input": text}
        return Asked(tool, custom, call_id, server_in_name(tool or ""))
    full, server = _named(tool, as_text(body.namespace))
    return Asked(full, as_arguments(body.arguments), call_id, server)


def _is_object(text: Any) -> bool:
    return isinstance(text, str) and text.lstrip().startswith("{")


def _named(tool: str | None, namespace: str | None) -> tuple[str | None, str | None]:
    """Name and server: newer versions write `mcp__<server>` as the namespace of a tool."""
    if tool is None or namespace is None or not namespace.startswith("mcp__"):
        return tool, server_in_name(tool or "")
    server = namespace.removeprefix("mcp__").strip("_")
    return f"mcp__{server}__{tool}", server or None


def ended_call(kind: str, body: Mapping[str, Any]) -> Asked | None:
    """The call whose end an event reports; None for an event about something else."""
    if kind == "item_completed":
        item = as_mapping(body.get("item"))
        kind, body = (
            _ITEMS.get(as_text(item.get("type")) or "", ""),
            {"call_id": item.get("id"), **item},
        )
    reader = _ENDS.get(kind)
    return None if reader is None else reader(body)


def _command(body: Mapping[str, Any]) -> Asked:
    arguments = {"command": body.get("command"), "workdir": body.get("cwd")}
    given = {key: value for key, value in arguments.items() if value is not None}
    return Asked("exec_command", given, as_text(body.get("call_id")), None, streams(body))


def _patch(body: Mapping[str, Any]) -> Asked:
    return Asked(
        "apply_patch",
        {"changes": changes_of(body.get("changes"))},
        as_text(body.get("call_id")),
        None,
        streams(body),
    )


def _mcp(body: Mapping[str, Any]) -> Asked:
    invocation = as_mapping(body.get("invocation")) or body
    return Asked(
        as_text(invocation.get("tool")),
        as_arguments(invocation.get("arguments")) or {},
        as_text(body.get("call_id")),
        as_text(invocation.get("server")),
        mcp_output(body.get("result"), body.get("error")),
    )


_ENDS = {
    "exec_command_end": _command,
    "patch_apply_end": _patch,
    "mcp_tool_call_end": _mcp,
}
_ITEMS = {
    "CommandExecution": "exec_command_end",
    "FileChange": "patch_apply_end",
    "McpToolCall": "mcp_tool_call_end",
}


def changes_of(changes: Any) -> list[dict[str, Any]]:
    """The files of a patch, from a list of `{path, kind}` or an object from path to change."""
    if isinstance(changes, list):
        return [dict(as_mapping(change)) for change in changes]
    found = []
    for path, change in as_mapping(changes).items():
        members = as_mapping(change)
        kind = as_text(members.get("type")) or next(iter(members), None)
        found.append({"path": path, "kind": kind})
        inner = as_mapping(members[kind]) if kind is not None and kind in members else members
        moved = as_text(inner.get("move_path"))
        if moved is not None:
            found.append({"path": moved, "kind": "add"})
    return found


# --- tokens ---


class Totals:
    """Model calls from running totals, and which calls each of them covers (D86).

    `token_count` states the total so far, once or several times for each model call, and sometimes
    not at all. The difference to the total before it is the tokens of one model call. It comes
    before the calls of its reply in 0.40 and 0.47, and after them in 0.66.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.last = TokenCounts(0, 0)
        self.cached = 0
        self.cached_at: list[int] = []
        """What came from a cache so far, at each model call."""
        self.is_counted = False
        """Whether the total of the current reply has come."""
        self.waiting: list[RawCall] = []
        """Calls of a reply whose total has not come yet."""
        self.is_answered = False
        """Whether one of the waiting calls has an answer."""
        self.is_known = True

    def call(self, call: RawCall) -> None:
        """Add a call of the current reply."""
        call.position = -1
        if self.is_counted:
            call.position = self.ledger.position
        else:
            self.waiting.append(call)

    def answer(self) -> None:
        """Note an answer: the reply before it is complete."""
        self.is_counted = False
        self.is_answered = bool(self.waiting)

    def turn(self) -> None:
        """Note that the model is asked again: a total that has not come yet will not come."""
        self.is_counted = False
        self.is_answered = False
        self.waiting.clear()

    def total(self, info: Info | None) -> None:
        """Read a total so far; a repeated one adds nothing."""
        usage = None if info is None else info.total
        last = self.last
        if info is None or usage is None:
            return
        if usage.input_tokens == last.input and usage.output_tokens == last.output:
            return
        found = _counts(usage)
        if found is None:
            return
        added = TokenCounts(found.input - last.input, found.output - last.output)
        if added.input < 0 or added.output < 0:
            # The count started again. All of it is new if it is the last call's tokens alone.
            if _counts(info.last) != found:
                self.ledger.interrupt()
                self.is_known = False
            added = found
        self.cached = as_count(usage.cached_input_tokens) or 0
        self.last = found
        self.ledger.add(len(self.ledger.order), added)
        self.cached_at.append(self.cached)
        for call in self.waiting:
            call.position = self.ledger.position
        # A total that comes after an answer belongs to the reply before that answer.
        self.is_counted = not self.is_answered
        self.is_answered = False
        self.waiting.clear()


def _counts(usage: Counts | None) -> TokenCounts | None:
    """Tokens so far; the input includes tokens from a cache."""
    if usage is None:
        return None
    given, made = as_count(usage.input_tokens), as_count(usage.output_tokens)
    return None if given is None or made is None else TokenCounts(given, made)
