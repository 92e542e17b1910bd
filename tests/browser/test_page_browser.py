"""The page in a browser: silent, offline, sortable, readable, and proof against its own data.

The fixture `show` fails a test whose page logs anything, asks for anything or breaks its policy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from groundtrace.report import ReportData
from groundtrace.report.shown_text import plain
from tests.metrics.builders import Seen, step, trial
from tests.report.pages import HOSTILE, detail, hostile_data, many_data, report_data

pytestmark = pytest.mark.browser
Show = Callable[..., Any]


def story() -> ReportData:
    """Three tasks in two configurations, with every mark that a timeline has."""
    details = []
    for number, task in enumerate(("alpha", "beta", "gamma")):
        for config in ("baseline", "mcp"):
            truth = [f"src/{task}.py", f"src/{task}_missed.py"]
            search = step(Seen("surfaced", "docs/readme.md"), seconds=2.0, tokens=900, tool="Glob")
            read = step(
                Seen("read", truth[0], truth[0]), seconds=9.0 + number, tool="Read", mcp=True
            )
            read["is_subagent"] = config == "mcp"
            failed = step(category="file_read", tool="Read")
            write = step(Seen("written", "src/new.py"), tool="Edit")
            calls = [search, failed, write] if task == "gamma" else [search, read, failed, write]
            document = trial(
                *calls,
                truth=truth,
                task_name=task,
                trial_name=f"{task}__{config}",
                config_name=config,
            )
            details.append(detail(document, reward=number / 2))
    blind = trial(source=None, truth=["a"], task_name="blind", trial_name="blind__1")
    return report_data([*details, detail(blind, reward=None, cost_usd=None)], draws=200)


def column(page: Any, name: str) -> list[str]:
    """The texts of one column, top to bottom."""
    heads = [text.strip("↑↓ \n") for text in page.locator("#table thead th").all_inner_texts()]
    at = [head.replace("\n", "") for head in heads].index(name) + 1
    return page.locator(f"#table tbody td:nth-child({at})").all_inner_texts()


def sort_by(page: Any, name: str) -> None:
    page.locator("#table thead button", has_text=name).first.click()


def test_every_chart_is_drawn_and_nothing_is_asked_for(show: Show) -> None:
    """Vega draws with its interpreter: the policy has no `unsafe-eval` and is not broken."""
    watched = show(story())
    assert watched.all_charts() >= 8


def test_the_table_sorts_both_ways_with_gaps_last(show: Show) -> None:
    """D19: a trial without a value is neither the best nor the worst."""
    page = show(story()).page
    sort_by(page, "reward")
    assert column(page, "reward")[0] == "1.0000"
    assert column(page, "reward")[-1] == "–"
    assert page.locator("#table th[aria-sort=descending]").count() == 1
    sort_by(page, "reward")
    assert column(page, "reward")[0] == "0.0000"
    assert column(page, "reward")[-1] == "–"
    sort_by(page, "task")
    assert column(page, "task")[0] == "alpha"


def test_the_table_filters_and_searches(show: Show) -> None:
    page = show(story()).page
    page.fill("#search", "BETA")
    assert column(page, "task") == ["beta", "beta"]
    assert page.locator("#count").inner_text() == "2 of 7 trials"
    page.select_option("#filter-configs", label="mcp")
    assert column(page, "config") == ["mcp"]
    page.fill("#search", "no such task")
    assert page.locator("#count").inner_text() == "0 of 7 trials"
    page.fill("#search", "")
    page.select_option("#filter-configs", "")
    page.select_option("#filter-found", label="no usable trace")
    assert column(page, "task") == ["blind"]


def test_a_trial_opens_with_its_timeline_and_its_misses(show: Show) -> None:
    page = show(story()).page
    page.click("#table tbody a >> text=alpha >> nth=1")
    page.wait_for_selector("#detail h3")
    steps = page.locator(".timeline .step")
    assert steps.count() == 4
    assert "surfaced" in steps.nth(0).inner_text()
    assert "first relevant file" in steps.nth(1).inner_text()
    assert "subagent" in steps.nth(1).inner_text()
    assert "nothing obtained" in steps.nth(2).inner_text()
    assert "write" in steps.nth(3).inner_text()
    truth = page.locator(".truth li").all_inner_texts()
    assert truth[0].startswith("✓ found src/alpha.py")
    assert truth[1].startswith("✗ missed src/alpha_missed.py")
    assert page.evaluate("document.activeElement.id") == "detail-title"
    page.check("#notable")
    assert page.locator(".timeline .step:visible").count() == 2


def test_two_configurations_of_a_task_stand_side_by_side(show: Show) -> None:
    page = show(story()).page
    page.click("#table tbody a >> text=beta >> nth=0")
    page.wait_for_selector("#compare")
    page.select_option("#compare", label="mcp")
    page.wait_for_selector(".sides.two")
    heads = page.locator(".side > h4").all_inner_texts()
    assert heads == ["baseline", "mcp"]
    places = page.evaluate(
        "[...document.querySelectorAll('.side')].map(e => [e.offsetTop, e.offsetLeft])"
    )
    assert places[0][0] == places[1][0]
    assert places[0][1] < places[1][1]


def test_a_trial_without_a_trace_says_so(show: Show) -> None:
    page = show(story()).page
    page.click("#table tbody a >> text=blind")
    page.wait_for_selector("#detail h3")
    assert "No call could be read" in page.locator("#detail").inner_text()


def test_everything_is_reached_by_keyboard(show: Show) -> None:
    page = show(story()).page
    page.locator("#table tbody a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#detail h3")
    page.locator("#table thead button").nth(0).focus()
    page.keyboard.press("Space")
    assert page.locator("#table th[aria-sort]").count() == 1
    page.locator("summary").first.focus()
    before = page.evaluate("document.activeElement.parentElement.open")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.parentElement.open") is not before


def test_the_theme_switches_and_charts_follow(show: Show) -> None:
    watched = show(story())
    page = watched.page
    watched.all_charts()
    ink = "getComputedStyle(document.body).color"
    mark = "getComputedStyle(document.querySelector('.drawing .mark-rect path')).fill"
    light = (page.evaluate(ink), page.evaluate(mark))
    page.click("#theme")
    page.click("#theme")
    assert page.locator("#theme").inner_text() == "Theme: dark"
    dark = (page.evaluate(ink), page.evaluate(mark))
    assert light[0] != dark[0]
    assert light[1] != dark[1]


def test_the_system_s_dark_theme_is_followed(show: Show) -> None:
    page = show(story(), theme="dark").page
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 28)"


@pytest.mark.parametrize("width", [1400, 400])
def test_nothing_is_wider_than_the_window(show: Show, width: int) -> None:
    watched = show(story(), width=width)
    watched.all_charts()
    watched.page.evaluate("location.hash = '#trial-0-with-1'")
    watched.page.wait_for_selector("#detail h3")
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= width


def test_print_is_light_and_whole(show: Show) -> None:
    page = show(story(), theme="dark").page
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("#filters").is_visible()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details.block:not([open])").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details.block:not([open])").count() > 0


def test_the_structure_speaks_to_a_screen_reader(show: Show) -> None:
    watched = show(story())
    watched.all_charts()
    page = watched.page
    assert page.locator("html[lang=en]").count() == 1
    assert page.locator("h1").count() == 1
    unnamed = page.evaluate(
        """[...document.querySelectorAll('[role=img],[role=region],nav,select,input,button')]
           .filter(e => !(e.getAttribute('aria-label') || e.labels?.[0]?.textContent.trim() || e.textContent.trim()))
           .map(e => e.outerHTML.slice(0, 80))"""
    )
    assert unnamed == []
    assert page.evaluate("[...document.querySelectorAll('th')].every(e => e.scope)")


def test_hostile_strings_stay_text(show: Show) -> None:
    watched = show(HOSTILE_DATA)
    page = watched.page
    for number, text in enumerate(HOSTILE):
        page.evaluate(f"location.hash = '#trial-{2 * number}-with-{2 * number + 1}'")
        page.wait_for_selector(f"#detail .timeline[data-trial='{2 * number}']")
        name = plain(text)
        assert page.locator("#detail-title code").inner_text() == name
        assert name in page.locator("#detail .truth li code").all_inner_texts()
        assert page.evaluate("window.hacked") is None
    assert page.locator("main script, img, iframe, a:not([href^='#'])").count() == 0


HOSTILE_DATA = hostile_data()


def test_hostile_strings_in_charts_stay_text(show: Show) -> None:
    watched = show(HOSTILE_DATA)
    assert watched.all_charts() > 0
    page = watched.page
    assert page.evaluate("window.hacked") is None
    assert page.locator(".drawing a, .drawing image, .drawing script").count() == 0
    assert plain(HOSTILE[0]) in page.locator("#chart-reward").inner_text()


def test_two_thousand_trials_open_sort_and_filter(show: Show) -> None:
    """How long it takes is measured by benchmarks/report.py; here it only has to work."""
    page = show(many_data(2_000, calls=6)).page
    assert page.locator("#table tbody tr").count() == 100
    assert page.locator("#count").inner_text().startswith("2000 of 2000 trials")
    sort_by(page, "mrr")
    texts = column(page, "mrr")
    assert texts == sorted(texts, reverse=True)
    page.click("#all")
    assert page.locator("#table tbody tr").count() == 2000
    page.fill("#search", "task-0999")
    assert page.locator("#table tbody tr").count() == 2
    page.click("#table tbody a >> nth=0")
    page.wait_for_selector("#detail .timeline")
