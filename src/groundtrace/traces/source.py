"""What one reader makes of one file, before the sources of a trial are joined."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import msgspec

from groundtrace.jsonio import clean_text
from groundtrace.model import Problem, ToolResult, Usage
from groundtrace.problems import ProblemKind
from groundtrace.storage import Folder
from groundtrace.times import earliest
from groundtrace.traces.jsonl import RawLine
from groundtrace.traces.tokens import Ledger

SourceKind = Literal["trajectory", "transcript"]

Strength = Literal["marker", "shape", "name"]
"""How sure a reader is of a file: an explicit marker, the shape of what is in it, its name."""


class RawCall(msgspec.Struct):
    """A tool call while it is being read."""

    name: str
    arguments: dict[str, Any]
    call_id: str | None = None
    step_id: str | None = None
    result: ToolResult | None = None
    result_cut: bool = False
    """The result is only the head of what the agent saw, or damaged."""
    server: str | None = None
    made_at: float | None = None
    """Time of the call's own line."""
    answered_at: float | None = None
    """Time of its result's line."""
    position: int = 0
    """Model calls so far in the source's ledger; -1 when not known."""
    is_subagent: bool = False
    cwd: str | None = None
    spawned_by: str | None = None
    """Id of the call that started the subagent that made this one."""
    tokens: int | None = None
    """Cumulative tokens, once the ledger is closed."""


@dataclass(slots=True)
class Source:
    """Everything read from one file (or one chain of files)."""

    file: str
    kind: SourceKind
    dialect: str
    """`stream`, `session`, `subagent`, `cursor`, `atif` or a third party's own name."""
    calls: list[RawCall] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    parsed: bool = False
    """The file could be read as what it is."""
    first_timestamp: float | None = None
    harness: str | None = None
    harness_version: str | None = None
    model: str | None = None
    cwd: str | None = None
    mcp_servers: dict[str, None] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    ledger: Ledger = field(default_factory=Ledger)
    agent_id: str | None = None
    """Of a subagent's own file: the id of the agent."""
    agent_calls: dict[str, str] = field(default_factory=dict)
    """Agent id to the id of the call that started it."""
    cut_results: int = 0
    """Results of which only a part was kept."""
    notes: list[str] = field(default_factory=list)
    """What the reader put right, for the evidence."""

    def problem(
        self,
        kind: ProblemKind,
        reason: str,
        *,
        line: int | None = None,
        place: str | None = None,
        lost_calls: int = 0,
        file: str | None = None,
    ) -> None:
        """Record a loss."""
        self.problems.append(
            Problem(file or self.file, kind, clean_text(reason), line, place, lost_calls)
        )

    def report_long_line(self, line: RawLine) -> None:
        """A line that was not decoded because of its length."""
        reason = f"line of {line.length:,} bytes at offset {line.offset:,} was not decoded"
        self.problem("line_too_long", reason, line=line.number)

    def report_lines(self, seen: int, noise: int, first_noise: int | None = None) -> None:
        """What is to be said of a transcript whose lines were all read: `noise` are no events."""
        if not seen:
            self.problem("empty_file", "the file is empty")
        elif not self.parsed:
            self.problem("not_a_transcript", "no line of the file is an event")
        elif noise:
            reason = f"{noise} lines are not events of the transcript"
            self.problem("non_json_lines", reason, line=first_noise)

    def report_cut_results(self) -> None:
        """One problem for all results that the memory budget cut."""
        if self.cut_results:
            self.problem(
                "result_cut",
                f"{self.cut_results} results were kept in part: over the memory budget",
            )

    def saw(self, moment: float | None) -> None:
        """Take note of a time that the file states."""
        if moment is not None:
            self.first_timestamp = earliest(self.first_timestamp, moment)


@dataclass(frozen=True, slots=True)
class Probe:
    """What a reader may look at to recognise a file."""

    path: str
    """Relative to the trial's folder."""
    head: bytes
    """The first bytes of the file."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """A reader's claim on a file."""

    strength: Strength
    evidence: str


