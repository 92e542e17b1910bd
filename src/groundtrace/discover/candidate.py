"""What it takes to choose between trials and to name them, without their files and records."""

from __future__ import annotations

from typing import Protocol

from groundtrace.base.frozen import Frozen
from groundtrace.model import Outcome, Task, Trial


class Contender(Protocol):
    """A trial, or a `Candidate` that stands for one."""

    @property
    def path(self) -> str: ...
    @property
    def run_id(self) -> str: ...
    @property
    def config_name(self) -> str: ...
    @property
    def task_name(self) -> str: ...
    @property
    def trial_name(self) -> str: ...
    @property
    def benchmark(self) -> str | None: ...
    @property
    def batch_timestamp(self) -> str | None: ...
    @property
    def trial_key(self) -> str: ...
    @property
    def task(self) -> Task | None: ...
    @property
    def outcome(self) -> Outcome: ...


class Candidate(Frozen, frozen=True):
    """A trial that waits elsewhere; the fields are those of `Trial`."""

    number: int
    """Its place among the trials of its run."""
    path: str
    run_id: str
    config_name: str
    task_name: str
    trial_name: str
    benchmark: str | None
    batch_timestamp: str | None
    trial_key: str
    task: Task | None
    outcome: Outcome


def candidate(number: int, trial: Trial) -> Candidate:
    """What stands for a trial."""
    return Candidate(
        number,
        trial.path,
        trial.run_id,
        trial.config_name,
        trial.task_name,
        trial.trial_name,
        trial.benchmark,
        trial.batch_timestamp,
        trial.trial_key,
        trial.task,
        trial.outcome,
    )
