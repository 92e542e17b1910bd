"""The sections of a report in order, each made only from documents."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from groundtrace.report.blocks import Section
from groundtrace.report.data import ReportData
from groundtrace.report.sections.coverage import (
    caveats_section,
    coverage_section,
    unknown_tools_section,
)
from groundtrace.report.sections.error_taxonomy import taxonomy_section
from groundtrace.report.sections.funnel import funnel_section
from groundtrace.report.sections.groups import groups_section, movers_section
from groundtrace.report.sections.impact import answer_section, impact_section
from groundtrace.report.sections.looked_at import looked_at_section
from groundtrace.report.sections.quality import (
    found_section,
    functions_section,
    speed_section,
    utilization_section,
)

STATUS = (
    "Status: standalone, non-ranking; association, not causation. Nothing here changes a reward, "
    "a score or a ranking, and nothing shows that retrieval causes an outcome."
)
"""Printed at the top of every report."""

LEGEND = (
    "↑ higher is better, ↓ lower is better. n is the number of tasks behind a mean; the trials of a "
    "task are averaged first. “left out” says which tasks have no value and why. – means that there "
    "is no value, which is not zero. Met counts every file that a call named or showed; "
    "shown counts only files whose content came back."
)
"""How to read the tables."""


def sections(data: ReportData) -> tuple[Section, ...]:
    """Every section of the report that has something to say: the answer, the tasks that changed
    most, then all numbers in the order of the stages that make them."""
    makers: tuple[Callable[[ReportData], Section | None], ...] = (
        answer_section,
        movers_section,
        coverage_section,
        unknown_tools_section,
        found_section,
        speed_section,
        utilization_section,
        functions_section,
        funnel_section,
        taxonomy_section,
        looked_at_section,
        groups_section,
        impact_section,
        caveats_section,
    )
    if not data.summary.overall.computable:
        # A user's own sessions have no ground truth: only what they looked at can be reported.
        makers = (answer_section, looked_at_section, *makers[1:])
    made = (maker(data) for maker in dict.fromkeys(makers))
    found = (_with_values(section) for section in made if section is not None)
    return tuple(section for section in found if section.says_something)


def _with_values(section: Section) -> Section:
    """A section without its empty tables."""
    kept = tuple(table for table in section.tables if table.has_values)
    return replace(section, tables=kept)
