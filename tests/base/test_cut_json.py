"""JSON text whose end is missing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.base.cut_json import CutText, read_cut, read_prefix, without_cut

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('{"a": [1, {"b": "c', {"a": [1, {"b": "c"}]}),
        ('{"a": "x\\u00', {"a": "x"}),
        ('{"a": tru', {}),
        ('{"a": 1, "b', {"a": 1}),
        ("", None),
    ],
)
def test_prefixes_of_json(text: str, value: Any) -> None:
    assert read_prefix(text).value == value


@given(VALUES, st.booleans(), st.data())
def test_what_a_cut_text_gives_is_part_of_the_whole(
    value: Any, ascii_only: bool, data: st.DataObject
) -> None:
    text = json.dumps([value, "end"], ensure_ascii=ascii_only)
    place = data.draw(st.integers(1, len(text)))
    prefix = read_prefix(text[:place])
    assert prefix.cut is (place < len(text))
    assert is_part(prefix.value, [value, "end"])


def is_part(part: Any, whole: Any) -> bool:
    """Only the last element of a list or object may be unfinished."""
    if isinstance(part, CutText):
        return isinstance(whole, str) and whole.encode("utf-16-le", "surrogatepass").startswith(
            part.encode("utf-16-le", "surrogatepass")
        )
    if isinstance(part, list) and isinstance(whole, list):
        done = part[:-1] == whole[: len(part)][:-1]
        return not part or (done and is_part(part[-1], whole[len(part) - 1]))
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and is_part(item, whole[key]) for key, item in part.items())
    # A number whose last digits are missing cannot be told from a whole one.
    return part == whole or (isinstance(part, int) and str(whole).startswith(str(part)))


@pytest.mark.parametrize(
    "text",
    [
        "[INFO] started",
        "{not json",
        '{"a": tru',
        '{"a" 1',
        "[1 2",
        '{"a": [1}',
        '["x\\,y", "z',
        "[,1",
    ],
)
def test_text_that_was_never_json_is_broken_not_cut(text: str) -> None:
    """A log line begins like a list; it must stay text."""
    assert read_prefix(text).broken


@pytest.mark.parametrize(
    "text", ['{"a": [1, {"b": "c', '{"a', '{"a":', '{"a": "\\u00', "[1,", "[", '["\\']
)
def test_text_that_only_stops_is_not_broken(text: str) -> None:
    assert not read_prefix(text).broken


def test_a_string_without_its_end_is_no_name() -> None:
    value = read_prefix('{"a": "whole", "b": ["x", {"model": "heron-lar').value
    assert without_cut(value) == {"a": "whole", "b": ["x", {}]}


@pytest.mark.parametrize(
    "text",
    [
        '{"a": [1, {"b": "whole"}, {"c": "cu',
        '[{"a": 1}, {"b": [tru',
        '{"a": 1, "b": {"c": [[1, 2], [3',
        '{"a": [1, 2]} and more',
        '"a name',
        '"a name"',
        "12",
        "",
        "[INFO] started",
    ],
)
def test_a_text_that_is_taken_to_be_cut_has_the_same_value(text: str) -> None:
    assert read_cut(text) == read_prefix(text).value
    assert type(read_cut(text)) is type(read_prefix(text).value)
