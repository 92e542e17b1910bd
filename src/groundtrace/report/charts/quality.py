"""Charts of how much was found, and how soon."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groundtrace.metrics.catalogue import METRICS
from groundtrace.report import formats
from groundtrace.report.blocks import Name, Paragraph, ReportTable, make_table
from groundtrace.report.charts.vega_parts import (
    Chart,
    colour,
    dash,
    ordinal,
    share_axis,
    spec,
    tooltip,
)
from groundtrace.report.task_units import TaskUnit
from groundtrace.report.wording import plural

MAX_CURVE_POINTS = 200
"""Points of a cumulative curve."""

_BINS: Sequence[tuple[str, Callable[[float], bool]]] = (
    ("0", lambda r: r == 0),
    ("≤ 0.25", lambda r: 0 < r <= 0.25),
    ("≤ 0.5", lambda r: 0.25 < r <= 0.5),
    ("≤ 0.75", lambda r: 0.5 < r <= 0.75),
    ("< 1", lambda r: 0.75 < r < 1),
    ("1", lambda r: r >= 1),
)


_TIME_AXES: Mapping[str, tuple[str, str]] = {
    "s": ("seconds since the start ↓", ",.0f"),
    "tokens": ("tokens so far ↓", "~s"),
}
"""Unit of a time to its axis: title, and how Vega writes its numbers."""


def recall_charts(configs: Mapping[str, list[TaskUnit]], note: Paragraph) -> Iterator[Chart]:
    """How tasks spread from 0, none of the relevant files, to 1, all of them."""
    for record in METRICS.shown_in("recall_charts"):
        metric = record.name
        values = [
            {"config": Name(config), "bin": title, "share": share, "text": text}
            for config, own in configs.items()
            for title, share, text in _spread(own, metric)
        ]
        if not values:
            continue
        rows = [
            [Name(config), title, text]
            for config, own in configs.items()
            for title, _, text in _spread(own, metric)
        ]
        yield Chart(
            f"recall-{record.over}",
            "quality",
            (record.heading("recall_charts"),),
            f"Bars: share of tasks by {metric}, from 0, none of the relevant files, to 1, all of them, for each configuration.",
            spec(
                values,
                height=220,
                mark={"type": "bar", "tooltip": True},
                encoding={
                    "x": ordinal("bin", f"{metric} ↑", [title for title, _ in _BINS]),
                    "xOffset": {"field": "config", "type": "nominal"},
                    "y": share_axis("share", "share of tasks"),
                    "color": colour(configs),
                    "tooltip": tooltip("config", "bin", "text"),
                },
            ),
            make_table(f"Tasks by {metric}", ("config", metric, "tasks"), rows),
            note,
        )


def _spread(own: Sequence[TaskUnit], metric: str) -> Iterator[tuple[str, float, str]]:
    # Nine decimals: a mean of 0.25 and noise belongs to "≤ 0.25".
    recalls = [round(value, 9) for unit in own if (value := unit.mean(metric)) is not None]
    for title, fits in _BINS if recalls else ():
        number = sum(map(fits, recalls))
        yield title, number / len(recalls), f"{number:,} of {plural(len(recalls), 'task')}"


def first_hit_charts(configs: Mapping[str, list[TaskUnit]], note: Paragraph) -> Iterator[Chart]:
    """Cumulative curves with never-hit tasks in the denominator (D21)."""
    for record in METRICS.shown_in("first_hit_charts"):
        metric = record.name
        axis, form = _TIME_AXES[record.unit]
        curves = {
            config: curve
            for config, own in configs.items()
            if (curve := _curve(own, metric)) is not None
        }
        if not any(len(curve.points) > 1 for curve in curves.values()):
            continue
        yield Chart(
            metric,
            "quality",
            (record.heading("first_hit_charts"),),
            "Curves: share of tasks whose first relevant file had come by then. Tasks that were never hit stay in the denominator, so that a curve ends at the hit rate and not at 100 %.",
            spec(
                _curve_values(curves, metric),
                height=240,
                mark={
                    "type": "line",
                    "interpolate": "step-after",
                    "strokeWidth": 2,
                    "tooltip": True,
                },
                encoding={
                    "x": {
                        "field": "x",
                        "type": "quantitative",
                        "title": axis,
                        "scale": {"type": "sqrt", "zero": True},
                        "axis": {
                            "tickCount": 6,
                            "format": form,
                            "labelOverlap": True,
                            "tickMinStep": 1,
                        },
                    },
                    "y": share_axis("share", "share of tasks ↑"),
                    "color": colour(configs),
                    "strokeDash": dash(configs),
                    "tooltip": tooltip("config", "text"),
                },
            ),
            _curve_table(curves),
            note,
        )


def _curve_values(curves: Mapping[str, _Curve], metric: str) -> list[dict[str, Any]]:
    """Points of all curves; each is drawn as far as the longest one, flat after its last point."""
    end = max(curve.points[-1][0] for curve in curves.values())
    return [
        {
            "config": Name(config),
            "x": x,
            "share": share,
            "text": f"{formats.share(share)} by {formats.value(metric, x)}",
        }
        for config, curve in curves.items()
        for x, share in _thinned([*curve.points, (end, curve.points[-1][1])])
    ]


def _curve_table(curves: Mapping[str, _Curve]) -> ReportTable:
    rows = [
        [
            Name(config),
            formats.count(curve.tasks),
            formats.share(curve.points[-1][1]),
            formats.count(curve.never),
            formats.count(curve.unknown),
        ]
        for config, curve in curves.items()
    ]
    return make_table(
        "Where the curves end",
        ("config", ">tasks", ">hit by the end ↑", ">never hit", ">left out: hit, time unknown"),
        rows,
    )


@dataclass(frozen=True, slots=True)
class _Curve:
    """Share of tasks over time, and how many tasks it is made of."""

    points: list[tuple[float, float]]
    tasks: int
    never: int
    unknown: int


def _curve(own: Sequence[TaskUnit], metric: str) -> _Curve | None:
    """Cumulative share of tasks; a task tried several times weighs as much as one tried once."""
    times: list[tuple[float, float]] = []
    tasks = never = unknown = 0
    for unit in own:
        seen = [row for row in unit.trials if row.hit is not None]
        known = [row for row in seen if not row.hit or metric in row.values]
        if not seen:
            continue
        if not known:
            unknown += 1
            continue
        tasks += 1
        never += not any(row.hit for row in known)
        times += [(row.values[metric], 1 / len(known)) for row in known if row.hit]
    if not tasks:
        return None
    points = [(0.0, 0.0)]
    reached = 0.0
    for time, part in sorted(times):
        reached += part
        points.append((time, min(reached / tasks, 1.0)))
    return _Curve(points, tasks, never, unknown)


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Fewer points of a curve; its ends are kept."""
    last: dict[float, float] = dict(points)
    kept = sorted(last.items())
    step = -(-len(kept) // MAX_CURVE_POINTS)
    return [*kept[:-1:step], kept[-1]] if step > 1 else kept
