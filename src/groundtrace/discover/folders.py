"""What finding trials gives, and how names are matched with patterns."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass

from groundtrace.model import Problem, Trial
from groundtrace.safe_names import fits_only


@dataclass(frozen=True, slots=True)
class Skipped:
    """A folder that was skipped, and why."""

    path: str
    """Below RUNS."""
    run_id: str | None
    """None for a folder that belongs to no run."""
    reason: str


@dataclass(frozen=True, slots=True)
class FoundProblem:
    """A problem met while finding trials. A trial's own problems come right before the trial."""

    path: str
    """Folder it concerns, below RUNS; the trial's path for a trial's problem."""
    run_id: str | None
    problem: Problem


Found = Trial | Skipped | FoundProblem


def matches(pattern: str, trial: Trial) -> bool:
    """Whether a trial's task fits `--only`."""
    return fits_only(trial.task_name, pattern)


def fits(name: str, pattern: str) -> bool:
    """Whether a name fits a pattern; case does not count."""
    return fnmatch.fnmatchcase(name.casefold(), pattern.casefold())
