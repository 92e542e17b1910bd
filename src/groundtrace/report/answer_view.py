"""The first screen: the answer of the impact document as lines with one picture.

It shows the numbers and words that the terminal and `--json` give. Without a comparison it shows
the means of each configuration side by side and says why they are not compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup
from msgspec import UNSET

from groundtrace.documents.answer import Answer, AnswerRow
from groundtrace.documents.comparison import MatchedComparison
from groundtrace.documents.impact import ImpactDocument
from groundtrace.documents.summary import GroupSummary
from groundtrace.impact.answer_words import short_name
from groundtrace.impact.family import question_of
from groundtrace.impact.simulated_coverage import MEANS, coverage_text
from groundtrace.metrics.catalogue import QUANTITIES
from groundtrace.report import formats
from groundtrace.report.answer_text import (
    MAX_CONFIGS,
    QUESTIONS,
    also_text,
    change,
    tone,
    written,
)
from groundtrace.report.blocks import Name, Paragraph, Quoted
from groundtrace.report.charts.chart import Colours
from groundtrace.report.charts.intervals import (
    DrawnInterval,
    difference_scale,
    draw_axis,
    draw_interval,
)
from groundtrace.report.data import ReportData, comparison_of
from groundtrace.report.safe_text import shown_name
from groundtrace.report.svg import Scale
from groundtrace.report.task_units import distinct_tasks
from groundtrace.report.wording import plain_name, plural, reason

MAX_DOTS = 40
"""Most single tasks that are drawn if there is no interval."""

TYPICAL = (
    "How many times as much a typical task takes: the geometric mean of the tasks' ratios. One "
    "large task moves it less than it moves the two means."
)
"""What a typical ratio in the answer is."""

SENTENCE = 1_500
"""Most characters of a sentence that are shown: names in it can be long."""


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """One number of the answer, as it is shown."""

    question: str
    label: str
    title: str
    """The metric's name and what it measures."""
    values: tuple[str, ...]
    """One for each column."""
    picture: Markup | None
    change: str
    between: str
    """The interval in words, or why there is none."""
    verdict: str
    tone: str
    """`good`, `bad` or `open`."""
    tasks: str


@dataclass(frozen=True, slots=True)
class AnswerView:
    """Everything on the first screen."""

    title: Paragraph
    about: Paragraph
    columns: tuple[tuple[str, str], ...]
    """Configurations with their colours."""
    lines: tuple[AnswerLine, ...]
    compared: bool
    """Whether lines have differences."""
    axes: Mapping[int, Markup]
    """Line to the axis below it."""
    heading: str
    """What the picture shows."""
    statement: str
    also: tuple[str, ...]
    """Other pairs of configurations, one line each."""
    look_at: tuple[str, ...]
    meanings: tuple[tuple[str, str], ...]
    """Each number's names and what it measures: a hint on hover needs a mouse."""


def answer_view(data: ReportData, colours: Colours) -> AnswerView:
    """The first screen of a report."""
    answer = data.impact.answer if data.impact is not None else None
    if data.impact is not None and answer is not None and answer.comparison is not None:
        return _compared(data, data.impact, answer, colours)
    return _side_by_side(data, answer, colours)


def _compared(
    data: ReportData, impact: ImpactDocument, answer: Answer, colours: Colours
) -> AnswerView:
    baseline, config = answer.baseline or "", answer.config or ""
    rows = [row for row in answer.rows if row.n]
    comparison = comparison_of(impact)
    intervals = [_interval(row, comparison) for row in rows]
    drawn = [one for one in intervals if one is not None]
    scale = difference_scale(drawn)
    last = max((i for i, one in enumerate(intervals) if one is not None), default=None)
    ratios = any(row.typical_ratio is not UNSET for row in rows)
    return AnswerView(
        title=("Did ", Name(config), " find the right code, use it, and did that matter?"),
        about=(
            "Against ",
            Name(baseline),
            f" on {answer.n:,} tasks that both ran. ",
            *_scope(data),
        ),
        columns=_columns((baseline, config), colours),
        lines=tuple(_line(row, one, scale) for row, one in zip(rows, intervals, strict=True)),
        compared=True,
        axes={} if last is None else {last: draw_axis(scale, ("less", "more"))},
        heading=_heading(drawn),
        statement=_said(answer.headline),
        also=tuple(_said(also_text(one)) for one in impact.answers if one != answer),
        look_at=tuple(_look_at(answer)),
        meanings=_meanings([row.metric for row in rows], ratios=ratios),
    )


def _meanings(metrics: Sequence[str], *, ratios: bool) -> tuple[tuple[str, str], ...]:
    """What the numbers of the answer measure, under each name that they have in the output."""
    found = []
    for name in metrics:
        names = dict.fromkeys((plain_name(name), short_name(name), name))
        distinct = {text.lower(): text for text in reversed(names)}
        found.append((", ".join(reversed(distinct.values())), QUANTITIES[name].measures))
    if ratios:
        found.append(("typical task ×", TYPICAL))
    return tuple(found)


def _columns(configs: Sequence[str], colours: Colours) -> tuple[tuple[str, str], ...]:
    """Configurations with their colours; every number repeats its name for small screens."""
    return tuple((shown_name(name), colours.get(name, "")) for name in configs)


