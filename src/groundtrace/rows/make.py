"""The only place that makes a trial's row, from documents just made or read from disk."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import UNSET

from groundtrace.base.jsonio import clean_text
from groundtrace.documents.events import EventsDocument, EventSummary
from groundtrace.documents.metrics import (
    EditTargets,
    ErrorTaxonomy,
    FileLevelMetrics,
    MetricsDocument,
)
from groundtrace.documents.outcomes import TrialOutcome
from groundtrace.metrics.catalogue import values_in
from groundtrace.metrics.evidence import EvidenceView, access_counts, why_no_events
from groundtrace.rows.finders import finders_of, found_by
from groundtrace.rows.trial_row import EVENT_COUNTS, TrialRow
from groundtrace.rows.unknown_tools import uncounted_servers, unknown_calls


def row_from(
    metrics: MetricsDocument,
    events: EventsDocument | None = None,
    outcome: TrialOutcome | None = None,
    *,
    path: str | None = None,
    is_known: Callable[[str], bool] | None = None,
    no_outcome: str = "no_outcome",
) -> TrialRow:
    """The row of one trial.

    Values come from the metrics document, so that rows made now and rows made later from the files
    are equal. An outcome of another trial is ignored: an earlier run can have left a document with
    the same name.
    """
    where = metrics.provenance
    if outcome is not None and clean_text(outcome.trial_name) != where.trial_name:
        outcome = None
    found = metrics.file_level_metrics
    shown = metrics.file_level_metrics_shown
    values, absent = values_in(metrics)
    undefined: dict[str, str] = {}
    for metric in absent:
        if (why := metric.why_undefined(metrics)) != found.reason:
            undefined[metric.name] = why
    volume = _volume(metrics)
    if not volume:
        undefined.update(dict.fromkeys(EVENT_COUNTS, why_no_events(metrics.coverage)))
    taxonomy = metrics.error_taxonomy
    targets = _edit_targets(taxonomy)
    unknown = {} if events is None or is_known is None else unknown_calls(events, is_known)
    return TrialRow(
        run_id=where.run_id,
        config_name=where.config_name,
        task_name=where.task_name,
        trial_name=where.trial_name or where.task_name,
        benchmark=where.benchmark or None,
        model=where.model,
        batch_timestamp=where.batch_timestamp,
        coverage=metrics.coverage,
        summary=metrics.event_summary,
        computable=found.computable,
        reason=found.reason,
        metrics=values,
        undefined=undefined,
        hit=_is_hit(found) if found.computable else None,
        hit_shown=shown.first_gt_hit_step is not None if shown.computable else None,
        volume=volume,
        labels=dict((taxonomy.labels or {}).items()),
        not_applicable=tuple(taxonomy.not_applicable) if targets == "none_expected" else (),
        edit_targets=targets,
        slices=taxonomy.slices,
        unknown_tools={name: sum(calls.values()) for name, calls in unknown.items()},
        unknown_calls=unknown,
        uncounted_servers={} if events is None else uncounted_servers(events),
        accesses=_accesses(metrics, events),
        finders=finders_of(metrics),
        found_by=found_by(metrics),
        looked_at=None if metrics.looked_at is UNSET else metrics.looked_at,
        document=path,
        repo=None if where.repo is UNSET else where.repo,
        title=where.title or None,
        branch=where.branch or None,
        started_at=where.started_at or None,
        last_call_at=where.last_call_at or None,
        servers={} if metrics.servers is UNSET else metrics.servers,
        relevant_lines=_relevant_lines(metrics),
        outcome=outcome,
        patch_source=_patch_source(metrics),
        parts=_parts(metrics),
        no_outcome=no_outcome,
    )


def _relevant_lines(metrics: MetricsDocument) -> float | None:
    lines = metrics.line_level_metrics
    return None if lines is UNSET or lines.lines_relevant is None else float(lines.lines_relevant)


def _is_hit(found: FileLevelMetrics) -> bool:
    """Whether a relevant file was met; in a ranked list nothing is met at a step."""
    if found.basis is not UNSET:
        return bool(found.n_overlap)
    return found.first_gt_hit_step is not None


def _patch_source(metrics: MetricsDocument) -> str | None:
    """Where the edited files of a trial come from that are compared with the gold patch."""
    section = metrics.patch_metrics
    return None if section is UNSET or section.recall is None else section.source


def _parts(metrics: MetricsDocument) -> dict[str, tuple[int, int]]:
    section = metrics.published_metrics
    if section is UNSET:
        return {}
    return {name: (parts.part, parts.whole) for name, parts in section.parts.items()}


def _edit_targets(taxonomy: ErrorTaxonomy) -> EditTargets | None:
    """What the task says about edits.

    Documents before 1.2 call labels "not applicable" if edit targets are unknown. They cannot show
    that a task expects no edit.
    """
    if not taxonomy.computable:
        return None
    if taxonomy.edit_targets is not UNSET:
        return taxonomy.edit_targets
    return "unknown" if taxonomy.not_applicable else "known"


def _volume(metrics: MetricsDocument) -> dict[str, float]:
    """Counts over a trial's events; empty without events, because a 0 would be invented."""
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


def _accesses(metrics: MetricsDocument, events: EventsDocument | None) -> dict[str, int]:
    """Accesses counted by `category/kind`.

    They come from the metrics document, so that the version of the events document does not change
    them. Metrics documents of older versions do not have them; then the events are counted.
    """
    if metrics.access_counts is not UNSET:
        return metrics.access_counts
    return access_counts(EvidenceView(events)) if events is not None else {}
