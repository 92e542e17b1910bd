"""A search that counts its own lines gives the numbers that reading its output again gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.config import Settings
from groundtrace.model import ToolResult
from groundtrace.shell import shell_refs
from groundtrace.shell.streams import found_lines

NAMES = ["a.py", "./a.py", "b/a.py", "x/b/a.py", "v-1-2.py", "v-1", "a.py ", "12.py", "12 x.py",
         "/w/c.md", "../w/c.md", "src/app.ts", "m.go"]  # fmt: skip
LINES = st.builds("{}:{}:{}".format, st.sampled_from(NAMES), st.integers(1, 9), st.just("alpha"))


@given(st.lists(LINES, min_size=1, max_size=8))
def test_both_ways_of_counting_agree(lines: list[str]) -> None:
    result = ToolResult(text="\n".join(lines))
    counted = shell_refs("grep -rn alpha .", result, "/w", Settings())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(found_lines, "is_plain", lambda names, refs: False)
        read_again = shell_refs("grep -rn alpha .", result, "/w", Settings())
    assert counted == read_again


def test_each_file_has_its_own_characters_and_runs() -> None:
    result = ToolResult(text="a.py:1:x\na.py:2:x\nb/c.py:7:xyz\na.py:9:x\n")
    view = shell_refs("grep -rn x a.py b", result, "/w", Settings())
    assert [(ref.path, ref.shown_chars, ref.ranges) for ref in view.refs] == [
        ("/w/a.py", 27, ((1, 2), (9, 9))),
        ("/w/b/c.py", 13, None),
    ]


def test_lines_that_awk_chose_by_their_text_are_the_lines_that_it_numbers() -> None:
    """Of lines 3 and 900 it printed two, not all 898 between."""
    command = """awk '/lock/ { print NR": "$0 }' a.py"""
    (ref,) = shell_refs(
        command, ToolResult("3: lock\n900: lock\n901: unlock\n"), "/w", Settings()
    ).refs
    assert (ref.kind, ref.line_start, ref.line_end) == ("read", 3, 901)
    assert ref.ranges == ((3, 3), (900, 901))
    (run,) = shell_refs(command, ToolResult("3: lock\n4: unlock\n"), "/w", Settings()).refs
    assert (run.line_start, run.line_end, run.ranges) == (3, 4, None)
