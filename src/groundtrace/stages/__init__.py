"""The commands' work over whole runs: normalize, evaluate, impact, report.

Each stage takes a `Request`, works run by run, writes whole files, and returns what it did. A
folder of runs also gets every run-level file over all of its runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from groundtrace.artifacts.clock import now
from groundtrace.artifacts.output_folders import Places
from groundtrace.config import Settings
from groundtrace.engine import Engine
from groundtrace.plan import Context

ALL_RUNS = "*"
"""Scope of documents over all runs."""

BATCH_TRIALS = 1000
"""Trials planned at a time: some megabytes of plans, and progress knows its total."""
BATCH_RUNS = 200
"""Runs worked on at a time: each holds a lock, which is an open file."""

T = TypeVar("T")


def batches(runs: Iterable[T], trials: Callable[[T], int]) -> Iterator[list[T]]:
    """Runs in lists of about `BATCH_TRIALS` trials."""
    batch: list[T] = []
    weight = 0
    for run in runs:
        batch.append(run)
        weight += trials(run)
        if weight >= BATCH_TRIALS or len(batch) >= BATCH_RUNS:
            yield batch
            batch, weight = [], 0
    if batch:
        yield batch


class Ticker(Protocol):
    """Who is told of progress."""

    def add_total(self, more: int) -> None:
        """More work was found."""

    def advance(self, by: int = 1) -> None:
        """Some of it is done."""


class Silent:
    """Nobody is told."""

    def add_total(self, more: int) -> None:
        """Ignore it."""

    def advance(self, by: int = 1) -> None:
        """Ignore it."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a command was asked for."""

    runs: str
    engine: Engine
    tasks: str | None = None
    ground_truth: str | None = None
    out: str | None = None
    only: str | None = None
    settings: Settings = field(default_factory=Settings)
    force: bool = False
    prune: bool = False
    ticker: Ticker = field(default_factory=Silent)
    generated_at: str = field(default_factory=now)

    @property
    def places(self) -> Places:
        """Where the files go."""
        return Places(self.runs, self.out)

    def context(self, *, with_metrics: bool) -> Context:
        """What travels to the workers."""
        registry = None
        if self.ground_truth is not None:
            from groundtrace.truth import load_registry

            registry = load_registry(Path(self.ground_truth))
        return Context(self.settings, registry, self.generated_at, with_metrics)
