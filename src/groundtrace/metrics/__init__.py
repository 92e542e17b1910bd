"""Metrics: from an events document to a metrics document, and the description of each metric.

evidence      what was touched, by which kind of access, and the lines that it showed
ranking       the formulas of information retrieval
file_level    stage 1   chunk_level   stage 2
utilization   stage 3   error_taxonomy  stage 4
line_level    the right lines           function_level  the right functions
context       what the context held, and its price
discovery     who found each file       subagents     what subagents found and spent
looked_at     what a trial looked at, without any ground truth
edited        what was edited: the patch, else the writes
patches       the patch against the gold
published     numbers as published work defines them
funnel        how far each relevant file came
judged        metrics over judged files only: bpref and judged@10
record        the record of a metric: words, computation, arithmetic, where it is shown
outcome_metrics  the records of outcomes
catalogue     every metric and outcome by name; a value's arithmetic for `explain` and the page
example       the trial for which every metric is computed by hand
"""

from __future__ import annotations

from typing import Any, TypeVar

from msgspec import UNSET
from msgspec.structs import replace

from groundtrace.documents.base import SCHEMA_VERSION, in_order, ordered
from groundtrace.documents.events import Coverage, EventsDocument, EventSummary
from groundtrace.documents.metrics import MetricsDocument
from groundtrace.metrics.catalogue import SECTIONS
from groundtrace.metrics.error_taxonomy import error_taxonomy
from groundtrace.metrics.evidence import EvidenceView, access_counts, event_summary
from groundtrace.metrics.looked_at import server_use, without_truth

__all__ = ["evaluate"]


def evaluate(document: EventsDocument, *, generated_at: str) -> MetricsDocument:
    """All metrics of one trial, computed only from its events document. Its mappings are in the
    order in which they are written."""
    evidence = EvidenceView(document)
    made: dict[str, Any] = {
        field.name: section.make(field.view(evidence))
        for section in SECTIONS
        for field in section.fields
    }
    return MetricsDocument(
        schema_version=SCHEMA_VERSION,
        generated_at=generated_at,
        provenance=document.provenance,
        coverage=_in_order(document.coverage, "problems"),
        event_summary=_in_order(event_summary(evidence), "events_by_category"),
        error_taxonomy=error_taxonomy(evidence),
        basis=evidence.basis,
        access_counts=access_counts(evidence),
        looked_at=without_truth(document),
        servers=server_use(document),
        **made,
    )


R = TypeVar("R", EventSummary, Coverage)


def _in_order(record: R, field: str) -> R:
    """A record with a mapping in order: another program may have written the events document."""
    mapping = getattr(record, field)
    if mapping is UNSET or ordered(tuple(mapping)) is None:
        return record
    return replace(record, **{field: in_order(mapping)})
