"""Charts of configurations against the baseline, and of recall against reward."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from groundtrace.documents.impact import Delta, MatchedComparison
from groundtrace.metrics.catalogue import METRICS, QUANTITIES
from groundtrace.report import formats
from groundtrace.report.blocks import Name, Paragraph
from groundtrace.report.charts.vega_parts import LEGEND_STYLE, Chart, colour, ordinal, spec, tooltip
from groundtrace.report.data import ReportData
from groundtrace.report.task_units import TaskUnit
from groundtrace.report.wording import plural

MAX_COMPARISONS = 3
"""Comparisons that are drawn; tables have all of them."""
MAX_LINES = 150
"""Lines of one plot; tasks that went the same way share one."""


def comparison_charts(data: ReportData) -> Iterator[Chart]:
    """For each comparison the mean deltas, and the tasks behind the first of them."""
    found = [
        c
        for c in (data.impact.matched_comparisons if data.impact is not None else [])
        if c.suite is None and c.computable
    ]
    left = len(found) - MAX_COMPARISONS
    note: Paragraph = (f"{left} more comparisons are in the tables.",) if left > 0 else ()
    for number, comparison in enumerate(found[:MAX_COMPARISONS]):
        yield from _deltas(number, comparison, note)
        yield from _slopes(number, comparison)


def _deltas(number: int, comparison: MatchedComparison, note: Paragraph) -> Iterator[Chart]:
    by_name = {delta.metric: delta for delta in comparison.deltas}
    names = QUANTITIES.names_in("delta_chart")
    drawn = [by_name[n] for n in names if n in by_name and by_name[n].mean_delta is not None]
    if not drawn:
        return
    metrics = [delta.metric for delta in drawn]
    yield Chart(
        f"deltas-{number}",
        "impact",
        (
            "By how much does ",
            Name(comparison.config),
            " differ from ",
            Name(comparison.baseline_config),
            " on the same tasks?",
        ),
        "Points: mean delta over matched tasks, with its 95 % interval as a line where there are at least 6 pairs. Right of zero is better.",
        spec(
            [_delta_point(delta) for delta in drawn],
            height=28 * len(metrics),
            layer=_delta_layers(metrics, any(delta.ci_low is not None for delta in drawn)),
        ),
        None,
        note,
    )


def _delta_layers(names: list[str], intervals: bool) -> list[dict[str, Any]]:
    """Zero as a line, intervals as bars, means as points."""
    title = "mean delta, right is better ↑"
    # Long names take two lines, so that the plot stays wide enough on a phone.
    y = ordinal("metric", None, names)
    y["axis"] |= {"labelExpr": "split(datum.label, '_with_')", "labelLimit": 170}
    shared: dict[str, Any] = {"y": y, "tooltip": tooltip("metric", "text")}
    x: dict[str, Any] = {
        "type": "quantitative",
        "title": title,
        "scale": {"zero": True},
        "axis": {"tickCount": 6},
    }
    zero: dict[str, Any] = {
        "data": {"values": [{"zero": 0}]},
        "mark": {"type": "rule", "color": "var(--ink)", "strokeDash": [3, 3]},
        "encoding": {"x": {"field": "zero", **x}},
    }
    interval: dict[str, Any] = {
        "transform": [{"filter": "isValid(datum.low)"}],
        "mark": {"type": "rule", "strokeWidth": 3, "color": "var(--c1)", "opacity": 0.55},
        "encoding": {"x": {"field": "low", **x}, "x2": {"field": "high"}, **shared},
    }
    mean: dict[str, Any] = {
        "mark": {"type": "point", "filled": True, "size": 90, "color": "var(--c1)", "opacity": 1},
        "encoding": {"x": {"field": "delta", **x}, **shared},
    }
    return [zero, interval, mean] if intervals else [zero, mean]


def _delta_point(delta: Delta) -> dict[str, Any]:
    write = partial(formats.delta, delta.metric)
    interval = formats.interval(delta.ci_low, delta.ci_high, write)
    return {
        "metric": delta.metric,
        "delta": delta.mean_delta,
        "low": delta.ci_low,
        "high": delta.ci_high,
        "text": f"{write(delta.mean_delta)} ({interval}), {plural(delta.n, 'task')}",
    }


def _slopes(number: int, comparison: MatchedComparison) -> Iterator[Chart]:
    """One line for tasks that went the same way; none where there are too many lines to see."""
    (metric,) = METRICS.names_in("slope_chart")
    lines: dict[tuple[float, float], list[str]] = {}
    for task in comparison.tasks or ():
        if metric in task.baseline and metric in task.config:
            # Six decimals: tasks that went the same way but for noise share a line.
            way = (round(task.baseline[metric], 6), round(task.config[metric], 6))
            lines.setdefault(way, []).append(task.task_name)
    if not lines or len(lines) > MAX_LINES:
        return
    values = [point for way, names in sorted(lines.items()) for point in _line(way, names)]
    yield Chart(
        f"slopes-{number}",
        "impact",
        (
            "Which way did recall go, task by task, from ",
            Name(comparison.baseline_config),
            " to ",
            Name(comparison.config),
            "?",
        ),
        f"Lines: {metric} of each matched task in the baseline and in the configuration; thicker lines stand for several tasks.",
        spec(
            values,
            height=260,
            mark={
                "type": "line",
                "point": {"filled": True, "size": 45},
                "tooltip": True,
                "opacity": 0.85,
            },
            encoding=_line_encoding(metric, max(map(len, lines.values()))),
        ),
    )


_CHANGES = ("gained", "unchanged", "lost")


def _line(way: tuple[float, float], names: list[str]) -> Iterator[dict[str, Any]]:
    before, after = way
    named = ", ".join(Name(name) for name in names[:3]) + (" …" if len(names) > 3 else "")
    text = (
        f"{plural(len(names), 'task')}: {formats.share(before)} → {formats.share(after)} ({named})"
    )
    for side, recall in (("baseline", before), ("config", after)):
        yield {
            "line": f"{before}/{after}",
            "side": side,
            "recall": recall,
            "many": len(names),
            "change": "gained" if after > before else "lost" if after < before else "unchanged",
            "text": text,
        }


def _line_encoding(metric: str, most: int) -> dict[str, Any]:
    return {
        "x": {
            **ordinal("side", None, ["baseline", "config"]),
            "scale": {"padding": 0.25},
            "axis": {"labelAngle": 0, "grid": False, "domain": False, "ticks": False},
        },
        "y": {
            "field": "recall",
            "type": "quantitative",
            "title": formats.heading(metric),
            "scale": {"domain": [0, 1]},
            "axis": {"tickCount": 5},
        },
        "detail": {"field": "line", "type": "nominal"},
        "strokeWidth": {
            "field": "many",
            "type": "quantitative",
            "scale": {"domain": [1, max(most, 8)], "range": [1.5, 9]},
            "legend": None,
        },
        "color": {
            "field": "change",
            "type": "nominal",
            "scale": {"domain": list(_CHANGES), "range": ["var(--c3)", "var(--c7)", "var(--c2)"]},
            "legend": LEGEND_STYLE,
        },
        "tooltip": tooltip("change", "text"),
    }


def reward_chart(configs: Mapping[str, list[TaskUnit]], note: Paragraph) -> Iterator[Chart]:
    """Tasks by recall and reward."""
    across, up = QUANTITIES.names_in("reward_chart")
    cells: Counter[tuple[str, float, float]] = Counter()
    left = 0
    for config, own in configs.items():
        for unit in own:
            found, gained = unit.mean(across), unit.mean(up)
            if found is None or gained is None:
                left += 1
            else:
                cells[config, round(found, 2), round(gained, 2)] += 1
    if not cells:
        return
    values = [
        {
            "config": Name(config),
            "recall": found,
            "reward": gained,
            "many": many,
            "text": f"{plural(many, 'task')}: recall {found:.2f}, reward {gained:.2f}",
        }
        for (config, found, gained), many in sorted(cells.items())
    ]
    yield Chart(
        "reward",
        "impact",
        ("Do tasks in which more was found end with more reward?",),
        f"Marks: tasks by {across} and {up}, larger for several tasks at one place, by configuration. Association only.",
        spec(
            values,
            height=300,
            mark={"type": "point", "filled": True, "opacity": 0.7, "tooltip": True},
            encoding=_reward_encoding(configs, [gained for _, _, gained in cells]),
        ),
        None,
        (f"{plural(left, 'task')} without recall or reward left out. ", *note),
    )


def _reward_encoding(configs: Mapping[str, list[TaskUnit]], rewards: list[float]) -> dict[str, Any]:
    # Room around 0 and 1, where most tasks lie: marks at the edge would be cut.
    low, high = min(0.0, *rewards), max(1.0, *rewards)
    room = 0.06 * (high - low)
    across, up = QUANTITIES.names_in("reward_chart")
    return {
        "x": {
            "field": "recall",
            "type": "quantitative",
            "title": formats.heading(across),
            "scale": {"domain": [-0.06, 1.06], "nice": False},
            "axis": {"values": [0, 0.2, 0.4, 0.6, 0.8, 1]},
        },
        "y": {
            "field": "reward",
            "type": "quantitative",
            "title": formats.heading(up),
            "scale": {"domain": [low - room, high + room], "nice": False},
            "axis": {"tickCount": 6},
        },
        "size": {
            "field": "many",
            "type": "quantitative",
            "scale": {"domainMin": 0, "range": [50, 600]},
            "legend": None,
        },
        "color": colour(configs),
        "shape": {
            "field": "config",
            "type": "nominal",
            "scale": {"domain": [Name(c) for c in configs]},
            "legend": LEGEND_STYLE,
        },
        "tooltip": tooltip("config", "text"),
    }
