"""Reports for people, made only from documents: Markdown and a self-contained page."""

from __future__ import annotations

from groundtrace.report.data import ReportData
from groundtrace.rows.detail import Detail

__all__ = ["Detail", "ReportData", "render_html", "render_markdown"]


def render_markdown(data: ReportData) -> str:
    """The report as Markdown."""
    from groundtrace.report.markdown import render

    return render(data)


def render_html(data: ReportData) -> str:
    """The report as one self-contained page."""
    from groundtrace.report.html import render

    return render(data)
