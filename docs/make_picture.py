"""Take the pictures of the demo: the report's first screen and a call in the viewer.

    python docs/make_picture.py

Needs Chromium. The pictures are not compared by a test: fonts differ between machines.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

IMAGES = Path(__file__).resolve().parent / "images"
PICTURE, VIEWER = IMAGES / "report.png", IMAGES / "view.png"
WIDTH, HEIGHT = 1400, 900
LIMIT = 300_000
"""Bytes."""


def main() -> int:
    """The exit code."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        print("chromium is not installed", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        command = [Path(sys.executable).with_name("groundtrace"), "demo", "--out", folder]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "1779840000"}
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
        page = Path(folder) / "runs/official/retrieval_events_aggregate/retrieval_report.html"
        take(page, chromium)
        take_viewer(Path(folder) / "runs/official", chromium)
    sizes = {picture: picture.stat().st_size for picture in (PICTURE, VIEWER)}
    for picture, size in sizes.items():
        print(f"wrote {picture}: {size:,} bytes")
    return 1 if max(sizes.values()) > LIMIT else 0


def take(page: Path, chromium: str) -> None:
    """The first screen of a page, as a picture."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        view = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        view.goto(page.as_uri())
        PICTURE.parent.mkdir(exist_ok=True)
        view.screenshot(path=PICTURE)
        browser.close()


def take_viewer(runs: Path, chromium: str) -> None:
    """A call in the viewer with what the trace says of it, as a picture."""
    from playwright.sync_api import sync_playwright

    from groundtrace.runs.output_folders import OutputFolders
    from groundtrace.view.library import Results
    from groundtrace.view.server import Viewer

    with Viewer(Results(OutputFolders(str(runs))), 0) as viewer, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        view = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        view.goto(viewer.url_with(viewer.gate.token))
        view.locator("#table a", has_text="event-schema-005").first.click()
        view.locator("details.raw summary").first.click()
        view.wait_for_selector("pre.text")
        view.screenshot(path=VIEWER)
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
