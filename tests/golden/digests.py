"""Digests of every document that real trials give: a net for changes that must move no number.

`make golden` writes them again where the real trials are at hand. The trials themselves are not
part of this project; a digest says only that a document is still the same.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

FILE = Path(__file__).with_name("digests.txt")
CORPUS, NEXT = "GROUNDTRACE_CORPUS", "GROUNDTRACE_CORPUS_NEXT"
RUNS: Mapping[str, tuple[str, str, str]] = {
    "corpus": (CORPUS, "runs/official", "benchmarks"),
    "swebench": (NEXT, "swebench/mini-swe-agent", "swebench/tasks.jsonl"),
    "contextbench": (NEXT, "contextbench/mini-swe-agent", "contextbench/gold.jsonl"),
    **{
        name: (NEXT, name, "")
        for name in (
            *("chat", "claude-code", "codex", "gemini", "inspect", "openhands"),
            *("pi", "shapes", "swe-agent", "trae"),
        )
    },
}
"""Where real trials lie: the variable that names the folder, the runs and the tasks in it."""


def folders() -> dict[str, Path]:
    """The folders of real trials that are at hand, by the variable that names them."""
    named = {name: Path(os.environ.get(name) or "/nowhere") for name in (CORPUS, NEXT)}
    return {name: path for name, path in named.items() if path.is_dir()}


def command(name: str, out: Path, jobs: int) -> list[str]:
    """The command that makes the documents of one set of trials."""
    variable, runs, tasks = RUNS[name]
    root = folders()[variable]
    given = ["--tasks", str(root / tasks)] if tasks else []
    arguments = ["run", str(root / runs), *given, "--out", str(out), "--jobs", str(jobs)]
    return [sys.executable, "-m", "groundtrace", *arguments, "--no-progress", "-q"]


def environment() -> dict[str, str]:
    """The environment of a run whose documents have no time of their own."""
    return {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}


def digests(out: Path) -> Iterator[str]:
    """A line for each JSON document below a folder."""
    for path in sorted(out.rglob("*.json")):
        if not path.name.startswith("."):
            digest = hashlib.sha256(path.read_bytes()).hexdigest()[:24]
            yield f"{digest} {path.relative_to(out).as_posix()}"


def made(name: str, out: Path, jobs: int = 1) -> list[str]:
    """The digests of one set of trials, made now."""
    subprocess.run(command(name, out, jobs), env=environment(), capture_output=True, check=False)
    return [f"{name} {line}" for line in digests(out)]


def kept(name: str) -> list[str]:
    """The digests of one set of trials, as they were frozen."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith(f"{name} ")]
