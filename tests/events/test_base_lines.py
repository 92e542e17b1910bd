"""Which first lines an access showed, told by text and by git (D129): worked, and played on files."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from groundtrace.answers.cuts import AGAIN, cut, half
from groundtrace.config import Settings
from groundtrace.documents.events import Access
from groundtrace.events import build_document
from groundtrace.events.same_text import WholeText, place
from groundtrace.metrics.evidence import EvidenceView, shown_lines
from groundtrace.model import (
    CallView,
    FileRef,
    GroundTruth,
    Task,
    ToolCall,
    ToolResult,
    Trace,
    TruthFile,
)
from tests.events.trials import trial
from tests.shell.views import shell_refs

FILE = "src/a.py"


def accesses(*steps: tuple[str, str] | tuple[str, list[FileRef]]) -> list[list[Access]]:
    """The accesses of shell commands with their answers, or of given references."""
    document = _document(
        [
            (
                command,
                list(shell_refs(command, ToolResult(answer), "/w/repo", Settings()).refs)
                if isinstance(answer, str)
                else answer,
            )
            for command, answer in steps
        ]
    )
    return [[] if e.accesses is UNSET else list(e.accesses) for e in document.events]


def base(access: Access) -> Any:
    runs = access.base_lines
    return runs if runs is UNSET or runs is None else [(r.line_start, r.line_end) for r in runs]


def numbered(text: list[str], first: int = 1) -> str:
    return "".join(f"{n:6}\t{line}\n" for n, line in enumerate(text, first))


TEXT = [f"value_{n} = compute({n})" for n in range(1, 21)]


def test_text_that_is_shown_again_is_the_same_lines() -> None:
    """`sed -i` by a pattern does not tell its places; the lines that are left do."""
    now = [*TEXT[:4], "added = 1", *TEXT[4:]]
    *_, last = accesses(
        (f"nl -ba {FILE}", numbered(TEXT)),
        (f"sed -i '/value_4/a added = 1' {FILE}", ""),
        (f"nl -ba {FILE} | sed -n '3,8p'", numbered(now[2:8], 3)),
    )
    assert (last[0].line_start, last[0].line_end, base(last[0])) == (3, 8, [(3, 7)])


def test_a_line_that_is_neither_known_nor_the_agents_leaves_it_open() -> None:
    *_, last = accesses(
        (f"nl -ba {FILE} | sed -n '1,5p'", numbered(TEXT[:5])),
        (f"python fix.py {FILE}; sed -i '/x/d' {FILE}", ""),
        (f"nl -ba {FILE} | sed -n '3,8p'", numbered(TEXT[2:8], 3)),
    )
    assert base(last[0]) is UNSET, "the write without a place says it already"


def test_a_call_that_edits_a_file_and_then_shows_it_shows_the_edit() -> None:
    """A line was put in before `head` printed six: five of them are the file's first lines."""
    now = [*TEXT[:3], "mine = 1", *TEXT[3:]]
    shown = "".join(f"{line}\n" for line in now[:6])
    _, edited = accesses(
        (f"nl -ba {FILE}", numbered(TEXT)),
        (f"sed -i '/value_3/a mine = 1' {FILE} && head -6 {FILE}", shown),
    )
    assert [access.kind for access in edited] == ["written", "read"]
    assert base(edited[1]) == [(1, 5)]


def test_a_file_that_git_put_back_in_the_same_call_has_its_first_lines() -> None:
    show = "".join(f"{line}\n" for line in TEXT[:3])
    *_, last = accesses(
        (f"sed -i '/x/d' {FILE}", ""),
        (f"git checkout {FILE} && head -3 {FILE}", show),
    )
    assert [access.kind for access in last] == ["written", "read"]
    assert base(last[1]) == [(1, 3)]


def test_a_file_that_git_put_back_has_its_first_lines_again() -> None:
    show = (f"nl -ba {FILE} | sed -n '9,12p'", numbered(TEXT[8:12], 9))
    edit = (f"sed -i '/x/d' {FILE}", "")
    back = (f"git checkout {FILE}", "Updated 1 path from the index")
    assert base(accesses(edit, back, show)[-1][0]) == [(9, 12)]
    assert base(accesses(edit, (f"git checkout -- {FILE}", ""), show)[-1][0]) == [(9, 12)]
    assert base(accesses(edit, (f"git restore {FILE}", ""), show)[-1][0]) == [(9, 12)]
    for other in (f"git checkout HEAD~1 -- {FILE}", f"git checkout v1.2 {FILE}"):
        assert base(accesses(edit, (other, ""), show)[-1][0]) is UNSET, other
    for before in ("git add -A", "git commit -qam x"):
        assert base(accesses((before, ""), edit, back, show)[-1][0]) is UNSET, before


