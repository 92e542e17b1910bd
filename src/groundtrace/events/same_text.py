"""Find lines that are shown again by their text, among the lines that are known (D129)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from operator import itemgetter

from groundtrace.answers.cuts import AGAIN, Cut, Half, is_cut, pieces

MAX_LINES = 4000
"""More lines than this are not compared: the time grows with the product."""
MAX_STEPS = 200_000
"""Comparisons of lines with a whole file."""
_SURE = 100
"""Weight of a line that the agent did not write, against one of its own."""
MAX_GAP = 4
"""Distance of two lines in place between which other lines may differ."""
ENOUGH = 3
"""Telling lines that text must have to be found in a file that nobody changed."""


class OwnText:
    """What the agent wrote in its calls, to tell its own lines from those of the file."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._until: dict[int, str] = {}

    def until(self, step: int) -> str:
        """Everything written before a step, without the backslashes that shells take away."""
        if step not in self._until:
            self._until[step] = "\n".join(self._words[:step]).replace("\\", "")
        return self._until[step]


def place(lines: Sequence[str], known: Mapping[int, str], own: str | None) -> list[int] | None:
    """The numbers of the known lines that `lines` are, without the agent's own.

    None where that is not certain: a line is neither known nor the agent's (`own`; None in a file
    that nobody changed, where the lines are one run).
    """
    if not known or not lines:
        return None
    if own is None:
        found = [_unchanged(piece, known) for piece in pieces(lines) if piece]
        return None if None in found else [n for piece in found for n in piece or ()]
    if max(len(lines), len(known)) > MAX_LINES:
        return None
    return _changed(lines, known, own)


def agreement(lines: Sequence[str], known: Mapping[int, str], first: int) -> int | None:
    """How many telling lines are the known ones, if `lines` begin at line `first`; None if a known
    line is another one."""
    count = 0
    for number, line in enumerate(lines, first):
        text = known.get(number)
        if text is None:
            continue
        if text != line:
            return None
        count += _tells(line)
    return count


def _unchanged(lines: Sequence[str], known: Mapping[int, str]) -> list[int] | None:
    """The one run of lines that agrees with what is known of a file that nobody changed."""
    first = lines[0] if isinstance(lines[0], Half) else None
    body = list(lines[first is not None :])
    places: dict[str, list[int]] = {}
    for number, text in known.items():
        places.setdefault(text, []).append(number)
    starts = {
        number - at
        for at, line in enumerate(body)
        if _tells(line)
        for number in places.get(line, ())
        if number > at
    }
    found = [start for start in starts if (agreement(body, known, start) or 0) >= ENOUGH]
    if len(found) != 1:
        return None
    numbers = list(range(found[0], found[0] + len(body)))
    # The end of a line that a cut went through was shown.
    return numbers if first is None or found[0] == 1 else [found[0] - 1, *numbers]


def _changed(lines: Sequence[str], known: Mapping[int, str], own: str) -> list[int] | None:
    if is_cut(lines):
        return None
    from difflib import SequenceMatcher  # a millisecond that most runs do not need

    order = sorted(known)
    matcher = SequenceMatcher(None, list(lines), [known[n] for n in order], autojunk=False)
    numbers: list[int | None] = [None] * len(lines)
    for block in matcher.get_matching_blocks():
        for at in range(block.size):
            numbers[block.a + at] = order[block.b + at]
    for line, number in zip(lines, numbers, strict=True):
        if number is None and not _is_own(line, own):
            return None
    if not (_ends(lines, numbers) and _ends(lines[::-1], numbers[::-1])):
        return None
    many = {text for text, count in Counter(known.values()).items() if count > 1}
    return [
        number
        for at, number in enumerate(numbers)
        if number is not None
        and (_tells(lines[at]) or lines[at] not in many or _is_beside(at, lines, numbers))
    ]


