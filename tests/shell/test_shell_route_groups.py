"""Folder names in brackets are names; code in brackets is not a name."""

from __future__ import annotations

import pytest

from groundtrace.config import Settings
from groundtrace.model import ToolResult
from groundtrace.shell import shell_refs


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        ("app/(shop)/page.tsx:12:  total\n", ["/w/app/(shop)/page.tsx"]),
        ("(shop)/page.tsx:12:  total\n", ["/w/(shop)/page.tsx"]),
        ("total(a, b/c.x):12: no name\n", []),
    ],
)
def test_a_whole_folder_in_brackets_is_part_of_a_name(line: str, paths: list[str]) -> None:
    view = shell_refs("rg -n total", ToolResult(line), "/w", Settings())
    assert [ref.path for ref in view.refs] == paths
