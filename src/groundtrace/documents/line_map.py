"""Translate line numbers as shown into line numbers before the agent changed the file (D72).

An edit moves every line below it. If the agent inserts ten lines at line 50, the line shown as 120
is line 110 of the file that the ground truth describes. If a write does not say which lines it
changed, later line numbers of the file cannot be translated.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from msgspec import UNSET

from groundtrace.base.frozen import Frozen
from groundtrace.documents.events import Access, LineChange

LineRun = tuple[int, int]
"""First and last line, inclusive."""


class LineMap:
    """Current line numbers of one file to its original line numbers.

    It is a list of runs of original lines, each with the distance that it has moved. Lines that the
    agent wrote are in none of the runs.
    """

    def __init__(self) -> None:
        self._kept: list[tuple[int, float, int]] | None = [(1, float("inf"), 0)]
        """First and last line in current numbers, and what to subtract to get the original number;
        None if nothing is known any more."""

    @classmethod
    def unknown(cls) -> LineMap:
        """A file of which nothing is known any more."""
        made = cls()
        made._kept = None
        return made

    @property
    def known(self) -> bool:
        """Whether line numbers shown from now on can be translated."""
        return self._kept is not None

    def write(self, changes: Sequence[LineChange], shift: int | None) -> None:
        """Take a write into account: the lines that it changed, or only how much the file grew.

        A write that did not change the length of the file moves no line. Any other write without
        changed lines makes later numbers unknown.
        """
        if self._kept is None:
            return
        if any(change.line_end < change.line_start - 1 for change in changes):
            self._kept = None  # the file has no such lines
            return
        if not changes:
            if shift != 0:
                self._kept = None
            return
        for change in changes:
            self._replace(change.line_start, change.line_end, change.line_shift)

    def _replace(self, first: int, last: int, shift: int) -> None:
        kept: list[tuple[int, float, int]] = []
        for start, end, moved in self._kept or ():
            if start < first:
                kept.append((start, min(end, first - 1), moved))
            if end > last:
                kept.append((max(start, last + 1) + shift, end + shift, moved + shift))
        self._kept = kept

    def originals(self, number: int) -> list[int]:
        """The original number of a line; none if the agent wrote it."""
        return [number - moved for start, end, moved in self._kept or () if start <= number <= end]

    def old(self, run: LineRun) -> list[LineRun]:
        """The original numbers of these lines; lines that the agent wrote are left out."""
        first, last = run
        return [
            (max(start, first) - moved, int(min(end, last)) - moved)
            for start, end, moved in self._kept or ()
            if start <= last and end >= first
        ]


def runs_shown(access: Access) -> list[LineRun] | None:
    """The lines that an access showed, as they were numbered then; None if that is not known.

    Lines of another revision of the repository are not known: they have other numbers.
    """
    if access.line_start is UNSET or access.other_revision is True:
        return None
    if access.line_ranges is not UNSET:
        runs = []
        for run in access.line_ranges:
            start, end = run.line_start, run.line_end
            if end < start:
                return None
            runs.append((start, end))
        return runs or None
    end = access.line_start if access.line_end is UNSET else access.line_end
    return [(access.line_start, end)] if end >= access.line_start else None


class LinesShown(Frozen, frozen=True):
    """The lines that an access showed."""

    runs: tuple[LineRun, ...]
    """With their original numbers, without lines that the agent wrote."""
    height: int
    """Number of lines shown, including lines that the agent wrote."""


class OriginalLines:
    """Follows the accesses of a trial in order: what each showed, as numbered before any edit."""

    def __init__(self) -> None:
        self._maps: dict[Hashable, LineMap] = {}
        """Only of files that the agent has written."""

    def take(self, file: Hashable, access: Access) -> LinesShown | None:
        """The lines that the next access of a file showed; None if it showed none or they are not
        known."""
        if access.kind == "written":
            changes, shift = access.line_changes, access.line_shift
            self._maps.setdefault(file, LineMap()).write(
                [] if changes is UNSET else changes, None if shift is UNSET else shift
            )
        if access.kind not in ("read", "matched"):
            return None
        runs, original, lines = runs_shown(access), access.base_lines, self._maps.get(file)
        if original is not UNSET:
            if original is None or any(run.line_end < run.line_start for run in original):
                return None
            known = joined((run.line_start, run.line_end) for run in original)
            return LinesShown(tuple(known), size(known if runs is None else joined(runs)))
        if runs is None or (lines is not None and not lines.known):
            return None
        if len(runs) > 1:
            runs = joined(runs)
        if lines is None:
            if runs[0][0] >= 1:
                return LinesShown(tuple(runs), size(runs))
            lines = LineMap()  # there is no line 0
        return LinesShown(tuple(joined(r for run in runs for r in lines.old(run))), size(runs))


def joined(runs: Iterable[LineRun]) -> list[LineRun]:
    """Runs in order, those that touch or overlap as one."""
    ordered = sorted(runs)
    if len(ordered) < 2:  # most accesses show one run
        return ordered
    out: list[LineRun] = []
    first, last = ordered[0]
    for start, end in ordered:
        if start > last + 1:
            out.append((first, last))
            first, last = start, end
        elif end > last:
            last = end
    out.append((first, last))
    return out


def size(runs: Iterable[LineRun]) -> int:
    """Number of lines in runs that do not overlap."""
    return sum([end - start + 1 for start, end in runs])


def common(one: Sequence[LineRun], other: Sequence[LineRun]) -> list[LineRun]:
    """Lines in both of two lists of joined runs."""
    out: list[LineRun] = []
    at = 0
    for start, end in one:
        while at < len(other) and other[at][1] < start:
            at += 1
        here = at
        while here < len(other) and other[here][0] <= end:
            out.append((max(start, other[here][0]), min(end, other[here][1])))
            here += 1
    return out
