"""How soon the viewer can be used: `python -m benchmarks.view [N]`.

Writes results of N trials (2,000 by default) of two dozen calls each. Measures how long the first
list takes from the start of the viewer, then pages, filters, searches and trials. The report's page
is made from the same results. If Chromium is installed, both are opened, and the times of the
viewer are printed as ratios to the time in which the page opens.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from groundtrace.cli.main import invoke
from groundtrace.documents.codec import encode
from groundtrace.documents.outcomes import OutcomesDocument, TrialOutcome
from groundtrace.rows.trial_row import Detail
from groundtrace.runs.output_folders import OutputFolders
from groundtrace.view.library import Results
from groundtrace.view.server import Viewer
from tests.metrics.builders import NOW
from tests.report.pages import many_data

MODELS = 200
"""Trials that are really made; the others are copies of these with other names."""
REPEATS = 5

QUESTIONS = {
    "first page": "",
    "page 100": "page=100",
    "sorted": "sort=-reward",
    "filter: configuration": "config=mcp-remote-direct",
    "filter: tool": "tool=Bash",
    "filter: error": "label=missed_key_evidence",
    "search: files": "q=module_17/handler&in=files",
    "search: commands": "q=pattern_17_3&in=commands",
    "search: everything": "q=module_17",
    "search: nothing like it": "q=no%20such%20text",
}


def main(number: int) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "runs" / "run"
        write_results(run, number)
        print(f"{'load of the machine':<28} {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        print(f"{'trials':<28} {number}")
        viewer, first, worked = _first_list(run.parent)
        print(f"{'first list, s':<28} {first:.2f} (of processor time {worked:.2f})")
        with contextlib.closing(viewer):
            _ask(viewer, number)
            page = _static_page(run)
            _in_browser(viewer, page)


def write_results(run: Path, number: int) -> None:
    """Write the documents of a run with that many trials."""
    models = list(many_data(MODELS).details())
    outcomes: list[TrialOutcome] = []
    for at in range(number):
        events, metrics, outcome = _named(models[at % MODELS], at)
        for document, ending in ((events, "retrieval_events"), (metrics, "retrieval_metrics")):
            path = (
                run / "retrieval_events" / f"{outcome.document}".replace("retrieval_events", ending)
            )
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(encode(document))
        outcomes.append(outcome)
    document = OutcomesDocument(
        schema_version="1.2",
        generated_at=NOW,
        scope="run",
        trials=outcomes,
        skipped=[],
        problems={},
    )
    (run / "retrieval_events" / "outcomes.json").write_bytes(encode(document))


def _named(model: Detail, at: int) -> tuple[Any, Any, TrialOutcome]:
    task = f"task-{at // 2:06}"
    where = replace(model.events.provenance, task_name=task, trial_name=f"{task}__{at % 2}")
    outcome = model.row.outcome
    assert outcome is not None
    names = {
        "task_name": task,
        "trial_name": where.trial_name,
        "trial_key": f"{task}/{at}",
        "document": f"{where.config_name}/{task}.retrieval_events.json",
    }
    return (
        replace(model.events, provenance=where),
        replace(model.metrics, provenance=where),
        replace(outcome, **names),
    )


def _first_list(runs: Path) -> tuple[Viewer, float, float]:
    """A viewer, and the seconds from its start to its first list: wall-clock time and processor
    time. Meanwhile the viewer still reads documents."""
    start, worked = time.perf_counter(), time.process_time()
    viewer = Viewer(Results(OutputFolders(str(runs))), 0)
    viewer.__enter__()
    _get(viewer, "/api/trials")
    return viewer, time.perf_counter() - start, time.process_time() - worked


def _get(viewer: Viewer, path: str) -> Any:
    jar = urllib.request.HTTPCookieProcessor(CookieJar())
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), jar)
    opener.open(viewer.url_with(viewer.gate.token)).read()
    return json.loads(opener.open(viewer.url.rstrip("/") + path).read())


def _times(viewer: Viewer, path: str) -> tuple[float, float]:
    """Median and longest time of an answer in milliseconds."""
    jar = urllib.request.HTTPCookieProcessor(CookieJar())
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), jar)
    opener.open(viewer.url_with(viewer.gate.token)).read()
    taken = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        opener.open(viewer.url.rstrip("/") + path).read()
        taken.append(1000 * (time.perf_counter() - start))
    return sorted(taken)[REPEATS // 2], max(taken)


def _ask(viewer: Viewer, number: int) -> None:
    median, worst = _times(viewer, "/api/trials")
    print(f"{'page while reading, ms':<28} {median:.0f} (worst {worst:.0f})")
    start = time.perf_counter()
    while viewer.library.current.read < number:
        time.sleep(0.2)
    print(f"{'all read after another, s':<28} {time.perf_counter() - start:.1f}")
    trial = _get(viewer, "/api/trials?page=3")["trials"][0]["id"]
    asked = {name: f"/api/trials?{query}" for name, query in QUESTIONS.items()}
    asked |= {"a trial": f"/api/trial/{trial}", "the state": "/api/state?words=1"}
    for name, path in asked.items():
        median, worst = _times(viewer, path)
        print(f"{name + ', ms':<28} {median:.0f} (worst {worst:.0f})")


def _static_page(run: Path) -> Path:
    """The report's page, made from the same results."""
    with contextlib.redirect_stdout(io.StringIO()):
        for command in (
            ("evaluate", str(run), "--quiet"),
            ("impact", str(run), "--quiet", "--draws", "100"),
            ("report", str(run), "--quiet", "--format", "html"),
        ):
            invoke(list(command))
    return run / "retrieval_events" / "retrieval_report.html"


def _in_browser(viewer: Viewer, page: Path) -> None:
    path = shutil.which("chromium")
    if path is None or not page.exists():
        print("no chromium here, or no page")
        return
    from playwright.sync_api import sync_playwright

    flags = ["--headless", "--no-sandbox", "--disable-gpu"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        tab = browser.new_page()
        static = sorted(_opened(tab, page.as_uri()) for _ in range(REPEATS))[REPEATS // 2]
        tab.goto(viewer.url_with(viewer.gate.token))
        taken = dict(_acted(tab, viewer))
        browser.close()
    print(f"{'the page opens in, ms':<28} {static:.0f} ({page.stat().st_size / 1e6:.0f} MB)")
    for name, value in taken.items():
        print(f"{name + ', ms':<28} {value:.0f} ({value / static:.2f} of the page)")


def _opened(tab: Any, address: str) -> float:
    tab.goto("about:blank")
    start = time.perf_counter()
    tab.goto(address)
    tab.wait_for_selector("#table tbody tr")
    return 1000 * (time.perf_counter() - start)


def _acted(tab: Any, viewer: Viewer) -> Iterator[tuple[str, float]]:
    yield "the viewer opens in", sorted(_opened(tab, viewer.url) for _ in range(REPEATS))[2]
    start = time.perf_counter()
    tab.click("#later")
    tab.wait_for_function("() => document.getElementById('count').textContent.includes(', 101 to')")
    yield "next page", 1000 * (time.perf_counter() - start)
    start = time.perf_counter()
    tab.click("#table tbody a >> nth=0")
    tab.wait_for_selector("ol.timeline li")
    yield "opening a trial", 1000 * (time.perf_counter() - start)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
