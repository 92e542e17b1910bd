"""`--only`: which tasks it means, and the message if no task fits.

Before this message existed, a pattern that fits nothing looked like an empty folder: the message
was "no trials found", without the pattern.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from groundtrace.base.safe_names import fits_only
from groundtrace.base.suggest import nearest_name
from groundtrace.base.visible import plural
from groundtrace.errors import NothingFoundError
from groundtrace.runs.read import read_outcomes

if TYPE_CHECKING:
    from groundtrace.config import Settings
    from groundtrace.runs.output_folders import OutputFolders
    from groundtrace.storage import Place
    from groundtrace.truth.tasks import TaskIndex

LOOKED_AT = 1000
"""If no task fits, most trials that are read for the names of their tasks."""
NAMED = 3
"""Most tasks that the message names."""


def with_other_names(only: str, tasks: TaskIndex | None) -> str:
    """The pattern, and the names of tasks for which another of their names fits it.

    Stages after the first know only one name of a task: the one in the documents.
    """
    if tasks is None:
        return only
    import glob

    found = dict.fromkeys(
        glob.escape(task.name)
        for task in tasks.tasks
        if any(fits_only(name, only) for name in task.aliases)
    )
    return "\n".join([only, *found])


def nothing_fits(only: str, names: Iterable[str]) -> str:
    """The message if no task fits `--only`: the nearest name, and some existing names."""
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
    """The same for trials that are read; None if there are no trials at all."""
    from groundtrace.discover import discover
    from groundtrace.model import Trial

    found = discover(runs, settings=settings, tasks=tasks)
    trials = islice((item for item in found if isinstance(item, Trial)), LOOKED_AT)
    names = [trial.task_name for trial in trials]
    return nothing_fits(only, names) if names else None


def require_fitting(folders: OutputFolders, only: str | None) -> None:
    """Raise NothingFoundError if no trial with a document fits `--only`."""
    if only is None:
        return
    names: list[str] = []
    for output in folders.existing()[0]:
        outcomes = read_outcomes(output.folder).document
        if outcomes is None:
            return  # then the names of the files decide
        names += [trial.task_name for trial in outcomes.trials if trial.document]
    if names and not any(fits_only(name, only) for name in names):
        raise NothingFoundError(f"{folders.runs}: {nothing_fits(only, names)}")
