"""Laws of printed shapes: what is printed in a shape is read back as it was."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.answers import diffs
from groundtrace.answers.fold import fold, merged
from groundtrace.answers.found import found, found_in
from groundtrace.answers.headed import found_below
from groundtrace.answers.line import Shown
from groundtrace.answers.numbered import BARRED, COLON, SURE, contents, numbered

PATHS = st.sampled_from(
    ["src/a.py", "src/v-1-2.py", "Makefile", "docs/2024-01-02.md", "/abs/b-3.go", "a/b/c.d.ts"]
)
TEXTS = st.text(
    st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\n\r"), max_size=30
)
NUMBERS = st.integers(1, 99_999)


@st.composite
def rising(draw: st.DrawFn) -> list[tuple[int, str]]:
    """Lines of one file: growing numbers, each with a text."""
    numbers = sorted(draw(st.sets(NUMBERS, min_size=1, max_size=12)))
    return [(number, "x" + draw(TEXTS)) for number in numbers]


def runs_in(numbers: list[int]) -> list[tuple[int, int]]:
    return merged((number, number) for number in numbers)


@given(rising(), st.sampled_from(["\t", "→"]))
def test_numbers_of_contents_are_read_back(lines: list[tuple[int, str]], separator: str) -> None:
    printed = [f"{number:6d}{separator}{text}" for number, text in lines]
    shown = numbered(printed, SURE)
    assert shown is not None
    assert merged(shown.runs) == runs_in([number for number, _ in lines])
    assert shown.chars == sum(len(line) + 1 for line in printed)


@pytest.mark.parametrize("separator", ["\t", "→", " | ", "| ", "|", ": ", ") "])
@given(rising())
def test_every_separator_is_known(separator: str, lines: list[tuple[int, str]]) -> None:
    shown = contents([f"{number}{separator}{text}" for number, text in lines])
    assert shown is not None
    assert merged(shown.runs) == runs_in([number for number, _ in lines])


@given(rising(), st.sampled_from([(COLON, ": "), (BARRED, ":"), (BARRED, "|")]))
def test_forms_of_one_tool_are_read_back(
    lines: list[tuple[int, str]], form: tuple[re.Pattern[str], str]
) -> None:
    shown = numbered([f"{number}{form[1]}{text}" for number, text in lines], form[0])
    assert shown is not None
    assert merged(shown.runs) == runs_in([number for number, _ in lines])


@given(st.lists(st.tuples(PATHS, rising()), min_size=1, max_size=4, unique_by=lambda g: g[0]))
def test_found_lines_are_read_back(groups: list[tuple[str, list[tuple[int, str]]]]) -> None:
    printed = [f"{path}:{number}:{text}" for path, lines in groups for number, text in lines]
    by_path: dict[str, list[int]] = {}
    for line in found(printed, lambda name: name):
        assert line.first is not None
        by_path.setdefault(line.path, []).append(line.first)
    assert by_path == {path: [number for number, _ in lines] for path, lines in groups}


@given(PATHS, rising(), st.data())
def test_context_belongs_to_the_file_of_its_match(
    path: str, lines: list[tuple[int, str]], data: st.DataObject
) -> None:
    signs = data.draw(st.lists(st.sampled_from(":-"), min_size=len(lines), max_size=len(lines)))
    signs[data.draw(st.integers(0, len(lines) - 1))] = ":"
    printed = [
        f"{path}{s}{number}{s}x{text}" for s, (number, text) in zip(signs, lines, strict=True)
    ]
    (ref,) = fold(found(printed, lambda name: name), "")
    assert ref.path == path
    assert ref.shown_chars == sum(len(line) + 1 for line in printed)
    runs = ref.ranges or ((ref.line_start, ref.line_end),)
    assert list(runs) == runs_in([number for number, _ in lines])


@given(st.lists(st.tuples(PATHS, rising()), min_size=1, max_size=4, unique_by=lambda g: g[0]))
def test_lines_below_names_are_those_beside_names(
    groups: list[tuple[str, list[tuple[int, str]]]],
) -> None:
    beside = [f"{path}:{number}:{text}" for path, lines in groups for number, text in lines]
    below = []
    for path, lines in groups:
        below += [path, *(f"{number}:{text}" for number, text in lines), ""]

    def places(shown: list[Shown]) -> list[tuple[str, int | None]]:
        return [(line.path, line.first) for line in shown if line.kind == "matched"]

    assert places(list(found_below(below, lambda name: name))) == places(
        list(found(beside, lambda name: name))
    )


@given(rising())
def test_one_searched_file_needs_no_name(lines: list[tuple[int, str]]) -> None:
    printed = [f"{number}:{text}" for number, text in lines]
    (ref,) = fold(found_in(printed, "a.py"), "")
    assert list(ref.ranges or ((ref.line_start, ref.line_end),)) == runs_in([n for n, _ in lines])


SHOWN = st.builds(
    Shown,
    path=PATHS,
    kind=st.sampled_from(["read", "matched", "surfaced"]),
    first=st.none() | st.integers(1, 50),
    last=st.none() | st.integers(1, 60),
    chars=st.none() | st.integers(0, 100),
    repo=st.sampled_from([None, "o/r"]),
)


@given(st.lists(SHOWN, max_size=20))
def test_folding_keeps_every_file_every_line_and_every_character(lines: list[Shown]) -> None:
    refs = fold(lines, "rule")
    assert {(ref.repo, ref.path) for ref in refs} == {(line.repo, line.path) for line in lines}
    for ref in refs:
        own = [line for line in lines if (line.repo, line.path) == (ref.repo, ref.path)]
        same = [line for line in own if line.kind == ref.kind]
        if ref.kind == "surfaced":
            assert all(line.kind == "surfaced" for line in own)
            continue
        numbers = {
            number
            for line in same
            if line.first
            for number in range(line.first, max(line.first, line.last or 0) + 1)
        }
        spans = ref.ranges or ([(ref.line_start, ref.line_end)] if ref.line_start else [])
        assert {n for first, last in spans for n in range(first or 0, (last or 0) + 1)} == numbers
        known = all(line.chars is not None for line in same)
        assert ref.shown_chars == (sum(line.chars or 0 for line in same) if known else None)


def test_a_removed_line_that_looks_like_a_heading_is_a_line() -> None:
    text = "--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,2 @@\n--- old comment\n+++ new comment\n same\n"
    lines = list(diffs.in_text(text, None))
    assert {line.path for line in lines} == {"b/x.sql"}
    (hunk,) = [line for line in lines if line.kind == "read"]
    assert (hunk.first, hunk.last, hunk.chars) == (1, 2, 16 + 16 + 6)


def test_an_answer_without_lines_has_no_groups() -> None:
    """A search that printed nothing below its head was a bug that cost the call."""
    assert list(found_below([], lambda name: name)) == []
