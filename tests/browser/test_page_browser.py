"""The page in a browser: it logs nothing, works offline, can be sorted and read, and no data in it
can break it.

The fixture `show` fails a test if the page logs anything, sends a request or breaks its policy.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from groundtrace.report import ReportData, render_html
from groundtrace.report.safe_text import plain
from tests.metrics.builders import Seen, step, trial
from tests.report.pages import (
    HOSTILE,
    detail,
    hostile_data,
    many_data,
    report_data,
    sessions_data,
)

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
            failed["failed"] = True
            write = step(Seen("written", "src/new.py"), tool="Edit")
            calls = [search, failed, write] if task == "gamma" else [search, read, failed, write]
            document = trial(
                *calls,
                truth=truth,
                task_name=task,
                trial_name=f"{task}__{config}",
                config_name=config,
            )
            details.append(detail(document, reward=number / 2, path=f"{config}/{task}__{config}"))
    blind = trial(source=None, truth=["a"], task_name="blind", trial_name="blind__1")
    return report_data([*details, detail(blind, reward=None, cost_usd=None)], draws=200)


def column(page: Any, name: str) -> list[str]:
    """The texts of one column, top to bottom; a task's cell without its suite and run."""
    heads = [text.strip("↕▲▼ \n") for text in page.locator("#table thead th").all_inner_texts()]
    at = heads.index(name) + 1
    cells = page.locator(f"#table tbody td:nth-child({at})").all_inner_texts()
    return [cell.partition("\n")[0] for cell in cells]


def sort_by(page: Any, name: str) -> None:
    page.locator("#table thead button", has_text=name).first.click()


def top_of(page: Any, selector: str) -> float:
    """How far below the top edge of the window an element begins."""
    return float(page.evaluate(f"document.querySelector({selector!r}).getBoundingClientRect().top"))


def open_numbers(page: Any) -> None:
    page.locator("#all-numbers > summary").click()


# ---- the first screen


def test_the_answer_is_on_the_first_screen(show: Show) -> None:
    """The question, the numbers with their pictures, the tasks and what to look at: within 900 px."""
    page = show(story()).page
    box = page.locator("#answer").bounding_box()
    assert box["y"] + box["height"] <= 900
    text = page.locator("#answer").inner_text()
    assert page.locator("#answer h1").inner_text() == "mcp against baseline"
    for question in ("Found", "Used", "Result", "Price"):
        assert question in text
    assert page.locator("#answer td.picture svg").count() >= 3
    assert "3 tasks that both ran" in text
    assert "1 trial without a usable trace" in text
    assert (
        page.locator("#answer .what").first.get_attribute("title").startswith("shown.file_recall")
    )


def test_what_the_numbers_mean_is_one_click_away(show: Show) -> None:
    """A hint on hover needs a mouse; and the words call it “shown.file_recall”."""
    page = show(story(), width=400).page
    meanings = page.locator("#answer .meanings")
    assert not meanings.locator("dl").is_visible()
    meanings.locator("summary").focus()
    page.keyboard.press("Enter")
    text = meanings.inner_text()
    assert "Relevant files shown (shown.file_recall)" in text
    assert "Share of the relevant files" in text
    assert "geometric mean" not in text, "no row here has a typical task"
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


def test_one_configuration_alone_is_answered_without_a_comparison(show: Show) -> None:
    one = detail(trial(step(Seen("read", "a", "a")), truth=["a", "b"], config_name="only"))
    page = show(report_data([one])).page
    text = page.locator("#answer").inner_text()
    assert page.locator("#answer h1").inner_text() == "only"
    assert "50 % (1)" in text
    assert page.locator("#answer td.picture").count() == 0


def test_configurations_side_by_side_fit_a_telephone(show: Show) -> None:
    """Two of them made the page 497 px wide on a screen of 400 px."""
    names = ("a-configuration-with-a-long-name", "another_configuration_with_a_long_name")
    found = [
        detail(trial(step(Seen("read", "a", "a")), truth=["a", "b"], config_name=name))
        for name in names
    ]
    page = show(report_data(found), width=400).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    labels = page.evaluate(
        "[...document.querySelectorAll('#answer tr:first-child td.number')].map("
        "cell => getComputedStyle(cell, '::before').content)"
    )
    assert [label.strip('"') for label in labels] == list(names), "each value names its own"


