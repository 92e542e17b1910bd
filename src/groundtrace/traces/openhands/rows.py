"""Rows of OpenHands' evaluations and logs of events as sources, and what they state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec
from msgspec.structs import replace

from groundtrace.base.patterns import regex
from groundtrace.base.values import as_amount, as_count, as_mapping, as_text
from groundtrace.model import Problem, Stated
from groundtrace.storage import Folder
from groundtrace.traces.kit.claims import Sample
from groundtrace.traces.kit.keep import Keep
from groundtrace.traces.kit.rows import Naming, decoded, find_row, named_rows, read_raw_rows
from groundtrace.traces.openhands.records import HistoryRow, event_in, fit_event, row_in, row_of
from groundtrace.traces.openhands.trace import Events
from groundtrace.traces.source import Source

_EVENT_FILE = regex(r"event-(\d+)-[\w-]+\.json")


def name_of(row: Mapping[str, Any]) -> str | None:
    """The instance of a row; the resolver's rows name a repository and the number of an issue."""
    issue = as_mapping(row.get("issue"))
    owner, repo = as_text(issue.get("owner")), as_text(issue.get("repo"))
    number = as_count(issue.get("number"))
    if owner and repo and number is not None:
        return f"{owner}__{repo}-{number}"
    return as_text(row.get("instance_id")) or as_text(
        as_mapping(row.get("instance")).get("instance_id")
    )


def is_event(value: Any) -> bool:
    """Whether an object is one event, and not a row with a history of events."""
    return isinstance(value, list) or (isinstance(value, dict) and "history" not in value)


NAMING = Naming("openhands", name_of)


def samples(folder: Folder, path: str) -> Iterator[Sample | Problem]:
    """The samples of a file, each with what it states."""
    try:
        first = _EVENT_FILE.fullmatch(path.rpartition("/")[2])
        if first is not None and _event_files(folder, path)[0] != path:
            yield Sample(None, no_trial="one event of a conversation, read with its first")
            return
        spent = spent_on(folder, path)
        for name, value in named_rows(folder, path, NAMING):
            if isinstance(value, Problem):
                yield value
            elif is_event(value):
                yield Sample(None, Stated(harness="openhands"))
                return
            else:
                yield Sample(name, _with_attempts(stated_of(value), spent))
    except OSError as error:
        yield Problem(path, "unreadable", f"cannot be read: {error}")


def read(folder: Folder, path: str, sample_id: str | None, keep: Keep) -> Source:
    """Read one row, or a log of events."""
    events = Events(path, keep)
    row: Mapping[str, Any] = {}
    found = _row(folder, path, sample_id)
    if found is None:
        _read_log(folder, path, events)
    elif isinstance(found, Problem):
        events.lost(found)
        events.history(None, None)
    elif isinstance(found, HistoryRow):
        row = found.around()
        events.row(found)
    else:
        row = found
        events.history(row.get("history"), row.get("instruction"))
    source = events.finish(as_mapping(row.get("metrics")))
    stated = stated_of(row)
    source.model = stated.model or source.model
    stated = replace(
        stated,
        model=source.model,
        agent_seconds=events.seconds,
        cost_usd=source.usage.cost_usd,
        cost_source=source.usage.cost_source,
    )
    source.stated = _with_attempts(stated, spent_on(folder, path))
    source.usage = replace(
        source.usage, cost_usd=source.stated.cost_usd, cost_source=source.stated.cost_source
    )
    return source


def _row(
    folder: Folder, path: str, sample_id: str | None
) -> HistoryRow | Mapping[str, Any] | Problem | None:
    """A row, decoded completely if it is not of the usual form; None for a log of events."""
    if sample_id is None:
        rows = list(islice(read_raw_rows(folder, path), 2))
        row = row_in(rows[0]) if len(rows) == 1 else None
        if _is_log(folder, path) if row is None else row.history is msgspec.UNSET:
            return None
        if row is not None:
            return row
    found = find_row(folder, path, sample_id, NAMING)
    return found if isinstance(found, Problem) else row_of(found) or found


def _read_log(folder: Folder, path: str, events: Events) -> None:
    for file in _event_files(folder, path):
        for row in read_raw_rows(folder, file):
            event = event_in(row)
            if event is None:
                value = decoded(row, file)
                if isinstance(value, Problem):
                    events.lost(value)
                    continue
                event = fit_event(value)
            events.event(event)


def _with_attempts(stated: Stated, spent: Mapping[str, Sequence[float | None]]) -> Stated:
    """The same with the cost of all attempts; the row is the chosen one (D103)."""
    costs = spent.get(stated.task or "")
    if costs is None:
        return stated
    total = sum(cost or 0 for cost in costs) if all(costs) else None
    source = None if total is None else f"metrics.accumulated_cost of {len(costs)} attempts"
    return replace(stated, cost_usd=total, cost_source=source)


