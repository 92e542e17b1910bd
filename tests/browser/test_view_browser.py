"""The viewer in a browser: open, search, compare; safe from hostile traces, sites and paths.

Every page is watched: it may send requests only to its own server, log nothing and break no policy.
"""

from __future__ import annotations

import http.server
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("waitress")
pytest.importorskip("werkzeug")

from groundtrace.runs.output_folders import OutputFolders
from groundtrace.view.library import Results
from groundtrace.view.server import Viewer
from tests.view.test_call_text import CALLS, events_of, sparse_trace
from tests.view.test_routes import analysed
from tests.view.worlds import SECRET, hostile, library_of, story, write_results

pytestmark = pytest.mark.browser
Open = Callable[..., Any]


class Shown:
    """A page of a viewer, with everything that it said or asked for elsewhere."""

    def __init__(self, context: Any, viewer: Viewer, path: str, *, token: bool) -> None:
        self.viewer = viewer
        self.noise: list[str] = []
        self.page = page = context.new_page()
        page.on("console", lambda message: self.noise.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.noise.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.noise.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: self._request(request.url))
        page.add_init_script(
            "addEventListener('securitypolicyviolation', e => console.error('policy: ' + e.violatedDirective + ' ' + e.blockedURI))"
        )
        if token:
            page.goto(viewer.url_with(viewer.gate.token_for_once()))
        self.answer = page.goto(f"{viewer.url.rstrip('/')}{path}")

    def _request(self, url: str) -> None:
        if not url.startswith((self.viewer.url, "data:,", "about:blank")):
            self.noise.append(f"request: {url[:200]}")


@pytest.fixture
def view(chromium: Any) -> Iterator[Open]:
    """Serves runs and opens a page of them; at the end nothing may have been said."""
    viewers: dict[Path, Viewer] = {}
    contexts: list[Any] = []
    opened: list[Shown] = []

    def open_page(
        runs: Path,
        path: str = "/",
        *,
        width: int = 1400,
        theme: str = "light",
        token: bool = True,
        watch: bool = True,
    ) -> Shown:
        if runs not in viewers:
            viewers[runs] = Viewer(Results(OutputFolders(str(runs))), 0).__enter__()
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
        contexts.append(context)
        shown = Shown(context, viewers[runs], path, token=token)
        if watch:
            opened.append(shown)
        return shown

    yield open_page
    noise = [line for shown in opened for line in shown.noise]
    for context in contexts:
        context.close()
    for viewer in viewers.values():
        viewer.close()
    assert noise == []


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    story(tmp_path / "runs" / "run")
    return tmp_path / "runs"


def tasks(page: Any) -> list[str]:
    page.wait_for_selector("#table tbody tr, #count:has-text('0 of')")
    return [
        text.partition("\n")[0]
        for text in page.locator("#table tbody td:first-child").all_inner_texts()
    ]


def wait_for_count(page: Any, text: str) -> None:
    page.wait_for_function(
        "text => document.getElementById('count').textContent.startsWith(text)", arg=text
    )


def wait_until_read(page: Any) -> None:
    """The list shows what is read so far; tests ask for all of it."""
    page.wait_for_function(
        "async () => { const s = await (await fetch('/api/state')).json(); return s.read === s.total; }"
    )
    page.reload()
    page.wait_for_selector("#table tbody tr")


# ---- the list


def test_the_list_opens_with_the_token_alone(view: Open, runs: Path) -> None:
    shown = view(runs)
    assert sorted(tasks(shown.page)) == ["alpha", "alpha", "beta", "beta", "gamma", "gamma"]
    assert "token" not in shown.page.url
    assert shown.page.context.cookies()[0]["httpOnly"] is True
    assert shown.page.context.cookies()[0]["sameSite"] == "Strict"


def test_searching_names_the_call_and_leads_to_its_text(view: Open, runs: Path) -> None:
    page = view(runs).page
    wait_until_read(page)
    page.fill("#search", "needle_beta")
    wait_for_count(page, "2 of 6 trials")
    assert tasks(page) == ["beta", "beta"]
    assert "q=needle_beta" in page.url
    match = page.locator("ul.matches a").first
    assert match.inner_text() == "call 0"
    match.click()
    page.wait_for_selector("pre.text")
    assert "grep -rn 'needle_beta' ." in page.locator("pre.text").first.inner_text()
    assert "./src/beta.py:1:needle" in page.locator("pre.text").nth(1).inner_text()
    page.go_back()
    wait_for_count(page, "2 of 6 trials")
    assert page.input_value("#search") == "needle_beta"


