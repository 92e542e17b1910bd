"""Cursor's JSONL (`agent/cursor-agent.jsonl`), and the same lines collected in one JSON file.

The latter calls itself `cursor-jsonl-v1` and lies where trajectories do; its `steps` are the lines.
Each call is written twice, started and completed. The tool is the only key of `tool_call`; times
are milliseconds since the epoch; tokens stand on the last line alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from groundtrace import jsonio
from groundtrace.model import Usage
from groundtrace.problems import ProblemKind
from groundtrace.storage import Folder
from groundtrace.times import parse_time
from groundtrace.traces import salvage
from groundtrace.traces.jsonl import RawLine, read_lines
from groundtrace.traces.persisted import shown
from groundtrace.traces.source import Keep, Probe, RawCall, Recognised, Source
from groundtrace.traces.values import UNKNOWN_SERVER, as_arguments, parts_text, server_of
from groundtrace.values import as_count, as_mapping, as_text

FAILURES = ("failure", "error", "rejected", "permissionDenied", "timeout", "fileNotFound")
"""Outcomes that stand in place of `success`."""

_COLLECTED = re.compile(rb'"schema_version"\s*:\s*"cursor-jsonl')
_CALL_MEMBER = re.compile(rb'"\w+ToolCall"\s*:\s*\{')
_CALL_LINE = re.compile(rb'"type"\s*:\s*"tool_call"')

MAX_COLLECTED = 64 * 1024 * 1024
"""Bytes of a file of collected lines; beyond it the file counts as damaged at that place."""

_CALL = re.compile(r'"type"\s*:\s*"tool_call"')


class _Line(msgspec.Struct):
    type: Any = None
    subtype: Any = None
    call_id: Any = None
    tool_call: Any = None
    timestamp_ms: Any = None
    timestamp: Any = None
    cwd: Any = None
    model: Any = None
    usage: Any = None
    version: Any = None


_decoder = msgspec.json.Decoder(_Line)
_FIELDS = tuple(item.name for item in msgspec.structs.fields(_Line))


class CursorReader:
    """Reader of Cursor's stream JSON."""

    name = "cursor"
    patterns: tuple[str, ...] = (
        "agent/cursor-agent.jsonl",
        "agent/cursor.jsonl",
        "agent/cursor-agent.txt",
        "agent/trajectory.json",
    )

    def recognise(self, probe: Probe) -> Recognised | None:
        # Patterns are slow to say no to other formats' text; plain text is found at once.
        head = probe.head
        if b'"cursor-jsonl' in head and _COLLECTED.search(head):
            return Recognised("marker", "schema_version cursor-jsonl-v1")
        if probe.path.endswith("trajectory.json"):
            return None
        if b'ToolCall"' in head and _CALL_MEMBER.search(head):
            return Recognised("marker", "…ToolCall in the first lines")
        if b'"tool_call"' in head and _CALL_LINE.search(head):
            return Recognised("shape", "lines of type tool_call")
        if "cursor" in probe.path.rsplit("/", 1)[-1]:
            return Recognised("name", f"named {probe.path.rsplit('/', 1)[-1]}")
        return None

    def read(self, folder: Folder, path: str, keep: Keep) -> Source:
        reading = _Reading(path, keep)
        with folder.open(path) as stream:
            if path.endswith("trajectory.json"):
                reading.collected(stream.read(MAX_COLLECTED + 1))
            else:
                for line in read_lines(stream):
                    reading.line(line)
        return reading.finish()


