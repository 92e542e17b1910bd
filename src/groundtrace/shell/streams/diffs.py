"""Patches as git prints them, and what diff and cmp print: whose lines are shown.

`answers.diffs` reads headings and hunks. A heading without any line of the file surfaces it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from msgspec.structs import replace

from groundtrace.answers.cuts import is_cut, whole
from groundtrace.answers.diffs import (
    ABSENT,
    DIFFERENCE,
    HUNK,
    OTHER_LINE,
    PAIR_ABOVE,
    PATCH_LINE_START,
    SENTENCE,
    Change,
    changes,
    side_runs,
)
from groundtrace.answers.file_names import looks_like_folder
from groundtrace.answers.name_rows import stat_names
from groundtrace.model import AccessKind, FileRef, OldSide
from groundtrace.shell.streams.file_names import from_top, is_file_name, join
from groundtrace.shell.streams.filters import Filter
from groundtrace.shell.streams.name_lists import Names
from groundtrace.shell.streams.part import Part
from groundtrace.shell.streams.word import Word, under
from groundtrace.shell.weights import BESIDE_PATCH, OPAQUE, PATCH_LINE, PLAIN, TELLING, UNLIKELY


class Diff(Part, kw_only=True, frozen=True):
    """A patch as git prints it: contents of the files that it names."""

    cwd: str | None
    """Where git ran."""
    start: str | None = None
    """Where the command began."""
    summary: bool = False
    """Names are in a summary (`--stat`) before or instead of the patch."""
    top: bool = True
    """Names are relative to the top of the repository, which may be above the directory."""
    side: OldSide | None = "revision"
    """What the old side is; None where the new side is the last commit."""
    words: bool = False
    """Changes are marked within lines (`--word-diff`)."""

    is_strict: ClassVar[bool] = True

    def score(self, line: str) -> float:
        return PATCH_LINE if PATCH_LINE_START.match(line) else BESIDE_PATCH

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        rows: dict[str, None] = {}

        def row(line: str) -> bool:
            found = stat_names(line)
            rows.update(dict.fromkeys(filter(is_file_name, found)))
            return bool(found)

        beside = row if self.summary else None
        found = changes(lines, whole=trimmed, by_git=True, words=self.words, beside=beside)
        files = [change for change in found if is_file_name(change.name)]
        names = [*(change.name for change in files), *rows]
        cwd = from_top(self.cwd, names, self.start) if self.top else self.cwd
        for change in files:
            yield from self._change(change, cwd)
        for name in rows:
            yield FileRef(join(cwd, name), "surfaced", rule=self.rule)

    def _change(self, change: Change, cwd: str | None) -> Iterable[FileRef]:
        """One file: its hunks, or lines that a filter left of them, or only its name."""
        path = join(cwd, change.name)
        if is_file_name(change.old_name) and change.old_name != change.name:
            yield FileRef(join(cwd, change.old_name), "surfaced", rule=self.rule)
        for hunk in change.hunks:
            ref = FileRef(path, "read", None, *hunk.lines, rule=self.rule, shown_chars=hunk.chars)
            if self.side is not None and not self.words:
                ref = replace(ref, old_lines=hunk.old, old_side=self.side, printed=hunk.text)
            yield ref
        if not change.hunks and change.loose:
            yield FileRef(path, "read", rule=self.rule, shown_chars=change.loose)
        elif not change.hunks:
            yield FileRef(path, "surfaced", rule=self.rule)

    def filter(self, how: Filter) -> Part:
        return self.limited(how.limit)


# --- what diff and cmp print ----------------------------------------------------------------------

MAX_NAMES = 8192
"""No two paths are longer: trying every ` and ` of a line takes time that grows with the square of
its length."""


class Compared(Part, kw_only=True, frozen=True):
    """What diff prints for folders, and diff -q and cmp for files: the lines name the files."""

    cwd: str | None
    sides: tuple[Word, Word]
    """The two operands, as given."""
    files: tuple[FileRef, ...] = ()
    """The two as files; if they were folders, the output would have named them."""

    is_strict: ClassVar[bool] = True

    def score(self, line: str) -> float:
        if SENTENCE.match(line) or PAIR_ABOVE.match(line):
            return TELLING
        return PLAIN if OTHER_LINE.match(line) else UNLIKELY

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        lines = whole(lines)
        absent = {found["name"] for found in map(ABSENT.match, lines) if found}
        named = list(self._names(lines))
        if not named and not any(map(PAIR_ABOVE.match, lines)):
            yield from self.files if any(map(DIFFERENCE.match, lines)) else ()
        for kind, name in named:
            if is_file_name(name) and name not in absent:
                yield FileRef(join(self.cwd, name), kind, rule=self.rule)

    def columns(self, fields: Sequence[str]) -> Part:
        """The second or the fourth word of `Files a and b differ`."""
        if len(fields) != 1 or fields[0] not in {"2", "4"}:
            return self.derive("awk")
        side = self.sides[int(fields[0]) // 2 - 1]
        return Names(cwd=self.cwd, roots=(side,), only_files=True, limit=self.limit, rule=self.rule)

    def _names(self, lines: Sequence[str]) -> Iterator[tuple[AccessKind, str]]:
        for line in lines:
            header = PAIR_ABOVE.match(line)
            if header is not None:
                pair = header["left"].strip('"'), header["right"].strip('"')
                yield from (("read", name) for name in pair if self._fit(*pair))
                continue
            sentence = SENTENCE.match(line)
            if sentence is None:
                continue
            if sentence["pair"] is not None:
                names = self._pair(sentence["pair"], " and ")
            elif sentence["bytes"] is not None:
                names = self._pair(sentence["bytes"], " ")
            else:
                names = self._alone(sentence["folder"], sentence["name"])
            yield from (("surfaced", name) for name in names)

    def _fit(self, left: str, right: str) -> bool:
        """Whether two names lie below what was compared."""
        return under(left, self.sides[:1]) and under(right, self.sides[1:])

    def _pair(self, text: str, joint: str) -> tuple[str, ...]:
        """The two names in `text`. A name may contain the joint, so both names must fit."""
        at = text.find(joint) if len(text) <= MAX_NAMES else -1
        while at >= 0:
            names = text[:at].strip('"'), text[at + len(joint) :].strip('"')
            if self._fit(*names):
                return names
            at = text.find(joint, at + 1)
        return ()

    def _alone(self, folder: str, name: str) -> tuple[str, ...]:
        """A name on one side; a folder that the other side lacks is printed in the same way."""
        if not under(folder, self.sides) or looks_like_folder(name):
            return ()
        return (f"{folder.rstrip('/')}/{name}",)


class Differences(Part, kw_only=True, frozen=True):
    """What diff prints for two files.

    The whole output shows both files, by what they have in common. A part of the output
    (`| head -4`) shows only a file with a printed line.
    """

    left: tuple[FileRef, ...]
    right: tuple[FileRef, ...]

    def score(self, line: str) -> float:
        return OPAQUE

    def behind(self) -> tuple[FileRef, ...]:
        """The files compared."""
        return self.left + self.right

    def _by_hunks(self, lines: Sequence[str]) -> Iterable[FileRef]:
        """The lines of each side that a unified diff shows, also around a cut."""
        for refs, sign in ((self.left, "-"), (self.right, "+")):
            if len(refs) != 1:
                yield from refs
                continue
            spans = list(side_runs(lines, sign))
            known = [replace(refs[0], line_start=low, line_end=high) for low, high in spans]
            yield from known or refs

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        if sure and self.limit is None and (is_cut(lines) or any(map(HUNK.match, lines))):
            return list(self._by_hunks(lines))
        if not (lines := whole(lines)):
            return ()
        shown = [line[:1] for line in lines if line[:3] not in {"---", "+++"}]
        if self.limit is None or not {"<", ">", "-", "+"}.intersection(shown):
            return self.left + self.right
        both = " " in shown
        left = self.left if both or "<" in shown or "-" in shown else ()
        return left + (self.right if both or ">" in shown or "+" in shown else ())
