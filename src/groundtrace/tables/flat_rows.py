"""Rows of the flat tables, made from one trial's documents at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import UNSET

from groundtrace.documents.events import Event, EventsDocument
from groundtrace.metrics.catalogue import METRICS
from groundtrace.metrics.looked_at import looked_at
from groundtrace.rows.trial_row import Detail
from groundtrace.rows.verdicts import verdict_of
from groundtrace.tables.columns import KEY, TABLES

FlatRow = tuple[Any, ...]


def flat_rows(table: str, detail: Detail) -> Iterator[FlatRow]:
    """The trial's rows of one table, in the order of its columns, including keys."""
    where = detail.events.provenance
    key = tuple(getattr(where, column.name) for column in KEY)
    for row in _MAKERS[table](detail):
        yield (*key, *row)


def flat_dicts(table: str, details: Iterator[Detail]) -> Iterator[dict[str, Any]]:
    """Rows of all trials as dictionaries; pandas and polars accept them directly."""
    names = [column.name for column in TABLES[table]]
    for detail in details:
        for row in flat_rows(table, detail):
            yield dict(zip(names, row, strict=True))


def wide_rows(details: Iterable[Detail]) -> Iterator[dict[str, Any]]:
    """The columns of the table `trials`, then one for each metric; None if it is undefined."""
    for detail in details:
        (row,) = flat_dicts("trials", iter([detail]))
        metrics = {name: metric.getter(detail.metrics) for name, metric in METRICS.items()}
        yield row | metrics


def _set(value: Any) -> Any:
    return None if value is UNSET else value


def _trials(detail: Detail) -> Iterator[FlatRow]:
    row, metrics = detail.row, detail.metrics
    outcome = row.outcome
    values: dict[str, Any] = {
        **_fields(metrics.provenance),
        **_fields(outcome),
        **_fields(metrics.coverage),
        **_fields(metrics.event_summary),
        **(_fields(row.slices) if row.slices is not None else {}),
        "trial_key": row.trial_key,
        "edit_targets": row.edit_targets,
        "computable": row.computable,
        "reason": row.reason,
        "ground_truth_files": metrics.event_summary.ground_truth_files_total,
        "model": metrics.provenance.model,
        "benchmark": metrics.provenance.benchmark or None,
        "document": row.document,
    }
    yield tuple(values.get(column.name) for column in TABLES["trials"][len(KEY) :])


def _fields(struct: msgspec.Struct | None) -> dict[str, Any]:
    if struct is None:
        return {}
    return {name: _set(getattr(struct, name)) for name in struct.__struct_fields__}


_EVENT_VALUES: Mapping[str, Callable[[Event], Any]] = {
    "target_files": lambda event: len(event.target_files),
    "arguments": lambda event: msgspec.json.encode(event.arguments, order="sorted").decode(),
}
"""Columns of calls that are not simply a field with the same name."""


def _events(detail: Detail) -> Iterator[FlatRow]:
    names = [column.name for column in TABLES["events"][len(KEY) :]]
    getters = [_EVENT_VALUES.get(name) or attrgetter(name) for name in names]
    for event in detail.events.events:
        yield tuple(_set(get(event)) for get in getters)


def _accesses(detail: Detail) -> Iterator[FlatRow]:
    get = attrgetter(*(column.name for column in TABLES["accesses"][len(KEY) + 2 :]))
    for event in detail.events.events:
        for position, access in enumerate(event.accesses if event.accesses is not UNSET else []):
            yield (event.step_index, position, *map(_set, get(access)))


def _files(detail: Detail) -> Iterator[FlatRow]:
    yield from map(msgspec.structs.astuple, looked_at(detail.events).files)


def _tools(detail: Detail) -> Iterator[FlatRow]:
    yield from map(msgspec.structs.astuple, looked_at(detail.events).tools)


def _metrics(detail: Detail) -> Iterator[FlatRow]:
    for name, metric in METRICS.items():
        value = metric.getter(detail.metrics)
        reason = None if value is not None else metric.why_undefined(detail.metrics)
        yield name, None if value is None else float(value), reason


def _truth(detail: Detail) -> Iterator[FlatRow]:
    truth = detail.events.ground_truth
    for position, file in enumerate(truth.files):
        yield position, "file", file, None, None, None, None, None
    edits = truth.expected_edit_files
    for position, file in enumerate(edits if edits is not UNSET else []):
        yield position, "expected_edit", file, None, None, None, None, None
    symbols = truth.symbols
    for position, one in enumerate(symbols if symbols is not UNSET else []):
        yield position, "symbol", one.file, one.repo, one.symbol, None, None, None
    for kind, chunks in (("chunk", truth.chunks), ("edit_chunk", truth.edit_chunks)):
        for position, chunk in enumerate(chunks if chunks is not UNSET else []):
            lines = (chunk.line_start, chunk.line_end)
            yield position, kind, chunk.file, None, None, *lines, chunk.annotation
    tests = truth.test_files
    for position, file in enumerate(tests if tests is not UNSET else []):
        yield position, "test_file", file, None, None, None, None, None


def _discovery(detail: Detail) -> Iterator[FlatRow]:
    section = detail.metrics.discovery
    for file in [] if section is UNSET else section.files:
        alone = (len(file.tools) == 1, len(file.mcp_servers) == 1)
        for what, finder in (("met", file.first_met), ("shown", file.first_shown)):
            values = (None,) * 8 if finder is None else msgspec.structs.astuple(finder)
            yield (file.file, what, *values, *alone)


def _subagents(detail: Detail) -> Iterator[FlatRow]:
    section = detail.metrics.subagent_metrics
    names = [column.name for column in TABLES["subagents"][len(KEY) :]]
    for work in [] if section is UNSET else section.agents:
        values = (_set(getattr(work, name)) for name in names)
        yield tuple(len(value) if isinstance(value, list) else value for value in values)


def _funnel(detail: Detail) -> Iterator[FlatRow]:
    section = detail.metrics.funnel
    if section is not UNSET:
        verdict = verdict_of(detail.row)
        for file, stage in section.files.items():
            yield file, stage, section.source, verdict


def _groups(detail: Detail) -> Iterator[FlatRow]:
    outcome = detail.row.outcome
    if outcome is not None and outcome.groups is not UNSET:
        yield from outcome.groups.items()


def _problems(detail: Detail) -> Iterator[FlatRow]:
    yield from _problem_counts(detail.events).items()


def _problem_counts(events: EventsDocument) -> Mapping[str, int]:
    counts = events.coverage.problems
    return {} if counts is UNSET else counts


_MAKERS: Mapping[str, Callable[[Detail], Iterator[FlatRow]]] = {
    "trials": _trials,
    "events": _events,
    "accesses": _accesses,
    "files": _files,
    "tools": _tools,
    "metrics": _metrics,
    "truth": _truth,
    "discovery": _discovery,
    "subagents": _subagents,
    "funnel": _funnel,
    "groups": _groups,
    "problems": _problems,
}
