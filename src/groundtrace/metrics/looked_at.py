"""What an agent looked at, without any ground truth: files, context by file and tool, repeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec
from msgspec import UNSET, UnsetType, field
from msgspec.structs import replace

from groundtrace.documents.base import in_order
from groundtrace.documents.events import Access, Event, EventsDocument
from groundtrace.documents.line_map import LineRun, common, joined, runs_shown, size
from groundtrace.documents.looked_at import FileUse, LookedAt, ServerUse, ToolCalls
from groundtrace.metrics.context import NO_SERVER, server_of

_SEARCHED = ("matched", "surfaced")


class _File(msgspec.Struct):
    """What happened to one file."""

    calls: dict[str, set[int]] = field(default_factory=dict)
    """Kind of access to the steps of the calls that touched the file so."""
    shown_chars: int = 0
    is_known: bool = True
    """Every answer that showed the file says how much of it."""
    seen: dict[object, Sequence[LineRun]] = field(default_factory=dict)
    """Thread to the lines that it read since the last write."""
    again: dict[int, bool] = field(default_factory=dict)
    """Step to whether the call read only lines that its thread had read before."""

    def take(self, access: Access, event: Event) -> None:
        """One access. It is not known whether a read without lines repeats anything."""
        self.calls.setdefault(access.kind, set()).add(event.step_index)
        if access.kind == "written":
            self.seen.clear()
            return
        chars = _chars(access, event)
        if chars is None:
            self.is_known = False
        else:
            self.shown_chars += chars
        if access.kind == "read":
            runs, known = joined(runs_shown(access) or ()), self.seen.get(event.agent, ())
            repeats = bool(runs) and size(common(runs, known)) == size(runs)
            self.again[event.step_index] = self.again.get(event.step_index, True) and repeats
            self.seen[event.agent] = joined([*known, *runs])

    def _count(self, *kinds: str) -> int:
        return len(set().union(*(self.calls.get(kind, ()) for kind in kinds)))

    def used(self, repo: str | None, name: str) -> FileUse:
        """The counts for this file."""
        return FileUse(
            file=name,
            repo=repo,
            reads=self._count("read"),
            searches=self._count(*_SEARCHED),
            writes=self._count("written"),
            repeated_reads=sum(self.again.values()),
            shown_chars=self.shown_chars if self.is_known else None,
        )


def _chars(access: Access, event: Event) -> int | None:
    """Characters that an access put into the context; None if nothing says so.

    If an answer showed only one file, all its characters count for that file. If it showed only
    the file's name, no text was shown.
    """
    if access.shown_chars is not UNSET:
        return access.shown_chars
    if access.kind == "surfaced":
        return 0
    accesses = () if event.accesses is UNSET else event.accesses
    is_alone = len(accesses) == 1 and isinstance(event.result_chars, int)
    return event.result_chars if is_alone and isinstance(event.result_chars, int) else None


def server_use(document: EventsDocument) -> dict[str, ServerUse] | UnsetType:
    """Calls, text and time of each MCP server beside those of all other tools."""
    groups: dict[str, list[Event]] = {}
    for event in document.events:
        groups.setdefault(server_of(event), []).append(event)
    if groups.keys() <= {NO_SERVER}:
        return UNSET
    return {
        server: ServerUse(
            calls=len(events),
            result_chars=sum(e.result_chars for e in events if isinstance(e.result_chars, int)),
            seconds=_known_sum([event.seconds for event in events]),
        )
        for server, events in in_order(groups).items()
    }


def _known_sum(seconds: Sequence[float | UnsetType]) -> float | None:
    """The sum, if every call says how long it took."""
    known = [value for value in seconds if value is not UNSET]
    return round(sum(known), 6) if len(known) == len(seconds) else None


def looked_at(document: EventsDocument) -> LookedAt:
    """Files read, searched and written; context by file and by tool; repeats and failures."""
    files: dict[tuple[str | None, str], _File] = {}
    tools: dict[str, Counter[str]] = {}
    for event in document.events:
        tool = tools.setdefault(event.tool_name, Counter())
        tool["calls"] += 1
        tool["failed"] += event.failed is True
        tool["unanswered"] += event.answered is False
        if isinstance(event.result_chars, int):
            tool["result_chars"] += event.result_chars
        for access in () if event.accesses is UNSET else event.accesses:
            key = (None if access.repo is UNSET else access.repo, access.file)
            files.setdefault(key, _File()).take(access, event)
    used = [file.used(*key) for key, file in files.items()]
    used.sort(key=lambda file: (-(file.shown_chars or 0), -file.reads, file.file))
    called = [
        ToolCalls(tool=name, **{key: tool[key] for key in _COUNTED}) for name, tool in tools.items()
    ]
    called.sort(key=lambda tool: (-tool.result_chars, tool.tool))
    return LookedAt(
        calls=len(document.events),
        failed=sum(tool.failed for tool in called),
        unanswered=sum(tool.unanswered for tool in called),
        repeated_reads=sum(file.repeated_reads for file in used),
        files_read=sum(file.reads > 0 for file in used),
        files_searched=sum(file.searches > 0 for file in used),
        files_written=sum(file.writes > 0 for file in used),
        files=used,
        tools=called,
    )


KEPT_FILES = 200
"""Files of a trial that its metrics document lists: those with the most text shown. The table
`files` has all of them."""


def without_truth(document: EventsDocument) -> LookedAt | UnsetType:
    """What a trial without ground truth looked at; absent with ground truth: metrics say more.

    It is also absent for documents of earlier versions: they do not say what failed or how much was
    shown, and a 0 would be invented.
    """
    if not document.events or document.coverage.has_ground_truth:
        return UNSET
    if document.schema_version in ("1.0", "1.1"):
        return UNSET
    found = looked_at(document)
    return replace(found, files=found.files[:KEPT_FILES])


_COUNTED = ("calls", "failed", "unanswered", "result_chars")
