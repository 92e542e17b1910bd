"""What the folders above loose traces mean: a pattern that a user gives, or one inferred (D149).

    {config}/{task}/{trial}               codex/heron-12/run1.jsonl
    {run}/{config}/{task}_{trial}.jsonl   may/codex/heron-12_3.jsonl
    {config}/*/{task}/                    a folder: any file at any depth below it

Roles are inferred from the whole listing, because one path tells nothing: `session.jsonl` in every
folder names no task, `modelA` beside `modelB` above the same twelve files names configurations.

1. A level with one name, or with dates, says nothing.
2. A level whose names are known tasks is the task. One whose names are models or harnesses of the
   traces in it, or have the form of a configuration, is the configuration. One of numbered attempts
   is the trial.
3. Of the levels that are left, the upper is the configuration and the lower the task; a single
   folder is the task if the file names say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from groundtrace.base.patterns import regex
from groundtrace.discover.names import is_config
from groundtrace.errors import UsageError
from groundtrace.storage import DAY_FOLDERS

Role = Literal["run", "config", "task", "trial"]
ROLES: tuple[Role, ...] = get_args(Role)

_PLACEHOLDER = regex(r"\{([^{}]*)\}|\*")
_ATTEMPT = regex(r"(?:rep|attempt|trial|run|try|sample|seed)[-_ ]?\d{1,4}|\d{1,3}", re.IGNORECASE)
_ARM = regex(
    r"(?:baseline|with|without|no|control|treatment|before|after|on|off|default|vanilla)"
    r"(?:[-_. ].*)?",
    re.IGNORECASE,
)
"""Names of the sides of a comparison."""
_DATE = regex(r"(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)")
_DAYS = regex(DAY_FOLDERS)
_SUFFIXES = (".traj.json", ".trajectory.json", ".jsonl.zst", ".jsonl.gz", ".tar.gz")
"""File endings that consist of two parts."""


def stem_of(file: str) -> str:
    """A file's name without the ending of its format."""
    low = file.casefold()
    for suffix in _SUFFIXES:
        if low.endswith(suffix) and len(file) > len(suffix):
            return file[: -len(suffix)]
    return file.rpartition(".")[0] or file


class Layout:
    """A pattern of paths."""

    def __init__(self, pattern: str) -> None:
        """Mistakes in the pattern raise a `UsageError`."""
        self.pattern = pattern
        parts = pattern.strip().split("/")
        self._is_folder = parts[-1] == ""
        self._parts = [
            _compiled(part, pattern) for part in (parts[:-1] if self._is_folder else parts)
        ]
        named = [role for part in self._parts for role in part.groupindex]
        if not named:
            raise UsageError(f"--layout {pattern!r} has no placeholder; {_HELP}")
        if len(set(named)) < len(named):
            raise UsageError(f"--layout {pattern!r} has a placeholder twice; {_HELP}")

    def roles(self, parts: Sequence[str]) -> dict[Role, str] | None:
        """The names that a path gives to each role; None if it does not fit."""
        depth = len(self._parts)
        if len(parts) <= depth if self._is_folder else len(parts) != depth:
            return None
        found: dict[Role, str] = {}
        for number, (part, expected) in enumerate(zip(parts, self._parts, strict=False)):
            is_file = number == depth - 1 and not self._is_folder
            match = expected.fullmatch(stem_of(part)) if is_file else None
            match = match or expected.fullmatch(part)
            if match is None:
                return None
            found.update(match.groupdict())  # type: ignore[arg-type]
        return found


_HELP = "it is made of {run}, {config}, {task}, {trial}, * and plain names, as in '{config}/{task}/{trial}'"


MAX_PLACEHOLDERS = 4
"""Most placeholders and `*` in one name. With four, a name of 255 underscores took 0.7 seconds; with
each more it would take fifty times as long."""


def _compiled(part: str, pattern: str) -> re.Pattern[str]:
    if part in ("", ".", ".."):
        raise UsageError(f"--layout {pattern!r}: a path has no {part!r} in it; {_HELP}")
    part = regex(r"\*{2,}").sub("*", part)
    if len(_PLACEHOLDER.findall(part)) > MAX_PLACEHOLDERS:
        raise UsageError(
            f"--layout {pattern!r}: more than {MAX_PLACEHOLDERS} placeholders in one name; {_HELP}"
        )
    out, at = "", 0
    for found in _PLACEHOLDER.finditer(part):
        out += re.escape(part[at : found.start()])
        at = found.end()
        if found[0] == "*":
            out += r"[^/]*"
        elif found[1] in ROLES:
            # The first of two in one name takes as much as it can: `{task}_{trial}` ends the task
            # at the last underscore.
            out += rf"(?P<{found[1]}>[^/]+)"
        else:
            raise UsageError(f"--layout {pattern!r}: {found[0]!r} is no placeholder; {_HELP}")
    rest = part[at:]
    if "{" in rest or "}" in rest:
        raise UsageError(f"--layout {pattern!r}: a bracket is not closed; {_HELP}")
    try:
        made = re.compile(out + re.escape(rest))
    except re.error as error:
        raise UsageError(f"--layout {pattern!r} has a placeholder twice; {_HELP}") from error
    if "}{" in part:
        raise UsageError(
            f"--layout {pattern!r}: nothing between two placeholders says where one ends; {_HELP}"
        )
    return made


