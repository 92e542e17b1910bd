"""`--only`: which tasks it means, and what is said where no task fits.

A pattern that fits nothing looked like an empty folder: "no trials found" without a word of it.
"""

from __future__ import annotations

import glob
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from groundtrace.artifacts.read import read_outcomes
from groundtrace.errors import NothingFoundError
from groundtrace.safe_names import fits_only
from groundtrace.suggest import nearest_name
from groundtrace.visible import plural

if TYPE_CHECKING:
    from groundtrace.artifacts.output_folders import OutputFolders
    from groundtrace.config import Settings
    from groundtrace.storage import Place
    from groundtrace.truth.tasks import TaskIndex

LOOKED_AT = 1000
"""Trials that are looked at for their tasks' names where no task fits."""
NAMED = 3
"""Tasks that are named then."""


def with_other_names(only: str, tasks: TaskIndex | None) -> str:
    """The pattern, and the names of tasks that have another name that fits it.

    Stages after the first know tasks by one name: the one in the documents.
    """
    if tasks is None:
        return only
    found = dict.fromkeys(
        glob.escape(task.name)
        for task in tasks.tasks
        if any(fits_only(name, only) for name in task.aliases)
    )
    return "\n".join([only, *found])


def nothing_fits(only: str, names: Iterable[str]) -> str:
    """What is said where no task fits `--only`: the nearest name, and some that there are."""
    pattern = only.partition("\n")[0]
    tasks = list(dict.fromkeys(names))
    if not tasks:
        return f"no task fits --only {pattern!r}"
    near = nearest_name(pattern, tasks)
    others = [repr(name) for name in tasks if name != near][: NAMED - 1]
    such = ", ".join([repr(near), *others]) if near is not None else ", ".join(others)
    return f"no task fits --only {pattern!r}; there {_are(len(tasks))}, such as {such}"


def _are(number: int) -> str:
    return f"{'is' if number == 1 else 'are'} {plural(number, 'task')}"


def nothing_fits_in_runs(
    only: str, runs: Place, settings: Settings, tasks: TaskIndex | None
) -> str | None:
    """The same for trials that are read; None where there are no trials at all."""
    from groundtrace.discover import discover
    from groundtrace.model import Trial

    found = discover(runs, settings=settings, tasks=tasks)
    trials = islice((item for item in found if isinstance(item, Trial)), LOOKED_AT)
    names = [trial.task_name for trial in trials]
    return nothing_fits(only, names) if names else None


def require_fitting(folders: OutputFolders, only: str | None) -> None:
    """Raise NothingFoundError where no trial with a document fits `--only`."""
    if only is None:
        return
    names: list[str] = []
    for output in folders.existing()[0]:
        outcomes = read_outcomes(output.folder).document
        if outcomes is None:
            return  # names of files decide then
        names += [trial.task_name for trial in outcomes.trials if trial.document]
    if names and not any(fits_only(name, only) for name in names):
        raise NothingFoundError(f"{folders.runs}: {nothing_fits(only, names)}")
