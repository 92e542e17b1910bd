"""Untrusted JSON: what msgspec refuses but real files contain is still read."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.base.jsonio import BadJsonError, clean_text, loads, loads_text

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(VALUES)
def test_what_the_standard_library_writes_is_read_back(value: object) -> None:
    assert loads(json.dumps(value).encode()) == value


@given(st.binary(max_size=40))
def test_any_bytes_give_a_value_or_the_one_error(data: bytes) -> None:
    try:
        loads(data)
    except BadJsonError as error:
        assert str(error)


def test_nan_surrogates_bom_and_large_integers_are_read() -> None:
    assert math.isnan(loads(b'{"a": NaN}')["a"])
    assert loads(b'"\\ud800"') == "\ud800"
    assert loads(b"\xef\xbb\xbf[1]") == [1]
    assert loads(b"123456789012345678901234567890") == 123456789012345678901234567890
    assert loads(b'"\xed\xa0\x80"') == "\ud800"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"  \n", "empty"),
        (b'{"a"', "delimiter"),
        (b"[" * 200_000, "deeply|Expecting"),
    ],
)
def test_what_is_not_json_is_the_one_error(data: bytes, reason: str) -> None:
    with pytest.raises(BadJsonError, match=reason):
        loads(data)


def test_json_in_a_text_is_its_value_or_what_the_caller_has_otherwise() -> None:
    assert loads_text('{"a": "\ud800"}') == {"a": "\ud800"}
    assert loads_text("null", 7) is None
    assert loads_text("no", "no") == "no"
    assert loads_text("") is None


def test_the_error_has_the_place() -> None:
    with pytest.raises(BadJsonError) as caught:
        loads(b'{"a": 1,\n "b": }')
    assert (caught.value.line, caught.value.column) == (2, 7)


@given(st.text(st.characters(codec=None)))
def test_clean_text_can_always_be_written_and_changes_nothing_that_could(text: str) -> None:
    cleaned = clean_text(text)
    cleaned.encode("utf-8")
    assert clean_text(cleaned) == cleaned
    if not any("\ud800" <= char <= "\udfff" for char in text):
        assert cleaned == text
