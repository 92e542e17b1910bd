"""Every access that showed content, in order, with the line numbers of the original file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import msgspec
from msgspec import UNSET

from groundtrace.documents.line_map import LineMap, LineRun, common, joined, runs_shown, size
from groundtrace.metrics.evidence import SHOWN, WRITTEN, EvidenceView, Touch

ENOUGH = 0.2
"""Share of accesses that may lack what a metric counts; above it the metric is undefined."""


class ShownLines(msgspec.Struct, frozen=True):
    """One access that showed lines of a file."""

    touch: Touch
    runs: tuple[LineRun, ...] | None
    """Its lines with the numbers of the original file, without lines that the agent wrote; None if
    they are not known."""
    height: int
    """Number of lines shown, including lines that the agent wrote; 0 if not known."""


def shown_lines(evidence: EvidenceView) -> tuple[ShownLines, ...]:
    """The accesses that showed content, first one first (D72). Found once for all sections."""
    found: tuple[ShownLines, ...] | None = evidence.kept.get(shown_lines)
    if found is None:
        found = evidence.kept[shown_lines] = tuple(_in_order(evidence))
    return found


def _in_order(evidence: EvidenceView) -> list[ShownLines]:
    if not evidence.first(WRITTEN):  # then no line has moved
        return [_shown(touch, None, evidence) for touch in evidence.touches if touch.kind in SHOWN]
    maps: dict[tuple[bool, str], LineMap] = {}
    found: list[ShownLines] = []
    for touch in evidence.touches:  # also those of one call are in order: `cat > f; cat f`
        if touch.kind in SHOWN:
            found.append(_shown(touch, maps.get(touch.key), evidence))
        elif touch.kind in WRITTEN:
            changes, shift = touch.access.line_changes, touch.access.line_shift
            maps.setdefault(touch.key, LineMap()).write(
                [] if changes is UNSET else changes, None if shift is UNSET else shift
            )
    return found


def _shown(touch: Touch, lines: LineMap | None, evidence: EvidenceView) -> ShownLines:
    """`lines` is None for a file that the agent has not written yet."""
    access = touch.access
    runs, original = runs_shown(access), access.base_lines
    if original is not UNSET:
        if original is None or any(run.line_end < run.line_start for run in original):
            return ShownLines(touch, None, 0)
        known = joined((run.line_start, run.line_end) for run in original)
        return ShownLines(touch, tuple(known), size(known if runs is None else joined(runs)))
    # Version 1.1 stored only the first and the last line of a search's matches.
    doubtful = evidence.version < (1, 2) and touch.kind == "matched"
    if runs is None or (lines is not None and not lines.known) or (doubtful and size(runs) > 1):
        return ShownLines(touch, None, 0)
    if len(runs) > 1:
        runs = joined(runs)
    if lines is None:
        if runs[0][0] >= 1:
            return ShownLines(touch, tuple(runs), size(runs))
        lines = LineMap()  # there is no line 0
    return ShownLines(touch, tuple(joined(r for run in runs for r in lines.old(run))), size(runs))


def lines_again(accesses: Sequence[ShownLines]) -> list[int]:
    """How many lines of each of these accesses an earlier call had shown; their lines are known."""
    found: list[int] = []
    seen: dict[tuple[bool, str], Sequence[LineRun]] = {}
    for _, call in groupby(accesses, key=lambda one: one.touch.event.step_index):
        shown = list(call)
        for one in shown:
            known = seen.get(one.touch.key)
            found.append(size(common(one.runs or (), known)) if known else 0)
        for one in shown:  # `cat f; grep x f` is one result, so it repeats nothing
            runs, known = one.runs or (), seen.get(one.touch.key)
            seen[one.touch.key] = joined([*known, *runs]) if known else runs
    return found


def too_many(lacking: int, whole: int) -> bool:
    """Whether too many accesses lack what is counted, so that the count means nothing."""
    return whole > 0 and lacking > ENOUGH * whole
