"""Outputs too large to show, which the harness stored in a file and the agent read later.

Such a read shows what the first call found: it is credited to the files that the stored output
holds, read with the first call's tool and arguments. The stored file itself is not a target.
"""

from __future__ import annotations

import posixpath
import re

from msgspec.structs import replace

from groundtrace.model import ToolCall, ToolResult
from groundtrace.tools.builtin import NUMBERED
from groundtrace.tools.common import numbered, shown_text

_STORED = re.compile(r"/tool-results/[^\s'\"/]+\Z")
_GREPPED = re.compile(r"(\d+)[:-](.*)", re.DOTALL)


class Stored:
    """The stored outputs of a trace, by the file that holds them."""

    def __init__(self) -> None:
        self._calls: dict[str, ToolCall] = {}

    def remember(self, call: ToolCall) -> None:
        """Note where a call's output was stored, if it was."""
        path = call.result.persisted_path if call.result is not None else None
        if path:
            self._calls.setdefault(path, call)

    def origin(self, text: str) -> ToolCall | None:
        """The call whose stored output a path or a command names."""
        for path, call in self._calls.items():
            # The same folder is mounted in several places; the names of its files are unique.
            if path in text or ("tool-results/" in text and posixpath.basename(path) in text):
                return call
        return None

    def holds(self, path: str) -> bool:
        """Whether this is a file in which a harness keeps outputs."""
        if path in self._calls:
            return True
        return "/tool-results/" in path and _STORED.search(path) is not None


def replayed(origin: ToolCall, reading: ToolCall) -> ToolCall:
    """The first call, with what the later look at its stored output showed as its result."""
    text = shown_text(reading.result)
    for pattern in (NUMBERED, _GREPPED):
        lines = list(numbered(text.split("\n"), pattern))
        if lines and text.lstrip()[:1].isdigit():
            text = "\n".join(content for _, content in lines)
            break
    is_error = reading.result is None or reading.result.is_error
    return replace(origin, result=ToolResult(text=text, is_error=is_error))
