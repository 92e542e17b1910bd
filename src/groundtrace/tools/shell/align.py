"""Dividing the output among the parts of a command, in order.

Separators that the command prints itself are anchors. Between them the lines go to parts so that
the sum of how well they fit is greatest: a dynamic program over (part, line), linear in each.
"""

from __future__ import annotations

import itertools
from collections import Counter, deque
from collections.abc import Sequence

from groundtrace.tools.shell.listing import expect_parents
from groundtrace.tools.shell.parts import Content, Part, Prefixed, Text

MAX_CELLS = 1_500_000
"""More (part, line) pairs than this are divided greedily."""
MAX_ROUNDS = 4
"""Divisions tried before a contradiction is let stand."""
UNACCOUNTED = 2.5
"""What speaks against a line that nothing in the command accounts for."""
_NEVER = float("-inf")


class Segment:
    """The lines that one part was given."""

    __slots__ = ("lines", "part", "sure")

    def __init__(self, part: Part) -> None:
        self.part = part
        self.lines: Sequence[str] = ()
        self.sure = True


def divide(parts: Sequence[Part], lines: Sequence[str]) -> list[Segment]:
    """One segment per part, in order; parts that cannot have run get nothing."""
    expect_parents(parts)
    for _ in range(MAX_ROUNDS):
        segments = _divided(parts, lines)
        wrong = _impossible(segments)
        if not wrong:
            break
        parts = [part for part in parts if id(part) not in wrong]
    return segments


def _impossible(segments: Sequence[Segment]) -> set[int]:
    """Parts that printed although what they depend on says that they did not run."""
    if not any(s.part.guard is not None or s.part.unless is not None for s in segments):
        return set()
    printed = {id(s.part) for s in segments if s.lines}
    known = {id(s.part) for s in segments}
    wrong: set[int] = set()
    for segment in segments:
        part = segment.part
        if not segment.lines and part.prints:
            continue
        guard, unless = part.guard, part.unless
        if (guard is not None and id(guard) in known and id(guard) not in printed) or (
            unless is not None and id(unless) in printed
        ):
            wrong.add(id(part))
    return wrong


def _divided(parts: Sequence[Part], lines: Sequence[str]) -> list[Segment]:
    segments = [Segment(part) for part in _joined(parts)]
    printing = [segment for segment in segments if segment.part.prints]
    if not lines or not printing:
        return segments
    if len(printing) == 1 and not isinstance(printing[0].part, Text):
        printing[0].lines = lines
        return segments
    anchors = _anchors(printing, lines)
    part_from = line_from = 0
    for index, line in [*anchors, (len(printing), len(lines))]:
        _fit(printing[part_from:index], lines[line_from:line])
        if index < len(printing):
            printing[index].lines = lines[line : line + 1]
        part_from, line_from = index + 1, line + 1
    _judge(printing)
    return segments


def _joined(parts: Sequence[Part]) -> list[Part]:
    """Text without a newline at its end is joined to the part that goes on in its line."""
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


