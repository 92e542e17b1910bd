"""Three pictures as SVG files, drawn with the parts of groundtrace's own charts."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup

from groundtrace.report.charts.bars import (
    Bar,
    BarPart,
    BarRow,
    StackedRow,
    grouped_bars,
    stacked_bars,
)
from groundtrace.report.svg import Scale, across, bar, circle, group, line, picture, text
from studies.swe_bench_verified.csv_tables import Row, Table, number

WIDTH = 760
_COLOURS = ("#d6604d", "#f4a582", "#fddbc7", "#d1e5f0", "#92c5de", "#4393c3", "#999999", "#bbbbbb")
_STYLE = (
    "text{font:12.5px sans-serif;fill:#1a1a1a}"
    ".tick,.axis{fill:#555;font-size:11.5px}"
    ".grid{stroke:#ddd}.zero{stroke:#555}.interval{stroke:#2166ac;stroke-width:2}"
    ".mean{fill:#2166ac}.f-found{fill:#2166ac}.f-not{fill:#ef8a62}.f-none{fill:none}"
    + "".join(f".p{place}{{fill:{colour}}}" for place, colour in enumerate(_COLOURS))
)


def all_figures(tables: Mapping[str, Table]) -> dict[str, str]:
    """Every figure of the page that has something to show, by the name of its file."""
    drawn = {
        "solved": (_solved, tables["b_solved"]),
        "chain": (_chain, [row for row in tables["c_chain"] if row["of"]]),
        "choices": (_choices, [row for row in tables["f_choices"] if row["ci_low"] is not None]),
    }
    return {name: _file(draw(table)) for name, (draw, table) in drawn.items() if table}


def _file(figure: Markup) -> str:
    """A picture that stands alone: it brings its own style and a white ground."""
    start, end = str(figure).split(">", 1)
    head = start.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    return f'{head}><style>{_STYLE}</style><rect width="100%" height="100%" fill="#fff"/>{end}\n'


def _solved(table: Table) -> Markup:
    rows = [
        BarRow(
            str(row["group"]),
            (
                _share("found", number(row, "found_all_solved"), number(row, "found_all")),
                _share("not", number(row, "otherwise_solved"), number(row, "otherwise")),
            ),
        )
        for row in table
    ]
    label = "Solved trials where every relevant file was shown, and where not"
    return grouped_bars(rows, label, WIDTH, top=1.0)


def _share(colour: str, solved: float, n: float) -> Bar:
    if not n:
        return Bar(colour, None, "no trial", "no trial")
    words = f"{100 * solved / n:.0f} % ({solved:.0f} of {n:.0f})"
    return Bar(colour, solved / n, words, words)


def _chain(table: Table) -> Markup:
    bars: dict[str, list[Row]] = {}
    for row in table:
        bars.setdefault(f"{row['agent']}, {row['verdict']}", []).append(row)
    rows = [
        StackedRow(
            name,
            "none",
            tuple(
                BarPart(f"p{place}", int(number(row, "trials")), f"{row['place']}: {row['trials']}")
                for place, row in enumerate(own)
            ),
        )
        for name, own in bars.items()
    ]
    label = "The first step that a trial did not complete"
    bars_below = stacked_bars(rows, (), label, WIDTH)
    marks: list[Markup] = []
    places = list(dict.fromkeys(str(row["place"]) for row in table))
    for place, words in enumerate(places):
        y = 6 + 19 * place
        marks += [bar(4, y, 12, 12, f"p{place}"), text(24, y + 11, words, "label")]
    down = 19 * len(places)
    marks.append(group(bars_below, transform=f"translate(0 {down})"))
    return picture(WIDTH, down + 30 + 29 * len(rows), label, *marks)


def _choices(table: Table) -> Markup:
    names, top, step = 330, 10, 26
    ends = [number(row, end) for row in table for end in ("ci_low", "ci_high")]
    scale = Scale(min(0.0, *ends), max(0.1, *ends), names, WIDTH - 30)
    bottom = top + step * len(table)
    marks = [across(scale, top, bottom, title="difference of the shares solved")]
    marks.append(line(scale(0), top, scale(0), bottom, "zero"))
    for place, row in enumerate(table):
        y = top + step * (place + 0.5)
        low, high = scale(number(row, "ci_low")), scale(number(row, "ci_high"))
        marks.append(text(names - 14, y + 4, str(row["choice"]), "label", "end"))
        marks.append(line(low, y, high, y, "interval"))
        marks.append(circle(scale(number(row, "difference")), y, 5, "mean"))
    return picture(WIDTH, bottom + 40, "The difference under each choice", *marks)
