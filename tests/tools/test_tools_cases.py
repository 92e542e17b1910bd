"""Every hand-written case in tests/fixtures/tools: what a call is and what it touched (D2-D7)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from benchmarks.unknown_tools import call_of
from groundtrace.config import Settings
from groundtrace.model import FileRef, Trace
from groundtrace.tools import is_known_tool, view_calls

FOLDER = Path(__file__).parent.parent / "fixtures" / "tools"
CASES = [
    pytest.param(case, id=f"{file.stem}: {case['says']}")
    for file in sorted(FOLDER.glob("*.toml"))
    for case in tomllib.loads(file.read_text(encoding="utf-8"))["case"]
]


def written(ref: FileRef) -> str:
    """A reference as the cases write it."""
    repo = f"{ref.repo}::" if ref.repo else ""
    lines = f" {ref.line_start}-{ref.line_end}" if ref.line_start is not None else ""
    return f"{ref.kind} {repo}{ref.path}{lines}{' diff' if ref.from_diff else ''}"


@pytest.mark.parametrize("case", CASES)
def test_case(case: dict[str, Any]) -> None:
    trace = Trace(calls=(call_of(case),), cwd=case.get("cwd", "/workspace") or None)
    (view,) = view_calls(trace, Settings())
    assert [written(ref) for ref in view.refs] == case["refs"]
    assert view.category == case["category"]
    assert view.failed is case.get("failed", False)
    assert list(view.repos) == case.get("repos", [])
    assert list(view.symbols) == case.get("symbols", [])
    assert all(ref.rule for ref in view.refs), "explain needs to say which rule found a file"


@pytest.mark.parametrize("case", CASES)
def test_every_tool_of_the_cases_is_in_the_table_or_deliberately_unknown(
    case: dict[str, Any],
) -> None:
    assert is_known_tool(case["tool"], Settings()) is not case.get("deliberately_unknown", False)
