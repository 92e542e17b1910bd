"""The tool table: one tool under all its names, MCP by configuration, additions by users."""

from __future__ import annotations

import json
from pkgutil import get_data

import pytest

from groundtrace.config import Settings, settings_from
from groundtrace.errors import UsageError
from groundtrace.model import CallView, ToolCall, ToolResult, Trace
from groundtrace.tools import canonical, check_tools, is_known_tool, view_calls
from groundtrace.tools.readers import call_readers as readers
from groundtrace.tools.table import CATEGORIES, table_for


def view(
    name: str,
    arguments: dict[str, object] | None = None,
    *,
    server: str | None = None,
    settings: Settings | None = None,
    text: str = "",
) -> CallView:
    """The view of one call."""
    call = ToolCall(name, arguments or {}, server=server, result=ToolResult(text))
    return view_calls(Trace(calls=(call,), cwd="/workspace"), settings or Settings())[0]


# --- names --------------------------------------------------------------------------------

SAME = {
    "sourcegraph.read_file": (
        "mcp__sourcegraph__sg_read_file",
        "mcp__sourcegraph__read_file",
        "sg_read_file",
        "mcp_sourcegraph_read_file",
        "sourcegraph.read_file",
        "mcp__plugin_sourcegraph_sourcegraph__read_file",
    ),
    "sourcegraph.keyword_search": (
        "mcp__sourcegraph__sg_keyword_search",
        "mcp__sourcegraph__keyword_search",
        "keyword_search",
        "mcp__keyword_search",
    ),
    "github.get_file_contents": ("mcp__github__get_file_contents",),
    "auggie.codebase-retrieval": (
        "mcp__auggie__codebase-retrieval",
        "mcp__auggie__augment_code_search",
        "augment_code_search",
    ),
    "Read": ("Read", "readToolCall", "read"),
    "Grep": ("Grep", "grepToolCall"),
    "Glob": ("Glob", "globToolCall"),
    "Edit": ("Edit", "editToolCall"),
    "Bash": ("Bash", "bash", "execute_bash", "shellToolCall"),
    "Task": ("Task", "Agent", "taskToolCall"),
    "TodoWrite": ("TodoWrite", "updateTodosToolCall", "task_tracker"),
}


@pytest.mark.parametrize(("tool", "name"), [(t, n) for t, names in SAME.items() for n in names])
def test_all_names_of_a_tool_lead_to_one_entry(tool: str, name: str) -> None:
    """D2: the category comes from the canonical tool, not from the raw string."""
    entry = canonical(name)
    assert entry is not None
    assert entry.name == tool


def test_a_bare_read_file_is_sourcegraphs_where_it_names_a_repository() -> None:
    """OpenHands shows MCP tools bare (D2); another harness has its own `read_file`."""
    assert (
        view("read_file", {"repo": "github.com/o/r", "path": "a"}).tool == "sourcegraph.read_file"
    )
    local = view("read_file", {"absolute_path": "/workspace/a.py"}, text="1\tx")
    assert local.tool == "Read"
    assert [ref.path for ref in local.refs] == ["/workspace/a.py"]


def test_a_tool_of_an_unknown_server_is_not_taken_for_a_known_one() -> None:
    assert canonical("mcp__acme-files__read_file") is None
    assert canonical("read_file", "acme-files") is None
    found = view("mcp__acme-files__read_file", {"path": "/workspace/a.py"}, text="1\tx")
    assert found.tool is None
    assert [ref.evidence for ref in found.refs] == ["generic"]


def test_common_words_are_tools_of_a_server_only_where_the_server_is_named() -> None:
    for name in ("search", "definition", "find_symbol", "git_diff", "git_apply", "directory_tree"):
        assert canonical(name) is None, name
    entry = canonical("mcp__ripgrep__search")
    assert entry is not None
    assert entry.name == "ripgrep.search"


def test_one_entry_can_speak_for_every_tool_of_a_server() -> None:
    for name in ("mcp__playwright__browser_navigate", "mcp__context7__get-library-docs"):
        entry = canonical(name)
        assert entry is not None
        assert (entry.category, entry.reads) == ("other", None)
    shown = view(
        "mcp__context7__get-library-docs", {"topic": "x"}, text="### src/a.py\n```\nx\n```"
    )
    assert (shown.category, shown.refs) == ("other", ())


def test_the_trace_may_know_that_a_tool_is_mcp_but_not_whose() -> None:
    entry = canonical("keyword_search", "unknown")
    assert entry is not None
    assert entry.name == "sourcegraph.keyword_search"
    assert canonical("Read", "unknown") is None


SEEN = """
Bash Read Write Grep Edit ToolSearch Glob TodoWrite WebFetch WebSearch Agent TaskOutput Task bash
MultiEdit NotebookEdit LS evaluator mcp__sourcegraph__evaluator mcp__keyword_search
mcp__sourcegraph__sg_read_file mcp__sourcegraph__sg_keyword_search mcp__sourcegraph__sg_list_files
mcp__sourcegraph__sg_nls_search mcp__sourcegraph__sg_list_repos mcp__sourcegraph__sg_commit_search
mcp__sourcegraph__sg_find_references mcp__sourcegraph__sg_compare_revisions
mcp__sourcegraph__sg_diff_search mcp__sourcegraph__sg_deepsearch_read
mcp__sourcegraph__sg_deepsearch mcp__sourcegraph__sg_go_to_definition
mcp__sourcegraph__get_contributor_repos mcp__sourcegraph__code_finder
mcp__github__get_file_contents mcp__github__search_code mcp__github__get_repository_tree
mcp__auggie__augment_code_search mcp__auggie__codebase-retrieval
execute_bash str_replace_editor think read_file keyword_search task_tracker list_files finish
nls_search list_repos commit_search compare_revisions deepsearch deepsearch_read
execute_ipython_cell go_to_definition diff_search find_references
readToolCall grepToolCall globToolCall shellToolCall editToolCall taskToolCall updateTodosToolCall
"""
"""Every tool name that was seen in real traces."""


