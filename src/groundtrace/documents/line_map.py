"""Lines as they are shown, taken back to the lines of the file before the agent changed it (D72).

An edit of the agent moves every line below it, so the line that is shown as 120 after ten lines
were inserted at 50 is line 110 of the file that the ground truth speaks of. Where a write does not
tell its place, the file's later line numbers mean nothing any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import UNSET

from groundtrace.documents.events import Access, LineChange

LineRun = tuple[int, int]
"""First and last line, inclusive."""


class LineMap:
    """How the lines of one file stand now, against those it had at first.

    It is a list of runs of old lines, each with the distance that it has moved. Lines that the
    agent wrote are in none of them.
    """

    def __init__(self) -> None:
        self._kept: list[tuple[int, float, int]] | None = [(1, float("inf"), 0)]
        """First and last line as they are numbered now, and what to subtract for the old number;
        None once nothing is known any more."""

    @classmethod
    def unknown(cls) -> LineMap:
        """A file of which nothing is known any more."""
        made = cls()
        made._kept = None
        return made

    @property
    def known(self) -> bool:
        """Whether numbers shown from now on can be taken back."""
        return self._kept is not None

    def write(self, changes: Sequence[LineChange], shift: int | None) -> None:
        """Take a write into account: its places, or its growth alone.

        A write that left the file as long as it was moves nothing, wherever it was. Any other one
        without places makes later numbers unknown.
        """
        if self._kept is None:
            return
        if any(change.line_end < change.line_start - 1 for change in changes):
            self._kept = None  # no such place
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

    def old(self, run: LineRun) -> list[LineRun]:
        """The lines that these were at first; those that the agent wrote are left out."""
        first, last = run
        return [
            (max(start, first) - moved, int(min(end, last)) - moved)
            for start, end, moved in self._kept or ()
            if start <= last and end >= first
        ]


def runs_shown(access: Access) -> list[LineRun] | None:
    """The lines that an access showed, as they were numbered then; None where that is not known.

    Lines of another revision of the repository have other numbers.
    """
    if access.line_start is UNSET or access.other_revision is True:
        return None
    if access.line_ranges is not UNSET:
        runs = [(run.line_start, run.line_end) for run in access.line_ranges]
        return None if any(end < start for start, end in runs) else runs or None
    end = access.line_start if access.line_end is UNSET else access.line_end
    return [(access.line_start, end)] if end >= access.line_start else None


def joined(runs: Iterable[LineRun]) -> list[LineRun]:
    """Runs in order, those that touch or overlap as one."""
    out: list[LineRun] = []
    for start, end in sorted(runs):
        if out and start <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out


def size(runs: Iterable[LineRun]) -> int:
    """Number of lines in runs that do not overlap."""
    return sum(end - start + 1 for start, end in runs)


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
