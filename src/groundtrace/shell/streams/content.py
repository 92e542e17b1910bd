"""Contents of files, and which of their lines were shown.

Lines are known in two ways. If they have numbers (`cat -n`), the numbers say which they are.
Otherwise the command says which lines it asked for, and the number of lines in the output says how
far the file reached: `sed -n '55,80p' util.py` printed six lines, so lines 55–60 were shown. That
holds only if it is certain where the contents begin and end (`sure`). Otherwise the lines are
stated as unknown and not guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from msgspec.structs import replace

from groundtrace.answers.cuts import Cut, pieces
from groundtrace.base.patterns import regex
from groundtrace.model import FileRef
from groundtrace.shell.streams.file_names import is_file_name, join
from groundtrace.shell.streams.filters import Filter
from groundtrace.shell.streams.found_lines import Search
from groundtrace.shell.streams.part import Opaque, Part
from groundtrace.shell.streams.spans import WHOLE, Spans, first_of, last_of, pick
from groundtrace.shell.weights import (
    BLANKS_CUT,
    BLANKS_CUT_SHORT,
    CONTENT_MAYBE_SILENT,
    CONTENT_SILENT,
    HEADING,
    NEAR_HEADING,
    NUMBERED_LINE,
    NUMBERS_FALL,
    PLAIN,
    RANGE_SILENT,
    SHORT_RANGE,
    UNDER_HEADING,
    UNLIKELY,
)

_LEAD = regex(r"\s*(\d{1,9})(?:[\t :→|).,-]|$)")
_BLAME = regex(r"\^?[0-9a-f]{4,40}\b[^)]{0,400}?\b(\d{1,9})\) ")
_COLON = regex(r"(\d{1,9}): ?(.*)")


class Content(Part, kw_only=True, frozen=True):
    """Lines of one file, shown because the file was opened."""

    path: str | None
    """None if it is not known which file it was."""
    repo: str | None = None
    spans: Spans | None = WHOLE
    """Which lines, in order; None if that cannot be known."""
    numbers: str = ""
    """`lead`: lines begin with their number; `colon`: numbered as by remote readers."""
    shuffled: bool = False
    """Its lines come in another order, so a part of them is not a range."""
    shared: bool = False
    """Its limit applies to it and other parts together."""
    width: int | None = None
    """Longer lines are folded, so lines can only be counted if all are shorter."""
    by_text: bool = False
    """Its lines were chosen by their text: one span from the first to the last, as for a search."""

    tells_success: ClassVar[bool] = True
    complains: ClassVar[bool] = True

    @property
    def strict(self) -> bool:
        return bool(self.numbers)

    @property
    def compares(self) -> bool:
        return bool(self.numbers)

    def score(self, line: str) -> float:
        if self.numbers == "blame":
            return NUMBERED_LINE if _BLAME.match(line) else UNLIKELY
        if self.numbers == "lead":
            return NUMBERED_LINE if _LEAD.match(line) else UNLIKELY
        if self.numbers == "colon":
            shown = _COLON.match(line) or line.startswith("URL: ")
            return NUMBERED_LINE if shown else UNLIKELY
        return PLAIN

    def pair(self, before: str, line: str) -> float:
        if not self.numbers:
            return 0.0
        first, second = _LEAD.match(before), _LEAD.match(line)
        return NUMBERS_FALL if first and second and int(second[1]) <= int(first[1]) else 0.0

    def exact(self) -> int | None:
        if self.shared and self.maybe and self.quiet:
            return None  # it has only the room that the parts before it left
        if self.spans is None:
            return self.limit
        total = 0
        for low, high in self.spans:
            if high is None:
                return self.limit
            total += max(0, high - low + 1)
        return total if self.limit is None else min(total, self.limit)

    def most(self) -> int | None:
        exact = self.exact()  # `sed -n 10,20p` prints eleven lines at most
        return self.limit if exact is None else exact

    def cost_of_silence(self) -> float:
        if self.quiet or self.maybe or self.fallback:
            return CONTENT_MAYBE_SILENT
        return RANGE_SILENT if self.spans and self.spans[0][0] > 1 else CONTENT_SILENT

    def obtained(self, lines: Sequence[str]) -> bool:
        return self.numbers != "colon" or any(map(_COLON.match, lines))

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        if self.path is None:
            return []
        if self.numbers:
            runs_shown = self._numbered(lines)
            if runs_shown is None:
                return []
            if self.by_text and len(runs_shown) > 1:
                span = self._ref(runs_shown[0][0], runs_shown[-1][1])
                return [replace(span, ranges=tuple(runs_shown))]
            return [self._ref(low, high) for low, high in runs_shown]
        folded = self.width is not None and any(len(line) >= self.width for line in lines)
        if self.spans is None or folded:
            return [self._ref(None, None)]
        counted = self._counted(lines, sure, trimmed)
        whole = sure and len(counted) == 1 and self.spans == WHOLE and self.limit is None
        return [self._ref(low, high, whole) for low, high in counted]

    def around_cuts(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        if self.path is None:
            return []
        if self.numbers:
            # Half a line counts if its number was shown; the other half has lost its number.
            kept = [
                line
                for line, following in zip(lines, [*lines[1:], ""], strict=False)
                if type(line) is str or getattr(line, "ends", False) or _goes_on(line, following)
            ]
            return self.refs(kept, sure, trimmed) if kept else []
        if self.spans is None or not sure:
            return [self._ref(None, None)] if any(pieces(lines)) else []
        return [self._ref(low, high) for low, high in self._cut_spans(lines, self.spans)]

    def _cut_spans(self, lines: Sequence[str], spans: Spans) -> list[tuple[int | None, int | None]]:
        """Lines before a cut are counted from the first line.

        Lines after it are known only if the harness says how many lines it left out.
        """
        out: list[tuple[int | None, int | None]] = []
        before: int | None = 0
        for piece, at in zip(pieces(lines), [*_cuts(lines), None], strict=True):
            if piece and before is not None:
                out.extend(pick(spans, ((before + 1, before + len(piece)),)))
            elif piece:
                out.append((None, None))
            omitted = None if at is None else at.omitted
            if before is not None:
                before = None if omitted is None else before + len(piece) + omitted
        return out

    def _ref(self, low: int | None, high: int | None, whole: bool = False) -> FileRef:
        path = self.path or ""
        return FileRef(path, "read", self.repo, low, high, rule=self.rule, whole=whole)

    def _numbered(self, lines: Sequence[str]) -> list[tuple[int | None, int | None]] | None:
        form = _BLAME if self.numbers == "blame" else _LEAD
        numbers = [int(m[1]) for m in map(form.match, lines) if m and len(m[1]) < 10]
        if self.numbers == "colon":
            shown = [m for m in map(_COLON.match, lines) if m and len(m[1]) < 10]
            if not shown:
                return None
            # Remote readers end with one numbered empty line that is not in the file.
            if len(shown) > 1 and not shown[-1][2].strip():
                shown.pop()
            numbers = [int(m[1]) for m in shown]
        if not numbers:
            return [(None, None)]
        return [*runs(sorted(set(numbers)) if self.by_text else numbers)]

    def _counted(
        self, lines: Sequence[str], sure: bool, trimmed: bool
    ) -> list[tuple[int | None, int | None]]:
        """The spans, as far as the number of lines reaches."""
        spans = self.spans or ()
        if not sure:
            known = not self.shared and all(high is not None for _, high in spans)
            size = self.exact()
            # Six lines of a guess are not the 86 that `sed -n 115,200p` asked for.
            known = known and (size is None or len(lines) >= size - _blanks_cut(size))
            return [(low, high) for low, high in spans] if known else [(None, None)]
        left = len(lines)
        exact = self.exact()
        # Harnesses cut blank lines off both ends. A few missing lines are taken for these, because
        # a file rarely ends within two lines of the end of a range.
        if trimmed and exact is not None and exact - _blanks_cut(exact) <= left < exact:
            left = exact
        out: list[tuple[int | None, int | None]] = []
        for low, high in spans:
            if left <= 0:
                break
            size = left if high is None else min(left, high - low + 1)
            out.append((low, low + size - 1))
            left -= size
        return out

    # --- what filters leave of it ---------------------------------------------------------------

    def behind(self) -> tuple[FileRef, ...]:
        return () if self.path is None else (self._ref(None, None),)

    def head(self, count: int, first: bool, shared: bool) -> Part:
        part = self
        if self.spans is not None:
            known = not (first and self.shuffled)
            spans = first_of(self.spans, count) if known else None
            part = replace(self, spans=spans, shared=shared)
        return Part.head(part, count, first, shared)

    def tail(self, count: int, last: bool) -> Part:
        known = last and self.spans is not None and not self.shuffled
        spans = last_of(self.spans or (), count) if known else None
        return Part.tail(replace(self, spans=spans), count, last)

    def select(self, wanted: Spans, size: int | None, first: bool) -> Part:
        if not first:
            return replace(self, spans=None).perhaps_unseen().limited(size)
        known = self.spans is not None and not self.shuffled
        return replace(self, spans=pick(self.spans or (), wanted) if known else None).limited(size)

    def filter(self, how: Filter) -> Part:
        return Search(
            cwd=None,
            sole=self.path,
            named=False,
            numbered=how.numbered,
            context=how.context,
            base=self,
            pattern=None if how.context or self.numbers else how.pattern,
            inverted=how.inverted,
            limit=self.limited(how.limit).limit,
            quiet=True,
            maybe=self.maybe,
            fallback=self.fallback,
            rule=how.rule,
        )

    def number(self, alone: bool) -> Part:
        own = alone and self.spans == WHOLE and not self.numbers
        return replace(self, numbers="lead") if own else self

    def without_lines(self) -> Part:
        return replace(self, spans=None)

    def blurred(self) -> Part:
        return self if self.numbers else replace(self, spans=None, quiet=True)

    def chosen(self) -> Part:
        return replace(self, by_text=True)

    def folded(self, width: int) -> Part:
        return self if self.numbers else replace(self, width=width)

    def reorder(self, dropping: bool) -> Part:
        return replace(self, spans=None if dropping else self.spans, shuffled=True)

    def derive(self, rule: str) -> Part:
        return replace(self, spans=None, numbers="", limit=None, quiet=True)

    def found(self) -> Part:
        if self.path is None:
            return self.derive("awk")
        return Search(cwd=None, sole=self.path, named=None, numbered=True, rule="awk")

    def line(self, number: int) -> int | None:
        """The line of the file that is line `number` of the stream."""
        if self.spans is None:
            return None
        left = number
        for low, high in self.spans:
            size = None if high is None else high - low + 1
            if size is None or left <= size:
                return low + left - 1
            left -= size
        return None


def _cuts(lines: Sequence[str]) -> list[Cut]:
    return [line for line in lines if isinstance(line, Cut)]


def _goes_on(line: str, following: str) -> bool:
    """Whether the number on half a line is complete: the next line has the next number."""
    first, second = _LEAD.match(line), _LEAD.match(following)
    return first is not None and second is not None and int(first[1]) + 1 == int(second[1])


def _blanks_cut(size: int) -> int:
    """How many blank lines a harness may have cut off the ends of a range of this size."""
    return BLANKS_CUT if size > SHORT_RANGE else BLANKS_CUT_SHORT


def runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Consecutive numbers as ranges."""
    out: list[tuple[int, int]] = []
    start = last = numbers[0]
    for number in numbers[1:]:
        if number != last + 1:
            out.append((start, last))
            start = number
        last = number
    out.append((start, last))
    return out


