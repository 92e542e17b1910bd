"""Files that may have been silent, told by what can be their first line (D4)."""

from __future__ import annotations

import pytest

from groundtrace.config import Settings
from groundtrace.model import ToolResult
from groundtrace.tools.shell import shell_refs

JSON = '{\n  "name": "x",\n  "list": [\n    {\n    }\n  ]\n}\n'
MARKDOWN = "# Title\n\ntext\n"
GO = "package a\n\n// F does.\nfunc F() {\n}\n"


def read(command: str, output: str) -> list[tuple[str, int | None, int | None]]:
    found = shell_refs(command, ToolResult(output), "/w", Settings())
    return [(ref.path, ref.line_start, ref.line_end) for ref in found.refs]


@pytest.mark.parametrize(
    ("command", "output", "path"),
    [
        ("cat package.json 2>/dev/null; cat README.md", MARKDOWN, "README.md"),
        ("cat package.json 2>/dev/null; cat README.md 2>/dev/null", MARKDOWN, "README.md"),
        ("cat README.md 2>/dev/null; cat package.json", JSON, "package.json"),
        ("cat go.mod 2>/dev/null; cat package.json 2>/dev/null", JSON, "package.json"),
        ("cat a.json 2>/dev/null; cat b.json", JSON, "b.json"),
        ("cat NOTES 2>/dev/null; cat a.go", GO, "a.go"),
        ("head -20 pom.xml 2>/dev/null; head -20 build.gradle", "plugins {\n}\n", "build.gradle"),
    ],
)
def test_a_file_that_cannot_begin_so_did_not_print(command: str, output: str, path: str) -> None:
    assert read(command, output) == [(f"/w/{path}", 1, output.count("\n"))]


@pytest.mark.parametrize(
    "command",
    [
        "cat package.json 2>/dev/null; cat README.md",
        "cat package.json; cat README.md",
    ],
)
def test_where_both_can_have_printed_both_stand_without_lines(command: str) -> None:
    found = read(command, JSON + MARKDOWN)
    assert found == [("/w/package.json", None, None), ("/w/README.md", None, None)]


def test_a_file_that_says_its_errors_printed_however_odd_it_is() -> None:
    found = read("cat odd.json; cat README.md", "odd: 1\n" + MARKDOWN)
    assert [path for path, _, _ in found] == ["/w/odd.json", "/w/README.md"]
