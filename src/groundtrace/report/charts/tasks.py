"""Task by task: a dot for each of two configurations, joined by a line that opens both trials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from groundtrace.base.frozen import Frozen
from groundtrace.documents.comparison import MatchedComparison, MatchedTask
from groundtrace.impact.answer_names import AS_POINTS
from groundtrace.metrics.catalogue import QUANTITIES
from groundtrace.report import formats
from groundtrace.report.blocks import Name
from groundtrace.report.charts.bars import NARROW_BELOW
from groundtrace.report.charts.chart import Chart, Colours, drawn, key_of
from groundtrace.report.svg import (
    Scale,
    across,
    bar,
    fitted,
    line,
    link,
    mark,
    picture,
    text,
    tick_text,
)
from groundtrace.report.trial_table import TrialLinks
from groundtrace.report.wording import plain_name, plural
from groundtrace.rows.means import difference

MAX_TASKS, FEW_TASKS = 30, 6
"""Tasks that are drawn, also on a phone; the others are in the table of trials."""

ROW, STACKED_ROW, TOP = 24, 46, 34


class TaskLine(Frozen, frozen=True):
    """One task with the values of both sides."""

    name: str
    baseline: tuple[float | None, ...]
    config: tuple[float | None, ...]
    address: str | None
    """Link that opens both trials; None if the page does not list them."""


def task_chart(
    comparison: MatchedComparison, links: TrialLinks, colours: Colours
) -> Iterator[Chart]:
    """The tasks that differ most, in the order from gained to lost."""
    metrics = QUANTITIES.names_in("task_chart")
    tasks = comparison.tasks or []
    present = [m for m in metrics if any(m in t.baseline and m in t.config for t in tasks)]
    if not present:
        return
    lines = [_line(task, present, comparison, links) for task in chosen(tasks, present)]
    short = [_line(t, present, comparison, links) for t in chosen(tasks, present, FEW_TASKS)]
    panels = [_domain(lines, place) for place in range(len(present))]

    def draw(width: int) -> Markup:
        few = short if width < NARROW_BELOW else lines
        return _draw(few, present, panels, comparison, colours, width)

    wide, narrow = drawn(draw, "whole")
    left = len(tasks) - len(lines)
    yield Chart(
        "task-by-task",
        "tasks",
        (
            "Which tasks differ between ",
            Name(comparison.baseline_config),
            " and ",
            Name(comparison.config),
            "?",
        ),
        "Each line is a task that both ran, the largest changes first; select it to see the two "
        "trials side by side.",
        wide,
        narrow,
        key_of((comparison.baseline_config, comparison.config), colours),
        None,
        (f"{left:,} more tasks, with smaller changes, are in the table of trials.",)
        if left
        else (),
        "whole",
        f"This screen shows {len(short)} of them." if len(short) < len(lines) else "",
    )


def chosen(
    tasks: Sequence[MatchedTask], metrics: Sequence[str], most: int = MAX_TASKS
) -> list[MatchedTask]:
    """The tasks that are drawn, largest changes first. If there are too many: as many of the best
    gains as of the worst losses."""

    def deltas(task: MatchedTask) -> list[float]:
        return [
            difference(task.baseline[m], task.config[m])
            if m in task.baseline and m in task.config
            else 0.0
            for m in metrics
        ]

    def size(task: MatchedTask) -> tuple[float, list[float], tuple[str, str]]:
        found = deltas(task)
        return (-max(map(abs, found), default=0.0), [-delta for delta in found], _name(task))

    ordered = sorted(tasks, key=lambda t: ([-delta for delta in deltas(t)], _name(t)))
    if len(ordered) > most:
        ordered = [*ordered[: most // 2], *ordered[-(most // 2) :]]
    return sorted(ordered, key=size)


def _name(task: MatchedTask) -> tuple[str, str]:
    return (task.task_name, task.benchmark or "")


def _line(
    task: MatchedTask, metrics: Sequence[str], comparison: MatchedComparison, links: TrialLinks
) -> TaskLine:
    sides = (comparison.baseline_config, comparison.config)
    return TaskLine(
        Name(task.task_name),
        tuple(task.baseline.get(metric) for metric in metrics),
        tuple(task.config.get(metric) for metric in metrics),
        links.both(task.task_name, task.benchmark, sides, task.runs),
    )


def _domain(lines: Sequence[TaskLine], place: int) -> tuple[float, float]:
    """From 0 to 1, or wider if a reward lies outside."""
    found = [v for one in lines for v in (one.baseline[place], one.config[place]) if v is not None]
    return min(0.0, *found, 0.0), max(1.0, *found, 1.0)


def _draw(
    lines: Sequence[TaskLine],
    metrics: Sequence[str],
    domains: Sequence[tuple[float, float]],
    comparison: MatchedComparison,
    colours: Colours,
    width: int,
) -> Markup:
    stacked = width < NARROW_BELOW
    names = 0.0 if stacked else width * 0.34
    room = (width - names) / len(metrics)
    row = STACKED_ROW if stacked else ROW
    scales = [
        Scale(low, high, names + place * room + 18, names + (place + 1) * room - 20)
        for place, (low, high) in enumerate(domains)
    ]
    bottom = TOP + row * len(lines)
    marks: list[Markup] = []
    for scale, metric in zip(scales, metrics, strict=True):
        marks.append(text(scale.start - 6, 14, plain_name(metric), "label strong"))
        # Fewer ticks if there is no room for their numbers.
        ticks, write = (
            scale.ticks(2 if stacked else 4),
            _percent if metric in AS_POINTS else tick_text,
        )
        marks.append(across(scale, TOP - 8, bottom, ticks=ticks, write=write))
    pair = (colours[comparison.baseline_config], colours[comparison.config])
    for place, one in enumerate(lines):
        top = TOP + place * row
        drawn_row = _row(one, scales, metrics, pair, (top, row, names, width))
        title = f"{one.name}: " + "; ".join(_said(one, metrics))
        if one.address is None:
            marks += drawn_row
        else:
            marks.append(link(one.address, f"{title}. Open both trials.", *drawn_row))
    label = f"{plural(len(lines), 'task')}, {' and '.join(map(plain_name, metrics))}"
    return picture(width, bottom + 22, label, *marks, role="group", class_="tasks")


def _percent(value: float) -> str:
    return f"{100 * value:g} %"


def _said(one: TaskLine, metrics: Sequence[str]) -> Iterator[str]:
    for name, before, after in zip(metrics, one.baseline, one.config, strict=True):
        said = (formats.brief(name, before), formats.brief(name, after))
        if before is not None and after is not None:
            said = formats.compared_task(name, before, after)[:2]
        yield f"{plain_name(name).lower()} {' → '.join(said)}"


def _row(
    one: TaskLine,
    scales: Sequence[Scale],
    metrics: Sequence[str],
    colours: tuple[str, str],
    place: tuple[float, float, float, float],
) -> list[Markup]:
    top, height, names, width = place
    marks = [bar(0, top, width, height, "row")]
    if names:
        marks.append(text(4, top + height / 2 + 4, fitted(one.name, names - 14), "label task"))
        y = top + height / 2
    else:
        marks.append(text(0, top + 15, fitted(one.name, width), "label task"))
        y = top + 31
    for at, scale in enumerate(scales):
        before, after = one.baseline[at], one.config[at]
        if before is None or after is None:
            marks.append(text(scale.start, y + 4, "no value on both sides", "absent"))
            continue
        change = difference(before, after)
        if change:
            good = (change > 0) == (QUANTITIES[metrics[at]].better == "higher")
            marks.append(line(scale(before), y, scale(after), y, "gain" if good else "loss"))
        # If values are equal, the baseline's mark is larger than the other's: both stay visible.
        marks.append(mark(scale(before), y, 5.5 if change else 8, colours[0]))
        marks.append(mark(scale(after), y, 5.5 if change else 3.5, colours[1]))
    return marks