_HEADER = regex(r"==> (.+) <==$")


class Headed(Part, kw_only=True, frozen=True):
    """Contents of several files under `==> name <==`, as head and tail print them."""

    cwd: str | None
    spans: Spans | None = WHOLE
    size: int | None = None
    """Lines of each file that are shown, if it is long enough."""

    @property
    def strict(self) -> bool:
        return self.size is None

    def score(self, line: str) -> float:
        return HEADING if _HEADER.match(line) else UNDER_HEADING

    def scores(self, lines: Sequence[str]) -> Iterable[float]:
        """As many lines below a heading as were asked for, and no others, are those of its file."""
        if self.size is None:
            return map(self.score, lines)
        out: list[float] = []
        left = 0
        for line in lines:
            if _HEADER.match(line):
                left = self.size
                out.append(HEADING)
            elif left > 0:
                left -= 1
                out.append(NEAR_HEADING)
            else:
                out.append(UNLIKELY if line else UNDER_HEADING)
        return out

    def is_full(self, lines: Sequence[str]) -> bool:
        last = next((i for i in reversed(range(len(lines))) if _HEADER.match(lines[i])), None)
        return last is not None and len(lines) - 1 - last == self.size

    def around_cuts(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        """After a cut, the lines before the next heading belong to a file that is not named."""
        kept: list[str] = []
        for index, piece in enumerate(pieces(lines)):
            first = next((i for i, line in enumerate(piece) if _HEADER.match(line)), len(piece))
            kept += piece[first:] if index else piece
        return self.refs(kept, sure, trimmed)

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        out: list[FileRef] = []
        headers = [i for i, line in enumerate(lines) if _HEADER.match(line)]
        for begin, end in zip(headers, [*headers[1:], len(lines)], strict=False):
            found = _HEADER.match(lines[begin])
            if found is None or not is_file_name(found[1]) or found[1] == "standard input":
                continue
            body = list(lines[begin + 1 : end])
            if end < len(lines) and body and not body[-1]:
                body.pop()
            path = join(self.cwd, found[1])
            part = Content(path=path, spans=self.spans, rule=self.rule)
            known = sure or end < len(lines)
            part = part if known else replace(part, spans=None)
            shown = list(part.shown(body, True, trimmed and end == len(lines))) if body else []
            out.extend(shown or [FileRef(path, "surfaced", rule=self.rule)])
        return out

    def filter(self, how: Filter) -> Part:
        return Opaque(rule=how.rule)  # without its heading a line may come from any file
