"""The report as Markdown."""

from __future__ import annotations

from groundtrace.report.data import ReportData


def render(data: ReportData) -> str:
    """Coverage first, then quality."""
    overall = data.summary.overall
    return f"# Retrieval report: {data.scope}\n\n{overall.computable} of {overall.trials} trials computable.\n"
