"""Finding a trial for `explain`: by its folder, its trace, or its task's name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from groundtrace.base.frozen import Frozen
from groundtrace.discover import FoundProblem, discover, select
from groundtrace.discover.found import fits
from groundtrace.model import Problem, Trial
from groundtrace.storage import Place

if TYPE_CHECKING:
    from groundtrace.config import Settings
    from groundtrace.truth.tasks import TaskIndex


class Picked(Frozen, frozen=True):
    """A trial below RUNS."""

    trial: Trial
    counts: bool
    """Whether it is the trial of its task and configuration that counts."""
    problems: tuple[Problem, ...]

    def as_data(self) -> dict[str, Any]:
        """What a list of trials shows."""
        return {
            "task_name": self.trial.task_name,
            "config_name": self.trial.config_name,
            "run_id": self.trial.run_id,
            "trial_name": self.trial.trial_name,
            "counts": self.counts,
            "reward": self.trial.outcome.reward,
            "trial": trial_argument(self.trial),
        }


def trial_argument(trial: Trial) -> str:
    """What `explain` takes for this trial: its folder, its file, or FILE#ID."""
    if trial.loose is None:
        return trial.folder.url
    file = f"{trial.folder.url}/{trial.loose.file}"
    return file if trial.loose.sample is None else f"{file}#{trial.loose.sample}"


def pick(
    runs: Place,
    settings: Settings,
    tasks: TaskIndex | None,
    *,
    task: str | None = None,
    config: str | None = None,
) -> list[Picked]:
    """Trials below RUNS with this task (by any of its names, or the trial's) and configuration.

    Both may be patterns; upper and lower case are the same. Trials that count come first.
    """
    trials: list[Trial] = []
    problems: dict[str, list[Problem]] = {}
    for item in discover(runs, settings=settings, tasks=tasks):
        if isinstance(item, Trial):
            trials.append(item)
        elif isinstance(item, FoundProblem):
            problems.setdefault(item.path, []).append(item.problem)
    by_run: dict[str, list[Trial]] = {}
    for trial in trials:
        by_run.setdefault(trial.run_id, []).append(trial)
    counting = {t.path for of_run in by_run.values() for t in select(of_run).selected}
    found = [
        Picked(trial, trial.path in counting, tuple(problems.get(trial.path, ())))
        for trial in trials
        if task is None or any(fits(name, task) for name in _names(trial))
        if config is None or fits(trial.config_name, config)
    ]
    return sorted(found, key=lambda one: (not one.counts, one.trial.task_name, one.trial.path))


def the_one(found: Sequence[Picked]) -> Picked | None:
    """The trial that the user means: the only one that counts, or the only one found."""
    counting = [one for one in found if one.counts]
    if len(counting) == 1:
        return counting[0]
    return found[0] if len(found) == 1 else None


def _names(trial: Trial) -> tuple[str, ...]:
    return (trial.task_name, trial.trial_name, *(trial.task.aliases if trial.task else ()))
