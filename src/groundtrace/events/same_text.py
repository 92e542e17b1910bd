"""Find lines that are shown again by their text, among the lines that are known (D129)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from groundtrace.answers.cuts import Half

MAX_LINES = 4000
"""More lines than this are not compared: the time grows with the product."""
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


def place(
    lines: Sequence[str], known: Mapping[int, str], own: str | None, *, whole: bool = False
) -> list[int] | None:
    """The numbers of the known lines that `lines` are, without the agent's own.

    None where that is not certain: a line is neither known nor the agent's (`own`; None in a file
    that nobody changed, where the lines are one run). `whole`: the file has
    no lines but those known.
    """
    if not known or not lines:
        return None
    if own is None:
        return _unchanged(lines, known)
    if max(len(lines), len(known)) > MAX_LINES:
        return None
    return _changed(lines, known, own, whole)


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


def _changed(
    lines: Sequence[str], known: Mapping[int, str], own: str, whole: bool
) -> list[int] | None:
    if any(isinstance(line, Half) for line in lines):
        return None
    order = sorted(known)
    matcher = SequenceMatcher(None, list(lines), [known[n] for n in order], autojunk=False)
    numbers: list[int | None] = [None] * len(lines)
    for block in matcher.get_matching_blocks():
        for at in range(block.size):
            numbers[block.a + at] = order[block.b + at]
    texts = set(known.values())
    for line, number in zip(lines, numbers, strict=True):
        is_own = line.replace("\\", "").strip() in own
        if number is None and not is_own and not (whole and line.strip() and line in texts):
            return None
    if not whole and not (_ends(lines, numbers) and _ends(lines[::-1], numbers[::-1])):
        return None
    many = {text for text, count in Counter(known.values()).items() if count > 1}
    return [
        number
        for at, number in enumerate(numbers)
        if number is not None
        and (_tells(lines[at]) or lines[at] not in many or _is_beside(at, lines, numbers))
    ]


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