def test_filters_are_in_the_address_and_come_from_it(view: Open, runs: Path) -> None:
    page = view(runs).page
    wait_until_read(page)
    page.select_option("#filter-config", "mcp")
    wait_for_count(page, "3 of 6 trials")
    page.select_option("#filter-verdict", "solved")
    wait_for_count(page, "1 of 6 trials")
    assert tasks(page) == ["gamma"]
    page.select_option("#filter-config", "")
    page.select_option("#filter-verdict", "")
    page.select_option("#filter-found", "none met")
    wait_for_count(page, "1 of 6 trials")
    assert "/?found=none%20met" in page.url
    page.select_option("#filter-found", "")
    page.select_option("#filter-suite", "second")
    wait_for_count(page, "2 of 6 trials")
    page.select_option("#filter-label", "missed_key_evidence")
    page.select_option("#filter-tool", "Edit")
    page.wait_for_url("**/?suite=second&label=missed_key_evidence&tool=Edit")
    wait_for_count(page, "2 of 6 trials")
    page.reload()
    wait_for_count(page, "2 of 6 trials")
    assert page.input_value("#filter-tool") == "Edit"


def test_sorting_is_in_the_address(view: Open, runs: Path) -> None:
    page = view(runs).page
    wait_until_read(page)
    page.locator("#table thead button", has_text="reward").click()
    page.wait_for_url("**/?sort=-reward")
    page.wait_for_selector("th[aria-sort=descending]")
    assert tasks(page)[:2] == ["gamma", "gamma"]
    page.locator("#table thead button", has_text="reward").click()
    page.wait_for_selector("th[aria-sort=ascending]")
    assert tasks(page)[:2] == ["alpha", "alpha"]


# ---- one trial and two


def trial_ids(runs: Path) -> dict[str, str]:
    library = library_of(runs)
    found = dict(library.current.index.ask("SELECT trial, id FROM trials"))
    library.current.index.close()
    return found


def test_two_trials_of_a_task_are_side_by_side_with_their_own_texts(view: Open, runs: Path) -> None:
    ids = trial_ids(runs)
    page = view(runs, f"/trial/{ids['alpha__baseline']}").page
    page.wait_for_selector("ol.timeline li")
    assert page.locator(".sides.two").count() == 0
    page.select_option("#compare", label="mcp")
    page.wait_for_selector(".sides.two")
    assert page.url.endswith(f"?with={ids['alpha__mcp']}")
    for number, config in enumerate(("baseline", "mcp")):
        side = page.locator(".side").nth(number)
        assert f"alpha__{config}" in side.inner_text()
        side.locator("details.raw summary").nth(1).click()
        side.locator("pre.text").nth(1).wait_for()
        assert f"def alpha_{config}()" in side.locator("pre.text").nth(1).inner_text()
    page.reload()
    page.wait_for_selector(".sides.two")


def test_a_link_to_a_call_lasts(view: Open, runs: Path) -> None:
    """Another viewer of the same results opens the same call."""
    address = f"/trial/{trial_ids(runs)['gamma__mcp']}?call=1"
    shown = view(runs, address)
    page = shown.page
    page.wait_for_selector("li.step[data-step='1'] pre.text")
    assert "def gamma_mcp()" in page.locator("li.step[data-step='1'] pre.text").nth(1).inner_text()
    other = Viewer(Results(OutputFolders(str(runs))), 0)
    shown.viewer = other
    with other:
        page.goto(other.url_with(other.gate.token))
        page.goto(other.url.rstrip("/") + address)
        page.wait_for_selector("li.step[data-step='1'] pre.text")
        page.goto("about:blank")


def test_the_raw_trace_is_read_in_parts(view: Open, runs: Path) -> None:
    page = view(runs, f"/trial/{trial_ids(runs)['gamma__mcp']}?call=1").page
    page.wait_for_selector("pre.text")
    page.locator("li.step[data-step='1'] button", has_text="Show it in the file").first.click()
    page.wait_for_selector(".rawtrace pre:visible")
    text = page.locator(".rawtrace pre").inner_text()
    assert text.startswith('{"type": "assistant"')
    assert "def gamma_mcp()" in text
    page.locator(".rawbar button", has_text="Start").click()
    page.wait_for_function(
        "() => document.querySelector('.rawtrace pre').textContent.includes('init')"
    )


