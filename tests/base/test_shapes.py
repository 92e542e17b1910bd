"""What a type says about a value: hand-worked cases, and that nothing else than UsageError comes out."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.base.shapes import Limits, Shape, checked, shape_of
from groundtrace.errors import UsageError

Location = str | os.PathLike[str]
SHAPES = {
    "switch": (bool, Shape(bool)),
    "number": (float | None, Shape(float, optional=True)),
    "choice": (Literal["a", "b"] | None, Shape(str, optional=True, choices=("a", "b"))),
    "texts": (tuple[str, ...], Shape(str, many=True)),
    "text or texts": (str | Sequence[str], Shape(str, many=True, alone=True)),
    "place": (Location | None, Shape(os.PathLike, optional=True)),
    "places": (Location | Sequence[Location] | None, Shape(os.PathLike, True, True, True)),
    "tables": (Mapping[str, Mapping[str, Any]], Shape(Mapping)),
    "elsewhere": (Mapping[str, tuple[float, float]], Shape(object)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_shape_of_a_type(name: str) -> None:
    hint, shape = SHAPES[name]
    assert shape_of(hint) == shape


@pytest.mark.parametrize(
    ("hint", "value", "wanted"),
    [
        (str | Sequence[str], "one", ("one",)),
        (str | Sequence[str], ["one", "two"], ("one", "two")),
        (Location | Sequence[Location], Path("a"), ("a",)),
        (Location, Path("a") / "b", os.path.join("a", "b")),
        (float, 1, 1.0),
        (int, numpy.int64(3), 3),
        (str | None, None, None),
        (Sequence[Literal["a", "b"]], (one for one in "ba"), ("b", "a")),
    ],
)
def test_values_come_out_in_one_form(hint: Any, value: Any, wanted: Any) -> None:
    found = checked(shape_of(hint), value, "it", Limits())
    assert (found, type(found)) == (wanted, type(wanted))


@pytest.mark.parametrize(
    ("hint", "value", "limits", "said"),
    [
        (int, True, Limits(), "it must be a whole number"),
        (int, 1.0, Limits(), "it must be a whole number"),
        (int, 99, Limits(least=100), "it must be a whole number of at least 100"),
        (int, 6, Limits(0, 5), "it must be a whole number from 0 to 5"),
        (float, 0, Limits(above=0), "it must be a number above 0"),
        (float, math.nan, Limits(above=0), "it must be a number above 0"),
        (str, b"x", Limits(), "it must be a string"),
        (str, Path("x"), Limits(), "it must be a string"),
        (tuple[str, ...], "x", Limits(), "it must be a list of strings"),
        (tuple[str, ...], {"x": 1}, Limits(), "it must be a list of strings"),
        (tuple[str, ...], ["x", None], Limits(), "it must be a list of strings"),
        (str, None, Limits(), "it must be a string"),
        (Literal["yes", "no"], "ye", Limits(), "one of yes, no, not 'ye'; nearest is 'yes'"),
    ],
)
def test_what_does_not_fit_is_said(hint: Any, value: Any, limits: Limits, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        checked(shape_of(hint), value, "it", limits)


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@given(st.sampled_from(sorted(SHAPES)), ODD)
def test_odd_values_fit_or_are_refused(name: str, value: Any) -> None:
    """What was let through once is let through again, unchanged."""
    shape = SHAPES[name][1]
    try:
        found = checked(shape, value, "it", Limits())
    except UsageError:
        return
    again = checked(shape, found, "it", Limits())
    assert again == found or (found != found and again != again)
    if shape.many and found is not None:
        assert all(isinstance(one, str) for one in found)
