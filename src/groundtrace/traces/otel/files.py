"""The spans of a file, and which of them are one trial.

A trial is a conversation (`gen_ai.conversation.id`), or a trace that belongs to none. All spans of a
trace belong to the conversation of its first span that names one: an agent that another one calls
may have a conversation of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import field

from groundtrace.base import jsonio
from groundtrace.base.jsonl import RawLine, read_lines
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_items, as_mapping, as_text
from groundtrace.model import Problem
from groundtrace.storage import Folder
from groundtrace.traces.kit import salvage
from groundtrace.traces.otel.events import event_of
from groundtrace.traces.otel.records import (
    CONVERSATION,
    MESSAGE,
    Span,
    attributes_of,
    moment_of,
    operation_of,
)

MAX_DEPTH = 8
MAX_DOCUMENT = 64 * 1024 * 1024
_CALL = regex(r'"execute_tool"|"stringValue"\s*+:\s*+"execute_tool|[._]tool_(?:result|call)"')
_BETWEEN = regex(r"[\s,\[\]]*+")
GENAI = frozenset({"execute_tool", "chat", "invoke_agent", MESSAGE})


class Loaded(msgspec.Struct):
    """What a file holds."""

    trials: dict[str, list[Span]] = field(default_factory=dict)
    """Name of a trial to its spans, in the order of the file."""
    problems: list[Problem] = field(default_factory=list)
    spans: int = 0


_last: dict[tuple[str, str, str], Loaded] = {}
"""The file that was read last: each of its trials asks for it again."""


def load(folder: Folder, path: str) -> Loaded:
    """The trials of a file; raises OSError."""
    entry = folder.stat(path)
    key = (folder.url, path, "" if entry is None else entry.mark)
    if key not in _last or not key[2]:
        loaded = Loaded()
        spans = list(_spans_of(folder, path, loaded))
        loaded.spans = len(spans)
        loaded.trials = _trials(spans)
        _last.clear()
        _last[key] = loaded
    return _last[key]


def _trials(spans: Iterable[Span]) -> dict[str, list[Span]]:
    traces: dict[str, list[Span]] = {}
    for span in spans:
        traces.setdefault(span.trace, []).append(span)
    trials: dict[str, list[Span]] = {}
    for trace, own in traces.items():
        if not any(span.operation in GENAI for span in own):
            continue
        ordered = sorted(own, key=lambda span: span.started or 0.0)
        named = (span.text(CONVERSATION) for span in ordered)
        trials.setdefault(next((name for name in named if name), trace), []).extend(own)
    return trials


# --- bytes to decoded values ---


def _spans_of(folder: Folder, path: str, loaded: Loaded) -> Iterator[Span]:
    with folder.open(path) as stream:
        for line in read_lines(stream):
            if line.too_long:
                reason = f"line of {line.length:,} bytes at offset {line.offset:,} was not decoded"
                loaded.problems.append(Problem(path, "line_too_long", reason, line=line.number))
                continue
            try:
                value = jsonio.loads(line.data)
            except jsonio.BadJsonError as error:
                if line.number == 1 or line.data in (b"{", b"["):
                    break  # one document on many lines
                yield from _broken(line, str(error), path, loaded)
            else:
                yield from spans_in(value)
        else:
            return
    yield from _document(folder, path, loaded)


def _document(folder: Folder, path: str, loaded: Loaded) -> Iterator[Span]:
    """The spans of one document, or of objects one after the other; of a cut one, what is whole."""
    with folder.open(path) as stream:
        data = stream.read(MAX_DOCUMENT + 1)
    if len(data) > MAX_DOCUMENT:
        reason = f"a document of more than {MAX_DOCUMENT:,} bytes; what follows was not read"
        loaded.problems.append(Problem(path, "too_large", reason))
        data = data[:MAX_DOCUMENT]
    try:
        yield from spans_in(jsonio.loads(data))
        return
    except jsonio.BadJsonError as error:
        line, why = error.line, str(error)
    text = salvage.to_text(data)
    end, is_whole, calls = 0, True, 0
    for piece in salvage.intact_objects(text):
        is_whole = is_whole and _BETWEEN.fullmatch(text, end, piece.start) is not None
        end = piece.end
        for span in spans_in(piece.value):
            calls += span.operation == "execute_tool"
            yield span
    if not is_whole or text[end:].strip():
        lost = max(0, len(_CALL.findall(text)) - calls)
        reason = f"not valid JSON ({why}); spans that are whole were read"
        loaded.problems.append(Problem(path, "broken_json", reason, line=line, lost_calls=lost))


def _broken(line: RawLine, why: str, path: str, loaded: Loaded) -> Iterator[Span]:
    """The whole spans of a broken line."""
    text = salvage.to_text(line.data)
    calls = 0
    for piece in salvage.intact_objects(text):
        for span in spans_in(piece.value):
            calls += span.operation == "execute_tool"
            yield span
    lost = max(0, len(_CALL.findall(text)) - calls)
    reason = f"line cannot be decoded ({why}); spans that are whole were read"
    problem = Problem(
        path,
        "broken_line" if line.ended else "truncated_line",
        reason,
        line=line.number,
        lost_calls=lost,
    )
    loaded.problems.append(problem)


# --- decoded values to spans ---


def spans_in(value: Any, depth: int = 0) -> Iterator[Span]:
    """The spans and events of one export, one span, or a list of them, in order."""
    if isinstance(value, list):
        for item in value:
            yield from spans_in(item, depth + 1)
        return
    if not isinstance(value, dict) or depth > MAX_DEPTH:
        return
    found = False
    for lists, scopes, records in _EXPORTS:
        for one in as_items(value.get(lists)):
            found = True
            yield from _of_resource(as_mapping(one), scopes, records)
    if found:
        return
    for _, scopes, records in _EXPORTS:  # what is left of a cut export
        if any(isinstance(value.get(name), list) for name in scopes):
            yield from _of_resource(value, scopes, records)
            return
        if any(isinstance(value.get(name), list) for name in records):
            yield from _of_scope(value, records, {})
            return
    alone = _span(value, {})
    if alone is not None:
        yield alone


_EXPORTS = (
    ("resourceSpans", ("scopeSpans", "instrumentationLibrarySpans"), ("spans",)),
    ("resource_spans", ("scope_spans",), ("spans",)),
    ("resourceLogs", ("scopeLogs",), ("logRecords",)),
    ("resource_logs", ("scope_logs",), ("log_records",)),
)


def _of_resource(
    one: Mapping[str, Any], scopes: Iterable[str], records: Iterable[str]
) -> Iterator[Span]:
    resource = attributes_of(as_mapping(one.get("resource")).get("attributes"))
    for scope in (scope for name in scopes for scope in as_items(one.get(name))):
        yield from _of_scope(as_mapping(scope), records, resource)


def _of_scope(
    scope: Mapping[str, Any], records: Iterable[str], resource: Mapping[str, Any]
) -> Iterator[Span]:
    for name in records:
        for record in as_items(scope.get(name)):
            span = _span(record, resource)
            if span is not None:
                yield span


def _span(value: Any, resource: Mapping[str, Any]) -> Span | None:
    """The span or the event of a record; None if it is neither."""
    record = as_mapping(value)
    if not isinstance(record.get("attributes"), dict | list):
        return None
    attributes = attributes_of(record["attributes"])
    if not resource and "resource" in record:
        resource = attributes_of(as_mapping(record["resource"]).get("attributes"))
    event = event_of(record, attributes, resource)
    if event is not None:
        return event
    if "context" in record or "_spanContext" in record:
        record = {**as_mapping(record.get("context") or record.get("_spanContext")), **record}
    trace = as_text(_member(record, _TRACE))
    if trace is None:
        return None
    name = as_text(_member(record, ("name", "operationName"))) or ""
    status = as_mapping(record.get("status"))
    code = status.get("code", status.get("status_code")) if status else None
    return Span(
        name=name,
        trace=trace,
        id=as_text(_member(record, _ID)) or "",
        parent=as_text(_member(record, _PARENT)) or "",
        started=moment_of(_member(record, _STARTED)),
        ended=moment_of(_member(record, _ENDED)),
        attributes=attributes,
        operation=operation_of(name, attributes),
        failed=code in _ERRORS or "error.type" in attributes,
        events=[
            (as_text(item.get("name")) or "", attributes_of(item.get("attributes")))
            for item in map(as_mapping, as_items(record.get("events")))
        ],
        resource=resource,
    )


_TRACE = ("traceId", "trace_id", "traceID")
_ID = ("spanId", "span_id", "spanID", "id")
_PARENT = ("parentSpanId", "parent_span_id", "parent_id", "parentId")
_STARTED = ("startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time")
_ENDED = ("endTimeUnixNano", "end_time_unix_nano", "endTime", "end_time")


def _member(record: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """The value of the first of these members that is there."""
    for name in names:
        value = record.get(name)
        if value is not None:
            return value
    return None


_ERRORS = (2, "2", "STATUS_CODE_ERROR", "ERROR", "Error")