def test_every_chart_is_there_without_a_script_and_nothing_is_asked_for(show: Show) -> None:
    watched = show(story())
    open_numbers(watched.page)
    assert watched.charts() >= 8
    assert watched.page.locator("script:not([type])").count() == 1


def three() -> Any:
    """Three configurations on the same tasks: two pairs. One trial has no trace."""
    return report_data(
        [
            detail(
                trial(
                    *([] if n == 4 and config == "mcp" else [step(Seen("read", "a", "a"))]),
                    source=None if n == 4 and config == "mcp" else "transcript",
                    truth=["a", "b"][: 1 + (n + at) % 2],
                    task_name=f"task-{n}",
                    config_name=config,
                    trial_name=f"task-{n}__{config}",
                )
            )
            for n in range(5)
            for at, config in enumerate(("baseline", "mcp", "search"))
        ]
    )


def test_the_selector_changes_the_pair_and_the_address(show: Show) -> None:
    watched = show(three())
    page = watched.page
    pairs = page.locator("#pair option").all_inner_texts()
    assert pairs == ["mcp against baseline", "search against baseline"]
    assert page.locator("#answer h1:visible").inner_text() == pairs[0]
    page.select_option("#pair", pairs[1])
    assert page.locator("#answer h1:visible").inner_text() == pairs[1]
    charts = page.locator("#tasks figure:visible, #chain figure:visible")
    assert set(charts.evaluate_all("all => all.map(one => one.dataset.pair)")) == {pairs[1]}
    address = page.evaluate("location.hash")
    assert "pair=search" in address
    watched.go(address)
    assert page.locator("#answer h1:visible").inner_text() == pairs[1]


def test_what_to_look_at_leads_to_its_trials_and_the_pair_stays(show: Show) -> None:
    page = show(three()).page
    item = page.locator(".pair:visible .limits li", has_text="without a usable trace")
    assert item.locator("a").count() == 2, "the line, and its one task"
    item.locator("a").first.click()
    page.wait_for_function("document.querySelector('#count').textContent.startsWith('3 of')")
    assert set(column(page, "task")) == {"task-4"}
    page.click("#every-task")
    assert page.locator("#count").inner_text() == "15 of 15 trials"
    page.select_option("#pair", "search against baseline")
    page.evaluate("location.hash = '#at=trials&task=task-1&pair=search%20against%20baseline'")
    page.wait_for_function("document.querySelector('#count').textContent.startsWith('3 of')")
    assert page.input_value("#pair") == "search against baseline"


def test_all_numbers_are_folded_until_a_link_leads_into_them(show: Show) -> None:
    watched = show(story())
    page = watched.page
    assert not page.locator("#coverage").is_visible()
    assert top_of(page, "#all-numbers") < 4000
    watched.go("#coverage")
    assert page.locator("#coverage").is_visible()


def test_no_triangle_opens_nothing(show: Show) -> None:
    page = show(story()).page
    open_numbers(page)
    empty = page.evaluate(
        """[...document.querySelectorAll('details')].filter(d =>
             d.textContent.trim() === d.querySelector('summary').textContent.trim()).length"""
    )
    bare = page.evaluate(
        """[...document.querySelectorAll('section')].filter(s =>
             s.innerText.trim() === (s.querySelector('h2') || s).innerText.trim() && s.querySelector('h2'))
           .map(s => s.id)"""
    )
    assert (empty, bare) == (0, [])


# ---- the table of trials


def test_the_table_filters_by_verdict(show: Show) -> None:
    page = show(story()).page
    words = page.locator("#filter-verdicts option").all_inner_texts()[1:]
    counts = []
    for word in words:
        page.select_option("#filter-verdicts", label=word)
        counts.append(int(page.locator("#count").inner_text().split()[0]))
        assert set(column(page, "verdict")) == {word}
        assert "verdict=" in page.evaluate("location.hash")
    assert sum(counts) == 7


