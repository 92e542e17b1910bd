"""A trial with its documents, for tables and pages that need more than its row."""

from __future__ import annotations

from functools import cached_property

from groundtrace.base.frozen import Frozen
from groundtrace.documents.events import EventsDocument
from groundtrace.documents.metrics import MetricsDocument
from groundtrace.metrics.evidence import EvidenceView
from groundtrace.rows.trial_row import TrialRow


class Detail(Frozen, frozen=True, dict=True):
    """One evaluated trial: its row and the documents that the row was made from."""

    row: TrialRow
    events: EventsDocument
    metrics: MetricsDocument

    @cached_property
    def evidence(self) -> EvidenceView:
        """Its accesses as the metrics see them, found out once: half of the time of a page."""
        return EvidenceView(self.events)
