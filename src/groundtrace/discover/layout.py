"""What the folders above loose traces mean, as a pattern (D149).

    {config}/{task}/{trial}               codex/heron-12/run1.jsonl
    {run}/{config}/{task}_{trial}.jsonl   may/codex/heron-12_3.jsonl
    {config}/*/{task}/                    a folder: any file at any depth below it
    {config}/{config}/{task}.jsonl        gpt-5/with-search/heron-12.jsonl: `gpt-5-with-search`

A user gives the pattern, or `roles` infers it from all paths.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, cast, get_args

from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex
from groundtrace.errors import UsageError

Role = Literal["run", "config", "task", "trial"]
ROLES: tuple[Role, ...] = get_args(Role)

_PLACEHOLDER = regex(r"\{([^{}]*)\}|\*")
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
        if len(set(named) - {"config"}) < len(named) - named.count("config"):
            raise UsageError(f"--layout {pattern!r} has a placeholder twice; {_HELP}")

    def roles(
        self, parts: Sequence[str], held: Mapping[str, Held] | None = None
    ) -> dict[Role, str] | None:
        """The names that a path gives to each role; None if it does not fit.

        `held`: names of the path that hold a known task. They say where it begins and ends, which
        `{config}_{task}` cannot say of `baseline_django__django-10554`.
        """
        depth = len(self._parts)
        if len(parts) <= depth if self._is_folder else len(parts) != depth:
            return None
        found: dict[Role, str] = {}
        configs: list[str] = []
        for number, (part, expected) in enumerate(zip(parts, self._parts, strict=False)):
            is_file = number == depth - 1 and not self._is_folder
            names = (stem_of(part), part) if is_file else (part,)
            fits = (_fit(expected, name, (held or {}).get(name)) for name in names)
            fit = next((one for one in fits if one is not None), None)
            if fit is None:
                return None
            found.update(fit)
            configs += [fit["config"]] if "config" in fit else []
        return found | {"config": "-".join(configs)} if configs else found


class Held(Frozen, frozen=True):
    """A known task in a longer name: what stands before it, the task, and what stands behind it."""

    before: str
    task: str
    after: str


MARK = regex(r"[-_. ]+")
_TASK = "\0"
"""Stands for a known task in a name; no file has it in its name."""


def held_task(name: str, is_task: Callable[[str], bool]) -> Held | None:
    """The longest known task that is a whole part of a longer name."""
    marks = list(MARK.finditer(name))[:_MOST_MARKS]
    starts = [0, *(mark.end() for mark in marks)]
    ends = [*(mark.start() for mark in marks), len(name)]
    spans = [(end - start, start, end) for start in starts for end in ends if end > start]
    for length, start, end in sorted(spans, reverse=True):
        if length < len(name) and is_task(name[start:end]):
            return Held(name[:start], name[start:end], name[end:])
    return None


_MOST_MARKS = 16
"""How many places of a name a task may begin or end at."""


def _fit(expected: re.Pattern[str], name: str, held: Held | None) -> dict[Role, str] | None:
    if held is not None and "task" in expected.groupindex:
        exact = re.compile(expected.pattern.replace(_ANY_TASK, f"(?P<task>{_TASK})"))
        match = exact.fullmatch(f"{held.before}{_TASK}{held.after}")
        if match is not None:
            return cast("dict[Role, str]", match.groupdict() | {"task": held.task})
    match = expected.fullmatch(name)
    return None if match is None else cast("dict[Role, str]", match.groupdict())


_ANY = "(?P<{}>[^/]+)"
_ANY_TASK = _ANY.format("task")
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
            # at the last underscore. A known task says itself where it ends (`_fit`).
            out += _ANY.format(found[1])
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


def fitting(
    layouts: Iterable[Layout], parts: Sequence[str], held: Mapping[str, Held] | None = None
) -> dict[Role, str] | None:
    """What the first layout that fits a path says; `held` as in `Layout.roles`."""
    found = (layout.roles(parts, held) for layout in layouts)
    return next((roles for roles in found if roles is not None), None)
