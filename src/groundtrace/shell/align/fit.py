"""The best division of lines among parts, by dynamic programming.

`score[n]` is the greatest sum of any division of the first n lines among the parts so far, and
`back[n]` is where the last of these parts began in it. Each part maps one such list to the next:

- `_after_text`: the whole text is at its place, or it is not there;
- `_after_part`: the part takes any stretch of lines up to its limit, or none;
- `_after_unaccounted`: between two parts, lines that no part printed.

At the end the cuts are read back from the last part to the first.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Sequence
from functools import partial

import msgspec
from msgspec.structs import replace

from groundtrace.answers.cuts import Cut, is_cut
from groundtrace.model import FileRef
from groundtrace.shell.streams.part import Opaque, Part
from groundtrace.shell.streams.text import Text
from groundtrace.shell.weights import (
    CUT,
    EMPTY_TEXT,
    FALLBACK_TEXT,
    MAX_CELLS,
    TEXT,
    TEXT_WITH_HOLES,
    UNACCOUNTED,
)

_NEVER = float("-inf")


class Segment(msgspec.Struct, eq=False):
    """The lines that one part was given."""

    part: Part
    lines: Sequence[str] = ()
    sure: bool = True
    """It is certain where its lines begin and end."""

    def read(self, sure: bool, trimmed: bool, mixed: bool = False) -> Iterable[FileRef] | None:
        """Files that the lines show; None if they are only a message that there is nothing.

        Characters and text are known only if these lines, and no others, belong to the part.
        `mixed`: lines of a program of which nothing is known may be among them.
        """
        refs = self.part.read(self.lines, sure, trimmed)
        return refs if refs is None or (sure and not mixed) else map(_without_text, refs)


def _without_text(ref: FileRef) -> FileRef:
    if ref.shown_chars is None and ref.printed is None:
        return ref
    # The lines of a hunk are what the diff says, wherever its output ends.
    return replace(ref, shown_chars=None, printed=ref.printed if ref.old_lines else None)


def are_mixed(segments: Iterable[Segment]) -> bool:
    """Whether a program of which nothing is known printed too, perhaps among lines of others.

    The last lines of a.go and the output of `make` in `cat a.go; make` cannot be told apart.
    """
    return any(isinstance(segment.part, Opaque) for segment in segments)


def fit(segments: Sequence[Segment], lines: Sequence[str]) -> None:
    """Divides `lines` among `segments`."""
    if not segments or not lines:
        return
    if len(segments) == 1 and not isinstance(segments[0].part, Text):
        segments[0].lines = lines
        return
    if len(lines) * len(segments) * 2 > MAX_CELLS:
        _greedy(segments, lines)
        return
    # A warning may come before, between and after all parts: None is a stretch that no part
    # printed.
    steps: list[Segment | None] = [None]
    for segment in segments:
        steps += [segment, None]
    total = len(lines)
    score = [0.0] + [_NEVER] * total
    backs: list[list[int]] = []
    for step in steps:
        if step is None:
            score, back = _after_unaccounted(score)
        elif isinstance(step.part, Text):
            score, back = _after_text(step.part, lines, score)
        else:
            score, back = _after_part(step.part, lines, score)
        backs.append(back)
    # From the last cut to the first: a part ends where the next one begins.
    end = total
    for step, back in zip(reversed(steps), reversed(backs), strict=True):
        start = back[end]
        if step is not None:
            step.lines = lines[start:end]
        end = start


def _after_text(
    part: Text, lines: Sequence[str], before: list[float]
) -> tuple[list[float], list[int]]:
    """Scores after a text that may or may not be there."""
    silence = part.cost_of_silence()
    score = [value - silence for value in before]
    back = list(range(len(before)))
    patterns = [part.holed(i) for i in range(len(part.lines))]
    size = len(part.lines)
    if size == 0:
        return list(before), back
    gain = sum(
        EMPTY_TEXT if not text.strip() else TEXT if pattern is None else TEXT_WITH_HOLES
        for text, pattern in zip(part.lines, patterns, strict=True)
    )
    # `grep -q x a || echo none`: usually the text is not there, and it looks like any short line.
    gain -= FALLBACK_TEXT if part.fallback else 0.0
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
            # Harnesses cut blanks off the end of the output, and more text may follow `echo -n`.
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


def _after_unaccounted(before: list[float]) -> tuple[list[float], list[int]]:
    """Scores after lines that no part of the command explains.

    Like `_after_part`, with a part that every line fits equally badly.
    """
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


def _after_part(
    part: Part, lines: Sequence[str], before: list[float]
) -> tuple[list[float], list[int]]:
    """Scores after a part that takes any number of lines up to its limit."""
    total = len(lines)
    # The fit of a stretch is a difference of running sums, so no stretch needs a loop.
    sums = list(itertools.accumulate(_scores(part, lines), initial=0.0))
    pairs = [0.0] * (total + 1)
    compares = part.compares
    if compares:
        pair = partial(_paired, part) if is_cut(lines) else part.pair
        for i in range(1, total):
            pairs[i + 1] = pairs[i] + pair(lines[i - 1], lines[i])
    late = part.prefers_later_start
    silence = part.cost_of_silence()
    extra = part.cost_of_speech()
    score = [value - silence for value in before]
    back = list(range(total + 1))
    exact = part.exact()
    # Starts that can still be best, in order and with falling values. A later start with a better
    # value makes the earlier ones useless; starts beyond the limit leave at the front.
    window: deque[tuple[float, int]] = deque()
    limit = part.most()
    for end in range(1, total + 1):
        start = end - 1
        begun = part.begin(lines[start - 1] if start else "", lines[start]) if compares else 0.0
        value = before[start] - sums[start] - pairs[start + 1] + begun
        while window and (window[-1][0] < value or (late and window[-1][0] == value)):
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
            # A stretch of exactly the lines asked for gets a bonus of its own. It wins a tie:
            # `head -3` beside three lines that it could have printed.
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


def _scores(part: Part, lines: Sequence[str]) -> Iterable[float]:
    """How well each line fits; a cut, and a line that it cut through, fits everywhere."""
    if not is_cut(lines):
        return part.scores(lines)
    score = part.scorer()
    return [
        score(line)
        if type(line) is str
        else CUT
        if isinstance(line, Cut)
        else max(CUT, score(line))
        for line in lines
    ]


def _paired(part: Part, before: str, line: str) -> float:
    """The score of two neighbouring lines; zero next to a cut."""
    if type(before) is str and type(line) is str:
        return part.pair(before, line)
    return 0.0


def _greedy(segments: Sequence[Segment], lines: Sequence[str]) -> None:
    """For outputs too long for the exact method: each part takes lines while they fit."""
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
