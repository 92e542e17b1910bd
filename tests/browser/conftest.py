"""A headless Chromium, offline, and pages that must log no error in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from groundtrace.report import ReportData, render_html

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("no chromium on this machine")
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


class Watched:
    """A page with everything that it said, asked for or refused."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.address = address
        self.noise: list[str] = []
        page.on("console", lambda message: self.noise.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.noise.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.noise.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: self._request(request.url, address))
        page.add_init_script(
            "addEventListener('securitypolicyviolation', e => console.error('policy: ' + e.violatedDirective + ' ' + e.blockedURI))"
        )
        page.goto(address)

    def _request(self, url: str, address: str) -> None:
        if url.partition("#")[0] not in (address, "about:blank"):
            self.noise.append(f"request: {url[:200]}")

    def charts(self) -> int:
        """How many pictures are on the screen."""
        return int(self.page.locator("svg:visible").count())

    def go(self, address: str) -> None:
        """Open a place of the page as a link from outside would: by loading the page there."""
        self.page.goto("about:blank")
        self.page.goto(self.address + address)


@pytest.fixture
def show(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Watched]]:
    """Opens report data as a page from disk; at the end nothing may have been said."""
    contexts: list[Any] = []
    opened: list[Watched] = []

    def open_page(data: ReportData, width: int = 1400, theme: str = "light") -> Watched:
        path = tmp_path / "page.html"
        path.write_text(render_html(data), encoding="utf-8")
        context = chromium.new_context(
            viewport={"width": width, "height": 900}, color_scheme=theme, offline=True
        )
        contexts.append(context)
        opened.append(Watched(context.new_page(), path.as_uri()))
        return opened[-1]

    yield open_page
    noise = [line for watched in opened for line in watched.noise]
    for context in contexts:
        context.close()
    assert noise == []