class _History(msgspec.Struct):
    """A row of which nothing is decoded: whether it has a history shows what it is."""

    history: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_history = msgspec.json.Decoder(_History).decode


def _is_log(folder: Folder, path: str) -> bool:
    for row in read_raw_rows(folder, path):
        try:
            if row.data:
                return _history(row.data).history is msgspec.UNSET
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            pass
        value = decoded(row, path)
        return not isinstance(value, Problem) and is_event(value)
    return False


def _event_files(folder: Folder, path: str) -> list[str]:
    """The files of a conversation with one file per event, in order; else only this file."""
    if not _EVENT_FILE.fullmatch(path):
        return [path]
    numbered = [
        (int(found[1]), entry.name)
        for entry in folder.entries()
        if entry.kind == "file" and (found := _EVENT_FILE.fullmatch(entry.name)) is not None
    ]
    return [name for _, name in sorted(numbered)] or [path]


def stated_of(row: Mapping[str, Any]) -> Stated:
    """What a row states about its trial."""
    metadata = as_mapping(row.get("metadata"))
    llm = as_mapping(metadata.get("llm_config")) or as_mapping(metadata.get("llm"))
    result = as_mapping(row.get("test_result"))
    patch, where = result.get("git_patch"), "test_result.git_patch"
    if not isinstance(patch, str):
        patch, where = row.get("git_patch"), "git_patch"
    verdict = as_mapping(row.get("report")).get("resolved")
    if verdict is None:
        verdict = as_mapping(result.get("report")).get("resolved")
    cost = as_amount(as_mapping(row.get("metrics")).get("accumulated_cost")) or None
    return Stated(
        task=name_of(row),
        task_place="instance_id",
        model=as_text(llm.get("model")),
        harness="openhands",
        repo=as_text(as_mapping(row.get("instance")).get("repo")),
        cost_usd=cost,
        cost_source=None if cost is None else "metrics.accumulated_cost",
        reward=float(verdict) if isinstance(verdict, bool) else None,
        reward_source="report.resolved" if isinstance(verdict, bool) else None,
        exit_status=as_text(row.get("error")),
        submission=patch if isinstance(patch, str) else None,
        submission_source=where,
    )


# --- what all attempts at an instance cost ---
# An evaluation with retries writes each round to `output.critic_attempt_N.jsonl`, and the chosen
# attempts to `output.jsonl`. The rows of `output.jsonl` state only their own cost.

OUTPUT = "output.jsonl"
ATTEMPT = regex(r"output\.critic_attempt_\d{1,4}\.jsonl")

Spent = Mapping[str, Sequence[float | None]]
"""Instance to the cost of each attempt; None for an unknown cost."""


class _Paid(msgspec.Struct):
    """The members of a row that give its cost; its history is not decoded."""

    instance_id: Any = None
    metrics: Any = None


_INSTANCE = regex(rb'"instance_id"\s{0,9}:\s{0,9}"([^"\\]{1,400})"')
_decoder = msgspec.json.Decoder(_Paid)
_last: list[tuple[tuple[str, ...], Spent]] = []
"""The costs of the last requested folder: all its rows need the same costs."""


def spent_on(folder: Folder, path: str) -> Spent:
    """What each attempt cost, for the rows of `output.jsonl`; empty for any other file."""
    if path != OUTPUT:
        return {}
    entries = [e for e in folder.entries() if e.kind == "file" and ATTEMPT.fullmatch(e.name)]
    if not entries:
        return {}
    marks = [f"{e.name} {e.mark}" for entry in entries if (e := folder.stat(entry.name))]
    key = (folder.url, *marks)
    if not _last or _last[0][0] != key:
        _last[:] = [(key, _read(folder, [entry.name for entry in entries]))]
    return _last[0][1]


def _read(folder: Folder, names: Sequence[str]) -> Spent:
    found: dict[str, list[float | None]] = {}
    for name in names:
        for row in read_raw_rows(folder, name):
            try:
                value = _decoder.decode(row.data)
            except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
                # A row that is cut off was paid for too, but its cost is unknown.
                if (named := _INSTANCE.search(row.data)) is not None:
                    name_of = named[1].decode(errors="replace")
                    found.setdefault(name_of, []).append(None)
                continue
            if isinstance(value.instance_id, str):
                cost = as_amount(as_mapping(value.metrics).get("accumulated_cost")) or None
                found.setdefault(value.instance_id, []).append(cost)
    return found
