"""What a command asks the stages to do."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from msgspec import field

from groundtrace.base.frozen import Frozen
from groundtrace.config import Settings
from groundtrace.runs.engine import Engine
from groundtrace.runs.output_folders import OutputFolders
from groundtrace.runs.state import KnownResults

if TYPE_CHECKING:
    from groundtrace.runs.plan import WorkContext

ALL_RUNS = "*"
"""Scope of documents over all runs."""


def now() -> str:
    """When documents are made: now, or what SOURCE_DATE_EPOCH says, for reproducible bytes (D37)."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(fixed) if fixed.isascii() and fixed.isdigit() else int(time.time())
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Ticker(Protocol):
    """Receives progress."""

    def stage(self, name: str, unit: str) -> None:
        """The next stage begins: `reading` of `trials`; counts start from 0."""

    def add_total(self, more: int, *, final: bool = True) -> None:
        """More work was found; `final`: this stage will find no more."""

    def advance(self, by: float = 1) -> None:
        """Part of the work is done."""


class NoTicker:
    """Ignores progress."""

    def stage(self, name: str, unit: str) -> None:
        """Ignore it."""

    def add_total(self, more: int, *, final: bool = True) -> None:
        """Ignore it."""

    def advance(self, by: float = 1) -> None:
        """Ignore it."""


class Request(Frozen, frozen=True):
    """What a command was asked for."""

    runs: str
    """Path or URL of a run or a folder of runs."""
    engine: Engine
    tasks: Sequence[str] = ()
    """Folders and files of task definitions; the first that defines a task wins."""
    ground_truth: str | None = None
    """File of a registry of ground truth."""
    out: str | None = None
    """Where results go, if not into the runs."""
    aggregate: str | None = None
    """Where results over all runs go, if not to the others."""
    only: str | None = None
    """Pattern of the tasks to work on."""
    settings: Settings = field(default_factory=Settings)
    force: bool = False
    """Process everything again, even if earlier results are current."""
    prune: bool = False
    """Remove documents whose trials are gone."""
    ticker: Ticker = field(default_factory=NoTicker)
    known: KnownResults = field(default_factory=KnownResults)
    """Output folders that were found without changes, for the stages after that."""
    generated_at: str = field(default_factory=now)

    @property
    def output_folders(self) -> OutputFolders:
        """Where the files go."""
        return OutputFolders(self.runs, self.out, self.aggregate)

    def context(self, *, with_metrics: bool, with_page: bool = False) -> WorkContext:
        """What is sent to the workers."""
        # Here: it imports all of discovery, which evaluating documents does not need.
        from groundtrace.runs.plan import WorkContext

        registry = None
        if self.ground_truth is not None:
            from groundtrace.truth import load_registry

            registry = load_registry(Path(self.ground_truth))
        return WorkContext(self.settings, registry, self.generated_at, with_metrics, with_page)