def test_results_that_change_are_shown_without_loading_again(view: Open, tmp_path: Path) -> None:
    details = story(tmp_path / "runs" / "run")
    page = view(tmp_path / "runs").page
    wait_until_read(page)
    page.evaluate("window.stays = true")
    write_results(tmp_path / "runs" / "run", details[:2])
    wait_for_count(page, "2 of 2 trials")
    assert tasks(page) == ["alpha", "alpha"]
    assert page.evaluate("window.stays") is True


# ---- hostile traces, sites and paths


def test_a_hostile_trial_is_text(view: Open, tmp_path: Path) -> None:
    """Names, arguments and answers that are markup, scripts or templates do nothing, and credentials
    stay masked in the list, in the calls and in the raw trace."""
    hostile(tmp_path / "runs" / "run")
    shown = view(tmp_path / "runs")
    page = shown.page
    wait_until_read(page)
    assert page.locator("#table tbody tr").count() == 16
    for trial in trial_ids(tmp_path / "runs").values():
        page.goto(f"{shown.viewer.url}trial/{trial}?call=0")
        page.wait_for_selector("li.step pre.text >> nth=1")
        answer = page.locator("pre.text").nth(1).inner_text()
        assert "TOKEN=[masked]" in answer or answer.startswith("x" * 1_000)
        page.locator("details.rawtrace summary").click()
        page.wait_for_selector(".rawtrace pre:visible")
        assert SECRET not in page.content()
        assert page.evaluate("window.hacked") is None
        assert page.locator("#detail img, #detail script, #detail b:has-text('bold')").count() == 0


def test_markup_is_shown_as_it_is_written(view: Open, tmp_path: Path) -> None:
    hostile(tmp_path / "runs" / "run")
    page = view(tmp_path / "runs").page
    wait_until_read(page)
    page.fill("#search", "<script>window")
    wait_for_count(page, "2 of 16")
    assert tasks(page)[0] == "<script>window.hacked=1</script>"
    page.locator("#table tbody a").first.click()
    page.wait_for_selector("#detail-title")
    assert "<script>window.hacked=1</script>" in page.inner_text("#detail-title")


def test_a_missing_token_shows_nothing(view: Open, runs: Path) -> None:
    shown = view(runs, token=False, watch=False)
    assert shown.answer.status == 403
    text = shown.page.inner_text("body")
    assert "Open the address that groundtrace view has printed" in text
    assert "alpha" not in text
    assert shown.page.context.cookies() == []


def test_a_link_of_another_site_asks_once(view: Open, runs: Path, tmp_path: Path) -> None:
    """The browser holds the cookie back where another site links here; the page offers to go on."""
    shown = view(runs, watch=False)
    page = shown.page
    with other_site(f'<a id="x" href="{shown.viewer.url}?config=mcp">look</a>') as address:
        page.goto(address)
        page.click("#x")
        page.wait_for_selector("text=go on")
        assert page.locator("#table").count() == 0
        page.click("text=go on")
        wait_for_count(page, "3 of 6 trials")


def test_another_site_cannot_read_the_viewer(view: Open, runs: Path) -> None:
    """With the cookie in the browser, a page of another origin gets nothing: not by fetch, not by a
    script element, not in a frame."""
    shown = view(runs, watch=False)
    page, url = shown.page, shown.viewer.url
    with other_site("<p>other</p>") as address:
        page.goto(address)
        for options in ("{credentials: 'include'}", "{mode: 'no-cors', credentials: 'include'}"):
            found = page.evaluate(
                f"fetch('{url}api/trials', {options}).then(a => a.text(), e => 'refused')"
            )
            assert found in ("refused", "")
        loaded = page.evaluate(
            f"new Promise(done => {{ const s = document.createElement('script'); s.src = '{url}assets/parts.js';"
            "s.onload = () => done('loaded'); s.onerror = () => done('refused'); document.head.append(s); })"
        )
        assert loaded == "refused"
        page.evaluate(
            f"new Promise(done => {{ const f = document.createElement('iframe'); f.src = '{url}'; f.onload = done; document.body.append(f); }})"
        )
        frame = page.frames[-1]
        assert "alpha" not in frame.locator("body").inner_text()


def test_a_wrong_host_shows_nothing(view: Open, runs: Path, chromium: Any) -> None:
    """A name that its owner makes lead to this machine: the browser would send it a cookie of its own."""
    shown = view(runs, watch=False)
    port = shown.viewer.port
    playwright_args = [f"--host-resolver-rules=MAP evil.example 127.0.0.1:{port}", "--no-sandbox"]
    browser = chromium.browser_type.launch(
        executable_path=_path_of_chromium(), args=["--headless", *playwright_args]
    )
    try:
        page = browser.new_page()
        for path in ("/", f"/?token={shown.viewer.gate.token}", "/api/trials"):
            answer = page.goto(f"http://evil.example:{port}{path}")
            assert answer.status == 421
            assert "alpha" not in page.content()
        assert page.context.cookies() == []
    finally:
        browser.close()


