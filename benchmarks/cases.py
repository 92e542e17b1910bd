"""Extraction on the labelled calls of the repository: `python benchmarks/cases.py`.

The cases in tests/fixtures/tools are calls written by hand, each with the files it touched. For
each tool it prints recall and precision on (call, file) pairs, and how many calls have exactly the
labelled kinds, lines and category.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groundtrace.config import Settings
from groundtrace.model import CallView, FileRef, ToolCall, ToolResult, Trace
from groundtrace.tools import canonical, view_calls

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "fixtures" / "tools"


@dataclass
class Score:
    """Counts over the cases of one tool."""

    cases: int = 0
    found: int = 0
    missed: int = 0
    invented: int = 0
    exact: int = 0
    categories: int = 0


def cases() -> Iterator[dict[str, Any]]:
    """Every labelled call."""
    for file in sorted(FOLDER.glob("*.toml")):
        yield from tomllib.loads(file.read_text(encoding="utf-8"))["case"]


def view_of(case: dict[str, Any]) -> CallView:
    """What groundtrace says about a case."""
    result = ToolResult(case.get("text", ""), case.get("data"), case.get("error", False))
    call = ToolCall(
        case["tool"],
        case["arguments"],
        server=case.get("server"),
        result=result if case.get("answered", True) else None,
    )
    (view,) = view_calls(Trace((call,), cwd=case.get("cwd", "/workspace") or None), Settings())
    return view


def label(ref: FileRef) -> str:
    """A reference as the cases write it: kind, file, lines."""
    repo = f"{ref.repo}::" if ref.repo else ""
    lines = f" {ref.line_start}-{ref.line_end}" if ref.line_start is not None else ""
    return f"{ref.kind} {repo}{ref.path}{lines}{' diff' if ref.from_diff else ''}"


def file_of(label: str) -> str:
    """The file of a label, without kind and lines."""
    words = label.removesuffix(" diff").split(" ")[1:]
    last = words[-1].replace("-", "", 1)
    return " ".join(words[:-1] if len(words) > 1 and last.isdigit() else words)


def scores() -> dict[str, Score]:
    """The score of each tool, and of all."""
    by_tool: dict[str, Score] = defaultdict(Score)
    for case in cases():
        view = view_of(case)
        entry = canonical(case["tool"], case.get("server"))
        got = [label(ref) for ref in view.refs]
        wanted = {file_of(ref) for ref in case["refs"]}
        given = {file_of(ref) for ref in got}
        for score in (by_tool[entry.name if entry else "unknown"], by_tool["~all"]):
            score.cases += 1
            score.found += len(wanted & given)
            score.missed += len(wanted - given)
            score.invented += len(given - wanted)
            score.exact += got == case["refs"]
            score.categories += view.category == case["category"]
    return by_tool


def share(part: int, other: int) -> str:
    """A share of a sum, or a dash if the sum is 0."""
    return f"{part / (part + other):.3f}" if part + other else "-"


def main() -> None:
    """Print the table."""
    print(f"{'tool':32} calls recall precision files exact category")
    for tool, score in sorted(scores().items()):
        print(
            f"{tool.lstrip('~'):32} {score.cases:5} {share(score.found, score.missed):>6}"
            f" {share(score.found, score.invented):>9} {score.found + score.missed:5}"
            f" {score.exact:5} {score.categories:8}"
        )


if __name__ == "__main__":
    main()
