"""Words that made readers stop do not come back: in help, messages, pages, docstrings, comments."""

from __future__ import annotations

import re
from pathlib import Path

import examples
import pytest

STOPPED = (
    "worked lines",
    "may be given often",
    "anew",
    "which of the two is found out",
    "would buy recall",
    "also stands over",
    "of how much of it",
    "something lost",
    "as told under method",
    "passed over",
    "is the verifier's business",
    "marks the ground-truth entry that a file is",
    "files touched a trial",
    "files a task",
    "one row a",
    "a run a ranking",
    "nothing to part them",
    "a contradiction is let stand",
    "whether one of the touches is it",
    "struck off",
    "next to nothing",
    "in vain",
    "told from chance",
    "costs that call",
    "costs itself",
    "a fault in one call",
    "writes aside",
    "a write aside",
    "came about",
    "in one go",
    "adjusted for nothing",
    "came to and no further",
    "passes for fresh",
    "in flight",
    "is no object",
    "is no text",
    "is no amount",
    "goes round",
    "whatever their names",
    "such as it is",
    "no merit in itself",
    "buys 1",
    "counts for nothing",
    "to spare a second look",
    "wall clock",
    "what became of it",
    "gone through",
)
"""Phrases that readers named; each has a plain word for it."""

FOLDERS = ("src", "docs", "benchmarks", "studies", ".github")
FILES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "Makefile", "mkdocs.yml")
ENDINGS = {".py", ".md", ".html", ".js", ".css", ".toml", ".yml", ".yaml"}


def texts() -> list[Path]:
    found = [examples.ROOT / name for name in FILES]
    for folder in FOLDERS:
        found += [p for p in (examples.ROOT / folder).rglob("*") if p.suffix in ENDINGS]
    return found


@pytest.mark.parametrize("phrase", STOPPED)
def test_the_phrase_is_gone(phrase: str) -> None:
    pattern = re.compile(rf"\b{re.escape(phrase)}\b".replace("\\ ", r"\s+"), re.IGNORECASE)
    where = [
        str(path.relative_to(examples.ROOT))
        for path in texts()
        if pattern.search(path.read_text(encoding="utf-8"))
    ]
    assert where == []


def test_the_glossary_has_the_words_that_reports_use() -> None:
    text = (examples.ROOT / "docs/glossary.md").read_text(encoding="utf-8")
    words = re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE)[2:]
    assert words == sorted(words, key=str.casefold), "in order"
    for word in ("ground truth", "superseded", "shown", "undefined", "trial", "harness"):
        assert word in words
