"""What `codex exec --json` prints, and the stream of mid-2025, as a `Source`.

Both report the start and the end of each item. Wrappers put an event into another object
(`{"log_type": …, "timestamp_iso": …, "data": {…}}`) and add the time that the event lacks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from groundtrace.base.jsonl import RawLine
from groundtrace.base.patterns import regex
from groundtrace.base.times import parse_time
from groundtrace.base.values import as_count, as_mapping, as_text
from groundtrace.model import Stated, Usage
from groundtrace.traces.codex.records import (
    Asked,
    Output,
    changes_of,
    ended_call,
    mcp_output,
    streams,
)
from groundtrace.traces.kit import salvage
from groundtrace.traces.kit.fit import as_arguments
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.log import Log
from groundtrace.traces.source import RawCall, Source

_EVENT = regex(r"(?:thread|turn|item)\.\w+$")
_ITEM = regex(r'"type"\s*:\s*"(?:command_execution|file_change|mcp_tool_call)"')
_TIMES = ("timestamp_iso", "timestamp", "ts", "time")
_INSIDE = ("data", "payload", "event", "msg", "message")
"""Members in which a wrapper puts the event."""
_RUNNING = ("in_progress", "pending", None)
_BEGINS = {
    "exec_command_begin": "exec_command_end",
    "patch_apply_begin": "patch_apply_end",
    "mcp_tool_call_begin": "mcp_tool_call_end",
}


def event_in(value: Any) -> tuple[Mapping[str, Any], Any] | None:
    """The event in a line, and its time from the line or from a wrapper."""
    moment = None
    for _ in range(4):
        if not isinstance(value, dict):
            return None
        moment = next((value[name] for name in _TIMES if value.get(name) is not None), moment)
        kind = value.get("type")
        if isinstance(kind, str) and _EVENT.match(kind):
            return value, moment
        message = value.get("msg")
        if isinstance(message, dict) and isinstance(message.get("type"), str) and "id" in value:
            return message, moment
        value = next((value[name] for name in _INSIDE if isinstance(value.get(name), dict)), None)
    return None


def is_stream(value: Any) -> bool:
    """Whether a line is an event of a stream: whether `event_in` finds one.

    It does not look for times: every line of a rollout is asked, which was a quarter of the time.
    """
    for _ in range(4):
        if not isinstance(value, dict):
            return False
        kind = value.get("type")
        if isinstance(kind, str) and "." in kind and _EVENT.match(kind):
            return True
        message = value.get("msg")
        if isinstance(message, dict) and isinstance(message.get("type"), str) and "id" in value:
            return True
        for name in _INSIDE:
            inside = value.get(name)
            if isinstance(inside, dict):
                value = inside
                break
        else:
            return False
    return False


class CodexStream:
    """State of reading one stream."""

    def __init__(self, path: str, keep: Keep) -> None:
        self.source = Source(
            path,
            "transcript",
            "stream",
            harness="codex",
            rank=1,
            omits_subagents=True,
            spawners=frozenset({"spawn_agent"}),
        )
        self.log = Log(self.source, keep)
        self.events = 0
        self.thread: str | None = None
        self.turns: list[tuple[str | None, Mapping[str, Any]]] = []

    def line(self, raw: RawLine, value: Any, problem: str | None) -> None:
        self.log.lines += 1
        if raw.too_long:
            self.source.report_long_line(raw)
            return
        if problem is not None:
            self.broken(raw, problem)
            return
        found = event_in(value)
        if found is None:
            if not (isinstance(value, dict) and isinstance(value.get("type"), str)):
                self.log.noise(raw.number)
            return
        self.event(*found, raw.number)

    def broken(self, raw: RawLine, reason: str) -> None:
        text = salvage.to_text(raw.data)
        if not text.startswith("{") and '"type"' not in text:
            self.log.noise(raw.number)
            return
        before = len(self.source.calls)
        for piece in salvage.intact_objects(text):
            found = event_in(piece.value)
            if found is not None:
                self.event(*found, raw.number)
            elif isinstance(piece.value.get("type"), str) and _ITEM.search(text):
                self.item(piece.value, None, raw.number)
        call_id = salvage.string_after(text, "id")
        found_calls = len(self.source.calls) - before
        known = call_id in self.log.by_id and not found_calls
        self.log.broken(raw, reason, len(_ITEM.findall(text)) - found_calls - known)

    def event(self, event: Mapping[str, Any], time: Any, number: int) -> None:
        self.events += 1
        moment = parse_time(time)
        self.source.saw(moment)
        kind = str(event["type"])
        if kind == "thread.started":
            # Ids of items start again with each run.
            self.thread = as_text(event.get("thread_id"))
            self.log.by_id.clear()
        elif kind == "turn.completed":
            self.turns.append((self.thread, as_mapping(event.get("usage"))))
        elif kind.startswith("item."):
            self.item(as_mapping(event.get("item")), moment, number)
        elif kind == "session_configured":
            self.source.model = self.source.model or as_text(event.get("model"))
            self.source.cwd = self.source.cwd or as_text(event.get("cwd"))
        elif kind in _BEGINS:
            asked = ended_call(_BEGINS[kind], event)
            if asked is not None:
                self.start(asked, moment, as_text(event.get("cwd")))
        else:
            self.end(ended_call(kind, event), moment, as_text(event.get("cwd")))

    # --- calls ---

    def item(self, item: Mapping[str, Any], moment: float | None, number: int) -> None:
        kind = as_text(item.get("type")) or as_text(item.get("item_type"))
        reader = _ITEMS.get(kind or "")
        if reader is None:
            return
        asked = reader(item)
        if asked.name is None or asked.arguments is None:
            if as_text(item.get("id")) is None or item.get("status") not in _RUNNING:
                reason = f"a {kind} without a tool, or whose arguments are no object"
                self.log.unusable(reason, line=number, place="$.item")
            return
        if item.get("status") in _RUNNING and kind != "web_search":
            self.start(asked, moment, None)
        else:
            self.end(asked, moment, None)

    def start(self, asked: Asked, moment: float | None, cwd: str | None) -> RawCall:
        known = self.log.by_id.get(asked.call_id or "")
        if known is not None:
            return known
        return self.log.call(
            asked.name or "",
            dict(asked.arguments or {}),
            asked.call_id,
            asked.server,
            moment,
            position=-1,
            cwd=cwd or self.source.cwd,
        )

    def end(self, asked: Asked | None, moment: float | None, cwd: str | None) -> None:
        if asked is None or asked.name is None:
            return
        call = self.start(asked, moment, cwd)
        output = asked.output
        if call.result is None and output is not None:
            self.log.answer(call, output.text, output.failed, output.data)
            call.answered_at = moment

    # --- end ---

    def finish(self) -> Source:
        source = self.source
        source.parsed = self.events > 0
        self.log.finish()
        source.usage = self.usage()
        source.stated = Stated(model=source.model, harness=source.harness)
        return source

    def usage(self) -> Usage:
        """Tokens of all turns. If one thread has two turns, it is unknown whether the second
        repeats the first, so there is no sum."""
        threads = [thread for thread, _ in self.turns]
        if not self.turns or len(set(threads)) < len(threads):
            return Usage()
        output = _sum(usage.get("output_tokens") for _, usage in self.turns)
        return Usage(
            output_tokens=output,
            output_tokens_source=None if output is None else "turn.completed",
            input_tokens=_sum(usage.get("input_tokens") for _, usage in self.turns),
            cached_tokens=_sum(usage.get("cached_input_tokens") for _, usage in self.turns),
        )


def _sum(values: Any) -> int | None:
    counts = [as_count(value) for value in values]
    return None if None in counts else sum(count for count in counts if count is not None)


def _command(item: Mapping[str, Any]) -> Asked:
    command = item.get("command")
    given = {"command": command} if isinstance(command, str | list) else None
    return Asked("command_execution", given, as_text(item.get("id")), None, streams(item))


def _file_change(item: Mapping[str, Any]) -> Asked:
    given = {"changes": changes_of(item.get("changes"))}
    return Asked("file_change", given, as_text(item.get("id")), None, streams(item))


def _mcp(item: Mapping[str, Any]) -> Asked:
    output = mcp_output(item.get("result"), item.get("error"))
    failed = output.failed or item.get("status") == "failed"
    return Asked(
        as_text(item.get("tool")),
        as_arguments(item.get("arguments")),
        as_text(item.get("id")),
        as_text(item.get("server")),
        msgspec.structs.replace(output, failed=failed),
    )


def _collab(item: Mapping[str, Any]) -> Asked:
    given = {"prompt": item.get("prompt"), "agents": item.get("receiver_thread_ids")}
    arguments = {key: value for key, value in given.items() if value is not None}
    failed = item.get("status") == "failed"
    return Asked(
        as_text(item.get("tool")), arguments, as_text(item.get("id")), None, Output("", failed)
    )


def _web_search(item: Mapping[str, Any]) -> Asked:
    return Asked("web_search", {"query": item.get("query")}, as_text(item.get("id")))


_ITEMS = {
    "command_execution": _command,
    "file_change": _file_change,
    "mcp_tool_call": _mcp,
    "collab_tool_call": _collab,
    "web_search": _web_search,
}
