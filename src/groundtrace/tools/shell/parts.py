"""What the pieces of a command print.

A command is followed into a list of parts: text that it prints itself, contents of files, lines
found by a search, names. A part knows how well a line fits it, so that the output can be divided
among the parts, and which files the lines it was given tell of. A part that got no lines showed
nothing (D4).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import ClassVar

import msgspec

from groundtrace.model import AccessKind, FileRef
from groundtrace.tools.shell.names import is_file_name, join
from groundtrace.tools.shell.output import TRUNCATED
from groundtrace.tools.shell.words import HOLES

Spans = tuple[tuple[int, int | None], ...]
"""Line ranges in order; an end of None is the end of the file."""
WHOLE: Spans = ((1, None),)


class Part(msgspec.Struct, kw_only=True):
    """Something that prints lines, or none."""

    limit: int | None = None
    """It cannot have printed more lines than this."""
    quiet: bool = False
    """Its error messages are thrown away, so it may have failed unseen."""
    maybe: bool = False
    """It ran only if something before it went well."""
    fallback: bool = False
    """It ran only if something before it failed."""
    guard: Part | None = None
    """What must have printed something for this to have run (`ls f && cat f`)."""
    unless: Part | None = None
    """What must have printed nothing for this to have run (`cat f || cat g`)."""
    rule: str = ""
    """Name of the program, for `explain`."""

    prints: ClassVar[bool] = True

    @property
    def strict(self) -> bool:
        """Its lines can be told from those of others."""
        return False

    def score(self, line: str) -> float:
        """How well a line fits; about 1 is neutral, below 0 is unlikely."""
        return 1.0

    @property
    def compares(self) -> bool:
        """Whether `pair` and `begin` say anything: most parts look at each line alone."""
        kind = type(self)
        return kind.pair is not Part.pair or kind.begin is not Part.begin

    def pair(self, before: str, line: str) -> float:
        """What is added when one line follows another within this part."""
        return 0.0

    def begin(self, before: str, line: str) -> float:
        """What speaks for or against its beginning at `line`, right after `before` (if any)."""
        return 0.0

    def exact(self) -> int | None:
        """Number of lines printed when the file is long enough."""
        return None

    @property
    def fullness(self) -> float:
        """What speaks for its having printed just the lines of `exact`."""
        return 3.0

    def cost_of_silence(self) -> float:
        """What speaks against its having printed nothing."""
        return 0.0

    def cost_of_speech(self) -> float:
        """What speaks against its having printed anything."""
        return 0.0 if not self.fallback else 0.5 if self.strict else 2.5

    def obtained(self, lines: Sequence[str]) -> bool:
        """Whether the lines are what was asked for, and not the news that there is nothing."""
        return True

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        """Files that `lines` tell of; `sure` when it is certain where they begin and end."""
        return ()


class Write(Part, kw_only=True):
    """A file that is written; nothing is printed."""

    path: str
    prints: ClassVar[bool] = False

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        return (FileRef(self.path, "written", rule=self.rule),)


class Holed:
    """A line with holes, each of which stands for any text, as little as fits.

    Found piece by piece: compiling an expression for it took longer than all its matches.
    """

    __slots__ = ("_first", "_last", "_middle")

    def __init__(self, text: str) -> None:
        self._first, *self._middle, self._last = HOLES.split(text)

    def match(self, line: str) -> list[str] | None:
        """What stands in the holes; None when the line is another."""
        end = len(line) - len(self._last)
        if not line.startswith(self._first) or not line.endswith(self._last):
            return None
        at = len(self._first)
        found: list[str] = []
        for piece in self._middle:
            where = line.find(piece, at)
            if where < 0:
                return None
            found.append(line[at:where])
            at = where + len(piece)
        if at > end:
            return None
        return [*found, line[at:end]]


class Text(Part, kw_only=True):
    """Lines that the command itself spells out; holes in them match anything."""

    lines: tuple[str, ...]
    streams: dict[str, tuple[Part, ...]] = msgspec.field(default_factory=dict)
    """What the holes would show, where they stand for captured output."""
    unended: bool = False
    """No newline at the end: what follows goes on in the same line."""

    def holed(self, index: int) -> Holed | None:
        """How the line is recognised when it has holes."""
        text = self.lines[index]
        return None if HOLES.search(text) is None else Holed(text)

    def cost_of_silence(self) -> float:
        return 0.2 if self.maybe or self.fallback else 8.0


class Opaque(Part, kw_only=True):
    """Output of a program that is not followed; `shows` are files whose contents it prints from."""

    shows: tuple[FileRef, ...] = ()
    expected: bool = True
    """The program is there to print something."""
    form: re.Pattern[str] | None = None
    """How its lines look, where that is known."""

    def score(self, line: str) -> float:
        return 0.9 if self.form is None or self.form.match(line) else -4.0

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        return self.shows


_LEAD = re.compile(r"\s*(\d{1,9})(?:[\t :→|).,-]|$)")
_COLON = re.compile(r"(\d{1,9}): ?(.*)")


class Content(Part, kw_only=True):
    """Lines of one file, shown because the file was opened."""

    path: str | None
    """None when it is not known which file it was."""
    repo: str | None = None
    spans: Spans | None = WHOLE
    """Which lines, in order; None when that cannot be known."""
    numbers: str = ""
    """`lead`: lines begin with their number; `colon`: as remote readers number them."""
    exists: bool = False
    """Something else shows that the file is there."""
    shuffled: bool = False
    """Its lines come in another order, so that a part of them is no range."""
    shared: bool = False
    """Its limit holds for it and others together."""
    chosen: bool = False
    """Its lines were chosen by their text: one span from the first to the last, as of a search."""

    @property
    def strict(self) -> bool:
        return bool(self.numbers)

    @property
    def compares(self) -> bool:
        return bool(self.numbers)

    def score(self, line: str) -> float:
        if self.numbers == "lead":
            return 1.5 if _LEAD.match(line) else -3.0
        if self.numbers == "colon":
            return 1.5 if _COLON.match(line) or line.startswith("URL: ") else -3.0
        return 1.0

    def pair(self, before: str, line: str) -> float:
        if not self.numbers:
            return 0.0
        first, second = _LEAD.match(before), _LEAD.match(line)
        return -4.0 if first and second and int(second[1]) <= int(first[1]) else 0.0

    def exact(self) -> int | None:
        if self.spans is None:
            return self.limit
        total = 0
        for low, high in self.spans:
            if high is None:
                return self.limit
            total += max(0, high - low + 1)
        return total if self.limit is None else min(total, self.limit)

    def cost_of_silence(self) -> float:
        return 0.3 if self.quiet or self.maybe or self.fallback else 2.0

    def obtained(self, lines: Sequence[str]) -> bool:
        return self.numbers != "colon" or any(map(_COLON.match, lines))

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        if self.path is None:
            return []
        if self.numbers:
            found = self._numbered(lines)
            return [] if found is None else [self._ref(low, high) for low, high in found]
        if self.spans is None:
            return [self._ref(None, None)]
        return [self._ref(low, high) for low, high in self._counted(lines, sure, trimmed)]

    def _ref(self, low: int | None, high: int | None) -> FileRef:
        return FileRef(self.path or "", "read", self.repo, low, high, rule=self.rule)

    def _numbered(self, lines: Sequence[str]) -> list[tuple[int | None, int | None]] | None:
        numbers = [int(m[1]) for m in map(_LEAD.match, lines) if m and len(m[1]) < 10]
        if self.numbers == "colon":
            shown = [m for m in map(_COLON.match, lines) if m and len(m[1]) < 10]
            if not shown:
                return None
            # Remote readers end with one numbered empty line that is not there (FORMATS).
            if len(shown) > 1 and not shown[-1][2].strip():
                shown.pop()
            numbers = [int(m[1]) for m in shown]
        if not numbers:
            return [(None, None)]
        return [(min(numbers), max(numbers))] if self.chosen else list(runs(numbers))

    def _counted(
        self, lines: Sequence[str], sure: bool, trimmed: bool
    ) -> list[tuple[int | None, int | None]]:
        """The spans, as far as the number of lines reaches."""
        spans = self.spans or ()
        bounded = all(high is not None for _, high in spans)
        if any(TRUNCATED.match(line) for line in lines) or not sure:
            known = bounded and not self.shared
            return [(low, high) for low, high in spans] if known else [(None, None)]
        left = len(lines)
        exact = self.exact()
        # Harnesses cut blank lines off both ends; the file rarely ends within two lines of a range.
        if trimmed and exact is not None and exact - (2 if exact > 4 else 1) <= left < exact:
            left = exact
        out: list[tuple[int | None, int | None]] = []
        for low, high in spans:
            if left <= 0:
                break
            size = left if high is None else min(left, high - low + 1)
            out.append((low, low + size - 1))
            left -= size
        return out


def runs(numbers: Sequence[int]) -> Iterable[tuple[int, int]]:
    """Consecutive numbers as ranges."""
    start = last = numbers[0]
    for number in numbers[1:]:
        if number != last + 1:
            yield start, last
            start = number
        last = number
    yield start, last


_HEADER = re.compile(r"==> (.+) <==$")


class Headed(Part, kw_only=True):
    """Contents of several files under `==> name <==`, as head and tail print them."""

    cwd: str | None
    spans: Spans | None = WHOLE

    @property
    def strict(self) -> bool:
        return True

    def score(self, line: str) -> float:
        return 4.0 if _HEADER.match(line) else 0.9

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
            shown = list(part.refs(body, True, trimmed and end == len(lines))) if body else []
            out.extend(shown or [FileRef(path, "surfaced", rule=self.rule)])
        return out


class Count(Part, kw_only=True):
    """A number, such as `wc -l` prints of its input; the files counted are known by name."""

    shows: tuple[FileRef, ...] = ()

    @property
    def strict(self) -> bool:
        return True

    def score(self, line: str) -> float:
        return 2.0 if re.fullmatch(r"\s*\d+(?:\s+\d+)*\s*", line) else -4.0

    def exact(self) -> int | None:
        return 1

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        return self.shows


class Prefixed(Part, kw_only=True):
    """A part whose first line goes on behind text that was printed without a newline."""

    text: Text
    inner: Part

    @property
    def strict(self) -> bool:
        return True

    def _rest(self, line: str) -> str | None:
        start = self.text.lines[-1]
        if HOLES.search(start) is None:
            return line[len(start) :] if line.startswith(start) else None
        pieces = [
            "(?:.*?)" if HOLES.match(p) else re.escape(p)
            for p in re.split("([\ue000-\uf8ff])", start)
            if p
        ]
        found = re.match("".join(pieces), line)
        return line[found.end() :] if found else None

    def score(self, line: str) -> float:
        return 5.0 if self._rest(line) is not None else self.inner.score(line)

    def exact(self) -> int | None:
        return self.inner.exact()

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        rest = self._rest(lines[0])
        if rest is None:
            return self.inner.refs(lines, sure, trimmed)
        body = [rest, *lines[1:]] if rest else list(lines[1:])
        return self.inner.refs(body, sure, trimmed) if body else ()


def shown_files(parts: Iterable[Part], kind: AccessKind) -> tuple[FileRef, ...]:
    """The files behind a stream, when something else is made of their contents."""
    out: dict[str, FileRef] = {}
    for part in parts:
        if isinstance(part, Content) and part.path is not None:
            out[part.path] = FileRef(part.path, kind, part.repo, rule=part.rule)
        elif isinstance(part, Opaque | Count):
            for ref in part.shows:
                out[ref.path] = FileRef(ref.path, kind, ref.repo, rule=ref.rule)
        elif isinstance(part, Prefixed):
            for ref in shown_files([part.inner], kind):
                out[ref.path] = ref
        else:
            for ref in getattr(part, "behind", tuple)():
                out[ref.path] = FileRef(ref.path, kind, ref.repo, rule=ref.rule)
    return tuple(out.values())
