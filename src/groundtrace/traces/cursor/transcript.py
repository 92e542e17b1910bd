"""One of Cursor's transcripts as a `Source`: lines, or the same lines collected in one file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from groundtrace import jsonio
from groundtrace.model import Usage
from groundtrace.patterns import regex
from groundtrace.problems import ProblemKind
from groundtrace.storage import Folder
from groundtrace.times import parse_time
from groundtrace.traces import salvage
from groundtrace.traces.cursor.calls import identity, outcome_of, text_of, tool_in
from groundtrace.traces.cursor.lines import Line, decode_line, fit_line
from groundtrace.traces.jsonl import RawLine, read_lines
from groundtrace.traces.keep import Keep
from groundtrace.traces.source import RawCall, Source
from groundtrace.traces.stored_output import shown_part
from groundtrace.values import as_count, as_mapping, as_text

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
            for line in read_lines(stream):
                transcript.line(line)
    return transcript.finish()


class CursorTranscript:
    """State of reading one file."""

    def __init__(self, path: str, keep: Keep) -> None:
        self.source = Source(path, "transcript", "cursor", harness="cursor", is_main_log=True)
        self.keep = keep
        self.by_id: dict[str, RawCall] = {}
        self.events = 0
        self.lines = 0
        self.noise = 0
        self.usage = Usage()

    def line(self, line: RawLine) -> None:
        self.lines += 1
        if line.too_long:
            self.source.report_long_line(line)
            return
        try:
            self.event(decode_line(line.data), line.number)
            return
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            pass
        try:
            value = jsonio.loads(line.data)
        except jsonio.BadJsonError as error:
            self.broken(line, str(error))
            return
        if isinstance(value, dict):
            self.event(fit_line(value), line.number)
        else:
            self.noise += 1

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
        for number, step in enumerate(steps if isinstance(steps, list) else [], 1):
            self.lines += 1
            if not isinstance(step, dict) or step.get("source") in ("malformed", "corpus_builder"):
                reason = "a line that could not be read, or was removed, when lines were collected"
                self.source.problem("trimmed_steps", reason, place=f"$.steps[{number - 1}]")
            else:
                self.event(fit_line(step), number)

    def broken(self, line: RawLine, reason: str) -> None:
        text = salvage.to_text(line.data)
        if '"' not in text and not text.startswith("{"):
            self.noise += 1
            return
        # A call has a started and a completed line, so it is lost only if neither was seen.
        known = 0
        for piece in salvage.intact_objects(text):
            if piece.value.get("type") == "tool_call":
                self.event(fit_line(piece.value), line.number)
                known += 1
        call_id = salvage.string_after(text, "call_id")
        lost = len(_CALL.findall(text)) - known
        if call_id is not None and call_id in self.by_id:
            lost -= 1
        kind: ProblemKind = "broken_line" if line.ended else "truncated_line"
        self.source.problem(
            kind, f"line cannot be decoded ({reason})", line=line.number, lost_calls=max(0, lost)
        )

    def event(self, line: Line, number: int) -> None:
        source = self.source
        moment = parse_time(line.timestamp_ms) or parse_time(line.timestamp)
        source.saw(moment)
        if isinstance(line.type, str):
            self.events += 1
        if line.type == "system":
            source.cwd = source.cwd or as_text(line.cwd)
            source.model = source.model or as_text(line.model)
            source.harness_version = source.harness_version or as_text(line.version)
        elif line.type == "result":
            self.totals(as_mapping(line.usage))
        elif line.type == "tool_call":
            self.tool_call(line, moment, number)

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
        known = self.by_id.get(call_id) if call_id is not None else None
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
        body: Mapping[str, Any],
        moment: float | None,
        number: int,
    ) -> RawCall | None:
        name, arguments, server = identity(kind, body)
        if not name or arguments is None:
            self.source.problem(
                "wrong_type",
                "tool_call without a tool, or whose args are no object",
                line=number,
                place="$.tool_call",
                lost_calls=1,
            )
            return None
        call = RawCall(
            name, self.keep.arguments(arguments), call_id=call_id, server=server, made_at=moment
        )
        if server is not None:
            self.source.mcp_servers.setdefault(server)
        self.source.calls.append(call)
        if call_id is not None:
            self.by_id[call_id] = call
        return call

    def complete(self, call: RawCall, body: Mapping[str, Any], moment: float | None) -> None:
        outcome, failed = outcome_of(body.get("result"))
        text, path = shown_part(text_of(outcome), outcome)
        failed = failed or as_mapping(outcome).get("isError") is True
        data = outcome if isinstance(outcome, dict | list) else None
        call.result, call.result_cut = self.keep.result(text, data, failed, path)
        call.answered_at = moment
        self.source.cut_results += call.result_cut

    def finish(self) -> Source:
        source = self.source
        source.parsed = self.events > 0
        source.usage = self.usage
        source.report_cut_results()
        source.report_lines(self.lines, self.noise)
        return source
