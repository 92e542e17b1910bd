"""Dividing output among parts: the examples in the modules, and the best of all divisions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundtrace.config import Settings
from groundtrace.model import ToolResult
from groundtrace.shell import weights
from groundtrace.shell.align import fit as alignment
from groundtrace.shell.align.fit import Segment, fit
from groundtrace.shell.streams.content import Content
from groundtrace.shell.streams.found_lines import Search
from groundtrace.shell.streams.listings import Listing
from groundtrace.shell.streams.name_lists import Names
from groundtrace.shell.streams.part import Count, Opaque, Part
from groundtrace.shell.streams.text import Text
from groundtrace.shell.streams.word import Word
from tests.shell.views import shell_refs


def refs(command: str, output: str) -> list[tuple[str, str, int | None, int | None]]:
    found = shell_refs(command, ToolResult(output), "/w", Settings()).refs
    return [(ref.kind, ref.path, ref.line_start, ref.line_end) for ref in found]


def test_the_example_of_the_package() -> None:
    command = "cd src && head -20 a.py; echo ---; grep -n alpha b.py"
    assert refs(command, "import os\n---\n7:alpha = 1\n") == [
        ("read", "/w/src/a.py", 1, 1),
        ("matched", "/w/src/b.py", 7, 7),
    ]
    assert refs(command, "---\n") == []


SEARCH = Search(cwd="/w", sole="/w/b.py", named=False, numbered=True)
LISTING = Listing(cwd="/w", operands=(Word("src"),), quiet=True)
BEHIND = ("7:alpha = 1", "app.py")


def test_the_example_of_the_alignment() -> None:
    command = "cat a.py; echo ---; grep -n alpha b.py; ls src 2>/dev/null"
    assert refs(command, "import os\n---\n7:alpha = 1\napp.py\n") == [
        ("read", "/w/a.py", 1, 1),
        ("matched", "/w/b.py", 7, 7),
        ("surfaced", "/w/src/app.py", None, None),
    ]
    parts = (SEARCH, LISTING)
    sums = {cuts: total(parts, BEHIND, cuts) for cuts in ((0, 2, 2, 2), (0, 1, 1, 2))}
    assert sums == pytest.approx({(0, 2, 2, 2): -2.2, (0, 1, 1, 2): 2.8})
    assert total(parts, BEHIND, (0, 1, 1, 1)) == pytest.approx(-0.7)
    assert total(parts, BEHIND, (0, 0, 0, 2)) == pytest.approx(-2.2)


def test_a_separator_inside_of_a_file_is_outvoted_by_those_in_order() -> None:
    """a.py holds the text of the third separator, and the command was stopped before that."""
    command = 'cat a.py; echo "== one =="; cat b.py; echo "== two =="; cat c.py; echo "== three =="'
    assert refs(
        command, "a = 1\n== three ==\na = 3\n== one ==\nb = 1\nb = 2\n== two ==\nc = 1\n"
    ) == [
        ("read", "/w/a.py", 1, 3),
        ("read", "/w/b.py", 1, 2),
        ("read", "/w/c.py", 1, 1),
    ]


def test_an_output_too_long_for_the_exact_way_goes_to_parts_while_lines_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command = "grep -n x b.py; echo -; grep -rn y src; echo -; ls docs"
    output = "7:x = 1\n9:x = 2\n-\nsrc/a.py:3:y = 1\n-\nguide.md\n"
    exact = refs(command, output)
    assert [path for _, path, _, _ in exact] == [
        "/w/b.py",
        "/w/src/a.py",
        "/w/docs/guide.md",
    ]
    monkeypatch.setattr(alignment, "MAX_CELLS", 10)
    assert refs(command, output) == exact
    one_line = "head -1 a.py; grep -n x b.py; echo -"
    assert refs(one_line, "alpha\n7:x = 1\n-\n") == [
        ("read", "/w/a.py", 1, 1),
        ("matched", "/w/b.py", 7, 7),
    ]
    parts = [Segment(SEARCH), Segment(LISTING)]
    fit(parts, [*BEHIND, "lib.py"])
    assert [part.lines for part in parts] == [["7:alpha = 1"], ["app.py", "lib.py"]]
    assert not any(part.sure for part in parts), "a guess"


# --- the best of all divisions, tried one by one ----------------------------------------------


def total(parts: Sequence[Part], lines: Sequence[str], cuts: Sequence[int]) -> float:
    """The sum of a division: `cuts` are where each part begins and ends."""
    spans = list(zip(cuts[::2], cuts[1::2], strict=True))
    taken = sum(end - begin for begin, end in spans)
    left = (len(lines) - taken) * weights.UNACCOUNTED
    return sum(map(gain, parts, itertools.repeat(lines), spans)) - left


def gain(part: Part, lines: Sequence[str], span: tuple[int, int]) -> float:
    begin, end = span
    if begin == end:
        return 0.0 if isinstance(part, Text) and not part.lines else -part.cost_of_silence()
    own = lines[begin:end]
    if isinstance(part, Text):
        return weights.TEXT * len(own) if tuple(own) == part.lines else float("-inf")
    exact = part.exact()
    limit = exact if exact is not None and isinstance(part, Content) else part.limit
    if limit is not None and len(own) > limit:
        return float("-inf")
    before = lines[begin - 1] if begin else ""
    return (
        sum(map(part.score, own))
        + sum(part.pair(a, b) for a, b in itertools.pairwise(own) if part.compares)
        + (part.begin(before, own[0]) if part.compares else 0.0)
        + (part.fullness if exact == len(own) else 0.0)
        - part.cost_of_speech()
    )


def divisions(parts: int, lines: int) -> Iterator[tuple[int, ...]]:
    yield from itertools.combinations_with_replacement(range(lines + 1), 2 * parts)


PARTS: list[Callable[[], Part]] = [
    lambda: Content(path="/w/a"),
    lambda: Content(path="/w/a", spans=((1, 2),), quiet=True),
    lambda: Content(path="/w/a", numbers="lead"),
    lambda: Search(cwd="/w", roots=(Word("src"),), named=True, numbered=True),
    lambda: Search(cwd="/w", sole="/w/b", named=False, numbered=True),
    lambda: Listing(cwd="/w", operands=(Word("src"),)),
    lambda: Listing(cwd="/w", quiet=True, limit=2),
    lambda: Names(cwd="/w", roots=(Word("src"),), fallback=True),
    lambda: Opaque(maybe=True),
    lambda: Count(),
    lambda: Text(lines=("---",)),
    lambda: Text(lines=("x", "---"), maybe=True),
]
LINES = ["---", "x", "7:x", "3:x", "src/a.py:3:x", "src/b.py", "app.py", "zoo.md", "12", "a b: c;"]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    st.lists(st.sampled_from(PARTS), min_size=2, max_size=3),
    st.lists(st.sampled_from(LINES), min_size=1, max_size=5),
)
def test_no_division_is_better_than_the_one_taken(
    makers: list[Callable[[], Part]], lines: list[str]
) -> None:
    """Every division is tried; the dynamic program must reach the greatest sum."""
    parts = [make() for make in makers]
    segments = [Segment(part) for part in parts]
    fit(segments, lines)
    best = max(total(parts, lines, cuts) for cuts in divisions(len(parts), len(lines)))
    assert taken(segments, lines) == pytest.approx(best)


def taken(segments: Sequence[Segment], lines: Sequence[str]) -> float:
    """The sum of the division that was made; equal lines may be cut in several ways."""
    parts = [segment.part for segment in segments]
    sizes = [len(segment.lines) for segment in segments]
    return max(
        total(parts, lines, cuts)
        for cuts in divisions(len(parts), len(lines))
        if all(
            end - begin == size and list(lines[begin:end]) == list(segment.lines)
            for segment, size, begin, end in zip(
                segments, sizes, cuts[::2], cuts[1::2], strict=True
            )
        )
    )


def test_the_weights_lie_as_their_reasons_say() -> None:
    """A reason names neighbours; whoever moves a weight across one changes what it means."""
    assert weights.OPAQUE < weights.BESIDE_NAMES < weights.PLAIN < weights.TELLING
    assert weights.PLAIN < weights.MATCHING < weights.GROUP_LINE < weights.TELLING
    assert weights.PLAIN < weights.NUMBERED_LINE < weights.TELLING < weights.HEADING
    assert weights.IMPOSSIBLE < weights.UNLIKELY < -weights.UNACCOUNTED < weights.BESIDE_PATCHED
    assert weights.EMPTY_TEXT < weights.TEXT_WITH_HOLES < weights.TEXT < weights.TEXT_SILENT
    assert weights.LISTING_SILENT < weights.CONTENT_SILENT
    assert weights.FULL_LISTING < weights.FULL
    assert weights.FALLBACK_STRICT < weights.FALLBACK_SPEAKS
