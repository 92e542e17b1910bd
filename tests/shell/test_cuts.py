"""Outputs that a harness cut: only what was shown is claimed, wherever the cut is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundtrace.config import Settings
from groundtrace.model import ToolResult
from groundtrace.shell import ShellView
from tests.shell.views import shell_refs, spans


def view_beside(command: str, text: str, stdout: str | None = None) -> ShellView:
    data = None if stdout is None else {"stdout": stdout, "stderr": ""}
    return shell_refs(command, ToolResult(text=text, data=data), "/w", Settings())


def test_the_end_of_a_longer_output_has_no_known_lines() -> None:
    """OpenHands shows the last lines of what was too long."""
    mark = "[Previous command outputs are truncated. Showing the last 3 lines of the output below.]"
    assert spans(view_beside("cat a.py", f"{mark}\nx\ny\nz")) == [("/w/a.py", None, None)]
    late = view_beside("cat a.py", "[Below is the output of the previous command.]\nx\ny")
    assert spans(late) == [("/w/a.py", 1, 2)]


NAMES = [f"src/{letter}{number}.py" for letter in "abcd" for number in range(1, 9)]


LINES = [f"unique line {number} of the file" for number in range(1, 41)]


def tokens(text: str, low: int, high: int) -> str:
    """As Codex cuts: in the middle of a line, and the cut inside of it."""
    return f"{text[:low]}…{(high - low) // 4} tokens truncated…{text[high:]}"


def characters(text: str, low: int, high: int) -> str:
    """As mini-swe-agent cuts: head and tail between tags."""
    return (
        f"<output_head>\n{text[:low]}\n</output_head>\n<elided_chars>\n{high - low} characters elided\n"
        f"</elided_chars>\n<output_tail>\n{text[high:]}\n</output_tail>"
    )


def refs(command: str, output: str) -> list[tuple[str, str, int | None, int | None]]:
    view = shell_refs(command, ToolResult(text=output), "/w", Settings())
    return [(str(r.kind), r.path.removeprefix("/w/"), r.line_start, r.line_end) for r in view.refs]


CUTS = st.sampled_from([tokens, characters])


@settings(max_examples=150, deadline=None, derandomize=True)
@given(cut=CUTS, data=st.data())
def test_a_name_is_claimed_only_where_all_of_it_was_shown(cut: object, data: st.DataObject) -> None:
    text = "".join(f"{name}\n" for name in NAMES)
    low = data.draw(st.integers(1, len(text) - 2))
    high = data.draw(st.integers(low + 1, len(text) - 1))
    shown = set(text[:low].split("\n")[:-1]) | set(text[high:].split("\n"))
    claimed = {path for _, path, _, _ in refs("git ls-files", cut(text, low, high))}  # type: ignore[operator]
    assert claimed <= shown & set(NAMES)
    inside = set(text[:low].split("\n")[:-1]) | set(text[high:].split("\n")[1:]) - {""}
    assert {name for name in inside if name in NAMES} - claimed <= {
        text[:low].split("\n")[-1],
        text[:low].removesuffix("\n").split("\n")[-1],
        text[high:].split("\n")[0],
    }


@settings(max_examples=150, deadline=None, derandomize=True)
@given(cut=CUTS, data=st.data())
def test_a_line_is_claimed_only_where_something_of_it_was_shown(
    cut: object, data: st.DataObject
) -> None:
    text = "".join(f"{line}\n" for line in LINES)
    low = data.draw(st.integers(1, len(text) - 2))
    high = data.draw(st.integers(low + 1, len(text) - 1))
    shown = text[:low].count("\n") + (not text[:low].endswith("\n"))
    for kind, path, first, last in refs("cat a.py", cut(text, low, high)):  # type: ignore[operator]
        assert (kind, path) == ("read", "a.py")
        # Of the head the lines are known; of the tail they are not.
        assert (first, last) == (None, None) or (first == 1 and last in {shown, shown + 1})


@settings(max_examples=100, deadline=None, derandomize=True)
@given(before=st.integers(1, 15), after=st.integers(1, 15))
def test_a_cut_by_lines_that_says_how_many_it_left_out_tells_the_lines_behind_it(
    before: int, after: int
) -> None:
    left_out = len(LINES) - before - after
    notice = f"... [{left_out} lines omitted] ..."
    output = "\n".join([*LINES[:before], notice, *LINES[-after:]]) + "\n"
    claimed = {
        n for _, _, low, high in refs("cat a.py", output) for n in range(low or 0, (high or 0) + 1)
    }
    shown = {int(n) for n in re.findall(r"line (\d+) of", output)}
    assert claimed == shown


@pytest.mark.parametrize(
    ("notice", "tail"),
    [
        ("… +80 lines …", (91, 100)),
        ("(... 80 more lines ...)", (91, 100)),
        ("... (80 lines hidden) ...", (91, 100)),
        ("… +80 lines (ctrl+o to expand)", (91, 100)),
        ("<output truncated: 1600 characters>", (None, None)),
        ("[1600 bytes truncated]", (None, None)),
        # Whose the blank lines are is not known, so the tail's numbers are not either.
        ("\n[... 80 lines omitted ...]\n", (None, None)),
    ],
)
def test_notices_of_harnesses_that_are_not_known(
    notice: str, tail: tuple[int | None, int | None]
) -> None:
    """The end of the file was taken for the lines after its beginning."""
    lines = [f"{number} of a file" for number in range(1, 101)]
    found = refs("cat a.py", "\n".join([*lines[:10], notice, *lines[-10:]]) + "\n")
    assert [(low, high) for _, _, low, high in found][:1] == [(1, 10)]
    assert tail in [(low, high) for _, _, low, high in found]
    assert all(high is None or high <= 10 or low == 91 for _, _, low, high in found)


@pytest.mark.parametrize("line", ["- 3 lines removed", "# 3 more lines", "** 12 lines **"])
def test_a_line_of_a_change_log_is_no_notice(line: str) -> None:
    assert refs("cat a.md", f"a\n{line}\nmore lines\n") == [("read", "a.md", 1, 3)]
