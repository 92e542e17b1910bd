"""Files and lines that the evaluator's Lua scripts read."""

from __future__ import annotations

import json

from groundtrace.config import Settings
from groundtrace.model import ToolCall, ToolResult, Trace
from groundtrace.tools import view_calls
from groundtrace.tools.sourcegraph_evaluator import number

REPO = "github.com/sg-evals/webpack--v5.64.0"
CONTENT = "\n".join(f"a line of the file, number {n}" for n in range(40))


def _found(script: str, text: str = CONTENT) -> list[tuple[str, int | None, int | None]]:
    call = ToolCall(
        name="mcp__sourcegraph__evaluator",
        arguments={"script": script},
        result=ToolResult(text=json.dumps({"text": text})),
    )
    view = view_calls(Trace(calls=(call,)), Settings())[0]
    assert all(ref.repo == REPO for ref in view.refs)
    return [(ref.path, ref.line_start, ref.line_end) for ref in view.refs]


def test_ranges_read_in_a_loop_are_apart() -> None:
    """D7: lines where they are known; contents that were shown in pieces are no hull."""
    script = f"""
    local targets = {{1022, 9}}
    for _, ln in ipairs(targets) do
      local s = math.max(1, ln - 15)
      local r = source.read_file({{repo="{REPO}", path="yarn.lock", startLine=s, endLine=ln}})
    end
    """
    assert _found(script) == [("yarn.lock", 1007, 1022), ("yarn.lock", 1, 9)]


def test_files_read_in_a_loop_are_all_found() -> None:
    script = f"""
    local repo = "{REPO}"
    for _, p in ipairs({{"lib/a.js", 'lib/b.js'}}) do
      out[p] = source.read_file({{repo=repo, path=p}})
    end
    """
    assert _found(script) == [("lib/a.js", None, None), ("lib/b.js", None, None)]


def test_a_name_that_changes_is_no_line() -> None:
    """A file read step by step is shown without known lines, not from line 1 to line 1."""
    script = f"""
    local start = 1
    while start <= 400 do
      local r = source.read_file({{repo="{REPO}", path="a.js", startLine=start, endLine=start + 99}})
      start = start + 100
    end
    """
    assert _found(script) == [("a.js", None, None)]


def test_numbers() -> None:
    values = {"a": 7}
    assert number("math.min(a, 3)", values) == 3
    assert number("a + 2", values) == 9
    assert number("b", values) is None
    assert number("math.max(1, math.min(a, 2))", values) is None
