"""What a report is made from: documents and rows, never traces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from groundtrace.documents.impact import ImpactDocument
from groundtrace.documents.summary import RefusedDocument, RunSummaryDocument
from groundtrace.rows.detail import Detail
from groundtrace.rows.trial_row import TrialRow


@dataclass(frozen=True, slots=True)
class ReportData:
    """Everything a report shows."""

    scope: str
    """Run id, or `*` for all runs."""
    summary: RunSummaryDocument
    impact: ImpactDocument | None
    """None when no analysis was made, or it could not be read."""
    rows: Iterable[TrialRow]
    """Every evaluated trial; may be iterated more than once, and need not fit into memory."""
    details: Callable[[], Iterator[Detail]]
    """Reads the trials' documents one at a time; in the order of the rows; may be called more
    than once."""
    impact_problem: str | None = None
    """Why the analysis could not be read, when there is one."""
    refused: tuple[RefusedDocument, ...] = ()
    """Documents that cannot be read; no number here holds anything of them (D62)."""
