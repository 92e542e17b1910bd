"""The one place where a trial's row is made, whether its documents were made now or read back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from msgspec import UNSET

from groundtrace.documents.events import EventsDocument, EventSummary
from groundtrace.documents.metrics import MetricsDocument
from groundtrace.documents.outcomes import TrialOutcome
from groundtrace.jsonio import clean_text
from groundtrace.metrics.catalogue import METRICS
from groundtrace.metrics.evidence import Evidence, access_counts, why_no_events
from groundtrace.rows.finders import finders_of
from groundtrace.rows.trial_row import EVENT_COUNTS, TrialRow


def row_from(
    metrics: MetricsDocument,
    events: EventsDocument | None = None,
    outcome: TrialOutcome | None = None,
    *,
    path: str | None = None,
    is_known: Callable[[str], bool] | None = None,
) -> TrialRow:
    """The row of one trial. Values come from the metrics document, so that rows made now and rows
    read later are equal. An outcome of another trial is ignored: an earlier run can have left a
    document of that name."""
    where = metrics.provenance
    if outcome is not None and clean_text(outcome.trial_name) != where.trial_name:
        outcome = None
    found = metrics.file_level_metrics
    shown = metrics.file_level_metrics_shown
    values: dict[str, float] = {}
    undefined: dict[str, str] = {}
    for name, metric in METRICS.items():
        value = metric.getter(metrics)
        if value is not None:
            values[name] = value
        elif (why := metric.why_undefined(metrics)) != found.reason:
            undefined[name] = why
    volume = _volume(metrics)
    if not volume:
        undefined.update(dict.fromkeys(EVENT_COUNTS, why_no_events(metrics.coverage)))
    taxonomy = metrics.error_taxonomy
    return TrialRow(
        run_id=where.run_id,
        config_name=where.config_name,
        task_name=where.task_name,
        trial_name=where.trial_name,
        benchmark=where.benchmark,
        model=where.model,
        batch_timestamp=where.batch_timestamp,
        coverage=metrics.coverage,
        summary=metrics.event_summary,
        computable=found.computable,
        reason=found.reason,
        metrics=values,
        undefined=undefined,
        hit=found.first_gt_hit_step is not None if found.computable else None,
        hit_shown=shown.first_gt_hit_step is not None if shown.computable else None,
        volume=volume,
        labels=dict((taxonomy.labels or {}).items()),
        not_applicable=tuple(taxonomy.not_applicable),
        slices=taxonomy.slices,
        unknown_tools=_unknown_tools(events, is_known),
        accesses=_accesses(metrics, events),
        finders=finders_of(metrics),
        document=path,
        outcome=outcome,
    )


def _volume(metrics: MetricsDocument) -> dict[str, float]:
    """Counts over a trial's events; without events there are none, since a 0 would be invented."""
    summary: EventSummary = metrics.event_summary
    if not summary.total_events:
        return {}
    probes = metrics.utilization_probes
    counts: dict[str, int | None] = {name: getattr(summary, name) for name in EVENT_COUNTS}
    counts["files_retrieved"] = metrics.file_level_metrics.n_retrieved
    counts["files_shown"] = metrics.file_level_metrics_shown.n_retrieved
    counts["files_read"] = probes.files_read
    counts["files_written"] = probes.files_written
    return {name: float(count) for name, count in counts.items() if count is not None}


def _unknown_tools(
    events: EventsDocument | None, is_known: Callable[[str], bool] | None
) -> dict[str, int]:
    if events is None or is_known is None:
        return {}
    names = Counter(event.tool_name for event in events.events)
    return {name: count for name, count in sorted(names.items()) if not is_known(name)}


def _accesses(metrics: MetricsDocument, events: EventsDocument | None) -> dict[str, int]:
    """Accesses by `category/kind`: from the metrics, which an earlier version of the events
    document cannot change; metrics of older versions do not hold them."""
    if metrics.access_counts is not UNSET:
        return metrics.access_counts
    return access_counts(Evidence(events)) if events is not None else {}