class WholeText:
    """A file all of whose lines are known."""

    def __init__(self, known: dict[int, str]) -> None:
        self.known = known
        self._places: dict[str, list[int]] = {}
        """Where lines of the file that were shown stand."""

    @cached_property
    def _lines(self) -> dict[int, str]:
        return dict(zip(self.known, map(str.rstrip, self.known.values()), strict=True))

    def _find(self, shown: Iterable[str]) -> None:
        """Look up where lines stand. A file has many more lines than a result shows."""
        new: dict[str, list[int]] = {text: [] for text in {*shown} - self._places.keys()}
        if not new:
            return
        for number, text in self._lines.items():
            if text in new:
                new[text].append(number)
        self._places.update((text, numbers) for text, numbers in new.items() if numbers)

    def numbers(self, lines: Sequence[str], own: str | None) -> list[int] | None:
        """Where `lines` stand: runs of the file's lines; each command shows a line once.

        A run that stands in several places is known only if it was shown as often as it is there, as
        a search shows it. None if a line that tells something stays without its place.
        """
        ends = [at for at, line in enumerate(lines) if line is AGAIN]
        if ends:
            parts = [lines[a + 1 : b] for a, b in pairwise([-1, *ends, len(lines)])]
            numbers = [self.numbers(part, own) for part in parts]
            return None if None in numbers else sorted({n for part in numbers for n in part or ()})
        shown = [line.rstrip() for line in lines]
        self._find(shown)
        found = self._runs(lines, shown)
        if found is None:
            return None
        self._repeated(shown, found)
        if own is not None:
            found = _in_order(found, [1 if _is_own(line, own) else _SURE for line in lines])
        self._beside(lines, shown, found, own)
        for at, line in enumerate(lines):
            if at in found or isinstance(line, Cut) or not _tells(line):
                continue
            if isinstance(line, Half):
                continue
            # A line that the file never had is the agent's; one that it has may be either.
            if own is None or (shown[at] in self._places and not _is_own(line, own)):
                return None
        return sorted({*found.values()}) if found or own is not None else None

    def _runs(self, lines: Sequence[str], shown: Sequence[str]) -> dict[int, int] | None:
        """Runs that stand in one place only: position to number. None if it takes too long."""
        found: dict[int, int] = {}
        at = steps = 0
        while at < len(shown):
            starts = self._places.get(shown[at], []) if _tells(shown[at]) else []
            length = 0
            while starts and at + length < len(shown) and type(lines[at + length]) is str:
                longer = [n for n in starts if self._lines.get(n + length) == shown[at + length]]
                steps += len(starts)
                if steps > MAX_STEPS:
                    return None
                if not longer:
                    break
                starts, length = longer, length + 1
            if len(starts) == 1 and length:
                found.update({at + i: starts[0] + i for i in range(length)})
            at += max(length, 1)
        # A command shows a line once: `a a` twice is not twice the only place with two of them.
        twice = Counter(found.values())
        return {at: number for at, number in found.items() if twice[number] == 1}

    def _repeated(self, shown: Sequence[str], found: dict[int, int]) -> None:
        """Lines that stand in several places and were shown as often."""
        taken = {*found.values()}
        open_at: dict[str, list[int]] = {}
        for at, text in enumerate(shown):
            if at not in found and _tells(text):
                open_at.setdefault(text, []).append(at)
        for text, places in open_at.items():
            left = [number for number in self._places.get(text, ()) if number not in taken]
            if left and len(places) >= len(left):
                found.update(zip(places, left, strict=False))

    def _beside(
        self, lines: Sequence[str], shown: Sequence[str], found: dict[int, int], own: str | None
    ) -> None:
        """Lines next to lines whose place is known: blank ones, halves, those without their indent.

        In a file that nobody changed, so are lines that differ between two that are in place: some
        programs mask names.
        """
        for way in (1, -1):
            for at in sorted(found, reverse=way < 0):
                while (near := at + way) not in found and 0 <= near < len(shown):
                    number = found[at] + way
                    if not self._fits(lines[near], self._lines.get(number)):
                        break
                    found[near] = number
                    at = near
        if own is None:
            placed = sorted(found)
            for one, other in pairwise(placed):
                between = range(one + 1, other)
                if found[other] - found[one] == other - one <= MAX_GAP and not any(
                    isinstance(lines[at], Cut) for at in between
                ):
                    found.update({at: found[one] + at - one for at in between})

    def _fits(self, line: str, text: str | None) -> bool:
        if text is None or isinstance(line, Cut):
            return False
        if isinstance(line, Half):
            return text.startswith(line) if line.ends else text.endswith(line)
        return line.strip() == text.strip()


def _in_order(found: Mapping[int, int], weights: Sequence[int]) -> dict[int, int]:
    """The most lines whose numbers rise: an edit moves no line above another.

    The agent's own lines can be copies of the file's: a new method with the signature of another one.
    """
    runs: list[list[int]] = []
    for at in sorted(found):
        if runs and at == runs[-1][-1] + 1 and found[at] == found[runs[-1][-1]] + 1:
            runs[-1].append(at)
        else:
            runs.append([at])
    best: list[tuple[int, list[list[int]]]] = []
    for run in runs:
        before = [one for one in best if found[one[1][-1][-1]] < found[run[0]]]
        most, chain = max(before, key=itemgetter(0), default=(0, []))
        best.append((most + sum(weights[at] for at in run), [*chain, run]))
    _, chain = max(best, key=itemgetter(0), default=(0, []))
    return {at: found[at] for run in chain for at in run}


def _is_own(line: str, own: str) -> bool:
    return line.replace("\\", "").strip() in own


def _is_beside(at: int, lines: Sequence[str], numbers: Sequence[int | None]) -> bool:
    """Whether a brace or a blank line follows, without a gap, on a line that tells something."""
    for way in (-1, 1):
        beside = at
        while 0 <= beside + way < len(lines):
            before, after = numbers[beside], numbers[beside + way]
            if before is None or after is None or after - before != way:
                break
            beside += way
            if _tells(lines[beside]):
                return True
    return False


def _ends(lines: Sequence[str], numbers: Sequence[int | None]) -> bool:
    """Whether the lines at one end are certain: a brace or a blank line there may be any, unless it
    follows on the next line that tells something."""
    telling = next((at for at, line in enumerate(lines) if _tells(line)), None)
    if telling is None:
        return False
    inner = numbers[telling]
    if telling == 0:
        return True
    outer = numbers[:telling]
    if inner is None:
        return False
    return all(
        number is not None and abs(inner - number) == telling - at
        for at, number in enumerate(outer)
    )


def _tells(line: str) -> bool:
    return any(map(str.isalnum, line))
