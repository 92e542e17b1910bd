"""The path of one trial on one screen; the only module that joins the steps of a trial.

    discover ─▶ traces ─▶ tools ─▶ events ─▶ metrics ─▶ documents on disk, and a row
                           truth ───┘

`read_trial` goes as far as the events document, `process_trial` to the end. `stages` calls them
for whole runs, in worker processes, and makes summaries, analyses and reports of the rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from groundtrace.artifacts.file_names import metrics_path
from groundtrace.artifacts.state import files_mark
from groundtrace.discover import with_trace
from groundtrace.discover.outcome_record import outcome_record
from groundtrace.documents.codec import encode
from groundtrace.documents.events import EventsDocument
from groundtrace.documents.metrics import MetricsDocument
from groundtrace.documents.outcomes import TrialOutcome
from groundtrace.documents.versions import events_as, metrics_as
from groundtrace.engine.limit import TimeLimitReached, time_limit
from groundtrace.events import build_document
from groundtrace.events.context import with_context_changes
from groundtrace.events.submission import with_submission
from groundtrace.metrics import evaluate
from groundtrace.model import CallView, GroundTruth, Problem, Trace, Trial, TruthResult
from groundtrace.plan import Context, TrialWork
from groundtrace.redact import masking
from groundtrace.rows.make import row_from
from groundtrace.rows.tool_use import uncounted_servers, unknown_calls
from groundtrace.rows.trial_row import TrialRow
from groundtrace.tools import is_known_tool, view_calls
from groundtrace.traces import read_trace
from groundtrace.traces.loose import read_loose
from groundtrace.truth import Registry, load_ground_truth


@dataclass(frozen=True, slots=True)
class TrialReading:
    """What every stage saw of one trial; `explain` shows it."""

    trial: Trial
    trace: Trace
    views: list[CallView]
    truth: GroundTruth
    problems: tuple[Problem, ...]
    document: EventsDocument


def read_trial(
    trial: Trial, context: Context, found: tuple[Problem, ...] = (), truth_mark: str | None = None
) -> TrialReading:
    """One trial from its files to its events document.

    `truth_mark` is a fingerprint of the ground truth's inputs: with one, the truth is read once
    for all trials of a task.
    """
    with masking(context.settings.mask):
        return _read_trial(trial, context, found, truth_mark)


def _read_trial(
    trial: Trial, context: Context, found: tuple[Problem, ...], truth_mark: str | None
) -> TrialReading:
    if trial.loose is None:
        trace, trace_problems = read_trace(trial.folder)
    else:
        trace, trace_problems = read_loose(trial.folder, trial.loose.file, trial.loose.sample)
    views = view_calls(trace, context.settings)
    trial = with_trace(trial, trace, context.settings.prices)
    truth, truth_problems = _truth(trial, context.registry, truth_mark)
    call_problems = (problem for view in views for problem in view.problems)
    problems = (*found, *trace_problems, *call_problems, *truth_problems)
    document = build_document(trial, trace, views, truth, problems, context.settings)
    document = with_submission(document, trial, trace)
    document = with_context_changes(document, trace)
    return TrialReading(trial, trace, views, truth, problems, document)


@dataclass(frozen=True, slots=True)
class TrialDone:
    """What comes back from a worker: a row, not documents."""

    outcome: TrialOutcome
    mark: str
    """Of the events document that was written."""
    metrics_mark: str
    """Of the metrics document, where there is one."""
    row: TrialRow | None
    is_settled: bool = True
    """Its inputs were read as they are on disk now; otherwise the next run does it again."""
    unknown_calls: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """What became of the calls of unknown tools (`rows.tool_use`)."""
    uncounted_servers: Mapping[str, int] = field(default_factory=dict)
    """MCP servers whose calls are not counted as MCP, with these calls."""
    packed_row: bytes | None = None
    """The row as it is kept (`rows.kept`), where it comes from a worker."""


def process_trial(work: TrialWork) -> TrialDone:
    """One trial from its files to its documents on disk."""
    context = work.context
    reading, metrics = _read_and_evaluate(work)
    outcome = outcome_record(
        reading.trial,
        work.state,
        reason=work.reason,
        document=work.document,
        run_path=work.run_path,
    )
    version = context.settings.schema_version
    document = events_as(reading.document, version, generated_at=context.generated_at)
    written = work.output.write(work.document, encode(document))

    def is_known(name: str) -> bool:
        return is_known_tool(name, context.settings)

    if not context.with_metrics:
        unknown = unknown_calls(reading.document, is_known)
        servers = uncounted_servers(reading.document)
        settled = _is_settled(work, reading)
        return TrialDone(outcome, written.mark, "", None, settled, unknown, servers)
    # The row is made from what is stored: a summary made from files next year is that of today.
    metrics = metrics_as(metrics, version)
    metrics_written = work.output.write(metrics_path(work.document), encode(metrics))
    row = row_from(
        metrics,
        reading.document,
        outcome,
        path=work.document,
        is_known=is_known,
    )
    return TrialDone(outcome, written.mark, metrics_written.mark, row, _is_settled(work, reading))


def _read_and_evaluate(work: TrialWork) -> tuple[TrialReading, MetricsDocument]:
    """A trial within the time that it may take; beyond it, a document that says so (D78)."""
    context = work.context
    seconds = context.settings.trial_seconds
    try:
        with time_limit(seconds):
            reading = read_trial(work.trial, context, work.problems, work.truth)
            return reading, evaluate(reading.document, generated_at=context.generated_at)
    except TimeLimitReached:
        reading = _stopped(work, seconds)
        return reading, evaluate(reading.document, generated_at=context.generated_at)


def _stopped(work: TrialWork, seconds: int) -> TrialReading:
    """A trial that took too long: nothing of its calls or its truth, and the reason."""
    reason = f"stopped after {seconds} seconds of processor time; see --trial-seconds"
    problems = (*work.problems, Problem(".", "time_limit", reason))
    trace, truth = Trace(), GroundTruth()
    with masking(work.context.settings.mask):
        document = build_document(work.trial, trace, [], truth, problems, work.context.settings)
    return TrialReading(work.trial, trace, [], truth, problems, document)


def _is_settled(work: TrialWork, reading: TrialReading) -> bool:
    """Whether everything could be read, and nothing changed while it was.

    A file that a passing error kept from being read looks the same afterwards: its document
    counted as current for ever, with nothing of the file in it.
    """
    if any(problem.kind in PASSING for problem in reading.problems):
        return False
    if not work.files or work.trial.loose is not None:
        return True
    return files_mark(work.trial.folder) == work.files


PASSING = frozenset({"unreadable", "unlisted_folder"})
"""Problems that may be gone when the files are read again, though the files stay as they are."""

KEPT_TRUTHS = 1024
"""Ground truths that a worker keeps: more than most benchmarks have tasks."""
_truths: dict[str, TruthResult] = {}


def _truth(trial: Trial, registry: Registry | None, mark: str | None) -> TruthResult:
    task = trial.task
    if task is None and registry is not None:
        task = registry.task(trial.task_name, trial.benchmark)
    if not mark:
        return load_ground_truth(task, registry)
    if mark not in _truths:
        if len(_truths) >= KEPT_TRUTHS:
            _truths.clear()
        loaded = load_ground_truth(task, registry)
        if any(problem.kind in PASSING for problem in loaded.problems):
            return loaded
        _truths[mark] = loaded
    return _truths[mark]
