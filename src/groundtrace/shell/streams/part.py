"""What the pieces of a command print: the base of all parts, and the simplest kinds.

A command becomes a list of parts: text that it prints itself, contents of files, lines found by a
search, names. A part knows how well a line fits it, so that the output can be divided among the
parts, and which files are shown by the lines that it got. A part that got no lines showed nothing
(D4). `weights` explains the numbers that its methods return.

A part never changes. What a filter after a pipe leaves of it is another part, and every kind of
part defines that itself: `head`, `tail`, `select`, `filter`, `number`, `reorder`, `derive`,
`names`, `columns` and `substitute`. `line_algebra` takes whole streams through them. If a kind does
not define a method, the method of the base is used, which claims least.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, Self

import msgspec
from msgspec.structs import replace

from groundtrace.answers.cuts import whole
from groundtrace.model import AccessKind, FileRef
from groundtrace.shell.streams.filters import Filter
from groundtrace.shell.streams.spans import Spans
from groundtrace.shell.weights import (
    BARE_NAME,
    FALLBACK_SPEAKS,
    FALLBACK_STRICT,
    FULL,
    IMPOSSIBLE,
    NOTICE_GAP,
    OPAQUE,
    PLAIN,
    TELLING,
)

Said = tuple[tuple[str, str], ...]
"""How the lines begin and end; equal if the whole line is known."""

_TRACEBACK = "Traceback (most recent call last):"


def are_own_words(lines: Sequence[str], said: Said) -> bool:
    """Whether all lines are a script's own words or a traceback, so that they show no file."""
    whole = {start for start, end in said if start == end}
    open_ended = [(start, end) for start, end in said if start != end]
    starts = tuple(start for start, _ in open_ended)
    in_trace = False
    for line in lines:
        if in_trace:
            # The exception itself comes after the indented lines.
            in_trace = line.startswith("  ")
            continue
        text = line.strip()
        if text == _TRACEBACK:
            in_trace = True
        elif text and text not in whole:
            if not text.startswith(starts):
                return False
            if not any(text.startswith(start) and text.endswith(end) for start, end in open_ended):
                return False
    return True


_serials = itertools.count()


