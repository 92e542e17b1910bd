"""Charts as Vega-Lite specifications, each the answer to the question above it.

Everything is counted here and not in the chart, so that a table below the
chart can show the same numbers. Colours are variables of the page, so a change of theme and
printing need no redrawing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from groundtrace.report.blocks import Paragraph
from groundtrace.report.charts.impact import comparison_charts, reward_chart
from groundtrace.report.charts.quality import first_hit_charts, recall_charts
from groundtrace.report.charts.taxonomy import access_charts, label_chart
from groundtrace.report.charts.vega_parts import MAX_CONFIGS, Chart
from groundtrace.report.data import ReportData
from groundtrace.report.task_units import TaskUnits

__all__ = ["Chart", "charts"]


def charts(data: ReportData, units: TaskUnits) -> tuple[Chart, ...]:
    """Every chart that has something to show; `units` are those of the data's rows."""
    every = units.by_config()
    kept = sorted(every, key=lambda name: (-len(every[name]), name))[:MAX_CONFIGS]
    configs = {name: every[name] for name in sorted(kept)}
    groups = {
        name: data.summary.by_config[name] for name in configs if name in data.summary.by_config
    }
    left = len(every) - len(configs)
    note: Paragraph = ()
    if left:
        note = (
            f"The {MAX_CONFIGS} configurations with most tasks; {left} more are in the tables.",
        )
    makers: Sequence[Callable[[], Iterator[Chart]]] = (
        lambda: recall_charts(configs, note),
        lambda: first_hit_charts(configs, note),
        lambda: label_chart(groups, note),
        lambda: access_charts(groups),
        lambda: comparison_charts(data),
        lambda: reward_chart(configs, note),
    )
    return tuple(chart for maker in makers for chart in maker())
