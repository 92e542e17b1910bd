"""The first screen: the answer of the impact document as lines with one picture.

It shows the numbers that the terminal and `--json` give. Without a comparison it shows the means
of each configuration side by side and says why they are not compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from markupsafe import Markup

from groundtrace.documents.comparison import MatchedComparison
from groundtrace.documents.impact import Answer, AnswerRow, ImpactDocument
from groundtrace.documents.summary import GroupSummary
from groundtrace.impact.answer import questions
from groundtrace.impact.answer_words import SIGNIFICANT, short_name
from groundtrace.impact.simulated_coverage import MEANS, coverage_text
from groundtrace.metrics.catalogue import QUANTITIES
from groundtrace.report import formats
from groundtrace.report.answer_text import (
    MAX_CONFIGS,
    enough_text,
    has_interval,
    new_hint,
    reward_doubt,
)
from groundtrace.report.blocks import Name, Paragraph, Quoted
from groundtrace.report.charts.chart import Colours
from groundtrace.report.charts.intervals import (
    DrawnInterval,
    difference_scale,
    draw_axis,
    draw_interval,
    ratio_scale,
)
from groundtrace.report.data import ReportData, comparison_of
from groundtrace.report.safe_text import shown_name
from groundtrace.report.svg import Scale
from groundtrace.report.task_units import distinct_tasks
from groundtrace.report.wording import plain_name, plural, reason

MAX_DOTS = 40
"""Most single tasks that are drawn if there is no interval."""

RATIO = (
    "How many times as much the configuration takes: the geometric mean of the tasks' ratios, so one "
    "large task moves it less than it moves the two means."
)
"""What a ratio in the answer is."""

SENTENCE = 1_500
"""Most characters of a sentence that are shown: names in it can be long."""


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """One number of the answer, as it is shown."""

    question: str
    """Empty if it is the same as in the line above."""
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
    axes: Mapping[int, Markup]
    """Line to the axis below it."""
    heading: str
    """What the picture shows."""
    statement: str
    enough: str
    per_dollar: str
    """Difference of reward per extra dollar; empty if the configuration does not cost more."""
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
    differences = [i for i, row in zip(intervals, rows, strict=True) if i and row.ratio is None]
    ratios = [i for i, row in zip(intervals, rows, strict=True) if i and row.ratio is not None]
    scales = (difference_scale(differences), ratio_scale(ratios))
    lines = []
    before = ""
    for row, interval in zip(rows, intervals, strict=True):
        scale = scales[row.ratio is not None]
        lines.append(_line(row, interval, scale, "" if row.question == before else row.question))
        before = row.question
    matched = answer.comparison == "matched_comparisons"
    kind = (
        "matched tasks" if matched else "tasks that both ran, not all requirements of a match met"
    )
    return AnswerView(
        title=("Did ", Name(config), " find the right code, use it, and did that matter?"),
        about=(
            "Against ",
            Name(baseline),
            f" on {answer.n:,} {kind}. ",
            *_scope(data),
        ),
        columns=_columns((baseline, config), colours),
        lines=tuple(lines),
        axes=_axes(rows, intervals, scales),
        heading=_heading(intervals),
        statement=_said(answer.statement),
        enough=enough_text(answer.enough, answer),
        per_dollar=_per_dollar(answer),
        look_at=tuple(_look_at(answer)),
        meanings=_meanings([row.metric for row in rows], ratios=bool(ratios)),
    )


def _meanings(metrics: Sequence[str], *, ratios: bool) -> tuple[tuple[str, str], ...]:
    """What the numbers of the answer measure, under each name that they have in the output."""
    found = []
    for name in metrics:
        names = dict.fromkeys((plain_name(name), short_name(name), name))
        distinct = {text.lower(): text for text in reversed(names)}
        found.append((", ".join(reversed(distinct.values())), QUANTITIES[name].measures))
    if ratios:
        found.append(("×", RATIO))
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


def _axes(
    rows: Sequence[AnswerRow],
    intervals: Sequence[DrawnInterval | None],
    scales: tuple[Scale, Scale],
) -> dict[int, Markup]:
    """An axis below the last difference and below the last ratio."""
    last: dict[bool, int] = {}
    for place, (row, interval) in enumerate(zip(rows, intervals, strict=True)):
        if interval is not None:
            last[row.ratio is not None] = place
    return {place: draw_axis(scales[ratio], ("less", "more")) for ratio, place in last.items()}


def _heading(intervals: Sequence[DrawnInterval | None]) -> str:
    found = [one for one in intervals if one is not None]
    parts = ["with its 95 % interval"] if any(one.low is not None for one in found) else []
    parts += ["small dots are single tasks"] if any(one.tasks for one in found) else []
    return ", ".join(["Difference", *parts])


def _interval(row: AnswerRow, comparison: MatchedComparison | None) -> DrawnInterval | None:
    """What is drawn for a row; ratios of single tasks only if both values are above 0."""
    tasks = comparison.tasks or [] if comparison is not None else []
    both = [
        (task.baseline[row.metric], task.config[row.metric])
        for task in tasks
        if row.metric in task.baseline and row.metric in task.config
    ]
    if row.ratio is not None:
        single = tuple(c / b for b, c in both if b > 0 and c > 0)
        known = row.ratio_low is not None or len(both) > MAX_DOTS
        return DrawnInterval(row.ratio, row.ratio_low, row.ratio_high, () if known else single)
    if row.delta is None:
        return None
    known = row.ci_low is not None or len(both) > MAX_DOTS
    return DrawnInterval(
        row.delta, row.ci_low, row.ci_high, () if known else tuple(c - b for b, c in both)
    )


def _line(
    row: AnswerRow, interval: DrawnInterval | None, scale: Scale, question: str
) -> AnswerLine:
    name = row.metric
    write = partial(formats.brief, name)
    verdict, tone = _verdict(row)
    change, between = _change(row)
    said = coverage_text(MEANS, [row.n]) if has_interval(row) else ""
    title = f"{plain_name(name)}: {change}, {between}; {verdict}{'. ' if said else ''}{said}"
    return AnswerLine(
        question=question,
        label=plain_name(name),
        title=f"{name}: {QUANTITIES[name].measures}",
        values=(write(row.baseline), write(row.config)),
        picture=None if interval is None else draw_interval(interval, scale, tone, title),
        change=change,
        between=between,
        verdict=verdict,
        tone=tone,
        tasks=f"{row.better or 0:,} better, {row.same or 0:,} same, {row.worse or 0:,} worse "
        f"of {plural(row.n, 'task')}",
    )


def _change(row: AnswerRow) -> tuple[str, str]:
    """The difference or ratio, and its interval."""
    if row.ratio is not None:
        between = (
            f"95 % {row.ratio_low:.2f} to {row.ratio_high:.2f}"
            if row.ratio_low is not None and row.ratio_high is not None
            else _no_interval(row)
        )
        return formats.ratio(row.ratio), between
    write = partial(formats.brief_delta, row.metric)
    if row.delta is None:
        return formats.MISSING, reason(row.reason)
    between = (
        f"95 % {write(row.ci_low)} to {write(row.ci_high)}"
        if row.ci_low is not None
        else _no_interval(row)
    )
    return write(row.delta), between


def _no_interval(row: AnswerRow) -> str:
    return f"no interval: {reason(row.reason) or 'too few tasks'}"


def _verdict(row: AnswerRow) -> tuple[str, str]:
    """One word for where the configuration lies, and whether that is better."""
    if row.p_adjusted is None:
        return "not tested", "open"
    if row.p_adjusted > SIGNIFICANT:
        return "could be chance", "open"
    up = row.ratio > 1 if row.ratio is not None else (row.delta or 0.0) > 0
    good = up == (QUANTITIES[row.metric].better == "higher")
    return ("higher" if up else "lower"), ("good" if good else "bad")


def _per_dollar(answer: Answer) -> str:
    number = answer.reward_per_dollar
    if number is None:
        return ""
    sign = formats.MINUS if number < 0 else "+"
    return f"{sign}{abs(number):.2g} reward{reward_doubt(answer)}"


def _said(text: str) -> str:
    """A sentence of the answer, made safe: it can contain names from runs."""
    return shown_name(text, SENTENCE)


def _look_at(answer: Answer) -> Iterator[str]:
    yield from map(_said, answer.look_at)
    if (hint := new_hint(answer)) is not None:
        yield hint


def _side_by_side(data: ReportData, answer: Answer | None, colours: Colours) -> AnswerView:
    """Means of the configurations, if there is nothing to compare."""
    groups = data.summary.by_config
    shown = sorted(groups, key=lambda name: (-groups[name].tasks, name))[:MAX_CONFIGS]
    primaries = data.impact.primaries if data.impact is not None else ()
    lines = []
    named: list[str] = []
    before = ""
    for question, name in questions(primaries):
        values = tuple(_mean(groups[config], name) for config in sorted(shown))
        if all(value == formats.MISSING for value in values):
            continue
        named.append(name)
        lines.append(
            AnswerLine(
                question="" if question == before else question,
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
        before = question
    alone = len(groups) == 1
    title: Paragraph = (
        ("Did ", Name(next(iter(groups))), " find the right code, and did it use it?")
        if alone
        else ("Did the agents find the right code, use it, and did that matter?",)
    )
    left = len(groups) - len(shown)
    why = _said(answer.statement) if answer is not None else _no_analysis(data)
    more = (f"{plural(left, 'more configuration')} in the tables below.",) if left else ()
    return AnswerView(
        title=title,
        about=(
            *_scope(data),
            (" Means over tasks, with the number of tasks that have a value in brackets."),
        ),
        columns=_columns(sorted(shown), colours),
        lines=tuple(lines),
        axes={},
        heading="",
        statement=why,
        enough="",
        per_dollar="",
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
    return f"{formats.brief(name, found.mean, found.n)} ({found.n:,})"
