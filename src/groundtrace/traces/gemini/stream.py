"""What `gemini --output-format stream-json` printed, as a `Source`.

An event `tool_result` holds what the terminal displays, not what the model saw: for a file that was
read it is empty or a summary. Only for a command the display is its output. All other answers count
as missing from the trace, so nothing is invented from a summary (D90).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groundtrace.base.jsonl import RawLine
from groundtrace.base.mcp import server_in_name
from groundtrace.base.patterns import regex
from groundtrace.base.times import parse_time
from groundtrace.base.values import as_count, as_mapping, as_number, as_text
from groundtrace.base.visible import plural
from groundtrace.model import Stated, Usage
from groundtrace.traces.gemini.records import SHELL
from groundtrace.traces.kit import salvage
from groundtrace.traces.kit.fit import as_arguments
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.log import Log
from groundtrace.traces.source import Source

HARNESS = "gemini-cli"
_EVENTS = frozenset({"init", "message", "tool_use", "tool_result", "error", "result"})
_LOST = regex(r'"type"\s*:\s*"tool_use"')


def is_stream(value: Any) -> bool:
    """Whether a decoded line is an event that only this stream has."""
    members = as_mapping(value)
    kind = members.get("type")
    if kind == "init":
        return "session_id" in members
    return (kind == "tool_use" and "tool_name" in members) or (
        kind == "tool_result" and "tool_id" in members
    )


class GeminiStream:
    """State of reading one stream."""

    def __init__(self, path: str, keep: Keep) -> None:
        self.source = Source(path, "transcript", "stream", harness=HARNESS, rank=1)
        self.log = Log(self.source, keep)
        self.events = self.displays = 0
        self.last: float | None = None
        self.stats: Mapping[str, Any] = {}
        self.status: str | None = None

    def line(self, raw: RawLine, value: Any, problem: str | None) -> None:
        self.log.lines += 1
        if raw.too_long:
            self.source.report_long_line(raw)
        elif problem is not None:
            self.broken(raw, problem)
        elif isinstance(value, dict) and as_text(value.get("type")) in _EVENTS:
            self.event(value, raw.number)
        else:
            self.log.noise(raw.number)

    def broken(self, raw: RawLine, reason: str) -> None:
        text = salvage.to_text(raw.data)
        if not text.startswith("{"):
            self.log.noise(raw.number)
            return
        before = len(self.source.calls)
        for piece in salvage.intact_objects(text):
            if is_stream(piece.value):
                self.event(piece.value, raw.number)
        found = len(self.source.calls) - before
        self.log.broken(raw, reason, len(_LOST.findall(text)) - found)

    def event(self, event: Mapping[str, Any], number: int) -> None:
        self.events += 1
        moment = parse_time(event.get("timestamp"))
        self.source.saw(moment)
        self.last = moment if moment is not None else self.last
        kind = event.get("type")
        if kind == "init":
            self.source.model = self.source.model or as_text(event.get("model"))
        elif kind == "tool_use":
            self.call(event, moment, number)
        elif kind == "tool_result":
            self.answer(event, moment, number)
        elif kind == "result":
            self.stats = as_mapping(event.get("stats"))
            self.status = as_text(event.get("status"))

    def call(self, event: Mapping[str, Any], moment: float | None, number: int) -> None:
        name, arguments = as_text(event.get("tool_name")), as_arguments(event.get("parameters"))
        if name is None or arguments is None:
            what = "tool_name" if name is None else "parameters"
            reason = f"a call whose {what} cannot be used"
            self.log.unusable(reason, line=number, place=f"$.{what}")
            return
        call_id = as_text(event.get("tool_id"))
        if call_id is None or call_id not in self.log.by_id:
            self.log.call(name, arguments, call_id, server_in_name(name), moment, position=-1)

    def answer(self, event: Mapping[str, Any], moment: float | None, number: int) -> None:
        call = self.log.by_id.get(as_text(event.get("tool_id")) or "")
        if call is None:
            self.log.orphan(number)
            return
        call.answered_at = moment
        error = event.get("error")
        failed = error is not None or event.get("status") == "error"
        shown = event.get("output")
        text = shown if isinstance(shown, str) else ""
        if failed:
            text = as_text(as_mapping(error).get("message")) or text
        elif call.name != SHELL:
            self.displays += 1
            return
        self.log.answer(call, text, failed)

    def finish(self) -> Source:
        source = self.source
        source.parsed = self.events > 0
        self.log.finish()
        if self.displays:
            what = plural(self.displays, "answer is", "answers are")
            reason = (
                f"{what} only what the terminal showed; the session file under ~/.gemini/tmp "
                "holds what the model saw"
            )
            source.problem("trimmed_result", reason)
        output = as_count(self.stats.get("output_tokens"))
        source.usage = Usage(
            output_tokens=output,
            output_tokens_source=None if output is None else "stats of the event result",
            input_tokens=as_count(self.stats.get("input_tokens")),
            cached_tokens=as_count(self.stats.get("cached")),
            total_tokens=as_count(self.stats.get("total_tokens")),
        )
        length = as_number(self.stats.get("duration_ms"))
        seconds = None if length is None or length < 0 else length / 1000
        source.stated = Stated(
            model=source.model,
            harness=HARNESS,
            agent_seconds=seconds,
            exit_status=self.status if self.status not in (None, "success") else None,
        )
        return source
