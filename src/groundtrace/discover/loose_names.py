"""The names of a loose trace, task and configuration, in the order of the evidence (D57).

| field | the first of these that gives a value |
|---|---|
| task | the manifest; the trace; a folder or file name that is a task's; the one commit that `--tasks` names; the file's name |
| configuration | the manifest; `--config-name`; the first level below RUNS with several folders, unless they are dates or most are named after tasks; the model; `default` |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from groundtrace.base.patterns import regex
from groundtrace.base.values import model_name
from groundtrace.discover.wrappers import forms
from groundtrace.model import Task
from groundtrace.storage import DAY_FOLDERS

if TYPE_CHECKING:
    from groundtrace.truth.tasks import TaskIndex

DEFAULT_CONFIG = "default"

_SUFFIXES = (".traj.json", ".trajectory.json", ".jsonl.zst", ".jsonl.gz", ".tar.gz")
"""File endings that consist of two parts."""
_REPEAT = regex(r"(?P<task>.+?)(?:_\d{1,3}|[-_.](?:run|rep|attempt|trial|try|sample)[-_]?\d{1,4})")


class Named(NamedTuple):
    """A name, its task definition if there is one, and where the name comes from."""

    name: str
    task: Task | None
    where: str


def stem_of(file: str) -> str:
    """A file's name without the ending of its format."""
    low = file.casefold()
    for suffix in _SUFFIXES:
        if low.endswith(suffix) and len(file) > len(suffix):
            return file[: -len(suffix)]
    return file.rpartition(".")[0] or file


def task_forms(name: str) -> Iterator[str]:
    """The name, then the name without wrappers and without the number of a repetition."""
    yield from forms(name)
    found = _REPEAT.fullmatch(name)
    while found is not None:
        yield found["task"]
        found = _REPEAT.fullmatch(found["task"])


def known_task(name: str, tasks: TaskIndex | None) -> Task | None:
    """The definition of the task that one of the forms of a name names."""
    if tasks is None:
        return None
    found = (tasks.find(form) for form in task_forms(name))
    return next((task for task in found if task is not None), None)


def name_task(
    stated: Sequence[tuple[str | None, str]], parts: Sequence[str], tasks: TaskIndex | None
) -> Named:
    """The task of a trace. `stated`: names with their places, best first. `parts`: its path."""
    for name, where in stated:
        if name is not None:
            task = known_task(name, tasks)
            return Named(task.name if task is not None else name, task, where)
    for index, part in enumerate(reversed(parts)):
        task = known_task(stem_of(part) if index == 0 else part, tasks)
        if task is not None:
            return Named(task.name, task, "name of the file" if index == 0 else "name of a folder")
    only = None if tasks is None else tasks.for_nameless
    if only is not None:
        return Named(only.name, only, "nothing names a task; --tasks names one commit")
    return Named(stem_of(parts[-1]), None, "name of the file, which is no known task")


_DATE = regex(r"(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)")
_DAY_FOLDERS = regex(DAY_FOLDERS)


def _is_of_date(parts: Sequence[str], level: int) -> bool:
    """Whether a folder is a year, a month or a day: of the date in the file's name, or one of three
    such folders below each other."""
    found = _DATE.search(parts[-1])
    if found is not None and parts[level] in (found[0], *found.groups()):
        return True
    return any(
        _DAY_FOLDERS.fullmatch("/".join(parts[first : first + 3]))
        for first in range(max(0, level - 2), level + 1)
        if first + 3 < len(parts)
    )


def config_level(paths: Iterable[Sequence[str]], is_task: Iterable[set[str]]) -> int | None:
    """The level of folders, from 0, that tells configurations apart; None if no level does.

    `paths` are the paths of all traces below RUNS. `is_task` holds, for each path, the names of its
    task in lower case. Levels with a single folder are skipped, and levels of dates (D145).
    """
    items = list(zip(paths, is_task, strict=True))
    level = 0
    while True:
        folders: dict[str, bool] = {}
        are_dates = True
        for parts, names in items:
            if len(parts) > level + 1:
                part = parts[level]
                named = any(form.casefold() in names for form in task_forms(part))
                folders[part] = folders.get(part, False) or named
                are_dates = are_dates and _is_of_date(parts, level)
        if not folders:
            return None
        if len(folders) > 1 and not are_dates:
            return None if 2 * sum(folders.values()) > len(folders) else level
        level += 1


def name_config(
    stated: str | None,
    given: str | None,
    parts: Sequence[str],
    level: int | None,
    model: str | None,
) -> tuple[str, str]:
    """The configuration of a trace, and where it comes from."""
    if stated is not None:
        return stated, "manifest"
    if given is not None:
        return given, "--config-name"
    if level is not None and len(parts) > level + 1:
        return parts[level], "folder below RUNS"
    short = model_name(model)
    if short is not None:
        return short, "model"
    return DEFAULT_CONFIG, "nothing says"
