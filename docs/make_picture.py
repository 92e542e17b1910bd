"""Take the picture of the first screen of the demo's report that README.md shows.

    python docs/make_picture.py

Needs Chromium. The picture is not compared by a test: fonts differ between machines.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PICTURE = Path(__file__).resolve().parent / "images" / "report.png"
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
    size = PICTURE.stat().st_size
    print(f"wrote {PICTURE}: {size:,} bytes")
    return 1 if size > LIMIT else 0


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


if __name__ == "__main__":
    sys.exit(main())
