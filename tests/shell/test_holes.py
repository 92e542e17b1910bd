"""Lines with holes are recognised as with the expression `.*?` for each hole."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from groundtrace.shell.syntax.holes import HOLES, Holed

HOLE, OTHER = "\ue001", "\ue002"
TEXTS = st.text(alphabet="ab= ", max_size=4)


@given(st.lists(TEXTS, min_size=2, max_size=4), st.text(alphabet="ab= ", max_size=14))
def test_holes_hold_what_a_lazy_expression_would_give(pieces: list[str], line: str) -> None:
    text = HOLE.join(pieces)
    expression = "(.*?)".join(map(re.escape, pieces)) + "$"
    found = re.match(expression, line)
    assert Holed(text).match(line) == (None if found is None else list(found.groups()))


@given(st.lists(TEXTS, min_size=2, max_size=4), st.lists(TEXTS, min_size=3, max_size=3))
def test_a_line_made_from_the_text_is_recognised(pieces: list[str], values: list[str]) -> None:
    text = HOLE.join(pieces)
    filled = iter(values)
    line = HOLES.sub(lambda _: next(filled), text)
    assert Holed(text).match(line) is not None


def test_two_holes_side_by_side() -> None:
    assert Holed(f"== {HOLE}{OTHER} ==").match("== a b ==") == ["", "a b"]
    assert Holed(f"== {HOLE} ==").match("== ==") is None
