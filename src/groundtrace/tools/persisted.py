"""Outputs too large to show, which the harness stored in a file and the agent read later.

Such a read shows what the first call found: it is credited to the files that the stored output
holds, read with the first call's tool and arguments. The stored file itself is not a target.
"""

from __future__ import annotations

import posixpath
import re

from msgspec.structs import replace

from groundtrace.model import ToolCall, ToolResult
from groundtrace.tools.common import numbered, shown_text
from groundtrace.tools.line_shift import NUMBERED

_STORED = re.compile(r"/tool-results/[^\s'\"/]+\Z")
_NAME = re.compile(r"[\w.@+:,-]+")
_GREPPED = re.compile(r"(\d+)[:-](.*)", re.DOTALL)


class StoredOutputs:
    """The stored outputs of a trace, by the file that holds them."""

    def __init__(self) -> None:
        self._calls: dict[str, ToolCall] = {}
        self._by_name: dict[str, list[str]] = {}
        """Name of a file to the paths that end in it; the names of its files are unique."""
        self._odd: list[str] = []
        """Paths whose name is not one word of a command."""

    def remember(self, call: ToolCall) -> None:
        """Note where a call's output was stored, if it was."""
        path = call.result.persisted_path if call.result is not None else None
        if path and path not in self._calls:
            self._calls[path] = call
            name = posixpath.basename(path)
            if _NAME.fullmatch(name):
                self._by_name.setdefault(name, []).append(path)
            else:
                self._odd.append(path)

    def origin(self, text: str) -> ToolCall | None:
        """The call whose stored output a path or a command names."""
        if not self._calls:
            return None
        # By the words of the text, not by the paths: thousands of each would be compared.
        words = {word.rstrip(".:,") for word in _NAME.findall(text)}
        near = [path for word in words for path in self._by_name.get(word, ())] + self._odd
        found = {path for path in near if _names(text, path)}
        if not found:
            return None
        return self._calls[min(found, key=list(self._calls).index)]

    def holds(self, path: str) -> bool:
        """Whether this is a file in which a harness keeps outputs."""
        if path in self._calls:
            return True
        return "/tool-results/" in path and _STORED.search(path) is not None


def _names(text: str, path: str) -> bool:
    # The same folder is mounted in several places.
    return path in text or ("tool-results/" in text and posixpath.basename(path) in text)


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
