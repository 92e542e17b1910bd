"""Reports for people, made only from documents: Markdown and a self-contained page."""

from __future__ import annotations

from collections.abc import Sequence

from groundtrace.report.blocks import Section
from groundtrace.report.data import ReportData
from groundtrace.rows.trial_row import Detail

__all__ = ["Detail", "ReportData", "render_html", "render_markdown", "sections_of"]


def sections_of(data: ReportData) -> tuple[Section, ...]:
    """The sections that all formats show."""
    from groundtrace.report.sections import sections

    return sections(data)


def render_markdown(data: ReportData, made: Sequence[Section] | None = None) -> str:
    """The report as Markdown; `made` are its sections, if they were made already."""
    from groundtrace.report.markdown import render

    return render(data, made)


def render_html(data: ReportData, made: Sequence[Section] | None = None) -> str:
    """The report as one self-contained page, in the same way."""
    from groundtrace.report.html import render

    return render(data, made)