def test_commands_that_move_files_they_do_not_name() -> None:
    """After `git stash` the edit that moved lines by one is gone."""
    gone = FileRef(f"/w/repo/{FILE}", "written", line_shift=-1, line_changes=((2, 2, -1),))
    edit = (f"sed -i '2d' {FILE}", [gone])
    show = (f"nl -ba {FILE} | sed -n '9,12p'", numbered(TEXT[8:12], 9))
    assert base(accesses(edit, show)[-1][0]) is UNSET, "line_changes tell"
    for command in ("git stash", "git reset --hard", "git checkout .", "git restore ."):
        assert base(accesses(edit, (command, ""), show)[-1][0]) is None, command
    seen = (f"nl -ba {FILE}", numbered(TEXT))
    assert base(accesses(seen, edit, ("git stash", ""), show)[-1][0]) == [(9, 12)]


DIFF = """diff --git a/src/a.py b/src/a.py
index 1..2 100644
--- a/src/a.py
+++ b/src/a.py
@@ -3,4 +3,6 @@
 value_3 = compute(3)
 value_4 = compute(4)
+new = 1
+more = 2
-value_5 = compute(5)
+value_5 = 5
 value_6 = compute(6)
"""


@pytest.mark.parametrize(
    ("command", "before", "expected"),
    [
        ("git diff", "", [(3, 6)]),
        ("git diff HEAD", "", [(3, 6)]),
        (f"git diff {FILE}", "", [(3, 6)]),
        ("git diff --cached", "git add -A", [(3, 6)]),
        ("git diff", "git add -A", UNSET),
        ("git diff", "git commit -qam x", UNSET),
        ("git show 1a2b3c4", "", None),
        ("git show HEAD", "", UNSET),
        ("git diff main..other", "", None),
    ],
)
def test_a_diff_numbers_the_old_lines_itself(command: str, before: str, expected: Any) -> None:
    edit = (f"sed -i '/x/d' {FILE}" if expected is not None else "true", "")
    found = accesses((before or "true", ""), edit, (command, DIFF))
    assert base(found[-1][0]) == expected


def test_a_hunk_of_another_revision_is_placed_by_lines_that_are_known() -> None:
    """`git show` of a fix that is not in place: its old side is the file, its new side is not."""
    seen = (f"nl -ba {FILE}", numbered(TEXT))
    assert base(accesses(seen, ("git show 1a2b3c4", DIFF))[-1][0]) == [(3, 6)]
    other = (f"nl -ba {FILE}", numbered([line.upper() for line in TEXT]))
    assert base(accesses(other, ("git show 1a2b3c4", DIFF))[-1][0]) is None


def test_the_end_of_a_cut_file_is_placed_where_later_lines_tell() -> None:
    cut = (
        "<output_head>\n"
        + "\n".join(TEXT[:5])
        + "\nval\n</output_head>\n<elided_chars>\n90 characters "
        "elided\n</elided_chars>\n<output_tail>\nute(12)\n"
        + "\n".join(TEXT[12:])
        + "\n\n</output_tail>"
    )
    later = (f"nl -ba {FILE} | sed -n '10,16p'", numbered(TEXT[9:16], 10))
    first = accesses((f"cat {FILE}", cut), later)[0]
    assert [base(access) for access in first] == [UNSET, [(12, 20)]]
    alone = accesses((f"cat {FILE}", cut))[0]
    assert [base(access) for access in alone] == [UNSET, UNSET]


def test_a_brace_at_the_end_may_be_any() -> None:
    known = {1: "def f():", 2: "  call(1)", 3: "}", 4: "", 5: "def g():"}
    own = "print(7)"
    assert place(["  call(1)", "print(7)", "}"], known, own) is None
    assert place(["  call(1)", "}", "print(7)"], known, own) == [2, 3]
    assert WholeText(known).numbers(["  call(1)", "print(7)", "}"], own) == [2]
    assert place(["def h():"], known, own) is None
    assert place([], known, own) is None


# --- a file that is known as a whole ------------------------------------------------------------

CODE = ["def a():", "    one()", "    return", "", "def b():", "    two()", "    return", ""]
WHOLE = WholeText(dict(enumerate(CODE, 1)))


@pytest.mark.parametrize(
    ("lines", "own", "expected"),
    [
        (["def a():", "    one()"], None, [1, 2]),
        (["    two()", "    return", ""], None, [6, 7, 8]),
        (["    return"], None, None),  # which of the two?
        (["    return", "    return"], None, [3, 7]),  # `grep return` shows both
        (["def b():", AGAIN, "def a():"], None, [1, 5]),
        (["    return", AGAIN, "    return"], None, None),
        (
            ["def a():", "    uno()", "    return", "", "def b():"],
            None,
            [1, 2, 3, 4, 5],
        ),  # a masked name
        (["def b():", cut(""), "    return"], None, None),
        (["two()"], None, None),
        (["def b():", "two()"], None, [5, 6]),  # without its indent, next to one in place
        (["def c():"], None, None),  # not this file, or it was changed unseen
        (["def c():"], "def c(): pass", []),
        (["def c():", "    two()"], "anything", [6]),
        (["    return"], "def c():", None),
        (["    two()", "def a():", "    one()", "    return", ""], "def a(): one() return", [6]),
        (["    one()", "    two()", "def a():", "    return"], "def a(): return", [2, 6]),
        (["    return"], "if x: return", []),  # perhaps the agent's own
        (["", ""], None, None),
    ],
)
def test_text_is_placed_in_a_whole_file(
    lines: list[str], own: str | None, expected: list[int] | None
) -> None:
    assert WHOLE.numbers(lines, own) == expected


