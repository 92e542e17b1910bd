"""What the pipeline makes from one trial: what was read, and what a worker sends back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import field

from groundtrace.base.frozen import Frozen
from groundtrace.base.limit import TimeLimitReached
from groundtrace.documents.events import EventsDocument
from groundtrace.documents.masked import masked
from groundtrace.documents.outcomes import TrialOutcome
from groundtrace.events import build_document
from groundtrace.model import CallView, GroundTruth, Problem, Trace, Trial
from groundtrace.problems import TEMPORARY
from groundtrace.redact import masking
from groundtrace.runs.plan import TrialWork
from groundtrace.runs.state import files_mark
from groundtrace.storage.listed import ListedFolder
from groundtrace.storage.local import current_mark
from groundtrace.storage.watch import Watch

if TYPE_CHECKING:
    from groundtrace.rows.trial_row import TrialRow


class TrialReading(Frozen, frozen=True):
    """What every stage saw of one trial; `explain` shows it."""

    trial: Trial
    trace: Trace
    views: list[CallView]
    truth: GroundTruth
    problems: tuple[Problem, ...]
    document: EventsDocument


class TrialDone(Frozen, frozen=True):
    """What comes back from a worker: a row, not documents."""

    outcome: TrialOutcome
    mark: str
    """Mark of the events document that was written."""
    metrics_mark: str = ""
    """Mark of the metrics document, if there is one."""
    row: TrialRow | None = None
    is_settled: bool = True
    """Its inputs were read as they are on disk now; otherwise the next run processes it again."""
    unknown_calls: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Unknown tool to how its calls were read, with counts (`rows.unknown_tools`)."""
    uncounted_servers: Mapping[str, int] = field(default_factory=dict)
    """MCP server whose calls do not count as MCP, to the number of these calls."""
    packed_row: bytes | None = None
    """The row as it is stored (`rows.kept`), if it comes from a worker."""
    page: bytes | None = None
    """What the page holds of the trial (`report.blocks_of_trials`), pickled, if it is wanted."""


def stopped_reading(work: TrialWork, why: TimeLimitReached) -> TrialReading:
    """The reading of a trial that took too long: no calls, no truth, and the reason (D78)."""
    settings = work.context.settings
    reason = (
        f"stopped after {settings.trial_seconds} seconds of processor time; see --trial-seconds"
    )
    if why.is_idle:
        reason = f"stopped: {why.why(settings.trial_seconds)}; see --trial-seconds"
    problems = (*work.problems, Problem(".", "time_limit", reason))
    trace, truth = Trace(), GroundTruth()
    with masking(settings.mask):
        document = masked(build_document(work.trial, trace, [], truth, problems, settings))
    return TrialReading(work.trial, trace, [], truth, problems, document)


def is_settled(work: TrialWork, reading: TrialReading, watch: Watch) -> bool:
    """Whether everything could be read, and nothing changed during the reading (D79).

    The case: a temporary error kept a file from being read. The file looked the same afterwards, so
    a document without its content counted as current for ever.
    """
    if watch.errors or any(problem.kind in TEMPORARY for problem in reading.problems):
        return False
    folder, opened = work.trial.folder, watch.files
    if isinstance(folder, ListedFolder):
        if not folder.is_as_listed():
            return False
        # Its files were listed before they were read, so those that are as listed did not change.
        opened = {path: opened[path] for path in opened if not path.startswith(f"{folder.url}/")}
    elif (
        work.files_fingerprint
        and work.trial.loose is None
        and files_mark(folder) != work.files_fingerprint
    ):
        return False
    return all(mark == current_mark(path) for path, mark in opened.items())
