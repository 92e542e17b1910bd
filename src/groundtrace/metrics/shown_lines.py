"""Every access that showed content, in order, with the line numbers of the original file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import UNSET

from groundtrace.metrics.evidence import SHOWN, WRITTEN, EvidenceView, Touch
from groundtrace.metrics.line_map import LineMap, LineRun, joined, runs_shown, size

ENOUGH = 0.2
"""Share of accesses that may lack what a metric counts; above it the metric is undefined."""


@dataclass(frozen=True, slots=True)
class ShownLines:
    """One access that showed lines of a file."""

    touch: Touch
    runs: tuple[LineRun, ...] | None
    """Its lines with the numbers of the original file, without lines that the agent wrote; None if
    they are not known."""
    height: int
    """Number of lines shown, including lines that the agent wrote; 0 if not known."""


def shown_lines(evidence: EvidenceView) -> Iterator[ShownLines]:
    """The accesses that showed content, in order (D72)."""
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
    """The touches of each call, together. If a call shows and writes one file, it showed the file
    first: what a tool prints about its own edit is not an access."""
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
    # Version 1.1 stored only the first and the last line of a search's matches.
    doubtful = evidence.version < (1, 2) and touch.kind == "matched"
    if runs is None or not lines.known or (doubtful and size(runs) > 1):
        return ShownLines(touch, None, 0)
    runs = joined(runs)
    return ShownLines(touch, tuple(joined(r for run in runs for r in lines.old(run))), size(runs))


def too_many(lacking: int, whole: int) -> bool:
    """Whether too many accesses lack what is counted, so that the count means nothing."""
    return whole > 0 and lacking > ENOUGH * whole