def test_halves_of_lines_beside_a_cut() -> None:
    before, behind = half("    ret", ends=True), half("b():", ends=False)
    assert WHOLE.numbers(["    one()", before, cut(""), behind, "    two()"], None) == [2, 3, 5, 6]


FILES = st.lists(st.sampled_from(["", "a", "b", "c", "return", "x = 1"]), min_size=1, max_size=30)


@given(FILES, st.sampled_from(["a", "b", "return"]), st.integers(0, 2))
def test_a_search_is_placed_where_it_found(file: list[str], wanted: str, context: int) -> None:
    """As grep prints: every match, groups with a break between them. A claim has no other line."""
    near = {
        other
        for at, line in enumerate(file)
        if line == wanted
        for other in range(at - context, at + context + 1)
        if 0 <= other < len(file)
    }
    lines: list[str] = []
    for at in sorted(near):
        if lines and at - 1 not in near and context:
            lines.append(cut(""))
        lines.append(file[at])
    found = WholeText(dict(enumerate(file, 1))).numbers(lines, None)
    if found is not None:
        assert set(found) <= {at + 1 for at in near}
        assert {at + 1 for at in near if file[at]} <= set(found)
    if not context and near:
        assert found == [at + 1 for at in sorted(near)]


@given(FILES, st.integers(0, 29), st.integers(1, 12), st.integers(0, 29), st.integers(1, 12))
def test_two_runs_of_a_file_are_placed_or_not_claimed(
    file: list[str], first: int, height: int, second: int, other: int
) -> None:
    between = cut("") if second >= first + height else AGAIN
    lines = [*file[first : first + height], between, *file[second : second + other]]
    shown = {*range(first, first + height), *range(second, second + other)}
    found = WholeText(dict(enumerate(file, 1))).numbers(lines, None)
    assert found is None or set(found) <= {at + 1 for at in shown}


def test_a_file_of_equal_lines_takes_no_time() -> None:
    many = WholeText(dict.fromkeys(range(1, 20_000), "x"))
    assert many.numbers(["x"] * 10_000, None) is None


# --- played on a file, line by line -------------------------------------------------------------

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("show"), st.integers(1, 24), st.integers(0, 12)),
        st.tuples(st.just("hidden"), st.integers(1, 20), st.integers(0, 3), st.integers(0, 3)),
        st.tuples(st.just("placed"), st.integers(1, 20), st.integers(0, 3), st.integers(0, 3)),
        st.tuples(st.just("restored"), st.just(0), st.just(0)),
    ),
    min_size=2,
    max_size=10,
)


@given(STEPS)
def test_what_is_claimed_is_what_was_shown(steps: list[tuple[Any, ...]]) -> None:
    """Each line is known by its first number; a claim is the set of numbers shown, or no claim."""
    file: list[tuple[int | None, str]] = list(enumerate(TEXT, 1))
    calls: list[tuple[str, list[FileRef]]] = []
    expected: list[set[int] | None] = []
    for at, (what, first, size, *more) in enumerate(steps):
        ref = FileRef(FILE, "written")
        words, shown = "", None
        if what == "show":
            lines = file[first - 1 : first + size]
            if not lines:
                continue
            ref = FileRef(
                FILE,
                "read",
                line_start=first,
                line_end=first + len(lines) - 1,
                printed=[text for _, text in lines],
            )
            shown = {number for number, _ in lines if number is not None}
        elif what == "restored":
            file = list(enumerate(TEXT, 1))
            ref = FileRef(FILE, "written", restored=True)
        else:
            new = [f"mine_{at}_{n}" for n in range(more[0])]
            words = "\n".join(new)
            old = len(file[first - 1 : first - 1 + size])
            if first > len(file):
                continue
            file[first - 1 : first - 1 + old] = [(None, text) for text in new]
            if what == "placed":
                change = (first, first + old - 1, len(new) - old)
                ref = FileRef(FILE, "written", line_shift=change[2], line_changes=(change,))
        calls.append((words, [ref]))
        expected.append(shown)
    if not calls:
        return
    document = _document(calls)
    told = {one.touch.event.step_index: one.runs for one in shown_lines(EvidenceView(document))}
    for step, shown in enumerate(expected):
        if shown is not None and told[step] is not None:
            assert {n for a, b in told[step] or () for n in range(a, b + 1)} == shown


def _document(calls: list[tuple[str, list[FileRef]]]) -> Any:
    views = [CallView(category="other", tool="bash", refs=tuple(refs)) for _, refs in calls]
    made = [ToolCall("bash", {"command": words}, result=ToolResult("")) for words, _ in calls]
    truth = GroundTruth(files=(TruthFile(FILE, FILE),), source="x", confidence="high")
    trace = Trace(calls=tuple(made), source="transcript", has_transcript=True)
    task = Task("t", "s", None, repos=("o/repo",))
    return build_document(trial(task=task), trace, views, truth, (), Settings())