def _scope(data: ReportData) -> Paragraph:
    summary = data.summary
    distinct = plural(distinct_tasks(data), "task")
    text = (
        f"{plural(summary.overall.trials, 'trial')} of {distinct} in "
        f"{plural(len(summary.by_config), 'configuration')}"
    )
    if data.scope == "*":
        return (f"{text} from {plural(len(summary.runs), 'run')}.",)
    return (f"{text} of the run ", Name(data.scope), ".")


def _heading(intervals: Sequence[DrawnInterval]) -> str:
    parts = (
        ["with its interval, all together 95 %"]
        if any(one.low is not None for one in intervals)
        else []
    )
    parts += ["small dots are single tasks"] if any(one.tasks for one in intervals) else []
    return ", ".join(["Difference", *parts])


def _interval(row: AnswerRow, comparison: MatchedComparison | None) -> DrawnInterval | None:
    """What is drawn for a row; nothing for amounts, which have other units."""
    if row.delta is None or QUANTITIES[row.metric].unit:
        return None
    tasks = comparison.tasks or [] if comparison is not None else []
    single = tuple(
        task.config[row.metric] - task.baseline[row.metric]
        for task in tasks
        if row.metric in task.baseline and row.metric in task.config
    )
    known = row.ci_low is not None or len(single) > MAX_DOTS
    return DrawnInterval(row.delta, row.ci_low, row.ci_high, () if known else single)


def _line(row: AnswerRow, interval: DrawnInterval | None, scale: Scale) -> AnswerLine:
    name = row.metric
    verdict = (row.verdict or "").replace("_", " ")
    size = change(name, row.delta) if row.delta is not None else formats.MISSING
    between = _between(row)
    said = coverage_text(MEANS, [row.n]) if row.ci_low is not None else ""
    title = f"{plain_name(name)}: {size}, {between}; {verdict}{'. ' if said else ''}{said}"
    return AnswerLine(
        question=QUESTIONS[row.question],
        label=plain_name(name),
        title=f"{name}: {QUANTITIES[name].measures}",
        values=(written(name, row.baseline), written(name, row.config)),
        picture=None if interval is None else draw_interval(interval, scale, tone(row), title),
        change=size,
        between=between,
        verdict=verdict,
        tone=tone(row),
        tasks=f"{row.better or 0:,} better, {row.same or 0:,} same, {row.worse or 0:,} worse "
        f"of {plural(row.n, 'task')}",
    )


def _between(row: AnswerRow) -> str:
    """The interval and the typical ratio, or why there is no interval."""
    parts = []
    if row.ci_low is not None and row.ci_high is not None:
        parts.append(
            f"{change(row.metric, row.ci_low, '')} to {change(row.metric, row.ci_high, '')}"
        )
    else:
        parts.append(f"no interval: {reason(row.reason) or 'too few tasks'}")
    if row.typical_ratio is not UNSET:
        parts.append(f"typical task {formats.ratio(row.typical_ratio)}")
    if row.within_margin is True:
        parts.append("within the margin")
    return "; ".join(parts)


def _said(text: str) -> str:
    """A sentence of the answer, made safe: it can contain names from runs."""
    return shown_name(text, SENTENCE)


def _look_at(answer: Answer) -> Iterator[str]:
    for item in answer.look_at:
        yield _said(item.text)


def _side_by_side(data: ReportData, answer: Answer | None, colours: Colours) -> AnswerView:
    """Means of the configurations, if there is nothing to compare."""
    groups = data.summary.by_config
    shown = sorted(groups, key=lambda name: (-groups[name].tasks, name))[:MAX_CONFIGS]
    primaries = data.impact.primaries if data.impact is not None else ()
    lines = []
    named: list[str] = []
    for name in primaries:
        values = tuple(_mean(groups[config], name) for config in sorted(shown))
        if all(value == formats.MISSING for value in values):
            continue
        named.append(name)
        lines.append(
            AnswerLine(
                question=QUESTIONS[question_of(name)],
                label=plain_name(name),
                title=f"{name}: {QUANTITIES[name].measures}",
                values=values,
                picture=None,
                change="",
                between="",
                verdict="",
                tone="open",
                tasks="",
            )
        )
    alone = len(groups) == 1
    title: Paragraph = (
        ("Did ", Name(next(iter(groups))), " find the right code, and did it use it?")
        if alone
        else ("Did the agents find the right code, use it, and did that matter?",)
    )
    left = len(groups) - len(shown)
    why = _said(answer.headline) if answer is not None else _no_analysis(data)
    more = (f"{plural(left, 'more configuration')} in the tables below.",) if left else ()
    return AnswerView(
        title=title,
        about=(
            *_scope(data),
            (" Means over tasks, with the number of tasks that have a value in brackets."),
        ),
        columns=_columns(sorted(shown), colours),
        lines=tuple(lines),
        compared=False,
        axes={},
        heading="",
        statement=why,
        also=(),
        look_at=(*more, *(_look_at(answer) if answer is not None else ())),
        meanings=_meanings(named, ratios=False),
    )


def _no_analysis(data: ReportData) -> str:
    if data.impact_problem is not None:
        return f"The analysis could not be read: {Quoted(data.impact_problem)}."
    return "No analysis was made; the command “groundtrace impact” writes it."


def _mean(group: GroupSummary, name: str) -> str:
    found = group.value(name)
    if found is None or found.mean is None:
        return formats.MISSING
    return f"{written(name, found.mean)} ({found.n:,})"
