"""No content of a trace makes the tools stage raise, and its results can always be written."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundtrace.config import Settings
from groundtrace.model import ToolCall, ToolResult, Trace
from groundtrace.tools import view_calls
from groundtrace.tools.table import table_for

ENTRIES = [e for e in table_for(Settings()).entries.values() if e.reads not in ("shell", "python")]
PIECES = [
    "# github.com/o/r – a.go\n5: x\n6: \n",
    '{"blocks":[{"file":"a","repo":"r","chunks":[{"content":"1: x","startLine":1}]}]}',
    '{"text":"URL: https://s.example.com/github.com/o/r@1/-/blob/a.go?L1-2\\n1: x"}',
    "     1→x\n     2→\n",
    "src/a-1-b.py:12:x\n/workspace/src/a-1-b.py-13-y\n--\n",
    "Here's the result of running `cat -n` on /a.py:\n     1\tx\n",
    "diff --git a/x b/y\n--- a/x\n+++ b/y\n@@ -1,2 +99999999999999,4 @@\n",
    "Path: a.go\n 1\tx",
    "[x](/github.com/o/r/-/blob/a.go?L1-2)",
    "\x00\ud800\N{RIGHT-TO-LEFT OVERRIDE}../../../etc/passwd\n",
    "9" * 30 + ": x\n" + "9" * 30 + "\tx\n" + "-" + "1" * 5000 + "-",
    '{"a":' * 400,
]
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(PIECES),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["file", "path", "files", "text", "content", "hunks"]), inner
        )
    ),
    max_leaves=8,
)
NAMES = sorted(
    {"path", "query", "repo", "offset", "limit", "command", "view_range", "script"}
    | {name for entry in ENTRIES for name in entry.path_arguments}
)
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=30), max_size=4).map("".join)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    entry=st.sampled_from(ENTRIES),
    arguments=st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=5),
    text=TEXTS,
    data=VALUES,
    is_error=st.booleans(),
    cwd=st.sampled_from([None, "/workspace", "relative", ""]),
)
def test_any_call_has_a_view(
    entry: Any, arguments: dict[str, Any], text: str, data: Any, is_error: bool, cwd: str | None
) -> None:
    name = f"mcp__{entry.server}__{entry.short}" if entry.server else entry.name
    call = ToolCall(name, arguments, result=ToolResult(text, data, is_error), cwd=cwd)
    (view,) = view_calls(Trace(calls=(call,)), Settings())
    assert view.tool == entry.name
    for ref in view.refs:
        assert ref.path
        assert not ref.path.endswith("/")
        assert "://" not in ref.path
        assert (ref.line_start is None) == (ref.line_end is None)
        if ref.line_start is not None and ref.line_end is not None:
            assert 1 <= ref.line_start <= ref.line_end < 2**31
    if view.failed:
        assert view.refs == ()


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "name",
    [
        "Grep",
        "Read",
        "mcp__sourcegraph__keyword_search",
        "str_replace_editor",
        "mcp__sourcegraph__deepsearch_read",
        "mcp__auggie__codebase-retrieval",
        "mcp__sourcegraph__diff_search",
        "mcp__sourcegraph__list_repos",
        "mcp__sourcegraph__evaluator",
    ],
)
@pytest.mark.parametrize(
    "line",
    [
        "a-1-" * 100_000,
        "# o/r – " + " " * 200_000 + "x",
        "[a.a" + ".a" * 100_000,
        "](" * 100_000,
        "URL: " + "a/" * 100_000,
        "Path: " + " x" * 100_000,
        '{"a":' * 50_000,
        "<system-reminder>" * 20_000,
        "@@ -1 +1 @@" * 20_000,
        "a." * 100_000,
        "read_file" + " " * 200_000,
    ],
    ids=range(11),
)
def test_long_lines_do_not_take_long(name: str, line: str) -> None:
    """The file that was asked for is all there is; a pattern that backtracks would never end."""
    arguments = {
        "path": "/workspace/x",
        "pattern": "x",
        "output_mode": "content",
        "script": line,
        "query": line,
    }
    call = ToolCall(name, arguments, result=ToolResult(f"{line}\n{line}"))
    (view,) = view_calls(Trace(calls=(call,), cwd="/workspace"), Settings())
    asked = {"/workspace/x"} if name in ("Read", "str_replace_editor") else set()
    assert {ref.path for ref in view.refs} == asked
