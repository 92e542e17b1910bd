"""Stored outputs: reading one later counts for the files whose content it has, not for the stored
file."""

from __future__ import annotations

from groundtrace.config import Settings
from groundtrace.model import CallView, ToolCall, ToolResult, Trace
from groundtrace.tools import view_calls

STORED = "/home/agent/.claude/projects/-workspace/s1/tool-results/toolu_01.txt"
MOUNTED = "/logs/agent/sessions/projects/-workspace/s1/tool-results/toolu_01.txt"
ANSWER = (
    '{"text":"# github.com/o/r – a.go\\n5: x\\n6: \\n\\n# github.com/o/r – b.go\\n7: y\\n8: \\n"}'
)


def search(text: str = "", *, is_error: bool = False) -> ToolCall:
    """A search whose full answer was stored."""
    result = ToolResult(text, is_error=is_error, persisted_path=STORED)
    return ToolCall("mcp__sourcegraph__keyword_search", {"query": "x"}, result=result)


def views(*calls: ToolCall, settings: Settings | None = None) -> list[CallView]:
    return view_calls(Trace(calls=calls, cwd="/workspace"), settings or Settings())


def paths(view: CallView) -> list[tuple[str, str]]:
    return [(ref.kind, ref.path) for ref in view.refs]


def test_the_preview_counts_for_what_it_shows() -> None:
    """D4."""
    (view,) = views(search(ANSWER[:60]))
    assert paths(view) == [("matched", "a.go")]


def test_a_later_read_is_credited_to_the_files_in_the_stored_output() -> None:
    read = ToolCall("Read", {"file_path": STORED}, result=ToolResult(f"     1→{ANSWER}"))
    first, later = views(search(), read)
    assert first.refs == ()
    assert paths(later) == [("matched", "a.go"), ("matched", "b.go")]
    assert later.category == "file_read"
    assert later.refs[0].rule.startswith("stored output of keyword_search")
    assert later.repos == ("github.com/o/r",)


def test_the_folder_may_be_mounted_elsewhere() -> None:
    read = ToolCall("Read", {"file_path": MOUNTED}, result=ToolResult(f"1\t{ANSWER}"))
    assert paths(views(search(), read)[1]) == [("matched", "a.go"), ("matched", "b.go")]


def test_a_part_of_a_stored_json_answer_names_the_files_that_it_holds() -> None:
    part = '9: y","endLine":10,"startLine":9}],"file":"c.go","repo":"github.com/o/r","type":"file"'
    read = ToolCall("Read", {"file_path": STORED, "offset": 2}, result=ToolResult(f"     2→{part}"))
    # The lines of c.go stand before this part, so that only its name is known to have been shown.
    assert paths(views(search(), read)[1]) == [("surfaced", "c.go")]


def test_a_stored_output_of_unknown_origin_is_no_target() -> None:
    read = ToolCall("Read", {"file_path": STORED}, result=ToolResult("1\tx"))
    assert views(read)[0].refs == ()


def test_a_failed_read_of_a_stored_output_obtains_nothing() -> None:
    refused = ToolResult(
        "File content (9 tokens) exceeds maximum allowed tokens (1)", is_error=True
    )
    view = views(search(), ToolCall("Read", {"file_path": STORED}, result=refused))[1]
    assert view.refs == ()
    assert view.failed


def test_a_shell_look_at_a_stored_output_counts_unless_the_shell_is_ignored() -> None:
    """D6."""
    cat = ToolCall("Bash", {"command": f"cat {STORED}"}, result=ToolResult(ANSWER))
    used = views(search(), cat)[1]
    assert paths(used) == [("matched", "a.go"), ("matched", "b.go")]
    ignored = views(search(), cat, settings=Settings(shell="ignore"))[1]
    assert ignored.refs == ()


def test_a_stored_output_of_a_command_counts_as_its_preview() -> None:
    """D4: the structured result holds the whole output, the model saw the first lines."""
    shown, whole = "a.py:1:x\n", "a.py:1:x\nb.py:2:x\nc.py:3:x\n"
    result = ToolResult(shown, {"stdout": whole, "stderr": ""}, persisted_path=STORED)
    (view,) = views(ToolCall("Bash", {"command": "grep -rn x ."}, result=result))
    assert paths(view) == [("matched", "/workspace/a.py")]
