"""Listings that may have printed nothing: names in one order are one listing (D4)."""

from __future__ import annotations

import pytest

from groundtrace.config import Settings
from groundtrace.model import ToolResult
from groundtrace.shell import shell_refs

ROOT = "CONTRIBUTING.md\nLICENSE\nREADME.md\nassembly\nlib\npackage.json\nyarn.lock"


def folders(command: str, output: str) -> set[str]:
    """Folders in which the command is said to have listed files."""
    found = shell_refs(command, ToolResult(output), "/workspace", Settings())
    return {ref.path.rpartition("/")[0] for ref in found.refs}


@pytest.mark.parametrize(
    "command",
    [
        "ls w/packages 2>/dev/null | head -5; ls w 2>/dev/null",
        "ls w/packages 2>/dev/null | head -30; ls w 2>/dev/null",
        "ls w/packages/ 2>/dev/null; ls w/",
        "ls w/ 2>/dev/null; ls w/packages 2>/dev/null",
    ],
)
def test_of_a_folder_and_its_parent_the_parent_cannot_be_the_silent_one(command: str) -> None:
    """A real trial listed the root of webpack after a folder that it does not have."""
    assert folders(command, ROOT) == {"/workspace/w"}


def test_two_listings_meet_where_the_order_breaks() -> None:
    output = "index.js\nmain.js\n" + ROOT
    found = folders("ls w/packages 2>/dev/null; ls w 2>/dev/null", output)
    assert found == {"/workspace/w/packages", "/workspace/w"}


def test_a_first_listing_that_says_its_errors_printed_what_its_head_allows() -> None:
    found = folders("ls w/packages | head -4; ls w", ROOT)
    assert found == {"/workspace/w/packages", "/workspace/w"}


def test_a_name_that_begins_alike_is_no_parent() -> None:
    assert folders("ls wide/a 2>/dev/null; ls w", ROOT) == {"/workspace/w"}
    assert folders("ls wide/a; ls w 2>/dev/null", ROOT) == {"/workspace/wide/a"}