def _path_of_chromium() -> str:
    import shutil

    return str(shutil.which("chromium") or shutil.which("chromium-browser"))


@pytest.mark.parametrize(
    "path",
    [
        "/assets/..%2f..%2f..%2fetc%2fpasswd",
        "/trial/..%2f..%2f..%2fetc%2fpasswd",
        "/api/trial/%2e%2e%2fetc/raw/0",
        "/runs/run/baseline/alpha__baseline/agent/claude-code.txt",
    ],
)
def test_a_path_that_tries_to_leave_is_not_found(view: Open, runs: Path, path: str) -> None:
    shown = view(runs, path, watch=False)
    assert shown.answer.status == 404
    text = shown.page.inner_text("body")
    assert "root:" not in text
    assert "needle" not in text


# ---- large traces


def test_a_trial_of_500_megabytes_opens_and_shows_its_last_call(view: Open, tmp_path: Path) -> None:
    from tests.metrics.builders import trial
    from tests.report.pages import detail

    run = tmp_path / "runs" / "run"
    sparse_trace(run, 500 * 1024 * 1024)
    document = trial(task_name="huge", trial_name="huge__1", run_id="run")
    from msgspec.structs import replace

    document = replace(document, events=events_of(CALLS))
    write_results(run, [detail(document, path="trial")])
    shown = view(tmp_path / "runs", "/")
    page = shown.page
    page.wait_for_selector("#table tbody a")
    page.click("#table tbody a")
    page.wait_for_selector("li.step[data-step='39']")
    for step in (39, 1):
        item = page.locator(f"li.step[data-step='{step}']")
        item.locator("details.raw summary").click()
        item.locator("pre.text").nth(1).wait_for()
        assert f"answer {step}" in item.locator("pre.text").nth(1).inner_text()
    page.locator("li.step[data-step='39'] button", has_text="Show it in the file").first.click()
    page.wait_for_selector(".rawtrace pre:visible")
    assert "toolu_039" in page.locator(".rawtrace pre").inner_text()
    assert "524,288,000" in page.locator(".rawbar").inner_text()


# ---- appearance


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 400])
def test_nothing_is_wider_than_the_window(view: Open, runs: Path, width: int, theme: str) -> None:
    ids = trial_ids(runs)
    path = f"/trial/{ids['alpha__baseline']}?with={ids['alpha__mcp']}&call=0"
    page = view(runs, path, width=width, theme=theme).page
    page.wait_for_selector("pre.text")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.goto(page.url.partition("/trial")[0])
    page.wait_for_selector("#table tbody tr")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # On a phone a trial is a card: its numbers had no names, and dashes stood for what nobody has.
    cells = page.evaluate(
        "[...document.querySelectorAll('#table tbody td.right')].filter(one => !one.hidden)"
        ".map(one => one.dataset.label)"
    )
    assert cells and all(cells)
    assert not page.locator("#table th:has-text('output tokens')").is_visible()


class other_site:  # noqa: N801 - reads as a statement
    """A page of another origin, on a port of its own."""

    def __init__(self, body: str) -> None:
        text = f"<!doctype html><title>other</title>{body}".encode()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def __enter__(self) -> str:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        # Another host than the viewer's: ports of one host are the same site.
        return f"http://localhost:{self.server.server_address[1]}/"

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


def test_the_answer_comes_first_and_folds_on_a_phone(view: Open, tmp_path: Path) -> None:
    story(tmp_path / "runs" / "run")
    analysed(tmp_path / "runs", "baseline")
    for width, is_open in ((1400, True), (400, False)):
        page = view(tmp_path / "runs", width=width).page
        page.wait_for_selector("#table tbody tr")
        answer = page.locator("#answer")
        answer.wait_for(state="visible")  # it comes after the table
        assert answer.is_visible()
        assert answer.evaluate("one => one.open") is is_open
        assert "against" in answer.locator("strong").first.text_content()
        change = answer.locator("td.change").first.text_content()
        assert re.match(r"(higher|lower|open|untestable): \S+", change), change
        assert answer.bounding_box()["y"] < page.locator("#filters").bounding_box()["y"]
