"""Charts of shares by metric, the mean over tasks and how tasks differ: use, lines and context."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup

from groundtrace.base.frozen import Frozen
from groundtrace.metrics.catalogue import METRICS
from groundtrace.metrics.record import Display
from groundtrace.report import formats
from groundtrace.report.blocks import Name
from groundtrace.report.charts.bars import NARROW_BELOW
from groundtrace.report.charts.chart import Chart, Colours, drawn, key_of
from groundtrace.report.svg import Scale, across, fitted, line, mark, picture, text, text_width
from groundtrace.report.task_units import TaskUnit
from groundtrace.report.wording import plain_name, plural
from groundtrace.rows.means import mean_of

SINGLE_BELOW = 6
"""With fewer tasks than this, every task is drawn, and no quartiles: they would say nothing."""

STEP, BETWEEN = 19, 14


class Spread(Frozen, frozen=True):
    """The values of one configuration's tasks for one metric."""

    config: str
    values: tuple[float, ...]
    """Sorted; empty if no task has a value."""


class _Question(Frozen, frozen=True):
    """What one of these charts asks, and where it is shown."""

    display: Display
    name: str
    section: str
    question: str
    label: str
    """What the picture shows, for screen readers."""


_USE = _Question(
    "utilization",
    "use",
    "use",
    "What did they do with the relevant files?",
    "Use of the relevant files",
)
_LINES = _Question(
    "lines_chart",
    "lines",
    "found",
    "Did they see the right lines, and how much else?",
    "Lines and context",
)
_FUNCTIONS = _Question(
    "chain",
    "functions",
    "functions",
    "Search, read, edit: where does the chain break?",
    "Files met, functions shown, functions edited",
)


_SECTION = "function_level_metrics"


def functions_chart(configs: Mapping[str, list[TaskUnit]], colours: Colours) -> Iterator[Chart]:
    """Recall and precision of each step, if functions are known."""
    names = [one.name for one in METRICS.shown_in("chain") if one.section == _SECTION]
    if any(
        unit.mean(name) is not None for own in configs.values() for unit in own for name in names
    ):
        yield from _chart(_FUNCTIONS, configs, colours)


def use_chart(configs: Mapping[str, list[TaskUnit]], colours: Colours) -> Iterator[Chart]:
    """The probes of use that have values."""
    yield from _chart(_USE, configs, colours)


def lines_chart(configs: Mapping[str, list[TaskUnit]], colours: Colours) -> Iterator[Chart]:
    """Shares of lines and of context that have values."""
    yield from _chart(_LINES, configs, colours)


def _chart(
    asked: _Question, configs: Mapping[str, list[TaskUnit]], colours: Colours
) -> Iterator[Chart]:
    rows: list[tuple[str, list[Spread]]] = []
    empty: list[str] = []
    for name in METRICS.names_in(asked.display):
        spreads = [Spread(config, _values(own, name)) for config, own in configs.items()]
        if any(found.values for found in spreads):
            rows.append((name, spreads))
        else:
            empty.append(plain_name(name).lower())
    if not rows:
        return
    wide, narrow = drawn(lambda width: _draw(rows, colours, width, asked.label), "whole")
    note = (f"No task has a value for: {', '.join(empty)}.",) if empty else ()
    yield Chart(
        asked.name,
        asked.section,
        (asked.question,),
        "Large marks: means over tasks. Lines: the middle half of the tasks; below "
        f"{SINGLE_BELOW} tasks each task is a small mark instead. All are shares of the files, lines or characters.",
        wide,
        narrow,
        key_of(configs, colours),
        None,
        note,
        "whole",
    )


def _values(own: Sequence[TaskUnit], name: str) -> tuple[float, ...]:
    return tuple(sorted(value for unit in own if (value := unit.mean(name)) is not None))


def _draw(
    rows: Sequence[tuple[str, list[Spread]]], colours: Colours, width: int, label: str
) -> Markup:
    stacked = width < NARROW_BELOW
    names = (
        12.0 if stacked else min(max(text_width(plain_name(n)) for n, _ in rows) + 14, width / 2)
    )
    scale = Scale(0.0, 1.0, names, width - 92)
    marks: list[Markup] = []
    y = 12.0
    for name, spreads in rows:
        if stacked:
            marks.append(text(0, y + 2, fitted(plain_name(name), width), "label"))
            y += 18
        else:
            middle = y + STEP * (len(spreads) - 1) / 2 + 4
            marks.append(text(names - 14, middle, plain_name(name), "label", "end"))
        for found in spreads:
            marks += _one(found, name, scale, y, colours[found.config])
            y += STEP
        y += BETWEEN
    bottom = y - BETWEEN
    axis = across(scale, 2, bottom, ticks=(0, 0.25, 0.5, 0.75, 1), write=formats.per_cent)
    return picture(width, bottom + 22, label, axis, *marks)


def _one(found: Spread, name: str, scale: Scale, y: float, colour: str) -> Iterator[Markup]:
    mean = mean_of(list(found.values))
    if mean is None:
        yield text(scale.start + 4, y + 4, "no value", "absent")
        return
    said = formats.per_cent(mean)
    title = f"{Name(found.config)}, {name}: mean {said} over {plural(len(found.values), 'task')}"
    if len(found.values) < SINGLE_BELOW:
        for value in found.values:
            yield mark(scale(value), y, 3, colour, "faint", formats.per_cent(value))
    else:
        from statistics import quantiles

        low, _, high = quantiles(found.values, n=4, method="inclusive")
        yield line(scale(low), y, scale(high), y, f"range s-{colour}")
    yield mark(scale(mean), y, 6, colour, title=title)
    yield text(scale.end + 12, y + 4, f"{said} (n {len(found.values):,})", "value")
