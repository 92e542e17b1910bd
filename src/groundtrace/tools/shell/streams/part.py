"""What the pieces of a command print: the base of all parts, and those that need no more.

A command is followed into a list of parts: text that it prints itself, contents of files, lines
found by a search, names. A part knows how well a line fits it, so that the output can be divided
among the parts, and which files the lines it was given tell of. A part that got no lines showed
nothing (D4). The numbers that its methods give are explained in `weights`.

A part is never changed. What a filter behind a pipe leaves of it is another part, and every kind says
so itself: `head`, `tail`, `select`, `filter`, `number`, `reorder`, `derive`, `names`, `columns` and
`substitute`. `line_algebra` takes whole streams through them. Where a kind says nothing, the answer
of the base holds, which claims least.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, Self

import msgspec
from msgspec.structs import replace

from groundtrace.model import AccessKind, FileRef
from groundtrace.tools.shell.output.cuts import is_cut, whole
from groundtrace.tools.shell.streams.filters import Filter
from groundtrace.tools.shell.streams.spans import Spans
from groundtrace.tools.shell.weights import (
    FALLBACK_SPEAKS,
    FALLBACK_TOLD,
    FULL,
    IMPOSSIBLE,
    NOTICE_GAP,
    OPAQUE,
    PLAIN,
    TELLING,
)

_serials = itertools.count()


class Part(msgspec.Struct, kw_only=True, frozen=True):
    """Something that prints lines, or none."""

    limit: int | None = None
    """It cannot have printed more lines than this."""
    quiet: bool = False
    """Its error messages are thrown away, so it may have failed unseen."""
    maybe: bool = False
    """It ran only if something before it went well."""
    fallback: bool = False
    """It ran only if something before it failed."""
    guard: int | None = None
    """Serial of what must have printed something for this to have run (`ls f && cat f`)."""
    unless: int | None = None
    """Serial of what must have printed nothing for this to have run (`cat f || cat g`)."""
    rule: str = ""
    """Name of the program, for `explain`."""
    serial: int = msgspec.field(default_factory=_serials.__next__)
    """Which part it is: what a filter leaves of it keeps the number."""

    prints: ClassVar[bool] = True
    tells_success: ClassVar[bool] = False
    """That it printed something says that it went well, so that what follows `||` did not run."""
    tells_failure: ClassVar[bool] = False
    """That it printed nothing says that it failed, so that what follows `&&` did not run."""
    complains: ClassVar[bool] = False
    """It prints an error when it fails."""

    @property
    def strict(self) -> bool:
        """Its lines can be told from those of others."""
        return False

    def score(self, line: str) -> float:
        """How well a line fits; about 1 is neutral, below 0 is unlikely."""
        return PLAIN

    def scorer(self) -> Callable[[str], float]:
        """`score` for many lines: what is the same for all of them is looked at once."""
        return self.score

    @property
    def compares(self) -> bool:
        """Whether `pair` and `begin` say anything: most parts look at each line alone."""
        kind = type(self)
        return kind.pair is not Part.pair or kind.begin is not Part.begin

    @property
    def begins_late(self) -> bool:
        """Of two places where it may begin as well, the later one is taken."""
        return False

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
        return FULL

    def most(self) -> int | None:
        """It cannot have printed more lines than this."""
        return self.limit

    def cost_of_silence(self) -> float:
        """What speaks against its having printed nothing."""
        return 0.0

    def cost_of_speech(self) -> float:
        """What speaks against its having printed anything."""
        return 0.0 if not self.fallback else FALLBACK_TOLD if self.strict else FALLBACK_SPEAKS

    @property
    def wanted(self) -> bool:
        """The program is there to print something."""
        return True

    def obtained(self, lines: Sequence[str]) -> bool:
        """Whether the lines are what was asked for, and not the news that there is nothing."""
        return True

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        """Files that `lines` tell of; `sure` when it is certain where they begin and end."""
        return ()

    def unseen(self) -> Iterable[FileRef]:
        """Files that are known to have been touched though nothing was printed."""
        return ()

    def shown(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        """Files that `lines` tell of, also where the harness cut lines out of them."""
        if not is_cut(lines):
            return self.refs(lines, sure, trimmed)
        return self.around_cuts(lines, sure, trimmed)

    def around_cuts(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        """The same for lines with a cut among them: what each whole line tells, unless a part
        knows better. Half a name is none."""
        left = whole(lines)
        return self.refs(left, False, trimmed) if left else ()

    # --- what filters leave of it ---------------------------------------------------------------

    def behind(self) -> tuple[FileRef, ...]:
        """The files that it shows, as far as they are known without the output."""
        return ()

    def limited(self, count: int | None) -> Self:
        """No more lines than this."""
        if count is None or (self.limit is not None and self.limit <= count):
            return self
        return replace(self, limit=count)

    def perhaps_unseen(self) -> Self:
        """What printed before it may have left no room for it."""
        return replace(self, maybe=True, quiet=True)

    def head(self, count: int, first: bool, shared: bool) -> Part:
        """`head -n count` of a stream; `first`: it opens the stream, `shared`: others are in it."""
        part = self.limited(count)
        return part if first else part.perhaps_unseen()

    def tail(self, count: int, last: bool) -> Part:
        """`tail -n count` of a stream; `last`: it ends the stream."""
        part = self.limited(count)
        return part if last else part.perhaps_unseen()

    def select(self, wanted: Spans, size: int | None, first: bool) -> Part:
        """Lines of a stream by their numbers (`sed -n 'a,bp'`), `size` in all; `first`: it opens
        the stream."""
        return self.limited(size)

    def filter(self, how: Filter) -> Part:
        """Lines of a stream by their text (`grep`)."""
        return self

    def number(self, alone: bool) -> Part:
        """Lines with their numbers in the stream in front; `alone`: nothing else is in it."""
        return self

    def without_lines(self) -> Part:
        """The same lines, of which it is not known which lines of a file they are."""
        return self

    def blurred(self) -> Part:
        """Lines chosen by their text: the files are known, the lines are not."""
        return self

    def chosen(self) -> Part:
        """Numbered lines chosen by their text are found lines: one span from first to last."""
        return self

    def folded(self, width: int) -> Part:
        """Lines folded at a width."""
        return self

    def reorder(self, dropping: bool) -> Part:
        """The same lines in another order; `dropping`: or fewer of them."""
        return self

    def counted(self, rule: str) -> Part:
        """Lines with a count in front (`uniq -c`)."""
        return self.derive(rule)

    def derive(self, rule: str) -> Part:
        """Something is made of it: its files are still shown, their lines no longer known."""
        if not self.prints:
            return self
        return Opaque(
            shows=as_kind(self.behind(), "read"), rule=rule or self.rule, maybe=self.maybe
        )

    def names(self, rule: str) -> Part:
        """The first field of `name:line:text`."""
        return self.derive(rule)

    def places(self, rule: str) -> Part:
        """The first two fields of `name:line:text`: names and numbers, nothing of the contents."""
        return self.names(rule)

    def columns(self, fields: Sequence[str]) -> Part:
        """Some of its words, by their numbers as awk counts them (`NF` is the last)."""
        return self.derive("awk")

    def found(self) -> Part:
        """Lines printed behind the name of their file and their number, as grep does."""
        return self.derive("awk")

    def substitute(self) -> Part:
        """A text in its lines is replaced; which file a line is of stays as it is."""
        return self

    def without_prefix(self, prefix: str) -> Part | None:
        """A text is taken away in front of names; None where that is not followed."""
        return None

    def with_prefix(self, prefix: str) -> Part | None:
        """A folder is put in front of names; None where that is not followed."""
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

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        return (FileRef(self.path, "written", rule=self.rule, restored=self.restored),)


class Condition(Part, kw_only=True, frozen=True):
    """A test that prints nothing: what follows it may have run or not."""

    prints: ClassVar[bool] = False


class Opaque(Part, kw_only=True, frozen=True):
    """Output of a program that is not followed; `shows` are files whose contents it prints from."""

    shows: tuple[FileRef, ...] = ()
    expected: bool = True
    """The program is there to print something."""
    form: re.Pattern[str] | None = None
    """How its lines look, where that is known."""

    @property
    def wanted(self) -> bool:
        return self.expected

    def score(self, line: str) -> float:
        return OPAQUE if self.form is None or self.form.match(line) else IMPOSSIBLE

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        return self.shows

    def behind(self) -> tuple[FileRef, ...]:
        return self.shows


class Notice(Part, kw_only=True, frozen=True):
    """What a program says on standard error beside the output of another: no filter sees it."""

    form: re.Pattern[str]
    size: int
    """Lines that it has."""

    @property
    def strict(self) -> bool:
        return True

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
    """A number, such as `wc -l` prints of its input: neither text nor name of a file (D50)."""

    @property
    def strict(self) -> bool:
        return True

    def score(self, line: str) -> float:
        return TELLING if line.strip() and all(map(str.isdecimal, line.split())) else IMPOSSIBLE

    def exact(self) -> int | None:
        return 1


Parts = list[Part]
"""What a command prints, part by part, in order."""