@pytest.mark.parametrize("width", [400, 800])
def test_every_number_of_a_trial_is_seen_on_a_small_screen(show: Show, width: int) -> None:
    """Three columns were in sight, the others beside the screen; at 800 px all but the last five."""
    page = show(story(), width=width).page
    hidden = page.evaluate(
        """[...document.querySelectorAll('#table tbody td')].filter(cell => {
             const box = cell.getBoundingClientRect();
             return box.right > innerWidth || box.left < 0;
           }).length"""
    )
    assert hidden == 0


def test_the_table_sorts_both_ways_with_gaps_last(show: Show) -> None:
    """D19: a trial without a value is neither the best nor the worst."""
    page = show(story()).page
    sort_by(page, "reward")
    assert column(page, "reward")[0] == "1.00"
    assert column(page, "reward")[-1] == "–"
    assert page.locator("#table th[aria-sort=descending] .arrow").inner_text() == "▼"
    sort_by(page, "reward")
    assert column(page, "reward")[0] == "0.00"
    assert column(page, "reward")[-1] == "–"
    assert page.locator("#table th[aria-sort=ascending] .arrow").inner_text() == "▲"
    sort_by(page, "task")
    assert column(page, "task")[0] == "alpha"


def test_the_table_filters_and_searches(show: Show) -> None:
    page = show(story()).page
    page.fill("#search", "BETA")
    assert column(page, "task") == ["beta", "beta"]
    assert page.locator("#count").inner_text() == "2 of 7 trials"
    page.select_option("#filter-configs", label="mcp")
    assert column(page, "configuration") == ["mcp"]
    page.fill("#search", "no such task")
    assert page.locator("#count").inner_text() == "0 of 7 trials"
    page.fill("#search", "")
    page.select_option("#filter-configs", "")
    page.select_option("#filter-found", label="no usable trace")
    assert column(page, "task") == ["blind"]


def test_filters_and_sort_live_in_the_address(show: Show) -> None:
    """Whoever opens the link sees the same table; Back comes from a trial to it."""
    watched = show(story())
    page = watched.page
    page.fill("#search", "a")
    page.select_option("#filter-configs", label="mcp")
    sort_by(page, "reward")
    order = column(page, "task")
    address = page.evaluate("location.hash")
    assert "config=mcp" in address
    assert "sort=-reward" in address
    watched.go(address)
    assert column(page, "task") == order
    assert page.input_value("#search") == "a"
    assert -12 < top_of(page, "#trials") < 450
    page.locator("#table tbody a").first.click()
    page.wait_for_selector("#detail h1")
    assert "sort=-reward" in page.evaluate("location.hash")
    page.go_back()
    page.wait_for_selector("#table tbody a")
    assert column(page, "task") == order


def test_the_table_is_saved_as_csv_with_harmless_cells(show: Show) -> None:
    """A spreadsheet must not take a task's name for a formula."""
    one = detail(trial(step(Seen("read", "a", "a")), truth=["a"], task_name='=cmd|"x",1'))
    page = show(report_data([one])).page
    with page.expect_download() as waiting:
        page.click("#csv")
    text = Path(waiting.value.path()).read_text(encoding="utf-8-sig")
    rows = list(csv.DictReader(text.splitlines()))
    assert [row["task"] for row in rows] == ['\'=cmd|"x",1']
    assert rows[0]["file_recall"] == "1"
    assert (
        page.locator("details.block .save").count() == page.locator("details.block table").count()
    )


@pytest.mark.parametrize("width", [1400, 1280])
def test_no_open_table_is_cut(show: Show, width: int) -> None:
    """The last column was cut by 46 px at every width."""
    page = show(many_data(40, calls=3), width=width).page
    open_numbers(page)
    cut = page.evaluate(
        """[...document.querySelectorAll('.scroll')].filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth)
           .map(e => e.getAttribute('aria-label'))"""
    )
    assert page.locator(".scroll:visible").count() >= 2
    assert cut == []


