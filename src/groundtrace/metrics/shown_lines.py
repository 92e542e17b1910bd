"""Every access that showed content, in order, with the line numbers of the original file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import msgspec
from msgspec import UNSET

from groundtrace.documents.line_map import LineRun, OriginalLines, common, joined, size
from groundtrace.metrics.evidence import SHOWN, EvidenceView, Touch, once

ENOUGH = 0.2
"""Share that may lack what a metric counts; above it the metric is undefined."""


class ShownLines(msgspec.Struct, frozen=True):
    """One access that showed lines of a file."""

    touch: Touch
    runs: tuple[LineRun, ...] | None
    """Its lines with the numbers of the original file, without lines that the agent wrote; None if
    they are not known."""
    height: int
    """Number of lines shown, including lines that the agent wrote; 0 if not known."""
    names: frozenset[str]
    """Every name that a chunk may use for the file, in lower case."""


@once
def shown_lines(evidence: EvidenceView) -> tuple[ShownLines, ...]:
    """The accesses that showed content, first one first (D72)."""
    lines = OriginalLines()
    found: list[ShownLines] = []
    known: dict[tuple[str, ...], frozenset[str]] = {}
    for touch in evidence.touches:  # also those of one call are in order: `cat > f; cat f`
        shown = lines.take(touch.key, touch.access)
        if touch.kind in SHOWN:
            runs, height = (None, 0) if shown is None else (shown.runs, shown.height)
            spelled = (touch.name, touch.file, touch.name if touch.edit is None else touch.edit)
            names = known.get(spelled)
            if names is None:
                names = known[spelled] = frozenset(map(str.lower, spelled))
            found.append(ShownLines(touch, runs, height, names))
    return tuple(found)


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


def lines_unknown(accesses: Sequence[ShownLines], known: Sequence[ShownLines]) -> bool:
    """Whether too much of what accesses showed has unknown lines, by characters (D215).

    By accesses, one line of `grep` without its number weighed as much as a whole file.
    """
    weights = _weights(accesses)
    counted = {id(one) for one in known}
    lacking = [
        weight for one, weight in zip(accesses, weights, strict=True) if id(one) not in counted
    ]
    return too_many(sum(lacking), sum(weights))


def _weights(accesses: Sequence[ShownLines]) -> list[float]:
    """Characters of each access; those that are not known are taken to be as the others' mean."""
    stated = [one.touch.access.shown_chars for one in accesses]
    known = [chars for chars in stated if chars is not UNSET]
    mean = sum(known) / len(known) if known else 0.0
    return [(mean if chars is UNSET else chars) or 1.0 for chars in stated]


def too_many(lacking: float, whole: float) -> bool:
    """Whether so much lacks what is counted that the count means nothing."""
    return whole > 0 and lacking > ENOUGH * whole
