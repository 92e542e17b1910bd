"""Charts of the stages that relevant files reached, one divided bar for each configuration and
verdict (D96), and of errors as files per task."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial

from markupsafe import Markup

from groundtrace.base.frozen import Frozen
from groundtrace.documents.summary import GroupSummary, RunSummaryDocument
from groundtrace.metrics.catalogue import METRICS
from groundtrace.report import formats
from groundtrace.report.blocks import Name
from groundtrace.report.charts.bars import NARROW_BELOW, Bar, BarRow, grouped_bars
from groundtrace.report.charts.chart import Chart, Colours, drawn, key_of
from groundtrace.report.sections.error_taxonomy import is_error
from groundtrace.report.sections.funnel import funnel_rows
from groundtrace.report.sections.shared import NO_VALUES
from groundtrace.report.svg import Scale, bar, fitted, mark, picture, text, text_width
from groundtrace.report.wording import LABEL_NAMES, plural

BAR, BETWEEN, MOST_NAMES = 18, 8, 0.4

_CLASSES = ("f-none", "f-met", "f-seen", "f-all")
"""Colour of each stage, from never met to edited."""


class FunnelRow(Frozen, frozen=True):
    """The bar of a configuration, or of its trials with one verdict."""

    label: str
    colour: str | None
    """None for a verdict; its bar is below the bar of its configuration."""
    shares: tuple[float, ...]
    tasks: int
    title: str


def funnel_chart(
    summary: RunSummaryDocument, shown: Collection[str], colours: Colours
) -> Iterator[Chart]:
    """The funnel of each configuration, and of its verdicts."""
    rows = list(_rows(summary, shown, colours))
    if not rows:
        return
    wide, narrow = drawn(partial(_draw, rows), "whole")
    yield Chart(
        "funnel",
        "funnel",
        ("How far did relevant files get?",),
        "Mean share of a task's relevant files, by the last step that they reached; n is the "
        "number of tasks. The table below has the numbers.",
        wide,
        narrow,
        size="whole",
    )


def _rows(
    summary: RunSummaryDocument, shown: Collection[str], colours: Colours
) -> Iterator[FunnelRow]:
    names = METRICS.names_in("funnel")
    plain = {Name(config): config for config in shown}
    for config, verdict, _, metrics in funnel_rows(summary):
        if not isinstance(config, Name) or config not in plain:
            continue
        means = [metrics.get(name, NO_VALUES).mean for name in names]
        shares = tuple(mean for mean in means if mean is not None)
        if len(shares) == len(names):
            whole = verdict == "all"
            yield FunnelRow(
                config if whole else verdict,
                colours[plain[config]] if whole else None,
                shares,
                metrics[names[0]].n,
                config if whole else f"{config}, {verdict}",
            )


def _draw(rows: Sequence[FunnelRow], width: int) -> Markup:
    stacked = width < NARROW_BELOW
    longest = max(text_width(row.label) for row in rows) + 34
    names = 0.0 if stacked else min(longest, width * MOST_NAMES)
    room = max(text_width(_tasks(row)) for row in rows) + 10
    scale = Scale(0.0, 1.0, names, width - room)
    marks: list[Markup] = []
    y = 0.0
    x = names
    for class_, stage in zip(_CLASSES, METRICS.shown_in("funnel"), strict=True):
        words = stage.heading("funnel")
        if x > names and x + 16 + text_width(words) > width:
            x, y = names, y + 17
        marks.append(bar(x, y + 3, 11, 11, class_))
        marks.append(text(x + 16, y + 13, words, "tick"))
        x += text_width(words) + 26
    y += 26
    for row in rows:
        indent = 0 if row.colour else 16
        label = y + (12 if stacked else BAR / 2 + 4)
        if row.colour:
            marks.append(mark(6, label - 4, 5, row.colour))
        space = (width if stacked else names) - 26 - indent
        marks.append(text(16 + indent, label, fitted(row.label, space), "label"))
        y += 17 if stacked else 0
        marks += _bar(row, scale, y)
        marks.append(text(width - room + 8, y + BAR / 2 + 4, _tasks(row), "value"))
        y += BAR + BETWEEN
    return picture(width, y, "How far relevant files got", *marks)


def _bar(row: FunnelRow, scale: Scale, y: float) -> Iterator[Markup]:
    before = 0.0
    stages = METRICS.shown_in("funnel")
    for class_, stage, share in zip(_CLASSES, stages, row.shares, strict=True):
        start, end = scale(before), scale(min(1.0, before + share))
        before += share
        if share <= 0:
            continue
        said = f"{100 * share:.0f} %"
        title = f"{row.title}, {stage.heading('funnel')}: {said} ({plural(row.tasks, 'task')})"
        yield bar(start, y, end - start - 1, BAR, class_, title)
        if end - start > text_width(said) + 6:
            yield text((start + end) / 2, y + BAR / 2 + 4, said, "inside", "middle")


def _tasks(row: FunnelRow) -> str:
    return f"n {row.tasks:,}"


def errors_chart(groups: Mapping[str, GroupSummary], colours: Colours) -> Iterator[Chart]:
    """Mean files per task under each label of the error taxonomy."""
    rows = [
        BarRow(
            words,
            tuple(
                _error_bar(config, label, group, colours[config])
                for config, group in groups.items()
            ),
        )
        for label, words in LABEL_NAMES.items()
        if any(label in group.taxonomy for group in groups.values())
    ]
    if not any(one.value is not None for row in rows for one in row.bars):
        return
    if not any(one.value for row in rows for one in row.bars):
        note = ("No task of any configuration has a file under any of these labels.",)
        yield Chart(
            "errors",
            "errors",
            ("How many files per task, by kind of error?",),
            "",
            None,
            None,
            note=note,
        )
        return
    wide, narrow = drawn(partial(grouped_bars, rows, "Errors as files per task"), "whole")
    yield Chart(
        "errors",
        "errors",
        ("How many files per task, by kind of error?",),
        "Mean number of files per task, over the tasks to which the label applies. Shorter is better.",
        wide,
        narrow,
        key_of(groups, colours),
        None,
        (),
        "whole",
    )


def _error_bar(config: str, label: str, group: GroupSummary, colour: str) -> Bar:
    found = group.taxonomy.get(label)  # type: ignore[call-overload]
    if found is None or found.per_task.mean is None:
        return Bar(colour, None, "does not apply to any task", "")
    if not is_error(found):
        trials = plural(found.edit_targets_unknown, "trial")
        return Bar(colour, None, f"{trials}: edit targets unknown", "")
    mean, tasks = found.per_task.mean, found.per_task.n
    said = f"{formats.files(mean)} (n {tasks:,})"
    where = f"{Name(config)}, {label}: {formats.average(mean)} files per task over "
    return Bar(colour, mean, said, f"{where}{plural(tasks, 'task')}")
