"""The tables, charts and lists that show some metrics and not others.

A record names the displays that show it (`shown_in`); a display asks the catalogue for its
records. No table has its own list of names, so a new metric needs no change in any table or chart.
Its stored field goes into `documents/metrics.py`.
Some displays show every metric and are not listed here: the metrics document, the run summary, the
table `metrics`, `explain`, matched comparisons in the impact document, and the reference page.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from groundtrace.base.frozen import Frozen

Display = Literal[
    "coverage",
    "quality",
    "line_ranges",
    "lines_and_context",
    "lines_chart",
    "funnel",
    "patches",
    "published",
    "functions",
    "chain",
    "first_hit",
    "first_hit_shown",
    "utilization",
    "slices",
    "comparison",
    "comparison_by_suite",
    "movers",
    "groups",
    "groups_use",
    "trial_table",
    "trial_detail",
    "recall_charts",
    "first_hit_charts",
    "task_chart",
    "correlation",
    "api_summary",
]

DISPLAYS: Mapping[Display, str] = {
    "coverage": (
        "report, Coverage: rows of “What could be computed”; metrics that always have a value "
        "together share one row"
    ),
    "quality": "report, Finding the relevant files and every configuration: metrics over both lists of files",
    "line_ranges": "report, Finding the relevant files: metrics over line ranges",
    "lines_and_context": "report, Finding the relevant files: lines, context, finders and subagents",
    "lines_chart": "page: the chart of lines and context; values from 0 to 1",
    "funnel": (
        "report, Seen, edited, resolved: how far relevant files got, by configuration and "
        "verdict; the heading is its stage"
    ),
    "patches": "report, Seen, edited, resolved: the patch compared with the gold patch",
    "published": (
        "report, Seen, edited, resolved: the same numbers under the names that papers use"
    ),
    "functions": "report, Search, read, edit: functions needed, shown and edited",
    "chain": "page: the chart of recall and precision from files met to functions edited",
    "first_hit": "run summary and report: times to the first relevant file, over retrieved files",
    "first_hit_shown": "run summary and report: the same over shown files",
    "utilization": "report, Using what was found: the metrics",
    "slices": "report, What went wrong: quality by slice",
    "comparison": "report, Comparisons: rows of a matched comparison",
    "comparison_by_suite": "report, Comparisons: rows of a comparison within one suite",
    "movers": (
        "report: the value by which tasks that gained or lost are ranked; higher must be better"
    ),
    "groups": "report, By configuration, suite and model: metrics over both lists of files",
    "groups_use": "report, By configuration, suite and model: use and outcomes",
    "trial_table": "page: columns of the table of trials",
    "trial_detail": "page: values with their arithmetic beside a timeline",
    "recall_charts": (
        "page: one chart each, of tasks in which all, some or none of the files were found; "
        "the heading is its question"
    ),
    "first_hit_charts": "page: one cumulative chart each; the heading is its question",
    "task_chart": "page: values that the chart of single tasks draws",
    "correlation": "impact analysis: metrics and outcomes that are correlated",
    "api_summary": "Python: columns of `load_summary`",
}
"""Every display, and what it shows."""


class Spot(Frozen, frozen=True):
    """Position and heading of a record in a display."""

    order: int = 0
    """Smaller comes first; records with the same number keep the order of the catalogue."""
    heading: str = ""
    """The name that the display shows, if it is not the record's name."""
