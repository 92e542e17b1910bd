"""Divide the output among the parts of a command, in order; the package docstring says how."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from groundtrace.shell.align.fit import Segment, fit
from groundtrace.shell.streams.content import Content
from groundtrace.shell.streams.listings import expect_parents
from groundtrace.shell.streams.part import Part
from groundtrace.shell.streams.text import Prefixed, Text
from groundtrace.shell.weights import MAX_ROUNDS, MIN_ANCHOR


def divide(parts: Sequence[Part], lines: Sequence[str]) -> list[Segment]:
    """One segment per part, in order; parts that cannot have run get nothing."""
    if len(parts) == 1 and parts[0].unless is None and not isinstance(parts[0], Text):
        only = Segment(parts[0])  # the usual case
        if only.part.prints:
            only.lines = lines
        return [only]
    parts = expect_parents(parts)
    # In `cat f || cat g` both may get lines if each is looked at alone. Removing a part that cannot
    # have run may make another part impossible, so it is tried again, but only a few times.
    for _ in range(MAX_ROUNDS):
        segments = _divided(parts, lines)
        wrong = _impossible(segments)
        if not wrong:
            break
        parts = [part for part in parts if part.serial not in wrong]
    return segments


def _impossible(segments: Sequence[Segment]) -> set[int]:
    """Parts that got lines although they cannot have run, by the parts that they depend on."""
    for segment in segments:
        if segment.part.guard is not None or segment.part.unless is not None:
            break
    else:
        return set()
    printed = {s.part.serial for s in segments if s.lines}
    known = {s.part.serial for s in segments}
    wrong: set[int] = set()
    for segment in segments:
        part = segment.part
        if not segment.lines and part.prints:
            continue
        guard, unless = part.guard, part.unless
        if (guard in known and guard not in printed) or unless in printed:
            wrong.add(part.serial)
    return wrong


def _divided(parts: Sequence[Part], lines: Sequence[str]) -> list[Segment]:
    segments = [Segment(part) for part in _with_open_lines_joined(parts)]
    printing = [segment for segment in segments if segment.part.prints]
    if not lines or not printing:
        return segments
    if len(printing) == 1 and not isinstance(printing[0].part, Text):
        printing[0].lines = lines
        return segments
    anchors = anchors_of(printing, lines)
    part_from = line_from = 0
    for index, line in [*anchors, (len(printing), len(lines))]:
        fit(printing[part_from:index], lines[line_from:line])
        if index < len(printing):
            printing[index].lines = lines[line : line + 1]
        part_from, line_from = index + 1, line + 1
    _mark_guessed_ends(printing)
    return segments


def _with_open_lines_joined(parts: Sequence[Part]) -> Sequence[Part]:
    """Join a text without a newline at its end to the part that continues its line."""
    for part in parts:
        if isinstance(part, Text) and part.unended:
            break
    else:
        return parts
    out: list[Part] = []
    pending: Text | None = None
    for part in parts:
        if pending is not None and part.prints:
            before, pending = pending, None
            if isinstance(part, Text):
                lines = (
                    (*before.lines[:-1], before.lines[-1] + part.lines[0], *part.lines[1:])
                    if part.lines
                    else before.lines
                )
                part = Text(
                    lines=lines,
                    streams={**before.streams, **part.streams},
                    unended=part.unended,
                    maybe=before.maybe,
                    fallback=before.fallback,
                )
            else:
                part = Prefixed(text=before, inner=part, maybe=before.maybe)
        if isinstance(part, Text) and part.unended and part.lines and part.lines[-1]:
            pending = part
            continue
        out.append(part)
    if pending is not None:
        out.append(pending)
    return out


def _mark_guessed_ends(printing: Sequence[Segment]) -> None:
    """Mark segments whose ends are guesses: contents side by side with nothing between them.

    In the output of `cat README.md LICENSE` the cut is a guess, and lines of a guess are not
    claimed. These ends are certain: both ends of the output, ends beside a separator that occurs
    nowhere else, and ends beside lines that only one part can have printed. A segment with exactly
    the lines that it must have carries a certain end from one side to the other.
    """
    shown = [segment for segment in printing if segment.lines]
    _doubt_files_beside_silence(printing)
    count = len(shown)
    if count < 2:
        return
    certain = [True] + [False] * (count - 1) + [True]
    texts = {line for s in shown if isinstance(s.part, Text) for line in s.lines}
    # A separator that also occurs in contents (`---` in YAML) may be at the wrong place.
    others = {
        line for s in shown if not isinstance(s.part, Text) for line in s.lines if line in texts
    }
    sized = []
    for i, segment in enumerate(shown):
        is_text = isinstance(segment.part, Text)
        if segment.part.strict or (is_text and not others.intersection(segment.lines)):
            certain[i] = certain[i + 1] = True
        sized.append(is_text or segment.part.is_full(segment.lines))
    for i in range(count):
        if certain[i] and sized[i]:
            certain[i + 1] = True
    for i in reversed(range(count)):
        if certain[i + 1] and sized[i]:
            certain[i] = True
    for i, segment in enumerate(shown):
        segment.sure = segment.sure and certain[i] and certain[i + 1]


def _doubt_files_beside_silence(printing: Sequence[Segment]) -> None:
    """Mark whole files beside a program that may have printed some of their lines (D143).

    In the output of `cat a.py; make` all lines go to the file, but nothing says where it ends.
    """
    for i, segment in enumerate(printing):
        if not segment.lines or not isinstance(segment.part, Content):
            continue
        beside = (*printing[max(i - 1, 0) : i], *printing[i + 1 : i + 2])
        if segment.part.exact() is None and any(map(_silent, beside)):
            segment.sure = False


def _silent(segment: Segment) -> bool:
    """Whether a program of which nothing is known got no lines."""
    return segment.part.speaks and not segment.lines


# --- lines that only one part can have printed ----------------------------------------------------


def anchors_of(printing: Sequence[Segment], lines: Sequence[str]) -> list[tuple[int, int]]:
    """Separators that occur once in the command and once in the output: (part, line), rising."""
    texts: dict[str, int] = {}  # a Counter takes longer to make than to count so few
    for segment in printing:
        if isinstance(segment.part, Text):
            for line in segment.part.lines:
                texts[line] = texts.get(line, 0) + 1
    if not texts:
        return []
    where: dict[str, int] = {}
    repeated: set[str] = set()
    for number, line in enumerate(lines):
        if line in texts:
            if line in where:
                repeated.add(line)
            where[line] = number
    fixed: list[tuple[int, int]] = []
    for index, segment in enumerate(printing):
        part = segment.part
        if not isinstance(part, Text) or len(part.lines) != 1:
            continue
        text = part.lines[0]
        if len(text) >= MIN_ANCHOR and texts[text] == 1 and text in where and text not in repeated:
            fixed.append((index, where[text]))
    return _rising(fixed)


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest list of pairs in which the lines rise with the parts.

    By chance a file may hold the text before its real place; the other pairs outvote that pair.
    """
    if all(a[1] < b[1] for a, b in itertools.pairwise(pairs)):
        return pairs
    best = [1] * len(pairs)
    back = [-1] * len(pairs)
    for i in range(len(pairs)):
        for j in range(i):
            if pairs[j][1] < pairs[i][1] and best[j] + 1 > best[i]:
                best[i], back[i] = best[j] + 1, j
    at = max(range(len(pairs)), key=best.__getitem__)
    out: list[tuple[int, int]] = []
    while at >= 0:
        out.append(pairs[at])
        at = back[at]
    return out[::-1]