@pytest.mark.parametrize("name", SEEN.split())
def test_every_name_seen_in_real_traces_is_known(name: str) -> None:
    assert is_known_tool(name, Settings())


CATEGORY = {
    "list_repos": "other",
    "mcp__sourcegraph__evaluator": "other",
    "Bash": "other",
    "Task": "other",
    "NotebookEdit": "file_write",
    "MultiEdit": "file_write",
    "mcp__github__get_file_contents": "file_read",
    "mcp__github__search_code": "code_search",
    "mcp__github__get_repository_tree": "file_search",
    "mcp__auggie__codebase-retrieval": "code_search",
    "mcp__sourcegraph__sg_deepsearch": "deep_search",
    "mcp__sourcegraph__sg_compare_revisions": "commit_search",
    "mcp__sourcegraph__find_references": "symbol_navigation",
}


@pytest.mark.parametrize(("name", "category"), CATEGORY.items())
def test_categories_of_the_specification(name: str, category: str) -> None:
    """The specification's table, and D2 where it is silent."""
    entry = canonical(name)
    assert entry is not None
    assert entry.category == category


def test_the_table_is_consistent() -> None:
    table = table_for(Settings())
    named = {entry.reads for entry in table.entries.values()} - {None, "shell", "python"}
    assert named == set(readers()), "every reader that the table names exists, and is used"
    assert {entry.category for entry in table.entries.values()} <= set(CATEGORIES)


def test_no_name_is_twice_in_the_table() -> None:
    """JSON takes the last of two equal keys and says nothing."""
    text = get_data("groundtrace.tools", "table.json")
    assert text is not None

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    groups = json.loads(text, object_pairs_hook=once)["tools"]
    names = [name for group in groups.values() for name in group]
    assert sorted(names) == sorted(table_for(Settings()).entries)


# --- MCP ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "server", "servers", "expected"),
    [
        ("mcp__sourcegraph__sg_read_file", None, ("sourcegraph",), True),
        ("keyword_search", "sourcegraph", ("sourcegraph",), True),
        ("keyword_search", None, ("sourcegraph",), True),
        ("mcp__github__search_code", None, ("sourcegraph",), False),
        ("mcp__github__search_code", None, ("sourcegraph", "github"), True),
        ("mcp__acme__look_up", None, ("*",), True),
        ("mcp__acme__look_up", None, ("acme",), True),
        ("look_up", "unknown", ("*",), True),
        ("mcp__plugin_sourcegraph_sourcegraph__read_file", None, ("sourcegraph",), True),
        ("Read", None, ("*",), False),
        ("Bash", None, ("sourcegraph",), False),
    ],
)
def test_is_mcp_goes_by_the_configured_servers(
    name: str, server: str | None, servers: tuple[str, ...], expected: bool
) -> None:
    """D3: `sourcegraph` alone by default, `*` for any server."""
    settings = Settings(mcp_servers=servers)
    arguments = {"query": "x", "repo": "github.com/o/r"}
    assert view(name, arguments, server=server, settings=settings).is_mcp is expected


# --- additions ----------------------------------------------------------------------------


def test_a_user_adds_a_tool_like_a_known_one() -> None:
    settings = settings_from(
        {"tools": {"mcp__acme__open": {"like": "Read", "path_arguments": ["where"]}}}
    )
    found = view("mcp__acme__open", {"where": "a.py"}, settings=settings, text="3\tx")
    assert found.category == "file_read"
    assert [(ref.path, ref.line_start) for ref in found.refs] == [("/workspace/a.py", 3)]
    assert found.is_mcp is False
    assert is_known_tool("mcp__acme__open", settings)
    assert not is_known_tool("mcp__acme__open", Settings())


def test_a_user_adds_aliases_and_servers() -> None:
    settings = settings_from(
        {
            "tools": {
                "acme.find": {"like": "sourcegraph.keyword_search", "server": "acme"},
                "Peek": {"category": "file_read", "path_arguments": ["f"], "aliases": ["peek_at"]},
            }
        }
    )
    text = '{"text":"# github.com/o/r – a.go\\n5: x\\n6: \\n"}'
    found = view("mcp__acme__find", {"query": "x"}, settings=settings, text=text)
    assert [ref.path for ref in found.refs] == ["a.go"]
    assert view("peek_at", {"f": "/a.py"}, settings=settings, text="x").refs[0].kind == "read"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"catgory": "other"}, "nearest is 'category'"),
        ({"category": "file_raed"}, "nearest is 'file_read'"),
        ({"like": "Raed"}, "nearest is 'Read'"),
        ({"category": "other", "aliases": "x"}, "aliases must be a list of strings"),
        ({"category": 3}, "category must be a string"),
        ({"category": "other", "reads": "reed"}, "nearest is 'read'"),
        ({"aliases": ["x"]}, "needs a category"),
    ],
)
def test_a_wrong_addition_says_what_is_wrong(entry: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check_tools(Settings(tools={"Peek": entry}))
