"""Calls of unknown tools: the list that was written before the reader, and hostile answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.unknown_tools import cases_of, expected_of, said_of, view_of
from groundtrace.answers.objects import MAX_FILES
from groundtrace.config import Settings
from groundtrace.model import CallView, ToolCall, ToolResult, Trace
from groundtrace.tools import view_calls
from groundtrace.tools.generic import generic_view

LIST = Path(__file__).parent.parent / "fixtures" / "generic" / "generic.toml"
CASES = cases_of(LIST)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['group']}: {case['says']}")
def test_a_call_of_an_unknown_tool_says_what_it_did(case: dict[str, Any]) -> None:
    view = view_of(case, table=False)
    assert said_of(case, view) == expected_of(case)
    assert all(ref.evidence == "generic" and ref.rule for ref in view.refs)


def test_the_list_is_large_and_holds_every_group() -> None:
    assert len(CASES) >= 60
    assert len({case["group"] for case in CASES}) == 18


def view(text: str, *, data: Any = None, error: bool = False, **arguments: Any) -> CallView:
    """The view of a call of a tool that nobody knows."""
    call = ToolCall("mcp__acme__do", arguments, result=ToolResult(text, data, error))
    (made,) = view_calls(Trace(calls=(call,), cwd="/workspace"), Settings())
    assert made.tool is None
    return made


def files(made: CallView) -> list[tuple[str, str]]:
    return [(ref.kind, ref.path) for ref in made.refs]


def test_the_name_of_a_tool_decides_nothing() -> None:
    arguments = {"path": "/workspace/a.py"}
    result = ToolResult("x = 1\n")
    names = ["mcp__x__write_file", "mcp__x__search", "mcp__x__zzz", "delete_everything"]
    views = {name: generic_view(ToolCall(name, arguments, result=result), None) for name in names}
    assert {made.category for made in views.values()} == {"file_read"}


def test_a_million_paths_are_bounded_and_the_rest_is_named_as_left_out() -> None:
    lines = "\n".join(f"src/f{i}.py:{i}:x" for i in range(1, 300_001))
    made = view(lines, query="x")
    assert len(made.refs) == MAX_FILES
    assert [problem.kind for problem in made.problems] == ["answer_too_large"]
    listed = view(json.dumps([{"path": f"src/f{i}.py"} for i in range(300_000)]), query="x")
    assert 0 < len(listed.refs) <= MAX_FILES
    assert [problem.kind for problem in listed.problems] == ["answer_too_large"]


def test_deep_json_is_read_to_a_depth_and_says_that_more_was_there() -> None:
    deep: Any = {"path": "src/deep.py", "line": 3}
    for _ in range(60):
        deep = {"inner": deep}
    made = view(json.dumps({"hits": [{"path": "src/a.py", "line": 1}], "more": deep}), query="x")
    assert files(made) == [("matched", "/workspace/src/a.py")]
    assert [problem.kind for problem in made.problems] == ["answer_too_large"]
    assert view("[" * 100_000, query="x").refs == ()


@pytest.mark.parametrize(
    "path",
    [
        "https://example.com/a.py",
        "http://example.com/a.py",
        "data:text/plain,a.py",
        "src/*.py",
        "src/",
        "..",
        "",
        "a.py\nb.py",
        "x" * 5000 + ".py",
    ],
)
def test_what_is_no_path_is_no_file(path: str) -> None:
    answer = json.dumps([{"path": path, "line": 1, "text": "x"}])
    assert view(answer, query="x").refs == ()
    assert view("x = 1\n", path=path).refs == ()


def test_paths_above_the_working_directory_are_resolved() -> None:
    made = view(json.dumps([{"path": "../../etc/passwd.txt", "line": 1}]), query="x")
    assert files(made) == [("matched", "/etc/passwd.txt")]


@pytest.mark.parametrize(
    "unit", ["a/", "a-1-", "a:1:", "`", "#", "<file ", "[", "│   ", "no ", "- "]
)
def test_long_lines_of_one_unit_are_read(unit: str) -> None:
    """No pattern may look at a long line again and again; the run's time limit would end it."""
    for text in (unit * 200_000, (unit * 50 + "\n") * 4000, f"{unit * 100_000}.py:1:x"):
        made = view(text, query="x", path="src")
        assert len(made.refs) <= MAX_FILES


def test_a_name_that_the_harness_cut_is_no_file() -> None:
    made = view(
        '[{"repository":"acme/tool","path":"src/a.py","line":1},{"path":"src/b.p', query="x"
    )
    assert files(made) == [("matched", "src/a.py")]


def test_prose_that_mentions_a_path_shows_nothing() -> None:
    made = view("The bug is in src/a.py, near line 12. See src/b.py:7 as well.", query="x")
    assert (made.refs, made.category, made.failed) == ((), "other", False)


def test_a_later_look_at_a_stored_answer_counts_for_the_files_in_it() -> None:
    stored = "/home/u/.claude/tool-results/abc.txt"
    search = ToolCall(
        "mcp__acme__find", {"query": "x"}, result=ToolResult("", persisted_path=stored)
    )
    look = ToolCall(
        "Read", {"file_path": stored}, result=ToolResult("1→src/a.py:3:x = 1\n2→src/b.py:4:x\n")
    )
    views = view_calls(Trace(calls=(search, look), cwd="/workspace"), Settings())
    assert files(views[1]) == [
        ("matched", "/workspace/src/a.py"),
        ("matched", "/workspace/src/b.py"),
    ]
    assert {ref.evidence for ref in views[1].refs} == {"generic"}


BODY = "def eggs():\n    return 3"


@pytest.mark.parametrize(
    "text",
    [
        "1. nests/a.py:20-21 (score: 0.91)\n   def eggs():\n       return 3\n2. nests/b.py:3\n   import a\n",
        "Found 2 places\n\n- `nests/a.py#L20-L21`\n```python\ndef eggs():\n    return 3\n```\n- `nests/b.py#L3`\n```\nimport a\n```",
        '<results>\n<result file="nests/a.py" start_line="20" end_line="21">\ndef eggs():\n    return 3\n</result>\n'
        '<result file="nests/b.py" start_line="3" end_line="3">\nimport a\n</result>\n</results>',
    ],
)  # fmt: skip
def test_ranked_places_show_the_lines_that_they_name(text: str) -> None:
    made = view(text, query="eggs")
    assert [(ref.path, ref.line_start, ref.line_end) for ref in made.refs] == [
        ("/workspace/nests/a.py", 20, 21),
        ("/workspace/nests/b.py", 3, 3),
    ]
    assert {ref.kind for ref in made.refs} == {"matched"}


def test_places_without_text_below_are_names() -> None:
    made = view("1. nests/a.py:20-21\n2. nests/b.py:3-4\n   import a\n", query="eggs")
    assert files(made) == [
        ("matched", "/workspace/nests/b.py"),
        ("surfaced", "/workspace/nests/a.py"),
    ] or files(made) == [
        ("surfaced", "/workspace/nests/a.py"),
        ("matched", "/workspace/nests/b.py"),
    ]


def test_a_number_in_brackets_before_a_line_is_no_json() -> None:
    made = view("[20] def eggs():\n[21]     return 3\n", path="/workspace/a.py")
    assert files(made) == [("read", "/workspace/a.py")]
    assert files(view('["a.py", "b.py"]')) != []


@pytest.mark.parametrize(
    "text", ["Request timed out", "The tool call timed out after 30 s", "MCP request timed out."]
)
def test_a_time_out_shows_nothing(text: str) -> None:
    made = view(text, path="/workspace/a.py")
    assert (made.failed, files(made)) == (True, [])
