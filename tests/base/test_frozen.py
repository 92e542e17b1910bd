"""Frozen records behave as frozen dataclasses do."""

from __future__ import annotations

import dataclasses
import pickle

import pytest
from msgspec import field

from groundtrace.base.frozen import Frozen
from groundtrace.model import Problem


class Point(Frozen, frozen=True):
    """A record."""

    x: int
    y: float = 0.0
    names: list[str] = field(default_factory=list)


def test_a_record_is_equal_by_value_and_cannot_change() -> None:
    point = Point(1, names=["a"])
    assert point == Point(x=1, y=0.0, names=["a"])
    assert point != Point(2)
    assert repr(point) == "Point(x=1, y=0.0, names=['a'])"
    assert Point(1).names is not Point(1).names
    with pytest.raises(AttributeError):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(TypeError):
        Point()  # type: ignore[call-arg]
    assert pickle.loads(pickle.dumps(point)) == point
    assert len({Problem("f", "broken_json", "r"), Problem("f", "broken_json", "r")}) == 1


def test_functions_of_dataclasses_work_with_it() -> None:
    """Users and tests of other packages change records with `dataclasses.replace`."""
    point = Point(1, 2.0)
    assert dataclasses.is_dataclass(point)
    assert [one.name for one in dataclasses.fields(point)] == ["x", "y", "names"]
    assert dataclasses.replace(point, x=5) == Point(5, 2.0)
    assert dataclasses.asdict(point) == {"x": 1, "y": 2.0, "names": []}
