"""The four metric stages: from an events document to a metrics document.

evidence      what was touched, and by which kind
file_level    stage 1   chunk_level   stage 2
utilization   stage 3   taxonomy      stage 4
table         every metric declared once: name, meaning, range, direction, formula
"""

from __future__ import annotations

from groundtrace.documents.base import SCHEMA_VERSION
from groundtrace.documents.events import EventsDocument
from groundtrace.documents.metrics import MetricsDocument
from groundtrace.metrics.chunk_level import chunk_level
from groundtrace.metrics.evidence import RETRIEVED, SHOWN, Evidence, summary_of
from groundtrace.metrics.file_level import file_level
from groundtrace.metrics.taxonomy import taxonomy
from groundtrace.metrics.utilization import utilization

__all__ = ["evaluate"]


def evaluate(document: EventsDocument, *, generated_at: str) -> MetricsDocument:
    """All metrics of one trial, from its events document alone."""
    evidence = Evidence(document)
    return MetricsDocument(
        schema_version=SCHEMA_VERSION,
        generated_at=generated_at,
        provenance=document.provenance,
        coverage=document.coverage,
        event_summary=summary_of(evidence),
        file_level_metrics=file_level(evidence, RETRIEVED),
        file_level_metrics_shown=file_level(evidence, SHOWN),
        chunk_level_metrics=chunk_level(evidence),
        utilization_probes=utilization(evidence),
        error_taxonomy=taxonomy(evidence),
    )
