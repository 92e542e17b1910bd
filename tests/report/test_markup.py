"""Markup of the page: whatever is put into it is text, whichever way it gets in."""

from __future__ import annotations

import pytest
from markupsafe import Markup

from groundtrace.report.blocks import Name, Section, make_table
from groundtrace.report.charts.chart import Chart
from groundtrace.report.markup import Html, figure, links_to, parts, section_of_numbers

HOSTILE = '"><script>alert(1)</script>\u202e'
SHOWN = "&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;\\u202e"

WAYS = {
    "one value": Html("%s") % HOSTILE,
    "several": Html("%s%s") % (HOSTILE, ""),
    "by name": Html("%(a)s") % {"a": HOSTILE},
    "each": Html("%s").each([(HOSTILE,)]),
    "joined": Html.all([HOSTILE]),
    "added": Html("") + HOSTILE,
    "a part": parts((HOSTILE,)),
    "twice": Html("%s") % (Html("%s") % HOSTILE),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_is_put_in_is_escaped_once_and_hidden_characters_are_shown(way: str) -> None:
    assert WAYS[way] == SHOWN


def test_markup_stays_markup_and_names_are_code() -> None:
    assert Html("<p>%s</p>") % Markup("<b>x</b>") == "<p><b>x</b></p>"
    assert parts(("run ", Name("<a>"))) == "run <code>&lt;a&gt;</code>"


def test_no_text_of_a_section_or_a_chart_becomes_markup() -> None:
    table = make_table(HOSTILE, [HOSTILE, f">{HOSTILE}"], [[HOSTILE, HOSTILE]], (HOSTILE,))
    text = (HOSTILE,)
    chart = Chart(
        *("c", "s", text, HOSTILE, None, None),
        key=((HOSTILE, HOSTILE),),
        numbers=table,
        note=text,
        on_phones=HOSTILE,
        pair=HOSTILE,
    )
    section = Section("s", HOSTILE, (text,), (table,), (text,), "", HOSTILE, HOSTILE)
    made = section_of_numbers(section, [chart], "") + figure(chart, HOSTILE)
    made += links_to([(HOSTILE, HOSTILE)])
    assert "<script" not in made
    assert "\u202e" not in made
    # 5 of the section, 6 of its table, 10 of each chart with its table, 2 of the link
    assert made.count("&lt;script&gt;") == 5 + 6 + 2 * 10 + 2
