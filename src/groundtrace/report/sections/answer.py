"""The answer, first: the same lines as in the terminal."""

from __future__ import annotations

from groundtrace.impact.simulated_coverage import MEANS, coverage_text
from groundtrace.report.answer_text import analysis_text
from groundtrace.report.blocks import Name, Paragraph, Section
from groundtrace.report.data import ReportData


def answer_section(data: ReportData) -> Section:
    """What a reader must know to decide."""
    if data.impact is None:
        why: Paragraph = ("No analysis was made; ", Name("groundtrace impact"), " writes it.")
        return Section("answer", "The answer", (why,))
    answer = data.impact.answer
    notes: tuple[Paragraph, ...] = ()
    if any(row.ci_low is not None for row in answer.rows):
        said = coverage_text(MEANS, (row.n for row in answer.rows if row.ci_low is not None))
        text = (
            "A row says higher or lower only if its interval leaves out 0; all intervals of the "
            f"answer together hold with 95 %. {said}"
        )
        notes = ((text.strip(),),)
    return Section("answer", "The answer", notes, text=analysis_text(data.impact))