class Keep:
    """Keeps what the tools stage needs of results, within a budget of memory.

    A transcript of a gigabyte is read in a few hundred megabytes because a single result keeps
    at most `MAX_RESULT` bytes, all results of a trial `BUDGET`, and beyond that each only a head.
    The largest transcript of a real trial seen was half a megabyte.
    """

    MAX_RESULT = 4 * 1024 * 1024
    BUDGET = 64 * 1024 * 1024
    HEAD = 2048
    RESERVE = 16 * 1024 * 1024
    """For heads, once the budget is spent."""

    def __init__(self) -> None:
        self.used = 0
        self.cut_arguments = 0
        """Calls whose arguments were kept in part."""

    def _room(self) -> int:
        if self.used < self.BUDGET:
            return min(self.MAX_RESULT, self.BUDGET - self.used)
        return self.HEAD if self.used < self.BUDGET + self.RESERVE else 0

    def text(self, text: str) -> tuple[str, bool]:
        """The text, or its head up to the last whole line; and whether it was cut."""
        size = sys.getsizeof(text)
        room = max(self._room(), 256)
        if size <= room:
            self.used += size
            return clean_text(text), False
        width = max(1, size // max(1, len(text)))
        head = whole_lines(text[: room // width])
        self.used += sys.getsizeof(head)
        return clean_text(head), True

    def data(self, value: Any) -> tuple[Any, bool]:
        """The structured value, or None when there is no room for it."""
        if value is None:
            return None, False
        size = weigh(value, limit=self.MAX_RESULT)
        if size > self._room():
            return None, True
        self.used += size
        return value, False

    def arguments(self, value: dict[str, Any]) -> dict[str, Any]:
        """The arguments; when memory is short, long strings in them keep a head."""
        size = weigh(value, limit=self.MAX_RESULT)
        if size > self._room():
            self.cut_arguments += 1
            value = {
                key: item[: self.HEAD] if isinstance(item, str) else item
                for key, item in value.items()
                if weigh(item, limit=self.HEAD) <= self.HEAD or isinstance(item, str)
            }
            size = weigh(value, limit=self.MAX_RESULT)
        self.used += size
        return value

    def result(
        self, text: str, data: Any, is_error: bool, persisted_path: str | None
    ) -> tuple[ToolResult, bool]:
        """A result within the budget, and whether something of it was left out."""
        kept_text, text_cut = self.text(text)
        kept_data, data_cut = self.data(data)
        return ToolResult(kept_text, kept_data, is_error, persisted_path), text_cut or data_cut


def weigh(value: Any, limit: int) -> int:
    """About how many bytes a decoded value holds; stops counting beyond `limit`."""
    total = 64
    stack = [value]
    while stack and total <= limit:
        item = stack.pop()
        if isinstance(item, str):
            total += len(item)
            continue
        if isinstance(item, dict):
            total += 128 * len(item)
            inside: Iterable[Any] = item.values()
        elif isinstance(item, list):
            total += 64 * len(item)
            inside = item
        else:
            continue
        for inner in inside:  # most are text, which needs no place on the stack
            if isinstance(inner, str):
                total += len(inner)
            else:
                stack.append(inner)
    return total


def whole_lines(text: str) -> str:
    """A cut text without its last, unfinished line: half a path would name another file.

    A text that is JSON, or has no line end at all, stays as it is.
    """
    if text.lstrip()[:1] in ("{", "["):
        return text
    end = text.rfind("\n")
    return text if end < 0 else text[: end + 1]


class Reader(Protocol):
    """A reader of one trace format; third parties register theirs as `groundtrace.readers`."""

    name: str
    """Unique name, shown in the evidence."""
    patterns: tuple[str, ...]
    """Glob patterns, relative to the trial's folder, of files that it wants to see."""

    def recognise(self, probe: Probe) -> Recognised | None:
        """Whether the file is of this format, and by which evidence."""

    def read(self, folder: Folder, path: str, keep: Keep) -> Source:
        """Read it; never raises for what is in the file."""
