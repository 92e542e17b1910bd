"""Lines of another part with a number in front: `nl`, `cat -n` and `uniq -c` behind a pipe.

The number counts lines of the stream, or equal lines. It says nothing about a file, so it is taken
off before the part itself reads its lines. Before, all names in the output of `grep -rn x . | nl`
were lost, and the numbers of `nl` were taken for those of the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

from msgspec.structs import replace

from groundtrace.answers.line import size
from groundtrace.answers.numbered import COUNTED
from groundtrace.model import FileRef
from groundtrace.shell.streams.filters import Filter
from groundtrace.shell.streams.part import Opaque, Part
from groundtrace.shell.streams.spans import Spans
from groundtrace.shell.weights import IMPOSSIBLE, LED, NUMBERS_FALL


def _rest(line: str) -> str | None:
    """The line without its number; None for a line that has none."""
    found = COUNTED.match(line)
    if found is not None:
        return line[found.end() :]
    return None if line.strip() else ""


def _bare(lines: Sequence[str]) -> list[str]:
    """Lines without their numbers; cuts, and lines that a cut went through, stay as they are."""
    return [(_rest(line) or "") if type(line) is str else line for line in lines]


class NumberedLines(Part, kw_only=True, frozen=True):
    """What `inner` prints, with a number in front of every line."""

    inner: Part
    rises: bool = True
    """The numbers rise from line to line; counts of equal lines do not."""

    @property
    def strict(self) -> bool:
        return self.inner.strict

    @property
    def wanted(self) -> bool:
        return self.inner.wanted

    def score(self, line: str) -> float:
        rest = _rest(line)
        return IMPOSSIBLE if rest is None else self.inner.score(rest) + LED

    def pair(self, before: str, line: str) -> float:
        first, second = COUNTED.match(before), COUNTED.match(line)
        if first is None or second is None:
            return 0.0
        falls = self.rises and int(second[1]) <= int(first[1])
        inner = self.inner.pair(before[first.end() :], line[second.end() :])
        return inner + (NUMBERS_FALL if falls else 0.0)

    def exact(self) -> int | None:
        return self.inner.exact()

    @property
    def fullness(self) -> float:
        return self.inner.fullness

    def most(self) -> int | None:
        return self.inner.most()

    def cost_of_silence(self) -> float:
        unsure = self.quiet or self.maybe or self.fallback
        return (replace(self.inner, maybe=True) if unsure else self.inner).cost_of_silence()

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef] | None:
        bare = _bare(lines)
        refs = self.inner.read(bare, sure, trimmed)
        shown = [] if refs is None else list(refs)
        if len(shown) != 1 or shown[0].shown_chars is None:
            return None if refs is None else shown
        # One file: the numbers stand before its lines.
        (ref,) = shown
        chars = (ref.shown_chars or 0) + size(lines) - size(bare)
        return [replace(ref, shown_chars=chars)]

    # --- what filters leave of it ---------------------------------------------------------------

    def _with(self, inner: Part) -> Part:
        return replace(self, inner=inner) if inner.leads else inner

    def behind(self) -> tuple[FileRef, ...]:
        return self.inner.behind()

    def limited(self, count: int | None) -> Self:
        return replace(self, inner=self.inner.limited(count))

    def head(self, count: int, first: bool, shared: bool) -> Part:
        return self._with(self.inner.head(count, first, shared))

    def tail(self, count: int, last: bool) -> Part:
        return self._with(self.inner.tail(count, last))

    def select(self, wanted: Spans, size: int | None, first: bool) -> Part:
        return self._with(self.inner.select(wanted, size, first))

    def filter(self, how: Filter) -> Part:
        if how.numbered:
            return Opaque(shows=self.behind(), rule=how.rule, maybe=True)
        return self._with(self.inner.filter(how))

    def without_lines(self) -> Part:
        return self._with(self.inner.without_lines())

    def blurred(self) -> Part:
        return self._with(self.inner.blurred())

    def reorder(self, dropping: bool) -> Part:
        return replace(self, rises=False, inner=self.inner.reorder(dropping))
