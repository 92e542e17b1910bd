"""What an agent looked at, without any ground truth: files, context by file and tool, repeats."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET

from groundtrace.documents.events import Access, Event, EventsDocument

_SEARCHED = ("matched", "surfaced")


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


def looked_at(document: EventsDocument) -> dict[str, Any]:
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
    return {
        "calls": len(document.events),
        "failed": sum(tool["failed"] for tool in tools.values()),
        "unanswered": sum(tool["unanswered"] for tool in tools.values()),
        "repeated_reads": sum(file.repeats for file in files.values()),
        "files_read": sum(bool(file.kinds["read"]) for file in files.values()),
        "files_searched": sum(
            any(file.kinds[kind] for kind in _SEARCHED) for file in files.values()
        ),
        "files_written": sum(bool(file.kinds["written"]) for file in files.values()),
        "files": [_row(repo, name, file) for (repo, name), file in _by_size(files)],
        "tools": [
            {"tool": name}
            | {key: tool[key] for key in ("calls", "failed", "unanswered", "result_chars")}
            for name, tool in sorted(
                tools.items(), key=lambda item: (-item[1]["result_chars"], item[0])
            )
        ],
    }


def _by_size(
    files: dict[tuple[str | None, str], _File],
) -> list[tuple[tuple[str | None, str], _File]]:
    """Files by what of them was shown, then by reads, most first; then by name."""
    return sorted(
        files.items(),
        key=lambda item: (-item[1].shown_chars, -item[1].kinds["read"], item[0][1]),
    )


def _row(repo: str | None, name: str, file: _File) -> dict[str, Any]:
    return {
        "file": name,
        "repo": repo,
        "reads": file.kinds["read"],
        "searches": sum(file.kinds[kind] for kind in _SEARCHED),
        "writes": file.kinds["written"],
        "repeated_reads": file.repeats,
        "shown_chars": file.shown_chars if file.is_known else None,
    }
