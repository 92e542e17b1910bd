"""The first screen: the answer of each pair of configurations, with a picture for each row.

It lays out the texts of `answer_text`. Without a comparison it shows the means of each
configuration side by side and says why they are not compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote

from markupsafe import Markup

from groundtrace.base.frozen import Frozen
from groundtrace.documents.answer import Answer, AnswerRow
from groundtrace.documents.comparison import MatchedComparison
from groundtrace.documents.impact import ImpactDocument
from groundtrace.documents.summary import GroupSummary
from groundtrace.impact.answer_look_at import TROUBLES
from groundtrace.impact.answer_names import capital, short_name
from groundtrace.impact.family import question_of
from groundtrace.impact.row_numbers import style_of_means
from groundtrace.impact.simulated_coverage import MEANS, coverage_text
from groundtrace.metrics.catalogue import QUANTITIES
from groundtrace.report import formats
from groundtrace.report.answer_text import (
    MAX_CONFIGS,
    NAMED_TASKS,
    QUESTIONS,
    ShownLimit,
    ShownRow,
    known_rows,
    more_text,
    shown,
    tone,
)
from groundtrace.report.blocks import Name, Paragraph, Quoted
from groundtrace.report.charts.chart import Colours
from groundtrace.report.data import ReportData, comparison_of, pair_answers, pair_key
from groundtrace.report.safe_text import shown_name
from groundtrace.report.svg import Scale, circle, line, picture, text, tick_text
from groundtrace.report.task_units import distinct_tasks
from groundtrace.report.wording import plural, reason

WIDTH, HEIGHT, EDGE = 300, 26, 22

_NICE = (0.05, 0.1, 0.2, 0.3, 0.5, 1.0)


class DrawnInterval(Frozen, frozen=True):
    """A mean difference, with its interval."""

    mean: float
    low: float | None
    high: float | None
    tasks: tuple[float, ...] = ()
    """Differences of single tasks, drawn if there is no interval."""

    def values(self) -> Iterable[float]:
        """Everything that is drawn."""
        ends = [end for end in (self.low, self.high) if end is not None]
        return [self.mean, *ends, *self.tasks]


def difference_scale(intervals: Sequence[DrawnInterval]) -> Scale:
    """One scale for all differences of a picture; "no difference" is in the middle."""
    most = max((abs(v) for one in intervals for v in one.values()), default=1.0)
    reach = next((nice for nice in _NICE if nice >= most), most)
    return Scale(-reach, reach, EDGE, WIDTH - EDGE)


def draw_interval(one: DrawnInterval, scale: Scale, class_: str, label: str) -> Markup:
    """One line: the mark for "no difference", the interval, the mean."""
    y = HEIGHT / 2
    middle = scale(0.0)
    marks = [
        line(scale.start, y, scale.end, y, "grid"),
        line(middle, 0, middle, HEIGHT, "zero"),
    ]
    if one.low is not None and one.high is not None:
        marks.append(line(scale(one.low), y, scale(one.high), y, f"interval {class_}"))
        marks += [
            line(scale(v), y - 5, scale(v), y + 5, f"end {class_}") for v in (one.low, one.high)
        ]
    else:
        marks += [circle(scale(value), y, 3.5, "f-task") for value in one.tasks]
    marks.append(circle(scale(one.mean), y, 5.5, f"mean {class_}"))
    return picture(WIDTH, HEIGHT, label, *marks, class_="interval-picture")


def draw_axis(scale: Scale, titles: tuple[str, str]) -> Markup:
    """The numbers below a group of lines, and what left and right mean."""
    marks = [
        text(scale(scale.low), 10, _signed(scale.low), "tick", "middle"),
        text(scale(0.0), 10, "same", "tick", "middle"),
        text(scale(scale.high), 10, _signed(scale.high), "tick", "middle"),
        text((scale.start + scale(0.0)) / 2, 10, titles[0], "tick", "middle"),
        text((scale.end + scale(0.0)) / 2, 10, titles[1], "tick", "middle"),
    ]
    return picture(WIDTH, 14, "axis", *marks, class_="interval-picture")


def _signed(value: float) -> str:
    return f"+{tick_text(value)}" if value > 0 else tick_text(value)


MAX_DOTS = 40
"""Most single tasks that are drawn if there is no interval."""

TYPICAL = (
    "How many times as much a typical task takes: the geometric mean of the tasks' ratios. One "
    "large task moves it less than it moves the two means."
)
"""What a typical ratio in the answer is."""

_SECTIONS = {"heterogeneity": "groups", "typical": "comparisons", "note": "comparisons"}
"""Kinds of limits that are about no single trials, and the section that shows more."""


class Link(Frozen, frozen=True):
    """A text that leads to a place of the page."""

    text: str
    address: str


class LimitView(Frozen, frozen=True):
    """Something to look at, with links to its trials."""

    text: str
    address: str | None
    """All its trials, or the section that shows more."""
    tasks: tuple[Link, ...]
    more: str
    """That there are tasks without a link of their own."""


class AnswerLine(Frozen, frozen=True):
    """One row of the answer, and how it is drawn."""

    row: ShownRow
    title: str
    """The metric's name and what it measures."""
    values: tuple[str, ...]
    """One for each column."""
    picture: Markup | None
    axis: Markup | None


