"""Contents of files, and which of their lines were shown.

Lines are known in two ways. If they have numbers (`cat -n`), the numbers say which they are.
Otherwise the command says which lines it asked for, and the number of lines in the output says how
far the file reached: `sed -n '55,80p' util.py` printed six lines, so lines 55–60 were shown. That
holds only if it is certain where the contents begin and end (`sure`). Otherwise the lines are
stated as unknown and not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import ClassVar

from msgspec.structs import replace

from groundtrace.answers.cuts import Cut, cut, from_headings, is_cut, pieces
from groundtrace.answers.fold import merged
from groundtrace.answers.headed import ARROWS, below_arrows
from groundtrace.answers.line import size
from groundtrace.answers.numbered import BLAME, COLON, LEAD
from groundtrace.model import FileRef
from groundtrace.shell.streams.file_names import path_of
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

FORMS = {"lead": LEAD, "colon": COLON, "blame": BLAME}
"""How lines are numbered: at their start, as by remote readers, as by git blame."""
_OTHER_STATES = frozenset(["git show", "git stash", "git blame", "git log", "git diff"])
"""Programs that show a file as it was, or print something else in front of its lines."""


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
        if not self.numbers:
            return PLAIN
        shown = FORMS[self.numbers].match(line) is not None
        if self.numbers == "colon":
            shown = shown or line.startswith("URL: ")
        return NUMBERED_LINE if shown else UNLIKELY

    def pair(self, before: str, line: str) -> float:
        if not self.numbers:
            return 0.0
        first, second = LEAD.match(before), LEAD.match(line)
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

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef] | None:
        if self.numbers:
            return self._read_numbered(lines)
        if self.path is None:
            return ()
        folded = self.width is not None and any(len(line) >= self.width for line in lines)
        if is_cut(lines):
            return list(self._read_around_cuts(lines, sure and not folded))
        if self.spans is None or folded:
            return [self._ref(None, None, lines)]
        spans = self._counted(lines, sure, trimmed)
        whole = sure and len(spans) == 1 and self.spans == WHOLE and self.limit is None
        return [
            self._ref(low, high, text, whole)
            for (low, high), text in zip(spans, _divided(lines, spans), strict=True)
        ]

    def _read_around_cuts(self, lines: Sequence[str], sure: bool) -> Iterable[FileRef]:
        shown = [piece for piece in pieces(lines) if piece]
        if self.spans is None or not sure:
            if shown:
                ref = self._ref(None, None, shown[0])
                chars = sum(map(size, shown))
                printed = [line for piece in shown for line in (cut(""), *piece)][1:]
                yield replace(ref, shown_chars=chars, printed=ref.printed and printed)
            return
        for piece, spans in self._cut_spans(lines, self.spans):
            for (low, high), text in zip(spans, _divided(piece, spans), strict=True):
                yield self._ref(low, high, text)

    def _read_numbered(self, lines: Sequence[str]) -> Iterable[FileRef] | None:
        """Contents run by run, by the numbers of the lines."""
        if is_cut(lines):
            # Half a line counts if its number was shown; the other half has lost its number.
            lines = [
                line
                for line, following in zip(lines, [*lines[1:], ""], strict=False)
                if (type(line) is str and line)
                or getattr(line, "ends", False)
                or _goes_on(line, following)
            ]
        form = FORMS[self.numbers]
        if self.numbers == "colon":
            lines = [line for line in lines if form.match(line)]
            if not lines:
                return None
            # Remote readers end with one numbered empty line that is not in the file.
            last = form.match(lines[-1])
            if len(lines) > 1 and last is not None and not last[2].strip():
                lines.pop()
        if self.path is None or not lines:
            return ()
        runs = self._runs(lines, form)
        if not self.by_text or len(runs) < 2:
            return [self._ref(low, high, text) for low, high, text in runs]
        ranges = merged((low, high) for low, high, _ in runs if low and high)
        span = self._ref(ranges[0][0], ranges[-1][1], lines)
        return [replace(span, ranges=tuple(ranges) if len(ranges) > 1 else None, printed=None)]

    def _runs(
        self, lines: Sequence[str], form: re.Pattern[str]
    ) -> list[tuple[int | None, int | None, Sequence[str]]]:
        """Runs of consecutive numbers with their lines; `nl` leaves empty lines without a number."""
        out: list[tuple[int | None, int | None, Sequence[str]]] = []
        begin = 0
        start = last = None
        for at, line in enumerate(lines):
            found = form.match(line)
            if found is None:
                continue
            number = int(found[1])
            if last is None:
                start = number
            elif number != last + 1:
                out.append((start, last, lines[begin:at]))
                begin, start = at, number
            last = number
        return [*out, (start, last, lines[begin:])]

    def number_in(self, line: str) -> int | None:
        """The number of a line, if its lines are numbered."""
        found = FORMS[self.numbers].match(line)
        return None if found is None else int(found[1])

    def _cut_spans(
        self, lines: Sequence[str], spans: Spans
    ) -> Iterable[tuple[Sequence[str], Sequence[tuple[int | None, int | None]]]]:
        """The lines between cuts, each piece with its spans.

        Lines before a cut are counted from the first line. Lines after it are known only if the
        harness says how many lines it left out.
        """
        before: int | None = 0
        cuts = [line for line in lines if isinstance(line, Cut)]
        for piece, at in zip(pieces(lines), [*cuts, None], strict=True):
            if piece and before is not None:
                yield piece, pick(spans, ((before + 1, before + len(piece)),))
            elif piece:
                yield piece, [(None, None)]
            omitted = None if at is None else at.omitted
            if before is not None:
                before = None if omitted is None else before + len(piece) + omitted

    def _ref(
        self,
        low: int | None,
        high: int | None,
        lines: Sequence[str] | None = None,
        whole: bool = False,
    ) -> FileRef:
        """The file with the lines that show it; None if it is not known which of them do."""
        return FileRef(
            self.path or "",
            "read",
            self.repo,
            low,
            high,
            rule=self.rule,
            whole=whole,
            shown_chars=None if lines is None else size(lines),
            printed=lines if self.rule not in _OTHER_STATES else None,
        )

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
        if (
            self.rule[:6] == "python"
            and exact is not None
            and left < exact
            and lines
            and not lines[-1]
        ):
            left -= 1  # `print` adds a newline to the one that the last line of the file has
        elif trimmed and exact is not None and exact - _blanks_cut(exact) <= left < exact:
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
        return () if self.path is None else (FileRef(self.path, "read", self.repo, rule=self.rule),)

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


def _goes_on(line: str, following: str) -> bool:
    """Whether the number on half a line is complete: the next line has the next number."""
    first, second = LEAD.match(line), LEAD.match(following)
    return first is not None and second is not None and int(first[1]) + 1 == int(second[1])


def _blanks_cut(size: int) -> int:
    """How many blank lines a harness may have cut off the ends of a range of this size."""
    return BLANKS_CUT if size > SHORT_RANGE else BLANKS_CUT_SHORT


def _divided(
    lines: Sequence[str], spans: Sequence[tuple[int | None, int | None]]
) -> Sequence[Sequence[str] | None]:
    """The lines of each span; None if there are more or fewer lines than the spans have."""
    if len(spans) == 1:
        return [lines]
    sizes = [high - low + 1 if low and high else 0 for low, high in spans]
    if sum(sizes) != len(lines):
        return [None] * len(spans)
    return [lines[end - size : end] for end, size in zip(accumulate(sizes), sizes, strict=True)]


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
        return HEADING if ARROWS.match(line) else UNDER_HEADING

    def scores(self, lines: Sequence[str]) -> Iterable[float]:
        """As many lines below a heading as were asked for, and no others, are those of its file."""
        if self.size is None:
            return map(self.score, lines)
        out: list[float] = []
        left = 0
        for line in lines:
            if ARROWS.match(line):
                left = self.size
                out.append(HEADING)
            elif left > 0:
                left -= 1
                out.append(NEAR_HEADING)
            else:
                out.append(UNLIKELY if line else UNDER_HEADING)
        return out

    def is_full(self, lines: Sequence[str]) -> bool:
        last = next((i for i in reversed(range(len(lines))) if ARROWS.match(lines[i])), None)
        return last is not None and len(lines) - 1 - last == self.size

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        if is_cut(lines):
            lines = from_headings(lines, lambda line: bool(ARROWS.match(line)), halves=True)
        for name, body, is_last in below_arrows(lines):
            path = path_of(self.cwd, name)
            if path is None or name == "standard input":
                continue
            spans = self.spans if sure or not is_last else None
            part = Content(path=path, spans=spans, rule=self.rule)
            shown = part.read(body, True, trimmed and is_last) if body else ()
            yield from shown or (FileRef(path, "surfaced", rule=self.rule),)

    def filter(self, how: Filter) -> Part:
        return Opaque(rule=how.rule)  # without its heading a line may come from any file
