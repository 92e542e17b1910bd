"""One name for one number: met, shown, read, edited, solved, lost. No other name is printed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path

import pytest

from tests.conftest import Ran

ROOT = Path(__file__).parents[2]

OTHERS = re.compile(
    r"\b(hits?|retrieved|shown recall|files? found|found files?|found (?:all|some|0\.\d)|resolved)\b"
    r"|\b(seen|viewed|accessed|succeeded|(?:hit|pass|success|solve) rate)\b"
    r"|\b(?:met|shown|read|found) 0\.\d",
    re.IGNORECASE,
)
"""Other names of the same numbers."""

GONE = (
    "if failed trials count as 0",
    "not all requirements of a match",
    "the reward says",
    "1 is all of them",
    "would go unseen",
    "tasks not compared:",
    "without the one that moves nothing",
    "so a curve ends at the share",
    "the right end for it",
)
"""Sentences that nobody would say."""

PAGES = (
    "README.md",
    "docs/tutorial.md",
    "docs/guides/read-the-report.md",
    "docs/guides/compare-configs.md",
    "docs/guides/evaluate-my-runs.md",
    "docs/guides/notebook.md",
    "docs/guides/view.md",
    "docs/statistics.md",
    "docs/faq.md",
)
"""Pages about the answer and the report. Those about formulas name the specification's terms."""


def others_in(text: str) -> list[str]:
    return [
        text[max(0, m.start() - 40) : m.end() + 40].replace("\n", " ")
        for m in OTHERS.finditer(text)
    ]


def words_of(page: str) -> Iterator[str]:
    """Texts that a reader of the page sees or hears; names from runs and metrics are code."""
    body = re.sub(r"<(script|style).*?</\1>", "", page, flags=re.DOTALL)
    body = re.sub(r"<code>.*?</code>", "", body, flags=re.DOTALL)
    said = re.findall(r'>([^<>]+)|(?:aria-label|placeholder)="([^"]*)"', body)
    yield from (unescape("".join(texts)) for texts in said)
    for script in re.findall(r"<script>(.*?)</script>", page, re.DOTALL):
        # Single words in a script are its own names.
        told = re.sub(r"\$\{[^}]*\}", "", script)
        yield from (text for text in re.findall(r'["`]([^"`\n]*)["`]', told) if " " in text)
    for table in re.findall(r'id="table-data">(.*?)</script>', page, re.DOTALL):
        data = json.loads(table)
        yield from (column[part] for column in data["columns"] for part in ("label", "measures"))
        yield from [*data["found"], *data["verdicts"]]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, str]:
    """What the terminal, the page and the Markdown of the demo say."""
    import contextlib
    import io

    from groundtrace.cli.main import invoke

    folder = tmp_path_factory.mktemp("demo")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        invoke(["demo", "--out", str(folder)])
    results = folder / "runs/official/retrieval_events_aggregate"
    return (
        said.getvalue(),
        (results / "retrieval_report.html").read_text(encoding="utf-8"),
        (results / "retrieval_report.md").read_text(encoding="utf-8"),
    )


def test_the_terminal_the_page_and_the_short_report_use_one_name(
    demo: tuple[str, str, str],
) -> None:
    terminal, page, markdown = demo
    assert "relevant files shown" in terminal
    assert others_in(terminal) == []
    assert [found for text in words_of(page) for found in others_in(text)] == []
    assert others_in(re.sub(r"`[^`]*`", "", markdown)) == []


def test_sentences_that_nobody_would_say_are_gone(demo: tuple[str, str, str]) -> None:
    for text in demo:
        assert [gone for gone in GONE if gone in text] == []


@pytest.mark.parametrize(
    "said",
    [
        *("Hits", "found files", "Files found", "a file was accessed", "hit rate", "retrieved"),
        *("3 tasks resolved", "shown recall", "files seen", "met 0.67", "success rate"),
    ],
)
def test_another_name_is_noticed(said: str) -> None:
    """As a label of the page, in a line of the terminal, in a sentence of a guide."""
    assert others_in(said) and others_in(f"Found    {said}  61 %") and others_in(f"of {said}.")
    script = f'<script>go({{ label: "the {said}" }})</script>'
    data = {"columns": [{"label": said, "measures": ""}], "found": [], "verdicts": []}
    table = f'<script id="table-data">{json.dumps(data)}</script>'
    for page in (f"<text class=label>{said}</text>", f'<i aria-label="{said}">', script, table):
        assert [one for text in words_of(page) for one in others_in(text)], page


@pytest.mark.parametrize("name", PAGES)
def test_the_pages_use_one_name(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert others_in(re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)) == []


def test_the_glossary_says_each_name_in_one_line() -> None:
    text = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
    for word in ("met", "shown", "read", "edited", "solved", "lost"):
        lines = [line for line in text.splitlines() if line.startswith(f"| {word} |")]
        assert len(lines) == 1, word


def test_explain_uses_the_same_names(sample: Path, groundtrace: Callable[..., Ran]) -> None:
    trial = next((sample / "runs/official").glob("*/*/*/*rate-limit*"))
    ran = groundtrace("explain", trial, "--tasks", sample / "benchmarks")
    assert ran.code == 0
    assert re.findall(r"never hit|hit rate|^retrieved:", ran.out, re.MULTILINE) == []