class PairView(Frozen, frozen=True):
    """One answer on the first screen."""

    key: str
    """Its name in the address and in the selector."""
    title: Paragraph
    about: Paragraph
    columns: tuple[tuple[str, str], ...]
    """Configurations with their colours."""
    lines: tuple[AnswerLine, ...]
    compared: bool
    """Whether lines have differences."""
    heading: str
    """What the picture shows."""
    statement: str
    look_at: tuple[LimitView, ...]
    prices: str
    """A file of prices to fill in, if cost is unknown."""


class AnswerView(Frozen, frozen=True):
    """Everything on the first screen."""

    pairs: tuple[PairView, ...]
    """The first is shown until another is chosen."""
    apart: str
    """How many pairs have too few tasks in common."""
    meanings: tuple[tuple[str, str], ...]
    """Each number's name and what it measures: a hint on hover needs a mouse."""


def answer_view(
    data: ReportData, colours: Colours, titles: Mapping[str, Sequence[str]] | None = None
) -> AnswerView:
    """The first screen of a report; `titles` are what the table of trials calls tasks, if that is
    not their name."""
    known = titles or {}
    impact = data.impact
    if impact is None or impact.answer.comparison is None:
        pair, named = _side_by_side(data, colours, known)
        return AnswerView((pair,), "", _meanings(named, ratios=False))
    compared = pair_answers(impact)
    apart = len(impact.answers) - len(compared)
    rows = [row for answer in compared for row in answer.rows if row.n]
    return AnswerView(
        pairs=tuple(_pair(data, impact, answer, colours, known) for answer in compared),
        apart=f"{plural(apart, 'other pair')} {'has' if apart == 1 else 'have'} fewer than 3 tasks "
        "to compare; the table “What could be compared” says why."
        if apart
        else "",
        meanings=_meanings(
            list(dict.fromkeys(row.metric for row in rows)),
            ratios=any("typical task" in row.more for one in compared for row in shown(one).rows),
        ),
    )


def _pair(
    data: ReportData,
    impact: ImpactDocument,
    answer: Answer,
    colours: Colours,
    titles: Mapping[str, Sequence[str]],
) -> PairView:
    texts = shown(answer)
    rows = known_rows(answer)
    comparison = comparison_of(impact, answer)
    intervals = [_interval(row, comparison) for row in rows]
    drawn = [one for one in intervals if one is not None]
    scale = difference_scale(drawn)
    last = max((i for i, one in enumerate(intervals) if one is not None), default=-1)
    return PairView(
        key=pair_key(answer),
        title=(Name(answer.config or ""), " against ", Name(answer.baseline or "")),
        about=(f"{texts.about}. ", *_partly(texts.partly), *_scope(data)),
        columns=_columns((answer.baseline or "", answer.config or ""), colours),
        lines=tuple(
            _line(
                row,
                text,
                None if one is None else draw_interval(one, scale, tone(row), _title(row, text)),
                draw_axis(scale, ("less", "more")) if at == last else None,
            )
            for at, (row, text, one) in enumerate(zip(rows, texts.rows, intervals, strict=True))
        ),
        compared=True,
        heading=_heading(drawn, texts.level),
        statement=texts.sentences,
        look_at=tuple(_limit(item, titles) for item in texts.look_at),
        prices=texts.prices,
    )


def _meanings(metrics: Sequence[str], *, ratios: bool) -> tuple[tuple[str, str], ...]:
    """What the numbers of the answer measure; their names in tables and documents beside."""
    found = [(f"{capital(short_name(m))} ({m})", QUANTITIES[m].measures) for m in metrics]
    if ratios:
        found.append(("Typical task ×", TYPICAL))
    return tuple(found)


def _partly(text: str) -> Paragraph:
    return (f"{capital(text)}. ",) if text else ()


def _columns(configs: Sequence[str], colours: Colours) -> tuple[tuple[str, str], ...]:
    """Configurations with their colours; every number repeats its name for small screens."""
    return tuple((shown_name(name), colours.get(name, "")) for name in configs)


def _scope(data: ReportData) -> Paragraph:
    summary = data.summary
    distinct = plural(distinct_tasks(data), "task")
    text = (
        f"The report holds {plural(summary.overall.trials, 'trial')} of {distinct} in "
        f"{plural(len(summary.by_config), 'configuration')}"
    )
    if data.scope == "*":
        return (f"{text} from {plural(len(summary.runs), 'run')}.",)
    return (f"{text} of the run ", Name(data.scope), ".")


