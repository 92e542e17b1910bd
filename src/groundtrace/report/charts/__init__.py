"""Charts as inline SVG. Each chart answers the question above it.

Everything is counted in Python, so that a table below the chart can show the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from groundtrace.impact.row_numbers import decimals_of_shares
from groundtrace.report.answer_text import known_rows
from groundtrace.report.calls import FirstFound
from groundtrace.report.charts.chain import STEPS, chain_chart
from groundtrace.report.charts.chart import FEW_CONFIGS, Chart, Colours
from groundtrace.report.charts.found import first_found_chart, found_charts
from groundtrace.report.charts.funnel import errors_chart, funnel_chart
from groundtrace.report.charts.speed import speed_charts
from groundtrace.report.charts.tasks import task_chart
from groundtrace.report.charts.use import functions_chart, lines_chart, use_chart
from groundtrace.report.data import ReportData, comparison_of, pair_answers, pair_key
from groundtrace.report.parts import MAX_CONFIGS
from groundtrace.report.task_units import TaskUnit, TaskUnits
from groundtrace.report.trial_table import TrialLinks
from groundtrace.report.wording import plural

__all__ = ["Chart", "charts"]

MAX_PAIRS = 12
"""Most pairs whose tasks are drawn."""


def charts(
    data: ReportData, units: TaskUnits, links: TrialLinks, found: FirstFound, colours: Colours
) -> tuple[Chart, ...]:
    """Every chart that has something to show; `units` are the task units of the data's rows."""
    every = units.by_config()
    comparison = comparison_of(data.impact) if data.impact is not None else None
    pair = () if comparison is None else (comparison.baseline_config, comparison.config)
    ordered = sorted(every, key=lambda name: (name not in pair, -len(every[name]), name))
    many = {name: every[name] for name in sorted(ordered[:MAX_CONFIGS])}
    few = {name: every[name] for name in sorted(ordered[:FEW_CONFIGS])}
    groups = {name: data.summary.by_config[name] for name in few if name in data.summary.by_config}
    makers: Sequence[tuple[int, Callable[[], Iterator[Chart]]]] = (
        (len(every), lambda: _of_pairs(data, every, links, colours)),
        (len(many), lambda: found_charts(many, colours)),
        (len(few), lambda: first_found_chart(found, few, colours)),
        (len(few), lambda: lines_chart(few, colours)),
        (len(few), lambda: speed_charts(few, colours)),
        (len(few), lambda: use_chart(few, colours)),
        (len(few), lambda: functions_chart(few, colours)),
        (len(few), lambda: funnel_chart(data.summary, few, colours)),
        (len(few), lambda: errors_chart(groups, colours)),
    )
    return tuple(_noted(chart, len(every) - drawn) for drawn, maker in makers for chart in maker())


def _noted(chart: Chart, left: int) -> Chart:
    """A chart that says how many configurations it does not draw."""
    if left <= 0:
        return chart
    note = f" {plural(left, 'more configuration')}: see the tables below."
    return replace(chart, note=(*chart.note, note))


def _of_pairs(
    data: ReportData,
    units: Mapping[str, Sequence[TaskUnit]],
    links: TrialLinks,
    colours: Colours,
) -> Iterator[Chart]:
    """The chain and the tasks of each pair; without a comparison only the chain."""
    compared = 0
    for answer in [] if data.impact is None else pair_answers(data.impact)[:MAX_PAIRS]:
        comparison = None if data.impact is None else comparison_of(data.impact, answer)
        if comparison is None:
            continue
        names = (comparison.baseline_config, comparison.config)
        for chart in (
            *chain_chart(units, names, colours, comparison, decimals_of_shares(known_rows(answer))),
            *task_chart(comparison, links, colours),
        ):
            made = replace(chart, pair=pair_key(answer))
            yield replace(made, id=f"{chart.id}-{compared}" if compared else chart.id)
        compared += 1
    if not compared:
        yield from chain_chart(units, _uncompared(data, units), colours)


def _uncompared(data: ReportData, units: Mapping[str, Sequence[TaskUnit]]) -> list[str]:
    """Configurations beside each other: groups without common tasks as their answer has them, else
    those with most tasks, those of which anything is known first."""
    answer = None if data.impact is None else data.impact.answer
    pair = () if answer is None else (answer.baseline, answer.config)
    if named := [name for name in pair if name is not None and name in units]:
        return named

    def order(name: str) -> tuple[bool, int, str]:
        known = any(unit.mean(step) is not None for unit in units[name] for step in STEPS)
        return not known, -len(units[name]), name

    return sorted(sorted(units, key=order)[:FEW_CONFIGS])
