"""What discovery yields, sorted by kind, and how names are matched with patterns."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping

from groundtrace.base.frozen import Frozen
from groundtrace.base.safe_names import fits_only
from groundtrace.model import Problem, Trial
from groundtrace.problems import ProblemKind
from groundtrace.storage import EntryKind


class Skipped(Frozen, frozen=True):
    """A folder that was skipped, and why."""

    path: str
    """Below RUNS."""
    run_id: str | None
    """None for a folder that belongs to no run."""
    reason: str


class FoundProblem(Frozen, frozen=True):
    """A problem found while looking for trials. A trial's own problems come right before it."""

    path: str
    """Folder that has the problem, below RUNS; the trial's path for a trial's problem."""
    run_id: str | None
    problem: Problem
    is_named_whole: bool = False
    """The problem's own file is a path below RUNS, and not one below the trial's folder."""


_UNREAD: Mapping[EntryKind, tuple[ProblemKind, str]] = {
    "escape": (
        "link_not_followed",
        "a link that leaves the runs folder or makes a loop; not followed",
    ),
    "unlisted": (
        "unlisted_folder",
        "the folder cannot be listed; its contents are missing from the results",
    ),
    "other": ("not_a_file", "neither a file nor a folder; not read"),
}


def unread(kind: EntryKind, folder: str, name: str) -> FoundProblem | None:
    """Why an entry of a folder is neither read nor walked into; both are paths below RUNS."""
    if kind not in _UNREAD:
        return None
    path = folder or "." if kind == "unlisted" else name
    return FoundProblem(path, None, Problem(path, *_UNREAD[kind]))


class InferredLayout(Frozen, frozen=True):
    """What the folders above loose traces were taken to mean, as patterns for `--layout`."""

    run_id: str
    patterns: tuple[str, ...]


Found = Trial | Skipped | FoundProblem | InferredLayout


def sorted_found(
    items: Iterable[Found],
) -> tuple[list[Trial], dict[str, list[Problem]], list[str]]:
    """The trials, the problems of each path, and why folders or files were skipped."""
    trials: list[Trial] = []
    problems: dict[str, list[Problem]] = {}
    skipped: list[str] = []
    for item in items:
        if isinstance(item, Trial):
            trials.append(item)
        elif isinstance(item, FoundProblem):
            problems.setdefault(item.path, []).append(item.problem)
        elif isinstance(item, Skipped):
            skipped.append(item.reason)
    return trials, problems, skipped


def matches(pattern: str, trial: Trial) -> bool:
    """Whether a trial's task matches `--only`."""
    return fits_only(trial.task_name, pattern)


def fits(name: str, pattern: str) -> bool:
    """Whether a name matches a pattern, ignoring case."""
    return fnmatch.fnmatchcase(name.casefold(), pattern.casefold())
