"""Everything that `--tasks` names, as one index; the first location that defines a task wins.

| TASKS | read by |
|---|---|
| a folder of task definitions | `tasks.build_index` |
| a file of rows (`.jsonl`, `.json`, `.parquet`) | `rows.read_rows` |
| `git:REPO@REV`, `git:REPO@A..B`, `git:REPO` | `git_history.tasks_of_history` |

`SCHEMES` (its keys are `names.TASK_SCHEMES`) is for tasks that are neither a file nor a folder. It
maps a prefix such as `git:` to the function that makes an index from the rest of the location.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec.structs import replace

from groundtrace.base.limit import OverLimitError, guarded
from groundtrace.errors import InputError
from groundtrace.model import Problem, Task
from groundtrace.storage import open_place
from groundtrace.truth import tasks as task_folders
from groundtrace.truth.rows import SUFFIXES, memory_of, read_task_rows
from groundtrace.truth.tasks import TaskIndex, index_of


def _of_history(place: str) -> TaskIndex:
    from groundtrace.truth.git_history import tasks_of_history  # starts processes

    return tasks_of_history(place)


SCHEMES: Mapping[str, Callable[[str], TaskIndex]] = {"git": _of_history}
"""Prefix of a location to the function that reads it."""


def load_tasks(locations: Iterable[str]) -> TaskIndex | None:
    """The index over all locations; None when there are none."""
    indexes = [_one(location) for location in locations]
    if len(indexes) < 2:
        return indexes[0] if indexes else None
    tasks: list[Task] = []
    problems: list[Problem] = []
    taken: set[str] = set()
    for index in indexes:
        names: set[str] = set()
        for task in index.tasks:
            if task.name.casefold() not in taken:
                free = tuple(a for a in task.aliases if a.casefold() not in taken)
                tasks.append(replace(task, aliases=free))
            names.update(name.casefold() for name in (task.name, *task.aliases))
        taken |= names
        problems += (p for p in index.problems if p.kind != "duplicate_task" or p.line)
    histories = tuple(history for index in indexes for history in index.histories)
    return replace(index_of(tasks, problems), histories=histories)


def _one(location: str) -> TaskIndex:
    scheme, colon, rest = location.partition(":")
    if colon and scheme in SCHEMES:
        try:
            with guarded(None):
                return SCHEMES[scheme](rest)
        except OverLimitError as error:
            raise InputError(f"{location}: {error}") from error
    place = open_place(location)
    if place.file is None:
        return task_folders.build_index(place.folder)
    if not place.file.casefold().endswith(SUFFIXES):
        known = ", ".join(SUFFIXES)
        raise InputError(f"{location}: not a file of tasks ({known}) and not a folder of them")
    problems: list[Problem] = []
    entry = place.folder.stat(place.file)
    tasks: list[Task] = []
    try:
        with guarded(memory_of(place.file, 0 if entry is None else entry.size)):
            tasks = list(read_task_rows(place.folder, place.file, problems))
    except OverLimitError as error:
        raise InputError(f"{location}: {error}") from error
    if not tasks:
        why = f" ({problems[0].reason})" if problems else ""
        raise InputError(f"{location}: no task in it{why}")
    return index_of(tasks, problems)
