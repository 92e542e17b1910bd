"""A mapping as a reader.

If its `match` is true, a mapping of the user comes before all other readers. The mappings that come
with groundtrace are last. They are parsed only when a file holds all their `marks`, so a run
without such files costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundtrace.traces.kit.claims import Probe, Recognised, Sample, Strength

if TYPE_CHECKING:
    from groundtrace.model import Problem
    from groundtrace.storage import Folder
    from groundtrace.traces.kit.keep import Keep
    from groundtrace.traces.mapped.mapping import Declared
    from groundtrace.traces.source import Source


class MappedReader:
    """Reader of the format that a mapping describes."""

    def __init__(
        self,
        name: str,
        text: str,
        where: str,
        *,
        patterns: tuple[str, ...] = (),
        strength: Strength = "marker",
        is_of_user: bool = False,
    ) -> None:
        self.name = name
        self.is_of_user = is_of_user
        self.patterns = patterns
        self._text = text
        self._where = where
        self._strength: Strength = strength

    @property
    def mapping(self) -> Declared:
        """The mapping itself; raises InputError."""
        return _parsed(self._text, self._where)

    def recognise(self, probe: Probe) -> Recognised | None:
        """By the mapping's `marks`, then its `match` on the first record."""
        from groundtrace.traces.mapped.mapping import matches, without_notice

        head = without_notice(probe.head)
        if head.lstrip()[:4].lstrip(b"\xef\xbb\xbf").lstrip()[:1] not in (b"{", b"["):
            return None
        mapping = self.mapping
        if any(mark not in head for mark in mapping.marks):
            return None
        place = matches(mapping, head)
        if place is None:
            return None
        return Recognised(self._strength, f"mapping {self._where}: match is true for {place}")

    def samples(self, folder: Folder, path: str) -> Iterator[Sample | Problem] | None:
        """The rows of a file; None if a file is one sample."""
        if self.mapping.layout != "rows":
            return None
        from groundtrace.traces.mapped.trace import samples

        return samples(self.mapping, folder, path)

    def read(self, folder: Folder, path: str, keep: Keep) -> Source:
        """Read a file, or its only row."""
        from groundtrace.traces.mapped.trace import read

        return read(self.mapping, folder, path, None, keep)

    def read_sample(self, folder: Folder, path: str, sample_id: str, keep: Keep) -> Source:
        """One row."""
        from groundtrace.traces.mapped.trace import read

        return read(self.mapping, folder, path, sample_id, keep)


class _Bundled(MappedReader):
    """A mapping that comes with groundtrace; its text is read when it is needed."""

    def __init__(self, name: str, marks: tuple[bytes, ...]) -> None:
        super().__init__(name, "", f"{name} of groundtrace")
        self._marks = marks

    @property
    def mapping(self) -> Declared:
        """The mapping of this name."""
        return _bundled(self.name)

    def recognise(self, probe: Probe) -> Recognised | None:
        """The same, but the mapping is loaded only if the file holds all its marks."""
        if any(mark not in probe.head for mark in self._marks):
            return None
        return super().recognise(probe)


def bundled_text(name: str) -> str:
    """The TOML of a mapping that comes with groundtrace."""
    # Not by importlib.resources, which loads modules for archives and temporary files.
    return (Path(__file__).parent / "bundled" / f"{name}.toml").read_text(encoding="utf-8")


@cache
def _bundled(name: str) -> Declared:
    return _parsed(bundled_text(name), f"{name} of groundtrace")


@cache
def _parsed(text: str, where: str) -> Declared:
    from groundtrace.traces.mapped.mapping import parse_mapping

    return parse_mapping(text, where)


def readers_of(mappings: tuple[tuple[str, str], ...]) -> tuple[Any, ...]:
    """Readers of the user's mappings: pairs of a file's name and its text; raises InputError."""
    found = []
    for where, text in mappings:
        declared = _parsed(text, where)
        found.append(
            MappedReader(declared.reader, text, where, patterns=declared.files, is_of_user=True)
        )
    return tuple(found)


BUNDLED: tuple[MappedReader, ...] = (
    _Bundled("pi", (b'"session"', b'"cwd"', b'"message"')),
    _Bundled("trae-agent", (b'"llm_interactions"', b'"max_steps"')),
    _Bundled("copilot-cli", (b'"session.start"', b'"copilotVersion"')),
    _Bundled("kimi-cli", (b'"protocol_version"', b'"metadata"')),
    _Bundled("qwen-code", (b'"parentUuid"', b'"sessionId"', b'"parts"')),
    _Bundled("opencode-run", (b'"sessionID"', b'"part"', b'"messageID"')),
    _Bundled("chat-lines", (b'"role"', b'"tool_calls"', b'"function"')),
    _Bundled("opencode", (b'"info"', b'"messages"', b'"parts"', b'"sessionID"')),
)
"""Mappings that come with groundtrace, each with texts that its files contain."""