class Part(msgspec.Struct, kw_only=True, frozen=True):
    """Something that prints lines, or nothing."""

    limit: int | None = None
    """It cannot have printed more lines than this."""
    quiet: bool = False
    """Its error messages are discarded, so a failure may not be visible."""
    maybe: bool = False
    """It ran only if something before it succeeded."""
    fallback: bool = False
    """It ran only if something before it failed."""
    guard: int | None = None
    """Serial of the part that must have printed something if this one ran (`ls f && cat f`)."""
    unless: int | None = None
    """Serial of the part that must have printed nothing if this one ran (`cat f || cat g`)."""
    rule: str = ""
    """Name of the program, for `explain`."""
    serial: int = msgspec.field(default_factory=_serials.__next__)
    """Identifies the part; what a filter leaves of it keeps the number."""

    prints: ClassVar[bool] = True
    tells_success: ClassVar[bool] = False
    """If it printed something, it succeeded, so what follows `||` did not run."""
    tells_failure: ClassVar[bool] = False
    """If it printed nothing, it failed, so what follows `&&` did not run."""
    complains: ClassVar[bool] = False
    """It prints an error if it fails."""
    is_strict: ClassVar[bool] = False
    """Its lines can always be told apart from those of others."""
    leads: ClassVar[bool] = True
    """A number in front of each of its lines can be taken off again (`streams.numbered_lines`)."""

    @property
    def strict(self) -> bool:
        """Whether its lines can be told apart from those of others, here."""
        return self.is_strict

    def score(self, line: str) -> float:
        """How well a line fits; about 1 is neutral, below 0 is unlikely."""
        return PLAIN

    def scorer(self) -> Callable[[str], float]:
        """`score` for many lines: what is the same for all lines is computed once."""
        return self.score

    def scores(self, lines: Sequence[str]) -> Iterable[float]:
        """`score` of each of these lines; a kind of part may also look at the lines before it."""
        return map(self.scorer(), lines)

    @property
    def compares(self) -> bool:
        """Whether `pair` and `begin` are used; most parts look at each line alone."""
        kind = type(self)
        return kind.pair is not Part.pair or kind.begin is not Part.begin

    @property
    def prefers_later_start(self) -> bool:
        """If it may begin at two places with the same score, the later one is used."""
        return False

    def pair(self, before: str, line: str) -> float:
        """The score added if one line follows another within this part."""
        return 0.0

    def begin(self, before: str, line: str) -> float:
        """The score for beginning at `line`, right after `before` (if any)."""
        return 0.0

    def exact(self) -> int | None:
        """Number of lines printed if the file is long enough."""
        return None

    def is_full(self, lines: Sequence[str]) -> bool:
        """Whether `lines` are exactly as many as it prints if the file is long enough."""
        return self.exact() == len(lines)

    @property
    def fullness(self) -> float:
        """The score added if it printed exactly the lines of `exact`."""
        return FULL

    def most(self) -> int | None:
        """It cannot have printed more lines than this."""
        return self.limit

    def cost_of_silence(self) -> float:
        """The score subtracted if it printed nothing."""
        return 0.0

    def cost_of_speech(self) -> float:
        """The score subtracted if it printed anything."""
        return 0.0 if not self.fallback else FALLBACK_STRICT if self.strict else FALLBACK_SPEAKS

    @property
    def wanted(self) -> bool:
        """Whether the program is there to print something."""
        return True

    @property
    def speaks(self) -> bool:
        """Whether it certainly prints something, and nothing is known about what (D143)."""
        return False

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef] | None:
        """Files that `lines` show, with the lines and characters that show them.

        None if the lines are not what was asked for but a message that there is nothing. There may
        be cuts among the lines (`answers.cuts`); half a name is not a name. `sure`: it is certain
        where the lines begin and end. `trimmed`: blank lines may have been cut off their end.
        """
        return ()

    def unseen(self) -> Iterable[FileRef]:
        """Files that were certainly touched although nothing was printed."""
        return ()

    # --- what filters leave of it ---------------------------------------------------------------

    def behind(self) -> tuple[FileRef, ...]:
        """The files that it shows, as far as they are known without the output."""
        return ()

    def limited(self, count: int | None) -> Self:
        """The same part with at most this many lines."""
        if count is None or (self.limit is not None and self.limit <= count):
            return self
        return replace(self, limit=count)

    def perhaps_unseen(self) -> Self:
        """The same part, which may have had no room left after the parts before it."""
        return replace(self, maybe=True, quiet=True)

    def head(self, count: int, first: bool, shared: bool) -> Part:
        """`head -n count` of a stream.

        `first`: it is the first part; `shared`: there are others.
        """
        part = self.limited(count)
        return part if first else part.perhaps_unseen()

    def tail(self, count: int, last: bool) -> Part:
        """`tail -n count` of a stream; `last`: it is the last part."""
        part = self.limited(count)
        return part if last else part.perhaps_unseen()

    def select(self, wanted: Spans, size: int | None, first: bool) -> Part:
        """Lines of a stream by their numbers (`sed -n 'a,bp'`), `size` in total.

        `first`: it is the first part of the stream.
        """
        return self.limited(size)

    def filter(self, how: Filter) -> Part:
        """Lines of a stream by their text (`grep`)."""
        return self

    def number(self, alone: bool) -> Part:
        """Lines with their stream number at the start; `alone`: no other part is in the stream."""
        return self

    def without_lines(self) -> Part:
        """The same lines, but it is not known which lines of a file they are."""
        return self

    def blurred(self) -> Part:
        """Lines chosen by their text: the files are known, the lines are not."""
        return self

    def chosen(self) -> Part:
        """Numbered lines chosen by their text become found lines: one span from first to last."""
        return self

    def folded(self, width: int) -> Part:
        """Lines folded at a width."""
        return self

    def reorder(self, dropping: bool) -> Part:
        """The same lines in another order; `dropping`: or fewer of them."""
        return self

    def counted(self, rule: str) -> Part:
        """Lines with a count at the start (`uniq -c`)."""
        return self.derive(rule)

    def derive(self, rule: str) -> Part:
        """Something made from it: its files are still shown, but their lines are not known."""
        if not self.prints:
            return self
        return Opaque(
            shows=as_kind(self.behind(), "read"), rule=rule or self.rule, maybe=self.maybe
        )

    def names(self, rule: str) -> Part:
        """The first field of `name:line:text`."""
        return self.derive(rule)

    def places(self, rule: str) -> Part:
        """The first two fields of `name:line:text`: names and numbers, no contents."""
        return self.names(rule)

    def columns(self, fields: Sequence[str]) -> Part:
        """Some of its words, by their awk numbers (`NF` is the last)."""
        return self.derive("awk")

    def found(self) -> Part:
        """Lines printed after the name of their file and their number, as grep prints them."""
        return self.derive("awk")

    def substitute(self) -> Part:
        """Its lines with a text replaced; each line still comes from the same file."""
        return self

    def without_prefix(self, prefix: str) -> Part | None:
        """Its names without a text at their start; None if that is not followed."""
        return None

    def with_prefix(self, prefix: str) -> Part | None:
        """Its names with a folder before them; None if that is not followed."""
        return None


