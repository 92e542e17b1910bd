"""Text that the command itself prints, such as the separators of `echo`.

It is the best evidence: a line `== b.py ==` that the command spells out shows where the contents of
b.py begin. Text printed without a newline (`printf 'first: '`) shares a line with what follows it;
`Prefixed` separates the two again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

import msgspec
from msgspec.structs import replace

from groundtrace.model import FileRef
from groundtrace.shell.streams.filters import Filter
from groundtrace.shell.streams.part import Opaque, Part
from groundtrace.shell.streams.spans import Spans
from groundtrace.shell.syntax.holes import Holed, has_hole
from groundtrace.shell.weights import GLUED, TEXT_MAYBE_SILENT, TEXT_SILENT


class Text(Part, kw_only=True, frozen=True):
    """Lines that the command itself spells out; holes in them match anything."""

    lines: tuple[str, ...]
    streams: dict[str, tuple[Part, ...]] = msgspec.field(default_factory=dict)
    """What the holes would show, if they stand for captured output."""
    unended: bool = False
    """No newline at the end: what follows continues the same line."""

    complains: ClassVar[bool] = True
    leads: ClassVar[bool] = False

    def holed(self, index: int) -> Holed | None:
        """How the line is recognised if it has holes."""
        text = self.lines[index]
        return None if not has_hole(text) else Holed(text)

    def cost_of_silence(self) -> float:
        return TEXT_MAYBE_SILENT if self.maybe or self.fallback else TEXT_SILENT

    @property
    def known(self) -> bool:
        """Whether all of it is known."""
        return not any(has_hole(line) for line in self.lines)

    # --- what filters leave of it ---------------------------------------------------------------

    def head(self, count: int, first: bool, shared: bool) -> Part:
        if first:
            return replace(self, lines=self.lines[:count])
        return Part.head(self, count, first, shared)

    def tail(self, count: int, last: bool) -> Part:
        if last:
            return replace(self, lines=self.lines[-count:] if count else ())
        return Part.tail(self, count, last)

    def select(self, wanted: Spans, size: int | None, first: bool) -> Part:
        if not first:
            return self.limited(size)
        lines = [line for low, high in wanted for line in self.lines[low - 1 : high]]
        return replace(self, lines=tuple(lines))

    def filter(self, how: Filter) -> Part:
        pattern = None if how.pattern is None else how.pattern.compiled
        if pattern is None or not self.known:
            return replace(self, maybe=True)
        kept = [line for line in self.lines if (pattern.search(line) is not None) != how.inverted]
        return replace(self, lines=tuple(kept), maybe=True, unended=False)

    def number(self, alone: bool) -> Part:
        return Opaque(rule=self.rule)

    def reorder(self, dropping: bool) -> Part:
        return Opaque(rule=self.rule, expected=False) if len(self.lines) > 1 else self

    def derive(self, rule: str) -> Part:
        return Opaque(rule=rule or self.rule, expected=False, maybe=True)

    def substitute(self) -> Part:
        return self.derive("sed")


def text_of(parts: Iterable[Part]) -> str:
    """The text of the parts that are only text, as a file would hold it."""
    texts = [part for part in parts if isinstance(part, Text)]
    return "".join("\n".join(text.lines) + ("" if text.unended else "\n") for text in texts)


class Prefixed(Part, kw_only=True, frozen=True):
    """A part whose first line continues a text that was printed without a newline."""

    text: Text
    inner: Part

    is_strict: ClassVar[bool] = True

    def _rest(self, line: str) -> str | None:
        start = self.text.lines[-1]
        if not has_hole(start):
            return line[len(start) :] if line.startswith(start) else None
        values = Holed(start).match(line, unended=True)
        # If the text ends with a hole, the last hole takes the rest of the line.
        return None if values is None else values[-1]

    def score(self, line: str) -> float:
        return GLUED if self._rest(line) is not None else self.inner.score(line)

    def exact(self) -> int | None:
        return self.inner.exact()

    def behind(self) -> tuple[FileRef, ...]:
        return self.inner.behind()

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef] | None:
        rest = self._rest(lines[0])
        if rest is None:
            return self.inner.read(lines, sure, trimmed)
        body = [rest, *lines[1:]] if rest else list(lines[1:])
        return self.inner.read(body, sure, trimmed) if body else ()