def test_headings_and_first_columns_stay_in_sight(show: Show) -> None:
    page = show(many_data(300, calls=3), width=1100).page
    page.evaluate("document.querySelector('.scroll.tall').scrollTo(200, 900)")
    head = page.locator("#table thead th").nth(2).bounding_box()
    box = page.locator(".scroll.tall").bounding_box()
    assert abs(head["y"] - box["y"]) < 2
    assert abs(page.locator("#table tbody td").first.bounding_box()["x"] - box["x"]) < 2


# ---- one trial


def test_a_trial_opens_with_its_timeline_and_its_misses(show: Show) -> None:
    page = show(story()).page
    page.click("#table tbody a >> text=alpha >> nth=1")
    page.wait_for_selector("#detail h1")
    steps = page.locator(".timeline .step")
    assert steps.count() == 4
    assert "surfaced" in steps.nth(0).inner_text()
    assert "first relevant file" in steps.nth(1).inner_text()
    assert "subagent" in steps.nth(1).inner_text()
    assert "failed or was refused" in steps.nth(2).inner_text()
    assert "wrote a file" in steps.nth(3).inner_text()
    truth = page.locator(".truth li").all_inner_texts()
    assert truth[0].startswith("✓ met src/alpha.py")
    assert truth[1].startswith("✗ missed src/alpha_missed.py")
    assert page.evaluate("document.activeElement.id") == "detail-title"
    assert "groundtrace explain run/mcp/alpha__mcp" in page.locator("#detail").inner_text()
    page.check("#notable")
    assert page.locator(".timeline .step:visible").count() == 2


def test_a_trial_s_link_is_its_name(show: Show) -> None:
    """An index went stale with the next trial; a name does not."""
    watched = show(story())
    watched.go("#trial=beta__mcp")
    page = watched.page
    page.wait_for_selector("#detail h1")
    assert page.locator("#detail-title code").inner_text() == "beta"
    assert page.locator(".side h2").inner_text() == "mcp"
    assert not page.locator("#report").is_visible()
    watched.go("#trial=no-such-trial")
    assert page.locator("#report").is_visible()


def test_trials_are_stepped_through_in_the_order_of_the_table(show: Show) -> None:
    watched = show(story())
    watched.go("#trial=alpha__mcp&config=mcp&sort=task")
    page = watched.page
    page.wait_for_selector("#detail h1")
    assert page.is_disabled("#previous")
    page.click("#next")
    page.wait_for_selector("#detail-title >> text=beta")
    page.click("#back")
    page.wait_for_selector("#table tbody a")
    assert column(page, "task") == ["alpha", "beta", "gamma"]


def test_two_configurations_of_a_task_stand_side_by_side(show: Show) -> None:
    page = show(story()).page
    page.click("#table tbody a >> text=beta >> nth=0")
    page.wait_for_selector("#compare")
    page.select_option("#compare", label="mcp")
    page.wait_for_selector(".sides.two")
    heads = page.locator(".side > h2").all_inner_texts()
    assert heads == ["baseline", "mcp"]
    places = page.evaluate(
        "[...document.querySelectorAll('.side')].map(e => [e.offsetTop, e.offsetLeft])"
    )
    assert places[0][0] == places[1][0]
    assert places[0][1] < places[1][1]


def test_a_mark_of_the_task_chart_opens_both_trials(show: Show) -> None:
    page = show(story()).page
    page.locator(".wide svg.tasks a").first.click()
    page.wait_for_selector(".sides.two")
    assert page.locator(".side > h2").all_inner_texts() == ["baseline", "mcp"]
    assert top_of(page, "#detail-title") >= 0


def test_the_strip_leads_to_its_calls(show: Show) -> None:
    watched = show(story())
    watched.go("#trial=alpha__mcp")
    page = watched.page
    page.wait_for_selector(".strip button")
    kinds = [
        b.split()[0]
        for b in page.evaluate(
            "[...document.querySelectorAll('.strip button')].map(b => b.className)"
        )
    ]
    assert kinds == ["did-surfaced", "did-read", "did-failed", "did-written"]
    page.locator(".strip button").nth(2).click()
    assert "failed or was refused" in page.evaluate("document.activeElement.textContent")
    page.locator(".strip button").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert "first relevant file" in page.evaluate("document.activeElement.textContent")


