"""Patterns that are compiled when first asked behave as compiled ones."""

from __future__ import annotations

import pickle
import re

import pytest

from groundtrace.base.patterns import regex

TEXT = "a1 b22 c333"


def test_nothing_is_compiled_before_it_is_asked() -> None:
    wrong = regex("(")
    with pytest.raises(re.error):
        wrong.search("")


@pytest.mark.parametrize("way", ["search", "match", "fullmatch", "findall", "split"])
def test_it_answers_as_a_compiled_pattern(way: str) -> None:
    pattern = regex(r"([A-Z])(\d+)", re.IGNORECASE)
    compiled = re.compile(r"([A-Z])(\d+)", re.IGNORECASE)
    for _ in range(2):
        assert str(getattr(pattern, way)(TEXT)) == str(getattr(compiled, way)(TEXT))
    assert pattern.sub(r"\2\1", TEXT) == compiled.sub(r"\2\1", TEXT)
    assert [str(found) for found in pattern.finditer(TEXT)] == [
        str(found) for found in compiled.finditer(TEXT)
    ]
    assert (pattern.pattern, pattern.flags) == (compiled.pattern, compiled.flags)
    assert (pattern.groups, repr(pattern)) == (compiled.groups, repr(compiled))


def test_it_counts_as_a_pattern() -> None:
    """The tests of all patterns find it, functions of `re` take it, other processes get it."""
    pattern = regex(rb"\d+")
    assert isinstance(pattern, re.Pattern)
    assert re.sub(pattern, b"", b"a1b2") == b"ab"
    assert pickle.loads(pickle.dumps(pattern)) == re.compile(rb"\d+")