def as_kind(refs: Iterable[FileRef], kind: AccessKind) -> tuple[FileRef, ...]:
    """Files without their lines, as accesses of one kind."""
    out = {ref.path: FileRef(ref.path, kind, ref.repo, rule=ref.rule) for ref in refs}
    return tuple(out.values())


class Write(Part, kw_only=True, frozen=True):
    """A file that is written; nothing is printed."""

    path: str
    restored: bool = False
    """It is put back as git holds it."""
    prints: ClassVar[bool] = False

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        return (FileRef(self.path, "written", rule=self.rule, restored=self.restored),)


class Listed(Part, kw_only=True, frozen=True):
    """A file whose name a listing found and another part prints."""

    path: str
    prints: ClassVar[bool] = False

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        return (FileRef(self.path, "surfaced", rule=self.rule),)


class Condition(Part, kw_only=True, frozen=True):
    """A test that prints nothing: what follows it may or may not have run."""

    prints: ClassVar[bool] = False


class Opaque(Part, kw_only=True, frozen=True):
    """Output of a program that is not followed; `shows` are files whose contents it prints."""

    shows: tuple[FileRef, ...] = ()
    expected: bool = True
    """The program is there to print something."""
    talks: bool = False
    """It prints something all the same: tests, builds, installers."""
    form: re.Pattern[str] | None = None
    """What its lines look like, if known."""
    said: Said | None = None
    """Lines that it prints whatever its files hold, if known."""

    leads: ClassVar[bool] = False

    @property
    def wanted(self) -> bool:
        return self.expected

    @property
    def speaks(self) -> bool:
        return (self.expected or self.talks) and self.form is None

    def score(self, line: str) -> float:
        if self.form is None:
            return OPAQUE
        return BARE_NAME if self.form.match(line) else IMPOSSIBLE

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        lines = whole(lines)
        if not lines:
            return ()
        if self.said is not None and are_own_words(lines, self.said):
            return [ref for ref in self.shows if ref.kind != "read"]
        return self.shows

    def behind(self) -> tuple[FileRef, ...]:
        return self.shows


class Notice(Part, kw_only=True, frozen=True):
    """What a program prints on standard error beside the output of another: no filter sees it."""

    form: re.Pattern[str]
    size: int
    """Number of its lines."""

    leads: ClassVar[bool] = False

    is_strict: ClassVar[bool] = True

    @property
    def wanted(self) -> bool:
        return False

    def score(self, line: str) -> float:
        return TELLING if self.form.match(line) else IMPOSSIBLE if line else NOTICE_GAP

    def exact(self) -> int | None:
        return self.size

    def most(self) -> int | None:
        return self.size

    def limited(self, count: int | None) -> Self:
        return self

    def perhaps_unseen(self) -> Self:
        return self

    def derive(self, rule: str) -> Part:
        return self


class Count(Part, kw_only=True, frozen=True):
    """A number, such as `wc -l` prints for its input: neither text nor name of a file (D50)."""

    leads: ClassVar[bool] = False

    is_strict: ClassVar[bool] = True

    def score(self, line: str) -> float:
        return TELLING if line.strip() and all(map(str.isdecimal, line.split())) else IMPOSSIBLE

    def exact(self) -> int | None:
        return 1


Parts = list[Part]
"""What a command prints, part by part, in order."""
