"""Curves of how soon the first relevant file was met."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from markupsafe import Markup

from groundtrace.base.frozen import Frozen
from groundtrace.metrics.catalogue import METRICS
from groundtrace.report import formats
from groundtrace.report.blocks import Name, Paragraph, ReportTable, make_table
from groundtrace.report.charts.chart import Chart, Colours, drawn, key_of
from groundtrace.report.svg import Scale, across, group, line, mark, path, picture, text
from groundtrace.report.task_units import TaskUnit
from groundtrace.report.wording import plural
from groundtrace.rows.clocks import ANY_CLOCK, SharedClock, shared_clock, timed_names

MAX_CURVE_POINTS = 200
"""Most points of a cumulative curve."""

_AXES: Mapping[str, str] = {
    "s": "seconds from the start (√ scale)",
    "tokens": "tokens so far (√ scale)",
}
"""Unit of a time to the title of its axis."""

HEIGHT, TOP, BOTTOM, LEFT, RIGHT = 230, 10, 186, 48, 104


class Curve(Frozen, frozen=True):
    """Share of tasks over time, and the number of tasks behind it."""

    points: list[tuple[float, float]]
    tasks: int
    never: int
    unknown: int


def speed_charts(configs: Mapping[str, list[TaskUnit]], colours: Colours) -> Iterator[Chart]:
    """Cumulative curves with never-hit tasks in the denominator (D21)."""
    for record in METRICS.shown_in("first_hit_charts"):
        metric = record.name
        clock = _clock(configs, metric)
        curves = {
            config: made
            for config, own in configs.items()
            if (made := curve_of(own, metric, clock)) is not None
        }
        if not any(len(curve.points) > 1 for curve in curves.values()):
            continue
        wide, narrow = drawn(partial(_draw, curves, colours, metric, _AXES[record.unit]))
        yield Chart(
            metric,
            "speed",
            (record.heading("first_hit_charts"),),
            "Share of all tasks in which a relevant file had been met by this time. The rest never "
            "met one.",
            wide,
            narrow,
            key_of(curves, colours),
            _table(curves),
            _other_clocks(configs, clock),
        )


def _clock(configs: Mapping[str, list[TaskUnit]], metric: str) -> SharedClock:
    """The clock for curves of seconds; curves of tokens need no clock."""
    if metric not in timed_names():
        return ANY_CLOCK
    return shared_clock(
        (config, trial.clock)
        for config, own in configs.items()
        for unit in own
        for trial in unit.trials
        if metric in trial.values
    )


def _other_clocks(configs: Mapping[str, list[TaskUnit]], clock: SharedClock) -> Paragraph:
    """How many trials are left out because their seconds count from another moment."""
    trials = (trial for own in configs.values() for unit in own for trial in unit.trials)
    others = sum(t.hit is not None and clock.why_not(t.clock) is not None for t in trials)
    if not others:
        return ()
    left = (
        f"{plural(others, 'trial')} left out: seconds are counted from another moment, or "
        "nothing says"
    )
    return (f"{left} from when.",)


def _draw(
    curves: Mapping[str, Curve], colours: Colours, metric: str, axis: str, width: int
) -> Markup:
    # Leave room after the last point: otherwise the last step of a curve is on the edge.
    end = 1.08 * max(curve.points[-1][0] for curve in curves.values()) or 1.0
    x = Scale(0.0, end, LEFT, width - RIGHT, by_root=True)
    y = Scale(0.0, 1.0, BOTTOM, TOP)
    marks = [across(x, TOP, BOTTOM, title=axis)]
    for share in (0, 0.25, 0.5, 0.75, 1):
        marks.append(line(LEFT, y(share), width - RIGHT, y(share), "grid"))
        marks.append(text(LEFT - 6, y(share) + 4, f"{100 * share:.0f} %", "tick", "end"))
    labels: list[tuple[float, str, str, str]] = []
    for config, curve in curves.items():
        steps = _steps([*thinned(curve.points), (end, curve.points[-1][1])])
        title = f"{Name(config)}: {_ending(curve)}"
        points = [(x(when), y(share)) for when, share in steps]
        marks.append(path(points, f"curve s-{colours[config]}", title))
        part = curve.points[-1][1]
        labels.append((y(part), formats.per_cent(part), f"of {curve.tasks:,}", colours[config]))
    return picture(
        width, HEIGHT, f"Share of tasks by {metric}", *marks, *_end_labels(labels, width)
    )


def _end_labels(labels: list[tuple[float, str, str, str]], width: int) -> Iterator[Markup]:
    """Labels at the ends of the curves, moved apart if two ends are close."""
    lowest = 0.0
    for y, share, of, colour in sorted(labels):
        lowest = max(y + 4, lowest + 14)
        words = text(width - RIGHT + 18, lowest, f"{share} {of}", "value")
        yield group(mark(width - RIGHT + 9, lowest - 4, 4, colour), words)


def _steps(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The curve as steps: it stays level until the next point and jumps there."""
    made: list[tuple[float, float]] = []
    for when, share in points:
        if made:
            made.append((when, made[-1][1]))
        made.append((when, share))
    return made


def _ending(curve: Curve) -> str:
    return (
        f"{formats.percent(curve.points[-1][1], 1)} of {plural(curve.tasks, 'task')} by the end, "
        f"{curve.never:,} never"
    )


def _table(curves: Mapping[str, Curve]) -> ReportTable:
    return make_table(
        "Where the curves end",
        (
            "config",
            ">tasks",
            ">met one by the end ↑",
            ">never",
            ">left out: time unknown, or counted from another moment",
        ),
        [
            [
                Name(config),
                formats.count(curve.tasks),
                formats.percent(curve.points[-1][1], 1),
                formats.count(curve.never),
                formats.count(curve.unknown),
            ]
            for config, curve in curves.items()
        ],
    )


def curve_of(own: Sequence[TaskUnit], metric: str, clock: SharedClock = ANY_CLOCK) -> Curve | None:
    """Cumulative share of tasks; a task with several trials weighs as much as a task with one.

    Trials with another clock do not count, and neither do their misses: a curve made only of misses
    would say that nothing was ever met.
    """
    times: list[tuple[float, float]] = []
    tasks = never = unknown = 0
    for unit in own:
        seen = [row for row in unit.trials if row.hit is not None]
        like = [row for row in seen if clock.why_not(row.clock) is None]
        known = [row for row in like if not row.hit or metric in row.values]
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
    return Curve(points, tasks, never, unknown)


def thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Fewer points of a curve; its ends are kept."""
    last: dict[float, float] = dict(points)
    kept = sorted(last.items())
    step = -(-len(kept) // MAX_CURVE_POINTS)
    return [*kept[:-1:step], kept[-1]] if step > 1 else kept
