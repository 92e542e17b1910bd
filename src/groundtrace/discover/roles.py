"""The layout of loose traces, inferred from all their paths (D149).

Roles are inferred from the whole listing, because one path tells nothing: `session.jsonl` in every
folder names no task, `modelA` beside `modelB` above the same twelve files names configurations.

1. A level with one name, or with dates of its files, says nothing. Other dates tell trials apart,
   if another level varies too.
2. A level whose names are known tasks is the task. One whose names are models or harnesses of the
   traces in it, or have the form of a configuration, is the configuration: also files that have the
   same such names in several folders (`heron-12/baseline.jsonl`). One of numbered attempts is the
   trial. A known task in a longer name is the task, and what is left of the name is judged like a
   level of its own (`baseline_heron-12.jsonl`).
3. Of the levels that are left, the upper is the configuration and the lower the task; a single
   folder is the task if the file names say nothing. Where the tasks are known, every level that
   tells apart traces of one task is a part of the configuration (`sides`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex
from groundtrace.discover.layout import MARK, Held, Layout, Role, stem_of
from groundtrace.discover.names import is_config
from groundtrace.discover.sides import RANDOM, are_moments, may_be_sides, repeated, separating
from groundtrace.storage import DAY_FOLDERS

_NUMBER = r"(?:rep|attempt|trial|run|try|sample|seed)[-_ ]?\d{1,4}|\d{1,3}"
_ATTEMPT = regex(_NUMBER, re.IGNORECASE)
_ARM = regex(
    r"(?:baseline|with|without|no|control|treatment|before|after|on|off|default|vanilla)"
    r"(?:[-_. ].*)?",
    re.IGNORECASE,
)
"""Names of the sides of a comparison."""
_DATE = regex(r"(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)")
_DAYS = regex(DAY_FOLDERS)


class Clues(Frozen, frozen=True):
    """What is known about one trace without its folders."""

    parts: Sequence[str]
    """Its path below RUNS, the file last."""
    tasks: frozenset[str] = frozenset()
    """Parts of the path that name a known task, and the task that the trace states."""
    makers: frozenset[str] = frozenset()
    """Model and harness of the trace, in lower case."""
    states_task: bool = False
    """The trace itself names its task."""
    held: Mapping[str, Held] = {}
    """Parts of the path that hold a known task in a longer name."""
    task: str | None = None
    """Its task, if the trace or a name of the path says it."""
    is_sample: bool = False
    """One of many samples of its file."""


def infer(traces: Sequence[Clues]) -> list[Layout]:
    """A layout for each depth at which traces lie; another for those whose names it does not fit.

    `heron-12 (1).jsonl` and `heron-12 copy.jsonl` were laid out as `{task} {trial}`, and
    `heron-12.jsonl` beside them lost its configuration.
    """
    by_depth: dict[int, list[Clues]] = {}
    for trace in traces:
        by_depth.setdefault(len(trace.parts), []).append(trace)
    found = []
    for _, group in sorted(by_depth.items()):
        layout = Layout(_pattern(group))
        found.append(layout)
        unfit = [trace for trace in group if layout.roles(trace.parts, trace.held) is None]
        loose = _without_joints(layout.pattern) if unfit else None
        if loose is not None:
            found.append(Layout(loose))
    return found


def _without_joints(pattern: str) -> str | None:
    """A pattern that fits every path of its depth; None if no placeholder is left."""
    parts = [part if _WHOLE.fullmatch(part) else "*" for part in pattern.split("/")]
    return "/".join(parts) if any(_WHOLE.fullmatch(part) for part in parts) else None


_WHOLE = regex(r"\{[a-z]+\}")


class _Level(Frozen, frozen=True):
    """The names at one depth of the paths."""

    number: int
    names: Sequence[str]
    """One for each trace; of a file its stem."""
    role: Role | None
    """What the names themselves say."""
    varies: bool
    joint: str | None = None
    """The pattern of names that hold more than the task."""
    also: frozenset[Role] = frozenset()
    """Roles of what these names hold beside the task."""
    is_repeated: bool = False
    """The names end with attempts; `names` are without them, `joint` is their pattern."""


def _pattern(traces: Sequence[Clues]) -> str:
    levels = _with_repeats(
        [_level(traces, number) for number in range(len(traces[0].parts))], traces
    )
    if _is_one_each(levels):
        levels[-1] = replace(levels[-1], varies=False)
    levels = [
        replace(level, role="trial")
        if _are_moments(level, levels) and any(o.varies and o is not level for o in levels)
        else level
        for level in levels
    ]
    stated = 2 * sum(t.states_task for t in traces) > len(traces)
    if not stated and all(level.role != "task" for level in levels):
        levels = _one_of_attempts(levels)
    roles = _roles(levels, stated=stated)
    sides = _sides(traces, levels, roles, stated=stated)
    if sides:
        own = {
            n: role
            for n, role in roles.items()
            if role == "task" or (role != "config" and n not in sides)
        }
        roles = {**dict.fromkeys(sides, "config"), **own}
    parts = []
    for level in levels:
        role = roles.get(level.number)
        is_joint = level.joint is not None and (role == "task" or level.is_repeated)
        joint = level.joint or "*"
        if level.is_repeated and role is not None:
            joint = joint.replace("{config}", f"{{{role}}}")
        for number, other in roles.items():
            # A folder says it too: `baseline/bl_heron-12.jsonl`.
            if number != level.number and not (other == "config" and level.number in sides):
                joint = joint.replace(f"{{{other}}}", "*")
        parts.append(joint if is_joint else f"{{{role}}}" if role else _plain(level.names))
    if not roles:
        parts[-1] = "{trial}"
    return "/".join(parts)


def _one_of_attempts(levels: Sequence[_Level]) -> list[_Level]:
    """Of several levels of plain numbers the lowest tells attempts apart, and those above have other
    meanings: tasks 1 to 3 of `alpha/2/0.jsonl` were attempts of one task."""
    numbered = [level.number for level in levels if level.role == "trial" and _are_numbers(level)]
    upper = set(numbered[:-1])
    return [replace(level, role=None) if level.number in upper else level for level in levels]


def _are_numbers(level: _Level) -> bool:
    return all(name.isdigit() and len(name) < 4 for name in level.names)


def _plain(names: Iterable[str]) -> str:
    """The name that all have, as it stands in a pattern."""
    distinct = set(names)
    name = next(iter(distinct))
    return name if len(distinct) == 1 and not set(name) & set("{}*") else "*"


def _are_moments(level: _Level, levels: Sequence[_Level]) -> bool:
    """Whether the folders of a level are dates, so that they tell batches apart and nothing else."""
    is_file = level.number == len(levels) - 1
    return level.varies and not is_file and are_moments(level.names)


def _with_repeats(levels: Iterable[_Level], traces: Sequence[Clues]) -> list[_Level]:
    """The levels, without the attempts at the ends of their names (`mcp-run1`, `mcp-run2`)."""
    found = []
    used = False
    for level in levels:
        ends = repeated(level.names) if level.role != "task" and level.varies else None
        if ends is not None:
            varies = len(set(ends.stems)) > 1
            stem = "{config}" if varies else _plain(ends.stems)
            joint = f"{stem}{ends.mark}{'*' if used else '{trial}'}"
            role = _role_by_name(ends.stems, traces) if varies else "trial"
            level = replace(
                level, names=ends.stems, varies=varies, role=role, joint=joint, is_repeated=True
            )
            used = True
        found.append(level)
    return found


def _sides(
    traces: Sequence[Clues], levels: Sequence[_Level], roles: Mapping[int, Role], *, stated: bool
) -> list[int]:
    """The levels that are the configuration together, where the tasks are known."""
    task = next((n for n, role in roles.items() if role == "task"), None)
    if not stated and (task is None or levels[task].role != "task"):
        return []
    said = next((level.number for level in levels if level.role == "config"), None)
    file = levels[-1].number
    rivals: list[tuple[int, Sequence[str]]] = []
    for level in levels:
        n, names = level.number, level.names
        if n == task and "config" in level.also:
            layout = Layout(level.joint or "*")
            fits = [layout.roles([t.parts[n]], t.held) or {} for t in traces]
            rivals.append((n, [fit.get("config", "") for fit in fits]))
        if n == task or level.role not in (None, "config") or not level.varies:
            continue
        is_free = n != file or all(trace.is_sample for trace in traces)
        below = task is not None and n > task
        if "config" in (level.role, roles.get(n) if n == file else None) or (
            is_free and may_be_sides(names, below_task=below)
        ):
            rivals.append((n, names))
    keys = [t.task or "/".join(t.parts) for t in traces]
    # A level that is a configuration by its names comes first: `anthropic/claude-4` is `claude-4`.
    rivals.sort(key=lambda rival: levels[rival[0]].role != "config")
    chosen = set(separating(keys, rivals))
    if chosen and said is not None and roles.get(said) == "config":
        chosen.add(said)
    return sorted(chosen)


def _is_one_each(levels: Sequence[_Level]) -> bool:
    """Whether each folder holds one session with a name of the harness's own: then the folder tells
    as much, and says it better (`heron-12/3f0c….jsonl`)."""
    above = [level for level in levels[:-1] if level.varies and level.role is None]
    paths = list(zip(*(level.names for level in levels[:-1]), strict=True))
    if not above or len(set(paths)) < len(levels[-1].names):
        return False
    return all(map(RANDOM.fullmatch, levels[-1].names))


def _level(traces: Sequence[Clues], number: int) -> _Level:
    is_file = number == len(traces[0].parts) - 1
    names = [stem_of(t.parts[number]) if is_file else t.parts[number] for t in traces]
    varies = len(set(names)) > 1 and not all(_is_of_date(t.parts, number) for t in traces)
    level = _Level(number, names, None, varies)
    joint = _joint(names, traces)
    # `mcp_heron-12` names a task without its wrapper. Beside `base_heron-12` the wrapper is a side.
    is_plain = 2 * sum(name in t.tasks for name, t in zip(names, traces, strict=True)) > len(names)
    if is_plain and (joint is None or "config" not in joint[1]):
        return replace(level, role="task")
    if joint is not None:
        pattern, also = joint
        return replace(level, role="task", joint=pattern, also=also)
    # One file for each side in a folder: a name that no other folder has is no side.
    repeats = len(set(names)) < len(names) and len({tuple(t.parts[:number]) for t in traces}) > 1
    if not varies:
        return level
    role = _role_by_name(names, traces)
    return replace(level, role=None if role == "config" and is_file and not repeats else role)


def _role_by_name(names: Sequence[str], traces: Sequence[Clues]) -> Role | None:
    """Whether names that vary are those of configurations, or of attempts."""
    sides = sum(
        is_config(name) or _ARM.fullmatch(name) is not None or _names_maker(name, trace.makers)
        for name, trace in zip(names, traces, strict=True)
    )
    if 2 * sides > len(names):
        return "config"
    return "trial" if all(_ATTEMPT.fullmatch(name) for name in set(names)) else None


def _joint(names: Sequence[str], traces: Sequence[Clues]) -> tuple[str, frozenset[Role]] | None:
    """The pattern of names of which most hold a known task between the same marks."""
    held = [(t, t.held[name]) for name, t in zip(names, traces, strict=True) if name in t.held]
    marks = Counter((_mark(h.before[::-1]), _mark(h.after)) for _, h in held)
    if not marks or 2 * (common := marks.most_common(1)[0])[1] <= len(names):
        return None
    before, after = common[0]
    held = [(t, h) for t, h in held if (_mark(h.before[::-1]), _mark(h.after)) == common[0]]
    used: set[Role] = set()
    sides = []
    for rests in (
        [h.before[: -len(before)] for _, h in held],
        [h.after[len(after) :] for _, h in held],
    ):
        mark, numbers = _attempts_behind(rests)
        names = [
            rest[: len(rest) - len(mark + number)]
            for rest, number in zip(rests, numbers, strict=True)
        ]
        side = _plain(names)
        if len(set(names)) > 1:
            role = _role_by_name(names, [t for t, _ in held])
            # Every side has each of the tasks once, or once for each attempt.
            own = [(n, h.task, k) for n, (_, h), k in zip(names, held, numbers, strict=True)]
            is_side = len(set(own)) == len(own) and len(set(names)) < len(names)
            is_side = is_side and not any(map(RANDOM.fullmatch, names))
            role = role or ("config" if is_side else "trial")
            side = "*" if role in used else f"{{{role}}}"
            used.add(role)
        if mark:
            side += f"{mark}*" if "trial" in used else f"{mark}{{trial}}"
            used.add("trial")
        sides.append(side)
    start = f"{sides[0]}{before}" if before else ""
    end = f"{after}{sides[1]}" if after else ""
    return f"{start}{{task}}{end}", frozenset(used)


_NUMBERED = regex(rf".*?[^-_. ]([-_. ]+)({_NUMBER})", re.IGNORECASE)


def _attempts_behind(rests: Sequence[str]) -> tuple[str, list[str]]:
    """The mark and the attempts that all rests of names end with: `__` and `run1` of `base__run1`."""
    found = [_NUMBERED.fullmatch(rest) for rest in rests]
    marks = {match[1] if match is not None else "" for match in found}
    if len(marks) > 1 or "" in marks or len(numbers := [m[2] for m in found if m]) < len(rests):
        return "", [""] * len(rests)
    return (marks.pop(), numbers) if len(set(numbers)) > 1 else ("", [""] * len(rests))


def _mark(text: str) -> str:
    """The mark that a text begins with."""
    found = MARK.match(text)
    return found[0] if found is not None else ""


def _names_maker(name: str, makers: frozenset[str]) -> bool:
    """Whether a name is that of a model or harness, has it in it, or is a part of it (`opus` of
    `claude-opus-4-5`)."""
    low = name.casefold()
    words = [word for word in MARK.split(low) if word]
    return any(
        low == maker
        or (len(maker) > 4 and maker in low)
        or (max(map(len, words), default=0) > 2 and _are_part(words, MARK.split(maker)))
        for maker in makers
        if maker
    )


def _are_part(words: Sequence[str], whole: Sequence[str]) -> bool:
    """Whether words stand one behind the other in a longer row of words."""
    size = len(words)
    has_letters = any(word.isalpha() for word in words)
    return has_letters and any(
        list(words) == list(whole[at : at + size]) for at in range(len(whole) - size + 1)
    )


def _is_of_date(parts: Sequence[str], level: int) -> bool:
    """Whether a folder is a year, a month or a day: of the date in the file's name, or one of three
    such folders below each other (D145)."""
    if level == len(parts) - 1:
        return False
    found = _DATE.search(parts[-1])
    if found is not None and parts[level] in (found[0], *found.groups()):
        return True
    return any(
        _DAYS.fullmatch("/".join(parts[first : first + 3]))
        for first in range(max(0, level - 2), level + 1)
        if first + 3 < len(parts)
    )


def _roles(levels: Sequence[_Level], *, stated: bool) -> Mapping[int, Role]:
    """The role of each level that has one. `stated`: most traces name their tasks themselves."""
    roles: dict[int, Role] = {}
    for role in ("task", "config", "trial"):
        said = [level.number for level in levels if level.role == role]
        if said:
            # A task's name may stand on a folder and on the file in it: the file says most.
            roles[said[-1] if role == "task" else said[0]] = role
    file = levels[-1].number
    taken = {
        *roles.values(),
        *(r for lv in levels if roles.get(lv.number) == "task" for r in lv.also),
    }
    left = [lv for lv in levels if lv.varies and lv.number not in roles and lv.role is None]
    folders = [level.number for level in left if level.number != file]
    if stated or "task" in taken:
        # What is left of the folders is the configuration, and the file tells trials apart.
        if "config" not in taken and folders:
            roles[folders[0]] = "config"
        if left and left[-1].number == file:
            is_side = not stated and "config" not in {*taken, *roles.values()}
            roles[file] = "config" if is_side and _are_sides(levels[file].names) else "trial"
        return roles
    if "config" not in taken and folders and len(left) > 1:
        roles[folders[0]] = "config"
        left = left[1:]
    for level, role in zip(left, _BELOW, strict=False):
        if role not in taken:
            roles[level.number] = role
    return roles


def _are_sides(files: Sequence[str]) -> bool:
    """Whether the files of a task's folder have names that those of other tasks have too."""
    counted = Counter(files)
    return min(counted.values()) > 1 and not any(map(RANDOM.fullmatch, counted))


_BELOW: tuple[Role, ...] = ("task", "trial")
"""Roles of the levels below the configuration, from above."""
