"""The page's markup. It is written by Python: a template engine took a sixth of `run` for one trial,
half for itself and half for compiling the template.

Whatever is put into an `Html` is escaped, and hidden characters in it become visible: `Html(...) %
values`, `Html.lines(...)`. What is markup already stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Self

from markupsafe import Markup, escape

from groundtrace.base.visible import visible
from groundtrace.report.answer_view import AnswerLine, AnswerView, LimitView, PairView
from groundtrace.report.blocks import Name, Paragraph, ReportTable, Section
from groundtrace.report.charts.chart import Chart


class Html(Markup):
    """Markup of this package; values that are put into it are text."""

    __slots__ = ()

    @classmethod
    def escape(cls, value: Any, /) -> Self:
        """A value as text, with hidden characters as escapes, whoever wrote it: a name of a
        configuration in a key of colours turned the text after it around."""
        return cls(_escaped(value) if type(value) is str else escape(value))

    @classmethod
    def all(cls, parts: Iterable[Any]) -> Self:
        """Parts one after the other."""
        return cls().join(parts)

    def each(self, values: Iterable[Any]) -> Html:
        """This markup once for each value, or for each tuple of values."""
        return Html.all([self % value for value in values])


@lru_cache(maxsize=4096)
def _escaped(text: str) -> str:
    """Most cells of a page repeat another one."""
    return str(escape(visible(text, keep="\n\t")))


NOTHING = Html()


def parts(text: Paragraph) -> Html:
    """A paragraph; names in it are code."""
    return Html.all([_CODE % part if isinstance(part, Name) else part for part in text])


_CODE = Html("<code>%s</code>")


def grid(table: ReportTable) -> Html:
    """The head and the cells of a table.

    A page has thousands of cells: left is the default, and cells and rows need no end tags.
    """
    text = Html.escape
    shape = table.shape
    aligns = () if shape else table.aligns
    right = [" class=r" if align == "right" else "" for align in aligns] or [""] * len(
        table.columns
    )
    lines = [
        '<div class="scroll" tabindex="0">',
        f'<table class="{shape}">' if shape else "<table>",
        "<thead><tr>"
        + "".join(
            [
                f"<{'th' if heading else 'td'}{mark}>{text(heading)}"
                for heading, mark in zip(table.headings, right, strict=True)
            ]
        )
        + "</thead>",
        "<tbody>",
    ]
    for row in table.rows:
        cells = [
            f"<td{mark}><code>{text(cell)}</code>"
            if isinstance(cell, Name)
            else f"<td{mark}>{text(cell)}"
            for cell, mark in zip(row, right, strict=True)
        ]
        lines.append(f"<tr>{''.join(cells)}")
    lines.append("</tbody>\n</table>\n</div>\n")
    return Html("\n".join(lines))


def _table(table: ReportTable) -> Html:
    note = Html('<p class="note">%s</p>') % parts(table.note) if table.note else NOTHING
    return grid(table) + note


_DRAWING = Html(
    '<p class="key">%s</p>\n'
    '<div class="drawing"><div class="wide">%s</div><div class="narrow">%s</div></div>\n'
)
_KEY = Html('<span><i class="dot b-%s"></i><code>%s</code></span> ')
_FIGURE = Html(
    '<figure class="chart %s"%s id="chart-%s" aria-labelledby="%s-question">\n'
    '<h3 id="%s-question">%s</h3>\n%s<figcaption>%s%s%s</figcaption>\n%s</figure>\n\n'
)


def figure(chart: Chart, first: str) -> Html:
    """A chart with its question, its words and its numbers; `first` is the pair that is shown."""
    pair = drawing = note = narrow = numbers = NOTHING
    if chart.pair:
        hidden = "" if chart.pair == first else " hidden"
        pair = Html(' data-pair="%s"%s') % (chart.pair, hidden)
    if chart.wide:
        key = _KEY.each((colour, name) for name, colour in chart.key)
        drawing = _DRAWING % (key, chart.wide, chart.narrow)
    if chart.note:
        note = Html(" %s") % parts(chart.note)
    if chart.on_phones:
        narrow = Html(' <span class="drawing"><span class="narrow">%s</span></span>')
        narrow %= chart.on_phones
    if chart.numbers:
        numbers = Html(
            '<details class="block"><summary>The numbers of this chart</summary>%s</details>\n'
        ) % _table(chart.numbers)
    name, question = chart.id, parts(chart.question)
    front = (chart.size, pair, name, name, name, question)
    return _FIGURE % (*front, drawing, chart.alt, note, narrow, numbers)


# --- the answer --------------------------------------------------------------------------------


def answer_section(answer: AnswerView, status: str, prices: str) -> Html:
    """The first screen."""
    choose = meanings = NOTHING
    if len(answer.pairs) > 1:
        options = Html('<option value="%s">%s</option>').each((p.key, p.key) for p in answer.pairs)
        choose = Html('<label for="pair">Compare</label> <select id="pair">%s</select> ') % options
    if choose or answer.apart:
        choose = Html('<p class="choose">%s%s</p>\n') % (choose, answer.apart)
    if answer.meanings:
        rows = Html("<div><dt>%s</dt><dd>%s</dd></div>").each(answer.meanings)
        meanings = Html(
            '<details class="meanings"><summary>What these numbers mean</summary>\n'
            "<dl>%s</dl></details>\n"
        ) % (rows,)
    pairs = [_pair(pair, prices, is_first=pair is answer.pairs[0]) for pair in answer.pairs]
    return Html(
        '<section id="answer" aria-label="The answer">\n'
        '%s%s%s<p class="status" role="note">%s</p>\n</section>\n'
    ) % (choose, Html.all(pairs), meanings, status)


def _pair(pair: PairView, prices: str, *, is_first: bool) -> Html:
    table = looked_at = file = NOTHING
    if pair.lines:
        table = _answer_table(pair)
    if pair.look_at:
        looked_at = Html(
            '<dl class="limits"><div><dt>Look at</dt><dd><ul>\n%s</ul></dd></div></dl>\n'
        ) % Html.all(map(_limit, pair.look_at))
    if pair.prices:
        file = Html(
            '<details class="meanings"><summary>Prices</summary><p>%s</p>'
            '<pre tabindex="0">%s</pre></details>\n'
        ) % (prices, pair.prices)
    return Html(
        '<div class="pair" data-pair="%s"%s>\n<h1>%s</h1>\n<p class="about">%s</p>\n'
        '<p class="statement">%s</p>\n%s%s%s</div>\n'
    ) % (
        *(pair.key, "" if is_first else " hidden", parts(pair.title), parts(pair.about)),
        *(pair.statement, table, looked_at, file),
    )


def _answer_table(pair: PairView) -> Html:
    names = Html('<th scope="col" class="right"><i class="dot b-%s"></i><code>%s</code></th>').each(
        (colour, name) for name, colour in pair.columns
    )
    compared = NOTHING
    if pair.compared:
        compared = Html(
            '<th scope="col" class="picture">%s</th>'
            '<th scope="col"><span class="unseen">In words</span></th>'
        ) % (pair.heading,)
    lines = Html.all([_answer_line(line, pair) for line in pair.lines])
    return Html(
        '<table class="answer%s">\n<thead><tr>'
        '<th scope="col"><span class="unseen">Question</span></th>\n'
        "%s%s</tr></thead>\n<tbody>\n%s</tbody>\n</table>\n"
    ) % (" compared" if pair.compared else "", names, compared, lines)


def _answer_line(line: AnswerLine, pair: PairView) -> Html:
    row, change = line.row, NOTHING
    if pair.compared:
        values = Html('<td class="right number">%s</td>').each((value,) for value in line.values)
        more = Html("; %s") % (row.more,) if row.more else NOTHING
        change = Html(
            '<td class="picture">%s%s</td>\n<td class="change"><span class="verdict %s">%s</span>: '
            "<strong>%s</strong> <span>%s</span>%s <small>%s</small></td>\n"
        ) % (
            *(line.picture or "", line.axis or "", row.tone, row.word, row.change, row.interval),
            *(more, row.counts),
        )
    else:
        configs = [name for name, _ in pair.columns]
        values = Html('<td class="right number" data-config="%s">%s</td>').each(
            zip(configs, line.values, strict=True)
        )
    return Html(
        '<tr class="first">\n<th scope="row" class="question">%s '
        '<span class="what" title="%s">%s</span></th>\n%s%s</tr>\n'
    ) % (row.question, line.title, row.label, values, change)


def _limit(item: LimitView) -> Html:
    link = Html('<a href="%s">%s</a>')
    text = link % (item.address, item.text) if item.address else item.text
    tasks = [
        Html('%s<a href="%s"><code>%s</code></a>') % (", " if n else ": ", task.address, task.text)
        for n, task in enumerate(item.tasks)
    ]
    return Html("<li>%s%s%s</li>\n") % (text, Html.all(tasks), item.more)


# --- sections ----------------------------------------------------------------------------------


def links_to(places: Iterable[tuple[str, str]]) -> Html:
    """Links to places of the page, as items of a list."""
    return Html('<li><a href="#%s">%s</a></li>\n').each(places)


_TITLED = '<section id="%s" aria-labelledby="%s-title">\n<h2 id="%s-title">%s</h2>\n'


def section_of_charts(place: str, title: str, charts: Iterable[Chart], first: str) -> Html:
    """A section of charts alone."""
    drawn = Html.all([figure(chart, first) for chart in charts])
    return Html(_TITLED + '<div class="charts">\n%s</div>\n</section>\n') % (
        *(place, place, place, title),
        drawn,
    )


def section_of_numbers(section: Section, charts: Sequence[Chart], first: str) -> Html:
    """A section below “All numbers”."""
    points = code = NOTHING
    if section.points:
        items = Html("<li>%s</li>").each((parts(point),) for point in section.points)
        points = Html('<ul class="points">%s</ul>\n') % (items,)
    if section.code:
        code = Html('<p>%s</p>\n<pre tabindex="0">%s</pre>\n') % (
            section.code_caption,
            section.code,
        )
    tables = [
        Html('<details class="block"%s>\n<summary><h3>%s</h3></summary>\n%s\n</details>\n')
        % (" open" if table.open else "", parts(table.caption), _table(table))
        for table in section.tables
    ]
    return Html(_TITLED + '%s<div class="charts">\n%s</div>\n%s%s%s</section>\n') % (
        *(section.id, section.id, section.id, section.title),
        Html("<p>%s</p>\n").each((parts(text),) for text in section.paragraphs),
        Html.all([figure(chart, first) for chart in charts]),
        *(Html.all(tables), points, code),
    )
