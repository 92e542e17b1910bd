"""How large the reports are and how fast the page opens: `python -m benchmarks.report [N]`.

Makes a report of N trials (2,000 by default) of two dozen calls each. Prints how long rendering
took and how large the files are. If Chromium is installed, it also prints how long the page takes
until its table is filled, to sort, to filter and to open a trial.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from groundtrace.report import render_html, render_markdown
from tests.report.pages import many_data

REPEATS = 5

ACTIONS = {
    "sort by number": "document.querySelectorAll('#table thead button')[5].click()",
    "sort by task": "document.querySelectorAll('#table thead button')[0].click()",
    "filter by text": "(s => { s.value = 'task-01'; s.dispatchEvent(new Event('input')); })(document.getElementById('search'))",
    "show all rows": "(s => { s.value = ''; s.dispatchEvent(new Event('input')); document.getElementById('all').click(); })(document.getElementById('search'))",
    "sort after that": "document.querySelectorAll('#table thead button')[6].click()",
}
"""What a user does. The page's own clock measures each action until the next frame is laid out."""


def main(number: int) -> dict[str, Any]:
    """Measure, print, and return what was measured."""
    data = many_data(number)
    found: dict[str, Any] = {"trials": number}
    found["markdown, s"], markdown = _timed(lambda: render_markdown(data))
    found["page, s"], page = _timed(lambda: render_html(data))
    found["markdown, MB"] = round(len(markdown.encode()) / 1e6, 2)
    found["page, MB"] = round(len(page.encode()) / 1e6, 2)
    found |= _in_browser(page)
    for name, value in found.items():
        print(f"{name:<28} {value}")
    return found


def _timed(work: Callable[[], str]) -> tuple[float, str]:
    start = time.perf_counter()
    made = work()
    return round(time.perf_counter() - start, 2), made


def _in_browser(page: str) -> dict[str, Any]:
    path = shutil.which("chromium")
    if path is None:
        return {"browser": "no chromium here"}
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "page.html"
        file.write_text(page, encoding="utf-8")
        flags = ["--headless", "--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        opened = sorted(_open(browser, file) for _ in range(REPEATS))
        tab = browser.new_page()
        tab.goto(file.as_uri())
        tab.wait_for_selector("#table tbody tr")
        acted = {f"{name}, ms": _acted(tab, script) for name, script in ACTIONS.items()}
        browser.close()
    return {"open, median s": opened[len(opened) // 2], "open, worst s": opened[-1], **acted}


def _open(browser: Any, file: Path) -> float:
    """Seconds from opening the page until the table of trials is filled."""
    tab = browser.new_page()
    start = time.perf_counter()
    tab.goto(file.as_uri())
    tab.wait_for_selector("#table tbody tr")
    took = time.perf_counter() - start
    tab.close()
    return round(took, 2)


def _acted(tab: Any, script: str) -> float:
    took: float = tab.evaluate(
        f"() => {{ const t = performance.now(); {script}; document.body.offsetHeight; return performance.now() - t; }}"
    )
    return round(took, 1)


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--json"]
    measured = main(int(arguments[0]) if arguments else 2_000)
    if "--json" in sys.argv:
        print(json.dumps(measured))
