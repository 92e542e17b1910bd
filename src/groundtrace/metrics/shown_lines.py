"""Every access that showed content, in order, with its lines taken back to the file at the start."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import UNSET

from groundtrace.documents.line_map import LineMap, LineRun, joined, runs_shown, size
from groundtrace.metrics.evidence import SHOWN, WRITTEN, EvidenceView, Touch

ENOUGH = 0.2
"""The share of accesses that may lack what a metric counts; beyond it the metric is undefined."""


@dataclass(frozen=True, slots=True)
class ShownLines:
    """One access that showed lines of a file."""

    touch: Touch
    runs: tuple[LineRun, ...] | None
    """Its lines as the file had them at the start, without those that the agent wrote; None where
    they are not known."""
    height: int
    """Lines shown, the agent's own included; 0 where they are not known."""


def shown_lines(evidence: EvidenceView) -> Iterator[ShownLines]:
    """The accesses that showed content, first one first (D72)."""
    maps: dict[tuple[bool, str], LineMap] = {}
    for step in _steps(evidence):
        for touch in step:
            if touch.kind in SHOWN:
                yield _shown(touch, maps.setdefault(touch.key, LineMap()), evidence)
        for touch in step:
            if touch.kind in WRITTEN:
                changes, shift = touch.access.line_changes, touch.access.line_shift
                maps.setdefault(touch.key, LineMap()).write(
                    [] if changes is UNSET else changes, None if shift is UNSET else shift
                )


def _steps(evidence: EvidenceView) -> Iterator[list[Touch]]:
    """The touches of each call. A call that shows and writes one file showed it first: what a
    tool prints of its own edit is no access."""
    step: list[Touch] = []
    for touch in evidence.touches:
        if step and step[0].event is not touch.event:
            yield step
            step = []
        step.append(touch)
    if step:
        yield step


def _shown(touch: Touch, lines: LineMap, evidence: EvidenceView) -> ShownLines:
    runs = runs_shown(touch.access)
    told = touch.access.base_lines
    if told is not UNSET:
        if told is None or any(run.line_end < run.line_start for run in told):
            return ShownLines(touch, None, 0)
        known = joined((run.line_start, run.line_end) for run in told)
        return ShownLines(touch, tuple(known), size(known if runs is None else joined(runs)))
    # Version 1.1 stored a search's lines as the first and the last alone.
    doubtful = evidence.version < (1, 2) and touch.kind == "matched"
    if runs is None or not lines.known or (doubtful and size(runs) > 1):
        return ShownLines(touch, None, 0)
    runs = joined(runs)
    return ShownLines(touch, tuple(joined(r for run in runs for r in lines.old(run))), size(runs))


def too_many(lacking: int, whole: int) -> bool:
    """Whether so many of the accesses lack what is counted that the count means nothing."""
    return whole > 0 and lacking > ENOUGH * whole
