"""`fit` gives what msgspec gives where msgspec gives anything, and a value for everything else."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.traces.kit.fit import MAX_DEPTH, as_arguments, fit, value_of


class Inner(msgspec.Struct):
    name: Any = None
    count: int = 7


class Strict(msgspec.Struct):
    needed: Any
    other: Any = None


class Outer(msgspec.Struct):
    any: Any = None
    text: str = "none"
    inner: Inner | None = None
    strict: Strict | None = None
    renamed: Any = msgspec.field(default=msgspec.UNSET, name="reNamed")
    items: list[Inner] | None = None
    gaps: list[Inner | None] | None = None
    texts: str | list[Inner] | None = None
    free: dict[str, Any] | None = None
    by_name: dict[str, Inner] | None = None
    nested: Outer | None = None


ODD = st.sampled_from((None, True, 7, 2.5, "", "x", [], ["x"], [None], {}, {"a": 1}))
INNER = st.fixed_dictionaries({}, optional={"name": ODD, "count": st.integers(0, 9)})
USUAL = st.fixed_dictionaries(
    {},
    optional={
        "any": ODD,
        "text": st.text(max_size=3),
        "inner": INNER,
        "strict": st.fixed_dictionaries({"needed": ODD}),
        "reNamed": ODD,
        "items": st.lists(INNER, max_size=3),
        "gaps": st.lists(INNER | st.none(), max_size=3),
        "texts": st.text(max_size=3) | st.lists(INNER, max_size=2),
        "free": st.dictionaries(st.text(max_size=2), ODD, max_size=2),
        "by_name": st.dictionaries(st.text(max_size=2), INNER, max_size=2),
        "nested": st.fixed_dictionaries({}, optional={"inner": INNER, "text": st.text(max_size=2)}),
    },
)


@given(USUAL)
def test_what_msgspec_converts_is_fitted_to_the_same(value: dict[str, Any]) -> None:
    assert fit(value, Outer) == msgspec.convert(value, Outer)


@given(USUAL, st.sampled_from(("text", "inner", "items", "by_name", "free", "nested")), ODD)
def test_one_member_of_the_wrong_type_changes_no_other(
    value: dict[str, Any], name: str, odd: Any
) -> None:
    given_ = {**value, name: odd}
    without = {key: item for key, item in value.items() if key != name}
    expected, fitted = fit(without, Outer), fit(given_, Outer)
    setattr(expected, name, getattr(fitted, name))
    assert fitted == expected


@pytest.mark.parametrize(
    ("value", "member", "expected"),
    [
        ({"text": 5}, "text", "none"),
        ({"inner": "x"}, "inner", None),
        ({"inner": {"count": "many"}}, "inner", Inner()),
        ({"items": [{"name": 1}, 5, {"name": 2}]}, "items", [Inner(1), Inner(), Inner(2)]),
        ({"gaps": [{"name": 1}, 5]}, "gaps", [Inner(1), None]),
        ({"texts": ["x", {"name": 2}]}, "texts", [Inner(), Inner(2)]),
        ({"by_name": {"a": {"name": 1}, "b": 5}}, "by_name", {"a": Inner(1)}),
        ({"strict": {}}, "strict", None),
        ({"strict": {"other": 1}}, "strict", Strict(None, 1)),
    ],
)
def test_members_that_do_not_fit(value: dict[str, Any], member: str, expected: Any) -> None:
    assert getattr(fit(value, Outer), member) == expected


def test_objects_in_objects_are_fitted_to_a_limit() -> None:
    deep: dict[str, Any] = {}
    for _ in range(MAX_DEPTH * 40):
        deep = {"nested": deep}
    found: Outer | None = fit(deep, Outer)
    levels = 0
    while found is not None:
        found, levels = found.nested, levels + 1
    assert levels == MAX_DEPTH + 1


def test_bytes_that_are_no_json_have_no_value() -> None:
    assert value_of(msgspec.Raw(b'{"a": 1}')) == {"a": 1}
    assert value_of(msgspec.Raw(b"")) is None
    assert value_of([1]) == [1]


@pytest.mark.parametrize(
    ("value", "expected"),
    [({"a": 1}, {"a": 1}), (None, {}), (" ", {}), ('{"a": 1}', {"a": 1}), ("[1]", None), (5, None)],
)
def test_arguments(value: Any, expected: dict[str, Any] | None) -> None:
    assert as_arguments(value) == expected
