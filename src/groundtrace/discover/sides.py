"""Which levels of names tell the sides of a comparison apart (D391).

Traces of one task that differ in a level are of two sides or two attempts at it. If no name of the
level speaks of attempts, times or verdicts, they are sides: `gpt-5/lexical/heron-12.jsonl` and
`gpt-5/semantic/heron-12.jsonl` were averaged as two attempts of `gpt-5`. A level whose names follow
from the task (its suite, its repository) tells no sides apart, wherever it stands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex

RANDOM = regex(r".*(?:[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-f]{12,}|\d{4}-?\d\d-?\d\d).*", re.IGNORECASE)
"""Names that a harness gives to its sessions: ids and times."""

_WHEN = r"20\d\d-\d\d-\d\d|20\d{6}"
_CLOCK = r"(?:[-_T ]*\d\d[-:_]?\d\d(?:[-:_]?\d\d)?)?Z?"
_MOMENT = regex(rf"(?<!\d)(?:{_WHEN}){_CLOCK}(?!\d)")
"""A date, with or without a time."""

_PORTION = regex(  # `t0` may be a temperature and `k5` the length of a list: these are sides
    r"(?:batch|part|shard|chunk|fold|split|slice|worker|rank|node|proc|process|group|epoch|ep|iter|iteration|"
    r"round|rollout|pass|r|s|day|week|month)[-_ ]?\d{1,5}",
    re.IGNORECASE,
)
_AGAIN = regex(  # `retry` and `run-a` may be sides
    r"re-?runs?(?:[-_. ]?\d{1,3})?|(?:re-?try|redo)[-_. ]?\d{1,3}"
    r"|(?:rep|attempt|try|seed)[-_ ]?[a-d]"
    r"|(?:first|second|third|1st|2nd|3rd|last|final)[-_ ](?:attempt|run|try)"
    r"|\d{4}-?w\d\d|january|february|march|april|may|june|july|august|september|october|november|december",
    re.IGNORECASE,
)
"""Names that say that something was tried again, or in which week or month it ran."""
_VERDICT = regex(
    r"(?:un|not[-_ ]?)?(?:resolved|solved)|pass(?:ed)?|fail(?:ed|ures?)?|errors?|errored|succe(?:ss|eded)|"
    r"completed?|incomplete|time(?:d[-_ ]?)?outs?|trajs?|trajectories|logs?|sessions?|outputs?|"
    r"output\.critic_attempt_\d+",
    re.IGNORECASE,
)
"""Names that say what became of a trial, or what lies in the folder."""

_NO_SIDES = (_PORTION, _AGAIN, _VERDICT)


def are_moments(names: Iterable[str]) -> bool:
    """Whether names differ by a date alone: `2026-03-01_night` and `2026-03-02_night`."""
    cut = {(_MOMENT.sub("", name), _MOMENT.search(name) is not None) for name in names}
    return len(cut) == 1 and next(iter(cut))[1]


def may_be_sides(names: Sequence[str], *, below_task: bool = False) -> bool:
    """Whether names can be those of sides. Below a task's folder each must stand below another too:
    names of a task's own are those of its trials."""
    distinct = set(names)
    if len(distinct) < 2 or all(map(RANDOM.fullmatch, distinct)):
        return False
    # `lexical` and `semantic` are sides, also beside a folder `logs` or `rerun`.
    others = {n for n in distinct if not any(p.fullmatch(n) for p in _NO_SIDES)}
    if len(others) < 2 or 2 * len(others) <= len(distinct):
        return False
    return not below_task or min(Counter(names).values()) > 1


_REPEATED = regex(
    r"(?P<stem>.*[^-_. ])(?P<mark>[-_. ]+(?:rep|attempt|trial|run|try|sample|seed)[-_ ]?)(?P<number>\d{1,4})",
    re.IGNORECASE,
)


class Repeated(Frozen, frozen=True):
    """Names that end with the number of an attempt: `mcp-run1`, `mcp-run2`."""

    stems: Sequence[str]
    mark: str


def repeated(names: Sequence[str]) -> Repeated | None:
    """What stands before the attempts of names, if all end in one way and some differ in nothing else."""
    found = [_REPEATED.fullmatch(name) for name in names]
    if not all(found) or len({one["mark"] for one in found if one}) > 1:
        return None
    stems = [one["stem"] for one in found if one]
    if len(set(stems)) == len(set(names)):
        return None
    return Repeated(stems, next(one["mark"] for one in found if one))


def separating(tasks: Sequence[Hashable], levels: Iterable[tuple[int, Sequence[str]]]) -> list[int]:
    """The levels, from above, of which each tells apart traces of one task that those before it do
    not. `levels`: numbers, and the names of all traces."""
    chosen: list[int] = []
    keys: list[Hashable] = list(tasks)
    for number, names in levels:
        finer: list[Hashable] = list(zip(keys, names, strict=True))
        if len(set(finer)) > len(set(keys)):
            chosen.append(number)
            keys = finer
    return chosen
