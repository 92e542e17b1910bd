"""What the pieces of a command print: the base of all parts, and those that need no more.

A command is followed into a list of parts: text that it prints itself, contents of files, lines
found by a search, names. A part knows how well a line fits it, so that the output can be divided
among the parts, and which files the lines it was given tell of. A part that got no lines showed
nothing (D4). The numbers that its methods give are explained in `weights`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import ClassVar

import msgspec

from groundtrace.model import FileRef
from groundtrace.tools.shell.output.cuts import is_cut, whole
from groundtrace.tools.shell.weights import (
    FALLBACK_SPEAKS,
    FALLBACK_TOLD,
    FULL,
    IMPOSSIBLE,
    OPAQUE,
    PLAIN,
    TELLING,
)


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
        return PLAIN

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


class Write(Part, kw_only=True):
    """A file that is written; nothing is printed."""

    path: str
    prints: ClassVar[bool] = False

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        return (FileRef(self.path, "written", rule=self.rule),)


class Condition(Part, kw_only=True):
    """A test that prints nothing: what follows it may have run or not."""

    prints: ClassVar[bool] = False


class Opaque(Part, kw_only=True):
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


class Count(Part, kw_only=True):
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
