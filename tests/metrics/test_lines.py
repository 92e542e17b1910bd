"""Line level: computed by hand, and compared with sets of lines counted one by one (D72)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, structs

from groundtrace.documents.events import (
    Access,
    Chunk,
    EventsDocument,
    LineChange,
    LineRange,
)
from groundtrace.documents.line_map import LineMap
from groundtrace.documents.metrics import LineLevelMetrics
from groundtrace.model import ToolCall, ToolResult
from groundtrace.tools.line_shift import EditedLines, edit_changes, patch_changes, sed_changes
from tests.metrics.builders import metrics_of, step, trial

A, B = "src/a.py", "lib/b.py"


def shown(file: str, first: int | None = None, last: int | None = None, **more: Any) -> Access:
    lines = {} if first is None else {"line_start": first, "line_end": last or first}
    truth = {"ground_truth_file": file} if file == A else {}
    return Access(file=file, kind=more.pop("kind", "read"), **{**lines, **truth, **more})


def wrote(file: str, *changes: tuple[int, int, int], shift: int | None = None) -> Access:
    places = [LineChange(line_start=a, line_end=b, line_shift=s) for a, b, s in changes]
    total = sum(s for *_, s in changes) if changes else shift
    return shown(
        file,
        kind="written",
        line_shift=UNSET if total is None else total,
        line_changes=places or UNSET,
    )


def document(
    *calls: Access | list[Access],
    chunks: list[tuple[str, int, int]] | None = None,
    edit_chunks: list[tuple[str, int, int]] | None = None,
    version: str = "1.2",
) -> EventsDocument:
    made = trial(*(step() for _ in calls), truth=[A], version=version)
    events = [
        structs.replace(event, accesses=call if isinstance(call, list) else [call])
        for event, call in zip(made.events, calls, strict=True)
    ]
    section = structs.replace(
        made.ground_truth, chunks=_chunks(chunks), edit_chunks=_chunks(edit_chunks)
    )
    return structs.replace(made, events=events, ground_truth=section)


def _chunks(given: list[tuple[str, int, int]] | None) -> Any:
    if given is None:
        return UNSET
    return [Chunk(file=f, line_start=a, line_end=b, annotation=None) for f, a, b in given]


def lines_of(made: EventsDocument) -> LineLevelMetrics:
    section = metrics_of(made).line_level_metrics
    assert section is not UNSET
    return section


# --- worked by hand -------------------------------------------------------------------------


def test_lines_seen_of_two_files() -> None:
    found = lines_of(
        document(shown(A, 1, 12), shown(B, 5, 9), shown(A, 10, 14), chunks=[(A, 11, 20)])
    )
    assert (found.basis, found.reason) == ("chunks", None)
    assert (found.lines_seen, found.lines_relevant, found.lines_relevant_seen) == (19, 10, 4)
    assert (found.line_recall, found.line_precision) == (0.4, 4 / 19)
    assert found.chunk_recall_by_lines == 1


def test_lines_between_two_matches_of_a_search_were_not_seen() -> None:
    """Searches are stored by their first and last line: 895 lines would be seen that were not."""
    ranges = [LineRange(line_start=5, line_end=5), LineRange(line_start=900, line_end=900)]
    found = lines_of(
        document(
            shown(A, 5, 900, kind="matched", line_ranges=ranges),
            chunks=[(A, 100, 120), (A, 900, 901)],
        )
    )
    assert (found.lines_seen, found.line_recall) == (2, 1 / 23)
    assert found.chunk_recall_by_lines == 0.5


def test_edit_chunks_count_where_there_are_no_chunks() -> None:
    found = lines_of(document(shown(A, 1, 4), edit_chunks=[(A, 4, 5)]))
    assert (found.basis, found.line_recall) == ("edit_chunks", 0.5)
    both = lines_of(document(shown(A, 1, 4), chunks=[(A, 1, 1)], edit_chunks=[(A, 4, 5)]))
    assert (both.basis, both.line_recall) == ("chunks", 1)


def test_an_edit_moves_what_is_shown_below_it() -> None:
    """Ten lines put above line 50: what is shown as 120 is line 110."""
    insert = wrote(A, (50, 49, 10))
    assert lines_of(document(insert, shown(A, 120), chunks=[(A, 110, 110)])).line_recall == 1
    assert lines_of(document(insert, shown(A, 120), chunks=[(A, 120, 120)])).line_recall == 0
    assert lines_of(document(insert, shown(A, 49), chunks=[(A, 49, 49)])).line_recall == 1
    own = lines_of(document(insert, shown(A, 50, 59), chunks=[(A, 50, 59)]))
    assert (own.line_recall, own.lines_seen) == (0, 0), "the agent's own lines"


def test_one_call_that_writes_a_file_and_then_shows_it() -> None:
    """`cat > notes <<END; cat notes` shows what the agent wrote. Accesses of a call are in order."""
    insert = wrote(A, (3, 2, 2))
    after = lines_of(document([insert, shown(A, 1, 6)], chunks=[(A, 1, 10)]))
    assert (after.lines_seen, after.line_recall) == (4, 0.4), "lines 1 to 4; two are the agent's"
    before = lines_of(document([shown(A, 1, 6), insert], chunks=[(A, 1, 10)]))
    assert (before.lines_seen, before.line_recall) == (6, 0.6)
    both = lines_of(document([shown(A, 1, 2), insert, shown(A, 5, 6)], chunks=[(A, 1, 10)]))
    assert (both.lines_seen, both.line_recall) == (4, 0.4), "1 and 2, then 3 and 4 as 5 and 6"
    own = lines_of(document(shown(A, 1, 5), [wrote(B), shown(B, 1, 15)], chunks=[(A, 1, 10)]))
    assert (own.lines_seen, own.line_precision) == (5, 1), "a new file's lines are the agent's"


@pytest.mark.parametrize(("shift", "recall"), [(0, 1.0), (3, None), (None, None)])
def test_a_write_without_a_place(shift: int | None, recall: float | None) -> None:
    """It moves nothing where the file is as long as before; else later numbers mean nothing."""
    made = document(wrote(A, shift=shift), shown(A, 7), chunks=[(A, 7, 7)])
    found = lines_of(made)
    assert found.line_recall == recall
    assert found.reason == (None if shift == 0 else "lines_unknown")


def test_more_than_a_fifth_without_lines_is_undefined_and_never_zero() -> None:
    known = [shown(A, n) for n in range(1, 5)]
    one = lines_of(document(*known, shown(A), chunks=[(A, 1, 4)]))
    assert (one.line_recall, one.accesses_without_lines) == (1, 1)
    two = lines_of(document(*known, shown(A), shown(A), chunks=[(A, 1, 4)]))
    assert (two.reason, two.line_recall, two.line_precision) == ("lines_unknown", None, None)
    assert (two.chunk_recall_by_lines, two.lines_seen, two.lines_relevant) == (None, None, None)
    others = lines_of(document(shown(A, 1), shown(B), shown(B), chunks=[(A, 1, 4)]))
    assert others.line_recall == 0.25, "only accesses of truth files are asked"


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (document(shown(A, 1)), "no_chunk_ground_truth"),
        (document(chunks=[(A, 1, 1)]), "empty_trace"),
        (document(shown(A, 1, other_revision=True), chunks=[(A, 1, 1)]), "lines_unknown"),
        (document(shown(A, 1, 9, line_ranges=[]), chunks=[(A, 1, 1)]), "lines_unknown"),
        (
            document(shown(A, 1, 9, kind="matched"), chunks=[(A, 1, 1)], version="1.1"),
            "older_document",
        ),
    ],
    ids=["no lines known", "no trace", "other revision", "unknown between", "1.1: hull alone"],
)
def test_what_is_not_known_is_null_with_a_reason(made: EventsDocument, reason: str) -> None:
    found = lines_of(made)
    assert (found.reason, found.line_recall, found.line_precision) == (reason, None, None)
    counts = (found.accesses_of_truth_files, found.accesses_without_lines)
    assert counts == ((1, 1) if reason == "lines_unknown" else (UNSET, UNSET))


def test_an_agent_that_saw_no_truth_line_scores_zero() -> None:
    found = lines_of(document(shown(B, 1, 3), chunks=[(A, 1, 2)]))
    assert (found.line_recall, found.line_precision, found.lines_seen) == (0, 0, 3)
    nothing = metrics_of(document(wrote(B, shift=0), chunks=[(A, 1, 2)]))
    assert nothing.line_level_metrics.line_precision is None
    assert nothing.line_level_metrics.line_recall == 0


def test_base_lines_say_more_than_the_places_of_writes() -> None:
    """The text of an answer told which first lines were shown; null says that nothing did."""
    hidden = wrote(A)
    told = [LineRange(line_start=3, line_end=4), LineRange(line_start=9, line_end=9)]
    known = lines_of(document(hidden, shown(A, 13, 19, base_lines=told), chunks=[(A, 4, 9)]))
    assert (known.line_recall, known.lines_seen, known.accesses_without_lines) == (2 / 6, 3, 0)
    own = lines_of(document(hidden, shown(A, 3, 9, base_lines=[]), chunks=[(A, 4, 9)]))
    assert (own.line_recall, own.lines_seen) == (0, 0), "the agent's own lines"
    lost = lines_of(document(shown(A, 3, 9, base_lines=None), chunks=[(A, 4, 9)]))
    assert (lost.reason, lost.accesses_without_lines) == ("lines_unknown", 1)
    unnumbered = lines_of(document(shown(A, base_lines=told), chunks=[(A, 4, 9)]))
    assert unnumbered.line_recall == 2 / 6


# --- a second implementation: real files, line by line ----------------------------------------

Op = tuple[Any, ...]

CALLS = st.lists(
    st.one_of(
        st.tuples(st.just("show"), st.sampled_from([A, B]), st.integers(1, 14), st.integers(0, 6)),
        st.tuples(
            st.just("edit"),
            st.sampled_from([A, B]),
            st.lists(
                st.tuples(st.integers(1, 14), st.integers(0, 3), st.integers(0, 3)), max_size=2
            ),
        ),
    ),
    max_size=12,
)


def brute(calls: list[Op], chunks: list[tuple[str, int, int]]) -> tuple[list[Any], set, set]:
    """Plays the calls on files whose lines are named by their first number, and collects names."""
    files: dict[str, list[Any]] = {name: list(range(1, 21)) for name in (A, B)}
    accesses: list[Any] = []
    seen: set[tuple[str, int]] = set()
    for what, file, *rest in calls:
        text = files[file]
        if what == "show":
            first, extra = rest
            last = min(first + extra, len(text))
            if first > len(text):
                continue
            accesses.append(shown(file, first, last))
            seen |= {(file, name) for name in text[first - 1 : last] if name is not None}
            continue
        changes: list[tuple[int, int, int]] = []
        above = len(text) + 1
        for start, old, new in sorted(rest[0], reverse=True):
            if start + old > above - 1 or start > len(text):
                continue
            changes.append((start, start + old - 1, new - old))
            text[start - 1 : start - 1 + old] = [None] * new
            above = start
        if changes:
            accesses.append(wrote(file, *changes))
    wanted = {(file, n) for file, first, last in chunks for n in range(first, last + 1)}
    return accesses, seen, wanted


@given(
    calls=CALLS,
    chunks=st.lists(
        st.tuples(st.sampled_from([A, B]), st.integers(1, 12), st.integers(0, 6)).map(
            lambda c: (c[0], c[1], c[1] + c[2])
        ),
        min_size=1,
        max_size=3,
    ),
)
def test_against_sets_of_lines(calls: list[Op], chunks: list[tuple[str, int, int]]) -> None:
    accesses, seen, wanted = brute(calls, chunks)
    found = lines_of(document(shown("other", 1), *accesses, chunks=chunks))
    assert found.lines_seen == len(seen) + 1
    assert found.lines_relevant == len(wanted)
    assert found.line_recall == len(seen & wanted) / len(wanted)
    assert found.line_precision == len(seen & wanted) / (len(seen) + 1)
    met = [any((f, n) in seen for n in range(a, b + 1)) for f, a, b in chunks]
    assert found.chunk_recall_by_lines == sum(met) / len(chunks)


# --- where writes changed lines ---------------------------------------------------------------


def old_lines(changes: list[EditedLines], shown_now: int) -> list[int]:
    lines = LineMap()
    lines.write(
        [LineChange(line_start=c.start, line_end=c.end, line_shift=c.shift) for c in changes],
        sum(c.shift for c in changes),
    )
    return [n for a, b in lines.old((1, shown_now)) for n in range(a, b + 1)]


def test_a_structured_patch_tells_each_place() -> None:
    hunk = {
        "oldStart": 4,
        "oldLines": 6,
        "newStart": 4,
        "newLines": 7,
        "lines": [" d", "-e", "+E", "+E2", " f", " g", "+G", " h", "-i"],
    }
    changes = list(patch_changes([hunk]))
    assert changes == [EditedLines(5, 5, 1), EditedLines(8, 7, 1), EditedLines(9, 9, -1)]
    # now: a b c d E E2 f g G h j
    assert old_lines(changes[::-1], 11) == [1, 2, 3, 4, 6, 7, 8, 10]


def edited(text: str = "", **arguments: Any) -> list[EditedLines]:
    return edit_changes(ToolCall("Edit", arguments, result=ToolResult(text)), text)


SNIPPET = "The file /w/a.py has been edited. Here's the result of running `cat -n` on a snippet:\n"


def test_edits_by_replaced_text() -> None:
    assert edited(old_string="a", new_string="b\nc") == [EditedLines(None, None, 1)]
    assert edited(old_string="a", new_string="b", replace_all=True) == [EditedLines(None, None, 0)]
    assert edited(old_string="a", new_string="b\nc", replace_all=True) == [], "how often?"
    assert edited(content="whole file") == []
    placed = edited(
        SNIPPET + "     6\tx\n     7\tone\n     8\ttwo\n", old_str="y", new_str="one\ntwo"
    )
    assert placed == [EditedLines(7, 7, 1)]
    twice = edited(SNIPPET + "     6\tone\n     7\tone\n", old_str="y\nz", new_str="one")
    assert twice == [EditedLines(None, None, -1)], "it stands there twice"
    assert edited(command="insert", insert_line=3, new_str="p\nq") == [EditedLines(4, 3, 2)]
    several = [{"old_string": "a", "new_string": "b\nc"}, {"old_string": "d\ne", "new_string": ""}]
    assert edited(edits=several) == [EditedLines(None, None, 0)]


@pytest.mark.parametrize(
    ("command", "changes"),
    [
        ("sed -i '5,6d' a.py", [EditedLines(5, 6, -2)]),
        ("sed -i 7d a.py && cat a.py", [EditedLines(7, 7, -1)]),
        ("sed -i '5i\\import os' a.py", [EditedLines(5, 4, 1)]),
        ("sed -i '5a one\\ntwo' a.py", [EditedLines(6, 5, 2)]),
        ("sed -i 's/a/b/g' a.py", [EditedLines(None, None, 0)]),
        ("sed -i '3s|a|b|' a.py", [EditedLines(None, None, 0)]),
        ("sed -i 's/a/b\\nc/' a.py", []),
        ("sed -i '/x/d' a.py", []),
        ("sed -i -e '1d' -e '2d' a.py", []),
        ("sed -n '5,6p' a.py", []),
        ("for f in *.py; do sed -i '1d' $f; done", []),
        ("sed -i '1d' a.py; sed -i '4d' a.py", [EditedLines(1, 1, -1), EditedLines(4, 4, -1)]),
        ("bash -c 'sed -i \"2d\" a.py'", [EditedLines(2, 2, -1)]),
        ("sed -i '1d' a.py && python fix.py", []),
        ("sed -i '1d' a.py && sed -i '/x/d' a.py", []),
        ("sed -i '1d", []),
        ("sed -i 's/a/b/; 5d' a.py", []),
        ("sed -i '/x/,$s/a/b/' a.py", [EditedLines(None, None, 0)]),
        ("sed -n -i '5d' a.py", []),
        ("sed -i '4,6c one\\ntwo' a.py", [EditedLines(4, 6, -1)]),
        ("sed -i '5a\\\none\\\ntwo' a.py", [EditedLines(6, 5, 2)]),
        ("bash -c 'sed -i \"5a\\\\\none\\\\\ntwo\\\\\nthree\" a.py'", [EditedLines(6, 5, 3)]),
        ("sed -i 2d \\\n a.py", [EditedLines(2, 2, -1)]),
    ],
)
def test_sed_in_place(command: str, changes: list[EditedLines]) -> None:
    assert sed_changes(command).get("a.py", []) == changes


def test_sed_places_are_what_sed_does(tmp_path: Any) -> None:
    """The program itself as oracle: every old line that is left is where the places say."""
    import shutil
    import subprocess

    if shutil.which("sed") is None:
        pytest.skip("no sed here")
    for script in (
        "5,6d",
        "7d",
        "5i\\import os",
        "5a one\\ntwo",
        "1i x",
        "20d",
        "4,6c x\\ny",
        "9c z",
    ):
        file = tmp_path / "a.txt"
        file.write_text("".join(f"line {n}\n" for n in range(1, 21)))
        subprocess.run(["sed", "-i", script, str(file)], check=True)
        now = file.read_text().splitlines()
        left = [int(line.split()[1]) for line in now if line.startswith("line ")]
        assert old_lines(sed_changes(f"sed -i '{script}' a.txt")["a.txt"], len(now)) == left
