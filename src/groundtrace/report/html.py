"""The report as one self-contained page."""

from __future__ import annotations

from groundtrace.errors import MissingExtraError
from groundtrace.report.data import ReportData


def render(data: ReportData) -> str:
    """The page."""
    raise MissingExtraError("the page", "report")