def _heading(intervals: Sequence[DrawnInterval], level: str) -> str:
    parts = [level] if level else []
    parts += ["small dots are single tasks"] if any(one.tasks for one in intervals) else []
    return f"Difference ({'; '.join(parts)})" if parts else "Difference"


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


def _title(row: AnswerRow, text: ShownRow) -> str:
    said = coverage_text(MEANS, [row.n]) if row.ci_low is not None else ""
    return f"{text.label}: {text.verdict}{'. ' if said else ''}{said}"


def _line(
    row: AnswerRow,
    text: ShownRow,
    picture: Markup | None,
    axis: Markup | None,
    values: tuple[str, ...] = (),
) -> AnswerLine:
    title = f"{row.metric}: {QUANTITIES[row.metric].measures}"
    return AnswerLine(text, title, values or (text.baseline, text.config), picture, axis)


def _limit(item: ShownLimit, titles: Mapping[str, Sequence[str]]) -> LimitView:
    names = [name for task in item.tasks for name in titles.get(task) or (shown_name(task),)]
    if not names:
        section = _SECTIONS.get(item.kind)
        return LimitView(item.text, None if section is None else f"#{section}", (), "")
    links = tuple(Link(name, trials_address([name])) for name in names[:NAMED_TASKS])
    address = trials_address(names)
    if not item.all_named and item.kind in TROUBLES:
        # The names are too few to find all its trials by.
        address = f"#at=trials&found={quote(reason(item.kind), safe='')}"
    # A task of several sessions has all their titles here: “4 trials: a, b, c and 6 more”.
    whole = item.all_named and len(names) == len(item.tasks)
    return LimitView(item.text, address, links, more_text(len(names) - len(links), whole=whole))


def trials_address(tasks: Sequence[str]) -> str:
    """The table of trials with only these tasks."""
    return "#at=trials&" + "&".join(f"task={quote(name, safe='')}" for name in tasks)


def _side_by_side(
    data: ReportData, colours: Colours, titles: Mapping[str, Sequence[str]]
) -> tuple[PairView, list[str]]:
    """Means of the configurations, if there is nothing to compare; and their metrics."""
    answer = None if data.impact is None else data.impact.answer
    groups = data.summary.by_config
    primaries = data.impact.primaries if data.impact is not None else ()

    def order(name: str) -> tuple[bool, int, str]:
        known = (groups[name].value(metric) for metric in primaries)
        return not any(one is not None and one.n for one in known), -groups[name].tasks, name

    kept = sorted(sorted(groups, key=order)[:MAX_CONFIGS])
    texts = None if answer is None else shown(answer)
    alone = (
        () if answer is None or texts is None else zip(known_rows(answer), texts.rows, strict=True)
    )
    lines = [_line(row, text, None, None, (f"{text.config} ({row.n:,})",)) for row, text in alone]
    named: list[str] = [line.row.metric for line in lines]
    for name in primaries if not lines else ():
        values = _means([groups[config] for config in kept], name)
        if all(value == formats.MISSING for value in values):
            continue
        named.append(name)
        text = ShownRow(
            QUESTIONS[question_of(name)], short_name(name), name, "", "", "", "", "", "", "open", ""
        )
        title = f"{name}: {QUANTITIES[name].measures}"
        lines.append(AnswerLine(text, title, values, None, None))
    left = len(groups) - len(kept)
    limits = [] if texts is None else [_limit(item, titles) for item in texts.look_at]
    if left:
        more = f"{plural(left, 'more configuration')} in the tables below"
        limits.insert(0, LimitView(more, "#groups", (), ""))
    view = PairView(
        key="",
        title=(Name(kept[0]),) if len(groups) == 1 else (plural(len(groups), "configuration"),),
        about=(
            *_scope(data),
            *((" Means over tasks, with the number of tasks in brackets.",) if lines else ()),
        ),
        columns=_columns(kept, colours),
        lines=tuple(lines),
        compared=False,
        heading="",
        statement=_no_analysis(data) if texts is None else texts.sentences,
        look_at=tuple(limits),
        prices="" if texts is None else texts.prices,
    )
    return view, named


def _no_analysis(data: ReportData) -> str:
    if data.impact_problem is not None:
        return f"The analysis could not be read: {Quoted(data.impact_problem)}."
    return "No analysis was made; the command “groundtrace impact” writes it."


def _means(groups: Sequence[GroupSummary], name: str) -> tuple[str, ...]:
    found = [group.value(name) for group in groups]
    known = [one.mean for one in found if one is not None and one.mean is not None]
    style = style_of_means(name, known)
    return tuple(
        formats.MISSING
        if one is None or one.mean is None
        else f"{style.value(one.mean)} ({one.n:,})"
        for one in found
    )
