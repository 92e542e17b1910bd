"""Patches as git prints them: contents of the files that their headings name.

The lines of a file are the lines of its hunks on the new side, as far as they are shown. A hunk
that only removes has lines only on the old side. A heading without any line of the file surfaces
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from groundtrace.answers.cuts import Cut, Half
from groundtrace.base.patterns import regex
from groundtrace.base.quoted_names import unquote, without_quotes
from groundtrace.model import FileRef, OldSide
from groundtrace.shell.streams.file_names import is_file_name, join
from groundtrace.shell.streams.filters import Filter
from groundtrace.shell.streams.hunks import HUNK
from groundtrace.shell.streams.name_forms import name_in_diffstat
from groundtrace.shell.streams.part import Part
from groundtrace.shell.streams.repository_top import from_top
from groundtrace.shell.weights import BESIDE_PATCH, BLANKS_CUT, PATCH_LINE

_SIDE = regex(r"[abciow]/")
"""The letter before a name; it says what is compared: commit, index, working tree."""
_DIFF_LINE = regex(r"(?:[-+ @\\]|diff --git|index |new file|deleted file|similarity|rename |$)")
MAX_HEADING = 8192
"""No two paths are longer."""


class _Side(msgspec.Struct):
    """One side of a hunk: where it begins, how long it is, how much of it was shown."""

    start: int
    size: int
    shown: int = 0

    def span(self, whole: bool) -> tuple[int, int] | None:
        count = self.size if whole and self.size - self.shown <= BLANKS_CUT else self.shown
        return (self.start, self.start + count - 1) if count else None


class _File(msgspec.Struct):
    """What was shown of one file."""

    spans: list[tuple[int, int]] = msgspec.field(default_factory=list)
    olds: list[tuple[int, int]] = msgspec.field(default_factory=list)
    """The same hunks on the old side; the last line is before the first where it has none."""
    texts: list[list[str]] = msgspec.field(default_factory=list)
    """The lines of the same hunks, with their signs."""
    loose: bool = False
    """Lines were shown outside of hunks, as after `grep '^[+-]'`."""


class _Reading(msgspec.Struct):
    """How far a patch was read."""

    files: dict[str, _File] = msgspec.field(default_factory=dict)
    file: _File | None = None
    old: _Side | None = None
    new: _Side | None = None
    text: list[str] = msgspec.field(default_factory=list)

    def heading(self, name: str) -> None:
        """Begin another file."""
        self.close()
        self.file = self.files.setdefault(name, _File())

    def hunk(self, found: re.Match[str]) -> None:
        """Begin another hunk."""
        self.close()
        self.old = _Side(int(found["old"]), int(found["olds"] or 1))
        self.new = _Side(int(found["new"]), int(found["news"] or 1))
        self.text = []

    def line(self, line: str) -> bool:
        """Whether a line belongs to the current hunk."""
        if self.old is None or self.new is None:
            return False
        if self.old.shown >= self.old.size and self.new.shown >= self.new.size:
            return line.startswith("\\")
        mark = line[:1]
        self.text.append(line)
        if mark in {" ", "", "-"}:
            self.old.shown += 1
        if mark in {" ", "", "+"}:
            self.new.shown += 1
        return mark in {" ", "", "-", "+", "\\"}

    def close(self, whole: bool = False) -> None:
        """End the hunk; `whole`: blank lines may have been cut off its end."""
        if self.file is not None and self.old is not None and self.new is not None:
            side = self.new if self.new.size else self.old
            span = side.span(whole)
            if span is not None:
                self.file.spans.append(span)
                old = self.old.span(whole)
                # An insertion names the line above it: `@@ -7,0 +8,2 @@`.
                self.file.olds.append(old or (self.old.start + 1, self.old.start))
                self.file.texts.append(self.text)
            elif self.old.shown:
                self.file.loose = True
        self.old = self.new = None


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

    @property
    def strict(self) -> bool:
        return True

    def score(self, line: str) -> float:
        return PATCH_LINE if _DIFF_LINE.match(line) else BESIDE_PATCH

    def around_cuts(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        return self.refs(lines, sure, trimmed)

    def refs(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        reading = _Reading()
        surfaced: dict[str, None] = {}
        for line in lines:
            if isinstance(line, Cut):
                reading.close()
                reading.file = None
                continue
            if reading.line(line) or (isinstance(line, Half) and not line.ends):
                continue
            self._outside(line, reading, surfaced)
        reading.close(trimmed)
        names = [*reading.files, *surfaced]
        cwd = from_top(self.cwd, names, self.start) if self.top else self.cwd
        return list(self._told(reading.files, surfaced, cwd))

    def filter(self, how: Filter) -> Part:
        return self.limited(how.limit)

    def _outside(self, line: str, reading: _Reading, surfaced: dict[str, None]) -> None:
        """A line outside of hunks: a heading, a row of the summary, or what a filter left."""
        found = HUNK.match(line)
        if found is not None:
            reading.hunk(found)
            return
        name = _heading(line)
        if name is not None:
            if is_file_name(name):
                reading.heading(name)
            return
        if self.summary:
            row = name_in_diffstat(line)
            if row is not None and is_file_name(row):
                surfaced[row] = None
                return
        if reading.file is not None and line[:1] in {"+", "-"} and line[:3] not in {"+++", "---"}:
            reading.file.loose = True

    def _told(
        self, files: dict[str, _File], surfaced: dict[str, None], cwd: str | None
    ) -> Iterable[FileRef]:
        for name, file in files.items():
            path = join(cwd, name)
            for (low, high), old, text in zip(file.spans, file.olds, file.texts, strict=True):
                ref = FileRef(path, "read", None, low, high, rule=self.rule)
                yield ref if self.side is None else _hunk(ref, old, self.side, text)
            if file.loose and not file.spans:
                yield FileRef(path, "read", rule=self.rule)
            elif not file.spans:
                yield FileRef(path, "surfaced", rule=self.rule)
        for name in surfaced:
            yield FileRef(join(cwd, name), "surfaced", rule=self.rule)


def _hunk(ref: FileRef, old: tuple[int, int], side: OldSide, text: list[str]) -> FileRef:
    return replace(ref, old_lines=old, old_side=side, printed=text)


def _heading(line: str) -> str | None:
    """The name in a line that begins a file."""
    if len(line) > MAX_HEADING:
        return None
    if line.startswith("+++ "):
        # The rest of a heading if `grep '^[+-]'` follows.
        name = without_quotes(line[4:].rstrip("\t"))
        return name[2:] if name.startswith("b/") and "\t" not in name else None
    if not line.startswith("diff --git "):
        return None
    both = line[len("diff --git ") :]
    middle = len(both) // 2
    left, right = without_quotes(both[:middle]), without_quotes(both[middle + 1 :])
    if both[middle : middle + 1] == " " and left == right:
        return left  # `--no-prefix`: both sides are only the name
    if both[middle : middle + 1] == " " and left[1:] == right[1:] and _SIDE.match(right):
        return right[2:]
    # A renamed file: the two sides differ.
    for mark in (' "b/', " b/", " w/", " i/", " c/", " o/"):
        at = both.rfind(mark)
        if at > 0:
            name = both[at + len(mark) :]
            return unquote(name.removesuffix('"')) if '"' in mark else name
    return None
