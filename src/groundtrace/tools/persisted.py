"""Outputs too large to show, which the harness stored in a file and the agent read later.

Such a read shows what the first call found. So the files in the stored output count as accessed;
the first call's tool and arguments say how to read it. The stored file itself does not count.
"""

from __future__ import annotations

import posixpath

from msgspec.structs import replace

from groundtrace.answers.numbered import GREPPED, SURE, numbered_lines
from groundtrace.base.patterns import regex
from groundtrace.model import FileRef, ToolCall, ToolResult
from groundtrace.traces.kit.frames import shown_text

_STORED = regex(r"/tool-results/[^\s'\"/]+\Z")
_NAME = regex(r"[\w.@+:,-]+")


class StoredOutputs:
    """The stored outputs of a trace, by the file that holds them."""

    def __init__(self) -> None:
        self._calls: dict[str, ToolCall] = {}
        self._by_name: dict[str, list[str]] = {}
        """From the name of a stored file to its paths; harnesses give each file its own name."""
        self._odd: list[str] = []
        """Paths whose file name has characters that `_NAME` does not match."""

    def remember(self, call: ToolCall) -> None:
        """Remember where a call's output was stored, if it was stored."""
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
        # Look up the words of the text. Comparing with every path would compare thousands of each.
        words = {word.rstrip(".:,") for word in _NAME.findall(text)}
        near = [path for word in words for path in self._by_name.get(word, ())] + self._odd
        found = {path for path in near if _names(text, path)}
        if not found:
            return None
        return self._calls[min(found, key=list(self._calls).index)]

    def __bool__(self) -> bool:
        """Whether any output was stored so far."""
        return bool(self._calls)

    def others(self, refs: tuple[FileRef, ...]) -> tuple[FileRef, ...]:
        """The references to other files; the same tuple if these are all."""
        for ref in refs:
            if "/tool-results/" in ref.path or ref.path in self._calls:
                kept = tuple(ref for ref in refs if not self.holds(ref.path))
                return refs if len(kept) == len(refs) else kept
        return refs

    def holds(self, path: str) -> bool:
        """Whether this is a file in which a harness stores outputs."""
        if path in self._calls:
            return True
        return "/tool-results/" in path and _STORED.search(path) is not None


def _names(text: str, path: str) -> bool:
    # The same folder can be mounted at several places.
    return path in text or ("tool-results/" in text and posixpath.basename(path) in text)


def replayed(origin: ToolCall, reading: ToolCall) -> ToolCall:
    """The first call, with the part of its stored output that a later call showed as its result."""
    text = shown_text(reading.result)
    for form in (SURE, GREPPED):
        lines = numbered_lines(text.split("\n"), form)
        if lines and text.lstrip()[:1].isdigit():
            text = "\n".join(line.text for line in lines)
            break
    is_error = reading.result is None or reading.result.is_error
    return replace(origin, result=ToolResult(text=text, is_error=is_error))
