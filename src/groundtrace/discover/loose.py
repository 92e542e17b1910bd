"""Trials without records: traces in a folder, one trace file, or a manifest.

The start of every file is read, and a reader says whether the file is a trace and how many samples
it holds; each sample is a trial. All trials are found before any is named, because only all of
them together show which folders tell configurations apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

from groundtrace.config import Settings
from groundtrace.discover.folders import Found, FoundProblem, Skipped, matches
from groundtrace.discover.loose_items import LooseItem, loose_items
from groundtrace.discover.loose_names import config_level
from groundtrace.discover.loose_run import LooseRun
from groundtrace.discover.loose_trial import config_of, loose_trial, task_names, task_of
from groundtrace.discover.outcomes_beside import Verdicts
from groundtrace.storage import Folder

if TYPE_CHECKING:
    from groundtrace.truth.tasks import TaskIndex

MAX_SKIPPED = 1_000
"""How many files that are not traces are listed by name; the rest are only counted."""


def discover_loose(
    folder: Folder,
    run_id: str,
    loose: LooseRun,
    *,
    settings: Settings,
    tasks: TaskIndex | None = None,
    only: str | None = None,
) -> Iterator[Found]:
    """The trials among the traces of a folder, with skipped files and problems."""
    items: list[LooseItem] = []
    passed = 0
    for found in loose_items(folder, loose, settings):
        if isinstance(found, LooseItem):
            items.append(found)
        elif isinstance(found, FoundProblem):
            yield FoundProblem(found.path, run_id, found.problem)
        else:
            passed += 1
            if passed <= MAX_SKIPPED:
                yield Skipped(found.path, run_id, found.reason)
    if passed > MAX_SKIPPED:
        yield Skipped(".", run_id, f"and {passed - MAX_SKIPPED:,} more files that are not traces")
    for copy in _without_copies(items):
        yield Skipped(copy.path, run_id, copy.reason)
    for item in items:
        item.named = task_of(item, tasks)
    level = config_level((item.parts for item in items), (task_names(item) for item in items))
    for item in items:
        item.config = config_of(item, settings, level)
    verdicts = Verdicts()
    alone = len({item.config[0] for item in items}) == 1
    for item in items:
        trial, problems = loose_trial(item, folder, run_id, verdicts, tasks, alone=alone)
        if only is not None and not matches(only, trial):
            continue
        for problem in (*item.problems, *problems):
            yield FoundProblem(trial.path, run_id, problem)
        yield trial


def _without_copies(items: list[LooseItem]) -> Iterator[Skipped]:
    """Note what sessions repeat of others; one that adds no call is no trial and is taken out."""
    from groundtrace.discover.continued_sessions import Session, continued

    sessions = [(n, item.session) for n, item in enumerate(items) if item.session is not None]
    told = continued([Session(items[n].parts, items[n].reader, calls) for n, calls in sessions])
    copies = set()
    for (number, _), found in zip(sessions, told, strict=True):
        item = items[number]
        item.session = None  # one copy of all calls' arguments is enough
        if found is None:
            continue
        if found.is_all:
            copies.add(number)
            yield Skipped(item.path, None, f"repeats {found.repeats.file} and adds no call")
        else:
            item.repeats = found.repeats
            item.problems.append(found.problem(item.path))
    items[:] = [item for number, item in enumerate(items) if number not in copies]


class _Passed(Protocol):
    """Something that was skipped, and why."""

    @property
    def path(self) -> str: ...

    @property
    def reason(self) -> str: ...


def nearest(found: Iterable[_Passed], shown: int = 5) -> str:
    """The files that looked most like traces, for a message."""
    files = [item for item in found if item.reason.startswith("no trace")]
    files.sort(key=lambda item: ("JSON" not in item.reason, item.path))
    return ", ".join(
        f"{item.path} ({item.reason.removeprefix('no trace: ')})" for item in files[:shown]
    )