class _Reading:
    def __init__(self, path: str, keep: Keep) -> None:
        self.source = Source(path, "transcript", "cursor", harness="cursor")
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
            self.event(_decoder.decode(line.data), line.number)
            return
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            pass
        try:
            value = jsonio.loads(line.data)
        except jsonio.BadJsonError as error:
            self.broken(line, str(error))
            return
        if isinstance(value, dict):
            self.event(_fit(value), line.number)
        else:
            self.noise += 1

    def collected(self, data: bytes) -> None:
        """A whole file whose `steps` are lines; of a damaged one, the lines that are intact."""
        try:
            steps = as_mapping(jsonio.loads(data[:MAX_COLLECTED])).get("steps")
        except jsonio.BadJsonError as error:
            self.source.problem("broken_json", f"the file does not decode ({error})")
            text = salvage.to_text(data[:MAX_COLLECTED])
            opened = text.find("[", max(text.find('"steps"'), 0))
            pieces = salvage.intact_objects(text, opened + 1) if opened >= 0 else ()
            steps = [piece.value for piece in pieces]
        for number, step in enumerate(steps if isinstance(steps, list) else [], 1):
            self.lines += 1
            if not isinstance(step, dict) or step.get("source") in ("malformed", "corpus_builder"):
                reason = (
                    "a line that could not be read, or was taken out, when lines were collected"
                )
                self.source.problem("trimmed_steps", reason, place=f"$.steps[{number - 1}]")
            else:
                self.event(_fit(step), number)

    def broken(self, line: RawLine, reason: str) -> None:
        text = salvage.to_text(line.data)
        if '"' not in text and not text.startswith("{"):
            self.noise += 1
            return
        # A started and a completed line count for one call, so only a call never seen is lost.
        known = 0
        for piece in salvage.intact_objects(text):
            if piece.value.get("type") == "tool_call":
                self.event(_fit(piece.value), line.number)
                known += 1
        call_id = salvage.string_after(text, "call_id")
        lost = len(_CALL.findall(text)) - known
        if call_id is not None and call_id in self.by_id:
            lost -= 1
        kind: ProblemKind = "broken_line" if line.ended else "truncated_line"
        self.source.problem(
            kind, f"line does not decode ({reason})", line=line.number, lost_calls=max(0, lost)
        )

    def event(self, line: _Line, number: int) -> None:
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

    def tool_call(self, line: _Line, moment: float | None, number: int) -> None:
        call_id = as_text(line.call_id)
        kind, body = _tool(line.tool_call)
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
        name, arguments, server = _identity(kind, body)
        if name is None or arguments is None:
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
        outcome, failed = _outcome(body.get("result"))
        text, path = shown(_text(outcome), outcome)
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


def _fit(value: dict[str, Any]) -> _Line:
    return _Line(**{key: value[key] for key in _FIELDS if key in value})


def _tool(value: Any) -> tuple[str | None, Mapping[str, Any]]:
    """The kind of tool, the single key of `tool_call` that holds an object, and its body."""
    members = {key: item for key, item in as_mapping(value).items() if isinstance(item, dict)}
    named = [key for key in members if key.endswith("ToolCall") or key == "function"]
    kind = next(iter(named or members), None)
    return kind, {} if kind is None else members[kind]


def _identity(
    kind: str | None, body: Mapping[str, Any]
) -> tuple[str | None, dict[str, Any] | None, str | None]:
    """Tool name, arguments and MCP server."""
    if kind is None:
        return None, None, None
    if kind == "function":
        name = as_text(body.get("name"))
        return name, as_arguments(body.get("arguments")), server_of(name or "")
    arguments = as_arguments(body.get("args"))
    if kind == "mcpToolCall" and arguments is not None:
        name = as_text(arguments.get("toolName")) or as_text(arguments.get("name")) or kind
        server = as_text(arguments.get("providerIdentifier")) or server_of(name)
        return name, as_arguments(arguments.get("args")), server or UNKNOWN_SERVER
    return kind, arguments, None


def _outcome(result: Any) -> tuple[Any, bool]:
    """What the call gave, and whether it failed."""
    members = as_mapping(result)
    if "success" in members:
        return members["success"], False
    for key in FAILURES:
        if key in members:
            return members[key], True
    return result, False


def _text(outcome: Any) -> str:
    """The text that the agent saw, as far as the kind of tool has one."""
    if isinstance(outcome, str):
        return outcome
    members = as_mapping(outcome)
    content = members.get("content")
    if isinstance(content, str | list):
        return parts_text(content)
    streams = [members.get(key) for key in ("stdout", "stderr", "interleavedOutput")]
    told = [item for item in streams[:2] if isinstance(item, str) and item]
    if told:
        return "\n".join(told)
    if isinstance(streams[2], str):
        return streams[2]
    files = members.get("files")
    if isinstance(files, list):
        return "\n".join(item for item in files if isinstance(item, str))
    for key in ("error", "errorMessage", "message", "reason"):
        if isinstance(members.get(key), str):
            return str(members[key])
    return ""
