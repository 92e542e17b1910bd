"""The sections of a report in order, each made from documents alone."""

from __future__ import annotations

from groundtrace.report.blocks import Section
from groundtrace.report.data import ReportData
from groundtrace.report.sections.caveats import caveats
from groundtrace.report.sections.coverage import coverage
from groundtrace.report.sections.groups import groups
from groundtrace.report.sections.impact import impact
from groundtrace.report.sections.movers import movers
from groundtrace.report.sections.quality import quality
from groundtrace.report.sections.taxonomy import taxonomy
from groundtrace.report.sections.utilization import utilization

STATUS = (
    "Status: standalone, non-ranking; association, not causation. Nothing here changes a reward, "
    "a score or a ranking, and nothing shows that retrieval causes an outcome."
)
"""What stands above every report."""

LEGEND = (
    "↑ higher is better, ↓ lower is better. n is the number of tasks behind a mean, each task's "
    "trials averaged first; the column “left out” says which tasks have no value and why. – means that there "
    "is no value, which is not zero. Retrieved counts every file that a call touched without "
    "writing it; shown counts only files whose content was shown."
)
"""How to read the tables."""


def sections(data: ReportData) -> tuple[Section, ...]:
    """Every section of the report, coverage first."""
    makers = (
        coverage,
        quality,
        utilization,
        taxonomy,
        impact,
        movers,
        groups,
        caveats,
    )
    return tuple(maker(data) for maker in makers)