class Clues(NamedTuple):
    """What is known about one trace without its folders."""

    parts: Sequence[str]
    """Its path below RUNS, the file last."""
    tasks: frozenset[str] = frozenset()
    """Parts of the path that name a known task, and the task that the trace states."""
    makers: frozenset[str] = frozenset()
    """Model and harness of the trace, in lower case."""
    states_task: bool = False
    """The trace itself names its task."""


def infer(traces: Sequence[Clues]) -> list[Layout]:
    """A layout for each depth at which traces lie."""
    by_depth: dict[int, list[Clues]] = {}
    for trace in traces:
        by_depth.setdefault(len(trace.parts), []).append(trace)
    return [Layout(_pattern(group)) for _, group in sorted(by_depth.items())]


class _Level(NamedTuple):
    """The names at one depth of the paths."""

    number: int
    names: Sequence[str]
    """One for each trace; of a file its stem."""
    role: Role | None
    """What the names themselves say."""
    varies: bool


def _pattern(traces: Sequence[Clues]) -> str:
    levels = [_level(traces, number) for number in range(len(traces[0].parts))]
    if _is_one_each(levels):
        levels[-1] = levels[-1]._replace(varies=False)
    roles = _roles(levels, stated=2 * sum(t.states_task for t in traces) > len(traces))
    parts = []
    for level in levels:
        role = roles.get(level.number)
        is_plain = len(set(level.names)) == 1 and not set(level.names[0]) & set("{}*")
        parts.append(f"{{{role}}}" if role else level.names[0] if is_plain else "*")
    if not roles:
        parts[-1] = "{trial}"
    return "/".join(parts)


_RANDOM = regex(r".*(?:[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-f]{12,}|\d{4}-?\d\d-?\d\d).*", re.IGNORECASE)
"""Names that a harness gives to its sessions: ids and times."""


def _is_one_each(levels: Sequence[_Level]) -> bool:
    """Whether each folder holds one session with a name of the harness's own: then the folder tells
    as much, and says it better (`heron-12/3f0c….jsonl`)."""
    above = [level for level in levels[:-1] if level.varies and level.role is None]
    paths = list(zip(*(level.names for level in levels[:-1]), strict=True))
    if not above or len(set(paths)) < len(levels[-1].names):
        return False
    return all(map(_RANDOM.fullmatch, levels[-1].names))


def _level(traces: Sequence[Clues], number: int) -> _Level:
    is_file = number == len(traces[0].parts) - 1
    names = [stem_of(t.parts[number]) if is_file else t.parts[number] for t in traces]
    distinct = set(names)
    varies = len(distinct) > 1 and not all(_is_of_date(t.parts, number) for t in traces)
    role: Role | None = None
    if 2 * sum(name in t.tasks for name, t in zip(names, traces, strict=True)) > len(names):
        role = "task"
    elif (
        not is_file
        and varies
        and 2
        * sum(
            is_config(name) or _ARM.fullmatch(name) is not None or _names_maker(name, t.makers)
            for name, t in zip(names, traces, strict=True)
        )
        > len(names)
    ):
        role = "config"
    elif varies and all(_ATTEMPT.fullmatch(name) for name in distinct):
        role = "trial"
    return _Level(number, names, role, varies)


def _names_maker(name: str, makers: frozenset[str]) -> bool:
    low = name.casefold()
    return any(low == maker or (len(maker) > 4 and maker in low) for maker in makers if maker)


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
    left = [lv for lv in levels if lv.varies and lv.number not in roles and lv.role is None]
    file = levels[-1].number
    folders = [level.number for level in left if level.number != file]
    if stated or "task" in roles.values():
        # What is left of the folders is the configuration, and the file tells trials apart.
        if "config" not in roles.values() and folders:
            roles[folders[0]] = "config"
        if left and left[-1].number == file:
            roles[file] = "trial"
        return roles
    if "config" not in roles.values() and folders and len(left) > 1:
        roles[folders[0]] = "config"
        left = left[1:]
    for level, role in zip(left, _BELOW, strict=False):
        if role not in roles.values():
            roles[level.number] = role
    return roles


_BELOW: tuple[Role, ...] = ("task", "trial")
"""Roles of the levels below the configuration, from above."""


def fitting(layouts: Iterable[Layout], parts: Sequence[str]) -> dict[Role, str] | None:
    """What the first layout that fits a path says."""
    found = (layout.roles(parts) for layout in layouts)
    return next((roles for roles in found if roles is not None), None)