def _anchors(printing: Sequence[Segment], lines: Sequence[str]) -> list[tuple[int, int]]:
    """Separators that occur once in the command and once in the output: (part, line), rising."""
    texts: Counter[str] = Counter()
    for segment in printing:
        if isinstance(segment.part, Text):
            texts.update(segment.part.lines)
    if not texts:
        return []
    where: dict[str, int] = {}
    repeated: set[str] = set()
    for number, line in enumerate(lines):
        if line in texts:
            if line in where:
                repeated.add(line)
            where[line] = number
    found: list[tuple[int, int]] = []
    for index, segment in enumerate(printing):
        part = segment.part
        if not isinstance(part, Text) or len(part.lines) != 1:
            continue
        text = part.lines[0]
        if len(text) > 2 and texts[text] == 1 and text in where and text not in repeated:
            found.append((index, where[text]))
    return _rising(found)


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs whose lines rise with their parts."""
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


def _fit(segments: Sequence[Segment], lines: Sequence[str]) -> None:
    """Divides `lines` among `segments`."""
    if not segments or not lines:
        return
    if len(segments) == 1 and not isinstance(segments[0].part, Text):
        segments[0].lines = lines
        return
    if len(lines) * len(segments) * 2 > MAX_CELLS:
        _greedy(segments, lines)
        return
    steps: list[Segment | None] = [None]
    for segment in segments:
        steps += [segment, None]
    total = len(lines)
    score = [0.0] + [_NEVER] * total
    backs: list[list[int]] = []
    for step in steps:
        if step is None:
            score, back = _skipped(score)
        elif isinstance(step.part, Text):
            score, back = _text(step.part, lines, score)
        else:
            score, back = _stretch(step.part, lines, score)
        backs.append(back)
    end = total
    for step, back in zip(reversed(steps), reversed(backs), strict=True):
        start = back[end]
        if step is not None:
            step.lines = lines[start:end]
        end = start


def _text(part: Text, lines: Sequence[str], before: list[float]) -> tuple[list[float], list[int]]:
    """Scores after a text that is there or not."""
    silence = part.cost_of_silence()
    score = [value - silence for value in before]
    back = list(range(len(before)))
    patterns = [part.holed(i) for i in range(len(part.lines))]
    size = len(part.lines)
    if size == 0:
        return list(before), back
    gain = sum(
        1.2 if not text.strip() else 6.0 if pattern is None else 4.5
        for text, pattern in zip(part.lines, patterns, strict=True)
    )
    gain -= 4.0 if part.fallback else 0.0
    for start in range(len(lines) - size + 1):
        if before[start] == _NEVER:
            continue
        for offset in range(size):
            line, pattern = lines[start + offset], patterns[offset]
            text = part.lines[offset]
            last_open = part.unended and offset == size - 1
            if pattern is not None:
                if pattern.match(line) is None:
                    break
            elif (
                line != text
                and line.rstrip() != text.rstrip()
                and not (last_open and line.startswith(text))
            ):
                break
        else:
            value = before[start] + gain
            if value > score[start + size]:
                score[start + size], back[start + size] = value, start
    return score, back


def _skipped(before: list[float]) -> tuple[list[float], list[int]]:
    """Scores after lines that nothing in the command accounts for; as `_stretch`, for a part that
    every line fits as badly."""
    score = list(before)
    back = list(range(len(before)))
    best, where = _NEVER, 0
    for end in range(1, len(before)):
        value = before[end - 1] + (end - 1) * UNACCOUNTED
        if value > best:
            best, where = value, end - 1
        here = best - end * UNACCOUNTED
        if here > score[end]:
            score[end], back[end] = here, where
    return score, back


def _stretch(
    part: Part, lines: Sequence[str], before: list[float]
) -> tuple[list[float], list[int]]:
    """Scores after a part that takes any number of lines up to its limit."""
    total = len(lines)
    sums = list(itertools.accumulate(map(part.score, lines), initial=0.0))
    pairs = [0.0] * (total + 1)
    compares = part.compares
    if compares:
        for i in range(1, total):
            pairs[i + 1] = pairs[i] + part.pair(lines[i - 1], lines[i])
    silence = part.cost_of_silence()
    extra = part.cost_of_speech()
    score = [value - silence for value in before]
    back = list(range(total + 1))
    exact = part.exact()
    window: deque[tuple[float, int]] = deque()
    limit = part.limit
    if exact is not None and isinstance(part, Content):
        limit = exact
    for end in range(1, total + 1):
        start = end - 1
        begun = part.begin(lines[start - 1] if start else "", lines[start]) if compares else 0.0
        value = before[start] - sums[start] - pairs[start + 1] + begun
        while window and window[-1][0] < value:
            window.pop()
        window.append((value, start))
        if limit is not None:
            while window and end - window[0][1] > limit:
                window.popleft()
        if not window:
            continue
        best, where = window[0]
        here = best + sums[end] + pairs[end] - extra
        if exact is not None and exact <= end:
            full = end - exact
            if exact > 0:
                begun = (
                    part.begin(lines[full - 1] if full else "", lines[full]) if compares else 0.0
                )
                reached = (
                    before[full]
                    - sums[full]
                    - pairs[full + 1]
                    + begun
                    + sums[end]
                    + pairs[end]
                    + part.fullness
                    - extra
                )
                if reached >= here:
                    here, where = reached, full
        if here > score[end]:
            score[end], back[end] = here, where
    return score, back


def _greedy(segments: Sequence[Segment], lines: Sequence[str]) -> None:
    """For outputs too long for the exact way: each part takes lines while they fit."""
    at = 0
    for index, segment in enumerate(segments):
        part = segment.part
        if isinstance(part, Text):
            size = len(part.lines)
            if tuple(lines[at : at + size]) == part.lines:
                segment.lines = lines[at : at + size]
                at += size
            continue
        end = at
        stop = segments[index + 1].part if index + 1 < len(segments) else None
        limit = len(lines) if part.limit is None else min(len(lines), at + part.limit)
        while end < limit and part.score(lines[end]) > 0:
            if isinstance(stop, Text) and stop.lines and lines[end] == stop.lines[0]:
                break
            end += 1
        segment.lines = lines[at:end]
        segment.sure = False
        at = end


def _judge(printing: Sequence[Segment]) -> None:
    """Marks segments whose ends are guesses: contents side by side with nothing to part them.

    Ends are certain at both ends of the output, beside separators that occur nowhere else and
    beside lines that can be told from others; and a segment that has just the lines it must have
    carries a certain end from one of its sides to the other.
    """
    shown = [segment for segment in printing if segment.lines]
    count = len(shown)
    certain = [True] + [False] * (count - 1) + [True]
    texts = {line for s in shown if isinstance(s.part, Text) for line in s.lines}
    others = {
        line for s in shown if not isinstance(s.part, Text) for line in s.lines if line in texts
    }
    sized = []
    for i, segment in enumerate(shown):
        is_text = isinstance(segment.part, Text)
        if segment.part.strict or (is_text and not others.intersection(segment.lines)):
            certain[i] = certain[i + 1] = True
        sized.append(is_text or segment.part.exact() == len(segment.lines))
    for i in range(count):
        if certain[i] and sized[i]:
            certain[i + 1] = True
    for i in reversed(range(count)):
        if certain[i + 1] and sized[i]:
            certain[i] = True
    for i, segment in enumerate(shown):
        segment.sure = segment.sure and certain[i] and certain[i + 1]
