"""Patches as git prints them: contents of the files that their headings name.

The lines of a file are the lines of its hunks on the new side, as far as they are shown. A hunk
that only removes has lines only on the old side. A heading without any line of the file surfaces
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from groundtrace.answers.diffs import Change, changes
from groundtrace.answers.listed import stat_names
from groundtrace.base.patterns import regex
from groundtrace.model import FileRef, OldSide
from groundtrace.shell.streams.file_names import is_file_name, join
from groundtrace.shell.streams.filters import Filter
from groundtrace.shell.streams.part import Part
from groundtrace.shell.streams.repository_top import from_top
from groundtrace.shell.weights import BESIDE_PATCH, PATCH_LINE

_DIFF_LINE = regex(r"(?:[-+ @\\]|diff --git|index |new file|deleted file|similarity|rename |$)")


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

    def read(self, lines: Sequence[str], sure: bool, trimmed: bool) -> Iterable[FileRef]:
        rows: dict[str, None] = {}

        def row(line: str) -> bool:
            found = stat_names(line)
            rows.update(dict.fromkeys(filter(is_file_name, found)))
            return bool(found)

        found = changes(lines, whole=trimmed, by_git=True, beside=row if self.summary else None)
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
            if self.side is not None:
                ref = replace(ref, old_lines=hunk.old, old_side=self.side, printed=hunk.text)
            yield ref
        if not change.hunks and change.loose:
            yield FileRef(path, "read", rule=self.rule, shown_chars=change.loose)
        elif not change.hunks:
            yield FileRef(path, "surfaced", rule=self.rule)

    def filter(self, how: Filter) -> Part:
        return self.limited(how.limit)
