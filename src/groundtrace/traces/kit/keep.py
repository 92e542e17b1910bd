"""What is kept of results and arguments, within a memory budget."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from groundtrace.base.jsonio import clean_text
from groundtrace.model import ToolResult


class Keep:
    """Keeps what the tools stage needs of results, within a memory budget.

    A transcript of a gigabyte is read in a few hundred megabytes: one result keeps at most
    `MAX_RESULT` bytes, and all results of a trial together `BUDGET`; after that each keeps only its
    start. The largest transcript of a real trial seen was half a megabyte.
    """

    MAX_RESULT = 4 * 1024 * 1024
    BUDGET = 64 * 1024 * 1024
    HEAD = 2048
    RESERVE = 16 * 1024 * 1024
    """For the starts of results, after the budget is used up."""

    def __init__(self) -> None:
        self.used = 0
        self.cut_arguments = 0
        """Calls whose arguments were cut."""

    def _room(self) -> int:
        if self.used < self.BUDGET:
            return min(self.MAX_RESULT, self.BUDGET - self.used)
        return self.HEAD if self.used < self.BUDGET + self.RESERVE else 0

    def _fits(self, size: int) -> bool:
        """Whether there is room for a value; the usual case needs no `_room`."""
        if size <= self.MAX_RESULT and self.used + size <= self.BUDGET:
            return True
        return size <= self._room()

    def text(self, text: str) -> tuple[str, bool]:
        """The text, or its start up to the last whole line; and whether it was cut."""
        size = text.__sizeof__()  # sys.getsizeof says the same in three times the time
        if size <= 256 or self._fits(size):
            self.used += size
            return clean_text(text), False
        room = self._room()
        width = max(1, size // max(1, len(text)))
        head = whole_lines(text[: max(room, 256) // width])
        self.used += head.__sizeof__()
        return clean_text(head), True

    def data(self, value: Any) -> tuple[Any, bool]:
        """The structured value, or None if there is no room for it; and whether it was left out."""
        if value is None:
            return None, False
        size = weigh(value, self.MAX_RESULT)
        if not self._fits(size):
            return None, True
        self.used += size
        return value, False

    def arguments(self, value: dict[str, Any]) -> dict[str, Any]:
        """The arguments; when memory is short, only the start of long strings is kept."""
        size = weigh(value, self.MAX_RESULT)
        if not self._fits(size):
            self.cut_arguments += 1
            value = {
                key: item[: self.HEAD] if isinstance(item, str) else item
                for key, item in value.items()
                if weigh(item, limit=self.HEAD) <= self.HEAD or isinstance(item, str)
            }
            size = weigh(value, self.MAX_RESULT)
        self.used += size
        return value

    def result(
        self, text: str, data: Any, is_error: bool, persisted_path: str | None
    ) -> tuple[ToolResult, bool]:
        """A result within the budget, and whether a part of it was left out."""
        kept, cut = self.text(text)
        if data is None:
            return ToolResult(kept, None, is_error, persisted_path), cut
        kept_data, data_cut = self.data(data)
        return ToolResult(kept, kept_data, is_error, persisted_path), cut or data_cut


_LIGHT = frozenset({int, float, bool, type(None)})
"""Types of values that are not counted."""


def weigh(value: Any, limit: int) -> int:
    """Roughly how many bytes a decoded value needs; stops counting above `limit`."""
    total = 64
    stack = [value]
    while stack and total <= limit:
        item = stack.pop()
        if isinstance(item, dict):
            total += 128 * len(item)
            inside: Iterable[Any] = item.values()
        elif isinstance(item, list):
            total += 64 * len(item)
            inside = item
        else:
            total += len(item) if isinstance(item, str) else 0
            continue
        for inner in inside:  # most are texts or numbers, which need not go on the stack
            kind = type(inner)
            if kind is str:
                total += len(inner)
            elif kind not in _LIGHT:
                stack.append(inner)
    return total


def whole_lines(text: str) -> str:
    """A cut text without its last, incomplete line: half a path would name another file.

    A text that is JSON, or that has no newline at all, is not changed.
    """
    if text.lstrip()[:1] in ("{", "["):
        return text
    end = text.rfind("\n")
    return text if end < 0 else text[: end + 1]
