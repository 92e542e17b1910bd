"""What a command did for its runs, for messages and for the stages after it."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import msgspec
from msgspec import field

from groundtrace.base.frozen import Frozen
from groundtrace.base.kept_bytes import KeptByName
from groundtrace.documents.outcomes import SkippedFolder
from groundtrace.rows.kept import RowsByRun
from groundtrace.runs.output_folders import RunOutput
from groundtrace.runs.session import AllRunsSession
from groundtrace.runs.state import MOST_MADE_TRIALS, RunSeen

if TYPE_CHECKING:
    from groundtrace.documents.summary import RefusedDocument
    from groundtrace.rows.summarise import SummaryTable


class UnchangedRun(Frozen, frozen=True):
    """A run that needs no work, and what an earlier command stored about it."""

    output: RunOutput
    documents: int
    """Number of events documents of its trials."""
    left_behind: int
    """Number of events documents on disk that belong to no trial."""
    seen: RunSeen
    """The counts that are shown again."""


class Normalized(msgspec.Struct):
    """What normalizing did."""

    outputs: list[RunOutput] = field(default_factory=list)
    single: bool = True
    """RUNS is one run."""
    written: int = 0
    """Number of documents that were made now."""
    unchanged: int = 0
    """Number of documents that are current."""
    superseded: int = 0
    """Number of trials that do not count because a later one of the same task does."""
    skipped: int = 0
    """Number of folders without a trial, or left out because of their names."""
    without_task: int = 0
    """Number of trials whose task has no definition."""
    truth_given: bool = True
    """Task definitions or a registry were named."""
    left_behind: int = 0
    """Number of documents whose trial is gone; `--prune` removes them."""
    pruned: int = 0
    """Number of such documents that were removed."""
    left_runs: list[str] = field(default_factory=list)
    """Runs that are not in RUNS any more but still have results."""
    notes: list[str] = field(default_factory=list)
    """Problems of the task definitions and the registry."""
    noted: bool = False
    """Whether the task definitions have problems, as found now or by an earlier run."""
    failed: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    """Traces that the user named but that could not be used."""
    unlisted: list[str] = field(default_factory=list)
    """Folders that cannot be listed: their trials are missing from the results."""
    broken: list[str] = field(default_factory=list)
    """Lines about records that could not be read or leave something open: what they say is missing
    from the results."""
    nearest_tasks: list[str] = field(default_factory=list)
    """Of runs none of whose tasks is defined: a task of the run and the defined one nearest to it."""
    nearest: list[SkippedFolder] = field(default_factory=list)
    """Folders that were skipped; shown if nothing was found."""
    unknown_calls: defaultdict[str, Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    """Unknown tools in the documents that were made now and are not evaluated yet."""
    uncounted_servers: Counter[str] = field(default_factory=Counter)
    """MCP servers that do not count as MCP, in the same documents."""

    @property
    def trials(self) -> int:
        """Trials that were found."""
        return self.written + self.unchanged + self.superseded + len(self.failed)

    @property
    def all_failed(self) -> bool:
        """Trials were found, but none could be processed."""
        return bool(self.failed) and not (self.written or self.unchanged)

    def add_unchanged(self, run: UnchangedRun) -> None:
        """Count a run that needs no work."""
        self.outputs.append(run.output)
        self.unchanged += run.documents
        self.left_behind += run.left_behind
        self.superseded += run.seen.superseded
        self.skipped += run.seen.skipped
        self.without_task += run.seen.without_task
        self.noted |= run.seen.noted
        self.broken += run.seen.broken

    def add(self, part: Normalized) -> None:
        """Add what was done for some of the runs elsewhere, apart from their rows."""
        self.outputs += part.outputs
        self.written += part.written
        self.unchanged += part.unchanged
        self.superseded += part.superseded
        self.skipped += part.skipped
        self.without_task += part.without_task
        self.left_behind += part.left_behind
        self.pruned += part.pruned
        self.noted |= part.noted
        self.failed += part.failed
        self.faults += part.faults
        self.broken += part.broken
        self.nearest_tasks += part.nearest_tasks
        self.unlisted += part.unlisted
        self.nearest += part.nearest
        self.uncounted_servers.update(part.uncounted_servers)
        for name, calls in part.unknown_calls.items():
            self.unknown_calls[name].update(calls)


class OlderDocument(Frozen, frozen=True):
    """An events document that another version of groundtrace made."""

    path: str
    version: str


class Evaluated(msgspec.Struct):
    """What evaluating did."""

    outputs: list[RunOutput] = field(default_factory=list)
    single: bool = True
    """RUNS is one run."""
    evaluated: int = 0
    """Number of documents that were evaluated now."""
    unchanged: int = 0
    """Number of documents whose metrics are current."""
    refused: list[RefusedDocument] = field(default_factory=list)
    """Documents that cannot be read; the numbers above do not count them (D62)."""
    failed: list[str] = field(default_factory=list)
    """What could not be done, including refused documents; one line each."""
    older: list[OlderDocument] = field(default_factory=list)
    """Documents that another version of groundtrace made: their accesses are as it read them."""

    def add(self, part: Evaluated) -> None:
        """Add what was done for some of the runs elsewhere, apart from their rows."""
        self.evaluated += part.evaluated
        self.unchanged += part.unchanged
        self.refused += part.refused
        self.failed += part.failed
        self.older += part.older


class Did(msgspec.Struct):
    """What a command has done so far."""

    rows: RowsByRun = field(default_factory=RowsByRun)
    """Run folder to the rows that this command made, or read because it needed them."""
    normalized: Normalized = field(default_factory=Normalized)
    evaluated: Evaluated = field(default_factory=Evaluated)
    settled: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Run folder to the targets that this command has made, or found to be current."""
    tables: dict[str, SummaryTable | None] = field(default_factory=dict)
    """Run folder to the table of its rows, if this process summarised it. Only the first is kept:
    if there is no other run, the summary over all runs has the same statistics."""
    masked: set[str] = field(default_factory=set)
    """Run folders whose summary was made from files that certainly hold no credential."""
    made_trials: KeptByName = field(default_factory=KeptByName)
    """Events document to its trial as the page of its run holds it."""
    all_runs: AllRunsSession = field(default_factory=AllRunsSession)
    """The folder over all runs, while the command works in it."""
    reading: bool = False
    """Trials are being read: progress counts them, not the runs that are found."""

    def keep_made(self, document: str, made: bytes) -> None:
        """Keep a trial for the pages, unless there are as many as a page lists."""
        if len(self.made_trials) < MOST_MADE_TRIALS:
            self.made_trials.keep(document, made)