def test_a_trial_without_a_trace_says_so(show: Show) -> None:
    page = show(story()).page
    page.click("#table tbody a >> text=blind")
    page.wait_for_selector("#detail h1")
    assert "No call could be read" in page.locator("#detail").inner_text()


def test_checkbox_and_label_are_on_one_line(show: Show) -> None:
    watched = show(story())
    watched.go("#trial=alpha__mcp")
    page = watched.page
    page.wait_for_selector("#notable")
    middle = "(e => { const r = e.getBoundingClientRect(); return r.top + r.height / 2; })"
    box = page.evaluate(f"{middle}(document.querySelector('#notable'))")
    label = page.evaluate(f"{middle}(document.querySelector('#notable').parentElement)")
    assert abs(box - label) < 3


# ---- places


@pytest.mark.parametrize("place", ["tasks", "found", "speed", "use", "trials", "coverage"])
def test_anchors_land_exactly(show: Show, place: str) -> None:
    """Charts that grew after the jump left the reader up to 2,033 px too low."""
    watched = show(story())
    watched.go(f"#{place}")
    watched.page.wait_for_timeout(300)
    assert abs(top_of(watched.page, f"#{place}")) < 12


def test_everything_is_reached_by_keyboard(show: Show) -> None:
    page = show(story()).page
    page.locator("#table thead button").nth(0).focus()
    page.keyboard.press("Space")
    assert page.locator("#table th[aria-sort]").count() == 1
    page.locator("summary").first.focus()
    before = page.evaluate("document.activeElement.parentElement.open")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.parentElement.open") is not before
    page.locator(".wide svg.tasks a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".sides.two")
    page.locator("#back").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#table tbody a")
    page.locator("#table tbody a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#detail h1")


# ---- looks


def test_the_theme_switches_and_charts_follow(show: Show) -> None:
    page = show(story()).page
    ink = "getComputedStyle(document.body).color"
    mark = "getComputedStyle(document.querySelector('.wide .f-k0')).fill"
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


@pytest.mark.parametrize("width", [1400, 1280, 800, 400])
def test_nothing_is_wider_than_the_window(show: Show, width: int) -> None:
    watched = show(story(), width=width)
    page = watched.page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    open_numbers(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for picture in page.locator("svg:visible").all():
        box = picture.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    watched.go("#trial=alpha__baseline&with=alpha__mcp")
    page.wait_for_selector("#detail h1")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [1400, 400])
def test_no_text_of_a_chart_is_cut(show: Show, width: int) -> None:
    """Labels lost their beginning or end where the estimated width was too small."""
    page = show(story(), width=width).page
    open_numbers(page)
    cut = page.evaluate(
        """[...document.querySelectorAll('svg text')].filter(t => {
             const box = t.getBBox(), view = t.ownerSVGElement.viewBox.baseVal;
             return box.x < -1 || box.x + box.width > view.width + 1;
           }).map(t => t.textContent)"""
    )
    assert cut == []


STORY_PLACES = ("", "#trial=alpha__baseline&with=alpha__mcp")


@pytest.mark.parametrize(
    ("width", "theme", "made", "places"),
    [
        (400, "dark", story, STORY_PLACES),
        (800, "light", story, STORY_PLACES),
        (1400, "dark", story, STORY_PLACES),
        (400, "light", sessions_data, ("",)),
        (1400, "light", sessions_data, ("",)),
    ],
)
def test_axe_finds_nothing(
    chromium: Any,
    tmp_path: Path,
    width: int,
    theme: str,
    made: Callable[[], ReportData],
    places: Sequence[str],
) -> None:
    """The whole page, everything unfolded, then an opened trial. A theme changes nothing but colours,
    so each width is looked at in one of them."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    path = tmp_path / "page.html"
    path.write_text(render_html(made()), encoding="utf-8")
    # The page's policy lets no other script in, so this look goes past it.
    context = chromium.new_context(
        viewport={"width": width, "height": 900}, color_scheme=theme, bypass_csp=True
    )
    page = context.new_page()
    for place in places:
        page.goto("about:blank")
        page.goto(path.as_uri() + place)
        page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        # A file of prices or of tools made the page 691 px wide on a phone when it was opened.
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        found = axe.run(page).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
    context.close()


def test_print_is_light_and_short(show: Show) -> None:
    """What is folded on the screen is not printed; the answer and the charts are."""
    page = show(story(), theme="dark").page
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for hidden in ("#filters", "nav", "#all-numbers", "details.block:not([open])"):
        assert not page.locator(hidden).first.is_visible()
    assert page.locator("#answer").is_visible()
    assert page.locator(".wide svg").first.is_visible()


def test_the_structure_speaks_to_a_screen_reader(show: Show) -> None:
    page = show(story()).page
    assert page.locator("html[lang=en]").count() == 1
    assert page.locator("h1:visible").count() == 1
    unnamed = page.evaluate(
        """[...document.querySelectorAll('[role=img],[role=region],[role=group],svg,nav,select,input,button')]
           .filter(e => !(e.getAttribute('aria-label') || e.labels?.[0]?.textContent.trim() || e.textContent.trim()))
           .map(e => e.outerHTML.slice(0, 80))"""
    )
    assert unnamed == []
    assert page.evaluate(
        "[...document.querySelectorAll('th')].every(e => e.scope || e.closest('thead'))"
    )


# ---- hostile data


def test_hostile_strings_stay_text(show: Show) -> None:
    watched = show(HOSTILE_DATA)
    page = watched.page
    keys = page.evaluate(
        "(d => d.rows.map((r, i) => Object.hasOwn(d.keys, i) ? d.keys[i] : r[1]))(JSON.parse(document.getElementById('table-data').textContent))"
    )
    for number, text in enumerate(HOSTILE):
        first, second = (quote(keys[2 * number + n], safe="") for n in (0, 1))
        page.evaluate(f"location.hash = '#trial={first}&with={second}'")
        page.wait_for_selector(f"#detail .timeline[data-trial='{2 * number}']")
        name = plain(text)
        assert page.locator("#detail-title code").inner_text() == name
        assert name in page.locator("#detail .truth li code").all_inner_texts()
        assert page.evaluate("window.hacked") is None
    assert page.locator("main script, img, iframe, a:not([href^='#'])").count() == 0


HOSTILE_DATA = hostile_data()


def test_hostile_strings_in_charts_and_the_answer_stay_text(show: Show) -> None:
    watched = show(HOSTILE_DATA)
    assert watched.charts() > 0
    page = watched.page
    assert page.evaluate("window.hacked") is None
    assert page.locator("svg image, svg script, svg foreignObject").count() == 0
    assert plain(HOSTILE[0]) in page.locator("#answer").inner_text()
    open_numbers(page)
    assert plain(HOSTILE[0]) in page.locator("#chart-use").inner_text()


@pytest.mark.parametrize(
    "address",
    [
        "#%",
        "#trial=%E0%A4%A",
        "#q=<img src=x>",
        "#sort=__proto__",
        "#config=constructor&at=nowhere",
    ],
)
def test_a_broken_address_shows_the_report(show: Show, address: str) -> None:
    watched = show(story())
    watched.go(address)
    assert watched.page.locator("#report").is_visible()
    assert watched.page.locator("img").count() == 0


def test_two_thousand_trials_open_sort_and_filter(show: Show) -> None:
    """How long it takes is measured by benchmarks/report.py; here it only has to work."""
    watched = show(many_data(2_000, calls=6))
    page = watched.page
    assert page.locator("#table tbody tr").count() == 100
    assert page.locator("#count").inner_text().startswith("2,000 of 2,000 trials")
    sort_by(page, "relevant met")
    texts = column(page, "relevant met")
    assert texts == sorted(texts, reverse=True)
    page.click("#all")
    assert page.locator("#table tbody tr").count() == 2000
    page.fill("#search", "task-0999")
    assert page.locator("#table tbody tr").count() == 2
    page.click("#table tbody a >> nth=0")
    page.wait_for_selector("#detail .timeline")
    # The title landed below the screen.
    watched.go(f"#trial={quote('task-0700__1')}")
    page.wait_for_selector("#detail h1")
    assert 0 <= top_of(page, "#detail-title") < 200
    assert page.locator("#detail-title code").inner_text() == "task-0700"
