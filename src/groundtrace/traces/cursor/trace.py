"""One of Cursor's transcripts as a `Source`: lines, or the same lines collected in one file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, BinaryIO

from groundtrace.base import jsonio
from groundtrace.base.jsonl import RawLine, read_lines
from groundtrace.base.patterns import regex
from groundtrace.base.times import MILLISECONDS_FROM, parse_time
from groundtrace.base.values import as_count, as_items, as_mapping, as_text
from groundtrace.model import Usage
from groundtrace.storage import Folder
from groundtrace.traces.cursor.records import (
    Body,
    Line,
    decode_line,
    identity,
    outcome_of,
    text_of,
    tool_in,
)
from groundtrace.traces.kit import salvage
from groundtrace.traces.kit.fit import NOT_FITTING, fit
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.log import Log
from groundtrace.traces.kit.stored_output import shown_part
from groundtrace.traces.source import RawCall, Source

MAX_COLLECTED = 64 * 1024 * 1024
"""Most bytes of a file of collected lines; a longer file counts as damaged at that place."""

_CALL = regex(r'"type"\s*:\s*"tool_call"')


def read(folder: Folder, path: str, keep: Keep) -> Source:
    """Read a file of lines, or a file of collected lines."""
    transcript = CursorTranscript(path, keep)
    with folder.open(path) as stream:
        if path.endswith("trajectory.json"):
            transcript.collected(stream.read(MAX_COLLECTED + 1))
        else:
            transcript.read_lines(stream)
    return transcript.finish()


class CursorTranscript:
    """State of reading one file."""

    def __init__(self, path: str, keep: Keep) -> None:
        self.source = Source(path, "transcript", "cursor", harness="cursor", is_main_log=True)
        self.log = Log(self.source, keep)
        self.events = 0
        self.usage = Usage()
        self.earliest: float = math.inf
        """The earliest time so far in milliseconds. Nine of ten lines are pieces of a thought, of
        which only the time counts, and only if it is an earlier one."""

    def read_lines(self, stream: BinaryIO) -> None:
        """Read all lines of a file."""
        for line in read_lines(stream):
            self.log.lines += 1
            try:
                event = decode_line(line.data)
            except NOT_FITTING:
                self.other_line(line)
            else:
                self.event(event, line.number)

    def other_line(self, line: RawLine) -> None:
        """Read a line that is not of the usual form."""
        if line.too_long:
            self.source.report_long_line(line)
            return
        try:
            value = jsonio.loads(line.data)
        except jsonio.BadJsonError as error:
            self.broken(line, str(error))
            return
        if isinstance(value, dict):
            self.event(fit(value, Line), line.number)
        else:
            self.log.noise(line.number)

    def collected(self, data: bytes) -> None:
        """Read a file whose `steps` are lines; if it is damaged, the intact lines."""
        try:
            steps = as_mapping(jsonio.loads(data[:MAX_COLLECTED])).get("steps")
        except jsonio.BadJsonError as error:
            self.source.problem("broken_json", f"the file cannot be decoded ({error})")
            text = salvage.to_text(data[:MAX_COLLECTED])
            opened = text.find("[", max(text.find('"steps"'), 0))
            pieces = salvage.intact_objects(text, opened + 1) if opened >= 0 else ()
            steps = [piece.value for piece in pieces]
        for number, step in enumerate(as_items(steps), 1):
            self.log.lines += 1
            if not isinstance(step, dict) or step.get("source") in ("malformed", "corpus_builder"):
                reason = "a line that could not be read, or was removed, when lines were collected"
                self.source.problem("trimmed_steps", reason, place=f"$.steps[{number - 1}]")
            else:
                self.event(fit(step, Line), number)

    def broken(self, line: RawLine, reason: str) -> None:
        text = salvage.to_text(line.data)
        if '"' not in text and not text.startswith("{"):
            self.log.noise(line.number)
            return
        # A call has a started and a completed line, so it is lost only if neither was seen.
        known = 0
        for piece in salvage.intact_objects(text):
            if piece.value.get("type") == "tool_call":
                self.event(fit(piece.value, Line), line.number)
                known += 1
        call_id = salvage.string_after(text, "call_id")
        lost = len(_CALL.findall(text)) - known
        self.log.broken(line, reason, lost - (call_id in self.log.by_id))

    def event(self, line: Line, number: int) -> None:
        kind, stamp = line.type, line.timestamp_ms
        if kind == "tool_call":
            self.tool_call(line, self.moment(line), number)
        elif type(stamp) is not int or stamp < self.earliest or line.timestamp is not None:
            self.moment(line)
        if isinstance(kind, str):
            self.events += 1
            if kind == "system":
                self.system(line)
            elif kind == "result":
                self.totals(as_mapping(line.usage))

    def system(self, line: Line) -> None:
        source = self.source
        source.cwd = source.cwd or as_text(line.cwd)
        source.model = source.model or as_text(line.model)
        source.harness_version = source.harness_version or as_text(line.version)

    def moment(self, line: Line) -> float | None:
        """Read the time of a line."""
        stamp = line.timestamp_ms
        moment = parse_time(stamp)
        if moment is None:
            moment = parse_time(line.timestamp)
        elif type(stamp) is int and MILLISECONDS_FROM <= stamp < self.earliest:
            self.earliest = stamp
        self.source.saw(moment)
        return moment

    def totals(self, usage: Mapping[str, Any]) -> None:
        output = as_count(usage.get("outputTokens"))
        parts = [
            as_count(usage.get(key))
            for key in ("inputTokens", "cacheReadTokens", "cacheWriteTokens")
        ]
        self.usage = Usage(
            output_tokens=output,
            output_tokens_source=None if output is None else "result.usage",
            input_tokens=None if parts[0] is None else sum(part or 0 for part in parts),
        )

    def tool_call(self, line: Line, moment: float | None, number: int) -> None:
        call_id = as_text(line.call_id)
        kind, body = tool_in(line.tool_call)
        known = self.log.by_id.get(call_id or "")
        if known is None:
            known = self.start(call_id, kind, body, moment, number)
            if known is None:
                return
        if line.subtype == "completed" and known.result is None:
            self.complete(known, body, moment)

    def start(
        self,
        call_id: str | None,
        kind: str | None,
        body: Body,
        moment: float | None,
        number: int,
    ) -> RawCall | None:
        name, arguments, server = identity(kind, body)
        if not name or arguments is None:
            reason = "tool_call without a tool, or whose args are no object"
            self.log.unusable(reason, line=number, place="$.tool_call")
            return None
        return self.log.call(name, arguments, call_id, server, moment)

    def complete(self, call: RawCall, body: Body, moment: float | None) -> None:
        outcome, failed = outcome_of(body.result)
        text, path = shown_part(text_of(outcome), outcome)
        data = outcome if isinstance(outcome, (dict, list)) else None
        if isinstance(outcome, dict) and outcome.get("isError") is True:
            failed = True
        self.log.answer(call, text, failed, data, path)
        call.answered_at = moment

    def finish(self) -> Source:
        source = self.source
        source.parsed = self.events > 0
        source.usage = self.usage
        self.log.finish()
        return source
