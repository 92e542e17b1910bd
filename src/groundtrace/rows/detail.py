"""A trial with its documents, for tables and pages that need more than its row."""

from __future__ import annotations

from dataclasses import dataclass

from groundtrace.documents.events import EventsDocument
from groundtrace.documents.metrics import MetricsDocument
from groundtrace.rows.trial_row import TrialRow


@dataclass(frozen=True, slots=True)
class Detail:
    """One evaluated trial: its row and the documents that the row was made from."""

    row: TrialRow
    events: EventsDocument
    metrics: MetricsDocument
