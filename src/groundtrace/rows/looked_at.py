"""What an agent looked at, without any ground truth: files, context by file and tool, repeats."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import msgspec
from msgspec import UNSET

from groundtrace.documents.events import Access, Event, EventsDocument

_SEARCHED = ("matched", "surfaced")


class FileUse(msgspec.Struct, frozen=True):
    """What was done with one file."""

    file: str
    repo: str | None
    reads: int
    searches: int
    """Calls whose search showed lines of it, or its name."""
    writes: int
    repeated_reads: int
    shown_chars: int | None
    """Characters of it in answers; None where one of them does not tell."""


class ToolCalls(msgspec.Struct, frozen=True):
    """The calls of one tool."""

    tool: str
    calls: int
    failed: int
    unanswered: int
    result_chars: int


class LookedAt(msgspec.Struct, frozen=True):
    """What a trial looked at."""

    calls: int
    failed: int
    unanswered: int
    repeated_reads: int
    files_read: int
    files_searched: int
    files_written: int
    files: tuple[FileUse, ...]
    """Most of what was shown first."""
    tools: tuple[ToolCalls, ...]
    """Longest answers first."""


@dataclass(slots=True)
class _File:
    """What happened to one file."""

    kinds: Counter[str] = field(default_factory=Counter)
    shown_chars: int = 0
    is_known: bool = True
    """Every answer that showed it tells how much."""
    seen: set[tuple[object, ...]] = field(default_factory=set)
    """Readers and lines since it was last written."""
    repeats: int = 0

    def take(self, access: Access, event: Event) -> None:
        """One access; reading the same lines again before a write is a repeat."""
        self.kinds[access.kind] += 1
        if access.kind == "written":
            self.seen.clear()
            return
        chars = _chars(access, event)
        if chars is None:
            self.is_known = False
        else:
            self.shown_chars += chars
        if access.kind == "read":
            lines = (event.agent, access.line_start, access.line_end)
            self.repeats += lines in self.seen
            self.seen.add(lines)

    def used(self, repo: str | None, name: str) -> FileUse:
        """The same, counted."""
        return FileUse(
            file=name,
            repo=repo,
            reads=self.kinds["read"],
            searches=sum(self.kinds[kind] for kind in _SEARCHED),
            writes=self.kinds["written"],
            repeated_reads=self.repeats,
            shown_chars=self.shown_chars if self.is_known else None,
        )


def _chars(access: Access, event: Event) -> int | None:
    """Characters that an access put into the context; None where nothing tells.

    An answer that showed one file alone was spent on it; of a name alone no text was shown.
    """
    if access.shown_chars is not UNSET:
        return access.shown_chars
    if access.kind == "surfaced":
        return 0
    accesses = () if event.accesses is UNSET else event.accesses
    is_alone = len(accesses) == 1 and isinstance(event.result_chars, int)
    return event.result_chars if is_alone and isinstance(event.result_chars, int) else None


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
    called = [ToolCalls(name, *(tool[key] for key in _COUNTED)) for name, tool in tools.items()]
    called.sort(key=lambda tool: (-tool.result_chars, tool.tool))
    return LookedAt(
        calls=len(document.events),
        failed=sum(tool.failed for tool in called),
        unanswered=sum(tool.unanswered for tool in called),
        repeated_reads=sum(file.repeated_reads for file in used),
        files_read=sum(file.reads > 0 for file in used),
        files_searched=sum(file.searches > 0 for file in used),
        files_written=sum(file.writes > 0 for file in used),
        files=tuple(used),
        tools=tuple(called),
    )


_COUNTED = ("calls", "failed", "unanswered", "result_chars")
