"""The path of one trial, on one screen. No other module joins the steps of a trial.

    discover ─▶ traces ─▶ tools ─▶ events ─▶ metrics ─▶ documents on disk, and a row
                           truth ───┘

`read_trial` goes as far as the events document, `process_trial` to the end. `runs.whole_run` is the
path of a run: it calls them for all trials, in worker processes, and makes summaries, analyses and
reports of the rows.
"""

from __future__ import annotations

import pickle
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from groundtrace.base.limit import TimeLimitReached, time_limit
from groundtrace.discover import with_trace
from groundtrace.discover.outcome import outcome_entry
from groundtrace.documents.base import SCHEMA_VERSION
from groundtrace.documents.codec import decode, encode
from groundtrace.documents.masked import masked
from groundtrace.documents.versions import events_as, metrics_as
from groundtrace.events import build_document
from groundtrace.model import Problem, Trial
from groundtrace.redact import masking
from groundtrace.rows.unknown_tools import uncounted_servers, unknown_calls
from groundtrace.runs.output_folders import metrics_path
from groundtrace.runs.plan import TrialWork, WorkContext
from groundtrace.runs.refused import is_of_another
from groundtrace.runs.trial_results import TrialDone, TrialReading, is_settled, stopped_reading
from groundtrace.storage.watch import watched
from groundtrace.tools import is_known_tool, view_calls
from groundtrace.traces.kit.loose import read_trace_of
from groundtrace.truth import kept_ground_truth

if TYPE_CHECKING:
    from groundtrace.documents.events import EventsDocument
    from groundtrace.documents.metrics import MetricsDocument
    from groundtrace.rows.trial_row import TrialRow


def read_trial(
    trial: Trial,
    context: WorkContext,
    found: tuple[Problem, ...] = (),
    truth_fingerprint: str | None = None,
) -> TrialReading:
    """One trial from its files to its events document.

    If a fingerprint of the ground truth's inputs is given, all trials of a task share one reading
    of the ground truth.
    """
    settings = context.settings
    with masking(settings.mask):
        trace, trace_problems = read_trace_of(trial, settings.readers)
        views = view_calls(trace, settings)
        trial = with_trace(trial, trace, settings.prices)
        truth, truth_problems = kept_ground_truth(
            context.task_of(trial), context.registry, truth_fingerprint, settings.truth_sources
        )
        call_problems = (problem for view in views for problem in view.problems)
        problems = (*found, *trace_problems, *call_problems, *truth_problems)
        # Masked here, so that everything that is made from it is masked.
        document = masked(build_document(trial, trace, views, truth, problems, settings))
    return TrialReading(trial, trace, views, truth, problems, document)


def process_trial(work: TrialWork) -> TrialDone:
    """One trial from its files to its documents on disk."""
    with masking(work.context.settings.mask):
        return _process_trial(work)


def _process_trial(work: TrialWork) -> TrialDone:
    context = work.context
    version = context.settings.schema_version
    is_known = partial(is_known_tool, settings=context.settings)
    with watched() as watch:
        reading, metrics = _within_the_limit(work)
    document = reading.document
    outcome = outcome_entry(
        reading.trial,
        "selected",
        attempt=work.attempt,
        document=work.document_path,
        run_path=work.run_path,
    )
    stored = events_as(document, version, generated_at=context.generated_at)
    written = encode(stored, is_masked=True)
    mark = work.output.write(work.document_path, written).mark
    target = metrics_path(work.document_path)
    if metrics is None or is_of_another(work.output, target):  # evaluating it says so
        return TrialDone(
            outcome,
            mark,
            is_settled=is_settled(work, reading, watch),
            unknown_calls=unknown_calls(document, is_known),
            uncounted_servers=uncounted_servers(document),
        )
    from groundtrace.rows.make import row_from

    # The row is made from what is stored, so that a summary made later from the files is the same.
    metrics = metrics_as(metrics, version)
    encoded = encode(metrics, is_masked=True, is_ordered=True)  # all of it is of the document
    metrics_mark = work.output.write(target, encoded).mark
    row = row_from(metrics, document, outcome, path=work.document_path, is_known=is_known)
    done = TrialDone(outcome, mark, metrics_mark, row, is_settled(work, reading, watch))
    if not context.with_page or version != SCHEMA_VERSION:
        return done  # an earlier version has less than what is at hand here
    return replace(done, page=_page(row, written, metrics))


def _page(row: TrialRow, written: bytes, metrics: MetricsDocument) -> bytes | None:
    """What the page holds of a trial, from its events document as it is written.

    Made here, by whoever reads the trial: then nobody reads its documents again, and the page over
    all runs need not make it a second time. None on an error: it is met again, and said, when the
    page is made.
    """
    from groundtrace.report.blocks_of_trials import made_trial
    from groundtrace.rows.trial_row import Detail

    with suppress(Exception):
        events: EventsDocument = decode("retrieval_events", written, "")
        made = made_trial(Detail(row, events, metrics), 0)
        return pickle.dumps(made, pickle.HIGHEST_PROTOCOL)
    return None


def _within_the_limit(work: TrialWork) -> tuple[TrialReading, MetricsDocument | None]:
    """Read a trial within its time limit; beyond the limit, give a reading that says so (D78)."""
    try:
        with time_limit(work.context.settings.trial_seconds):
            reading = read_trial(work.trial, work.context, work.problems, work.truth_fingerprint)
            return reading, _metrics(reading, work.context)
    except TimeLimitReached as reached:
        reading = stopped_reading(work, reached)
        return reading, _metrics(reading, work.context)


def _metrics(reading: TrialReading, context: WorkContext) -> MetricsDocument | None:
    if not context.with_metrics:
        return None
    from groundtrace.metrics import evaluate

    return evaluate(reading.document, generated_at=context.generated_at)
