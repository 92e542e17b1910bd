"""What is kept up to a total size."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from groundtrace.base.recent import Recent


def test_what_was_not_asked_for_the_longest_goes_first() -> None:
    kept: Recent[str, str] = Recent(10)
    kept.keep("a", "A", 4)
    kept.keep("b", "B", 4)
    assert kept.get("a") == "A"
    kept.keep("c", "C", 4)
    assert [kept.get(key) for key in "abc"] == ["A", None, "C"]
    assert kept.keep("large", "L", 11) == "L"
    assert [kept.get(key) for key in ("a", "c", "large")] == ["A", "C", None]


@given(st.lists(st.tuples(st.booleans(), st.sampled_from("abcd"), st.integers(0, 7))))
def test_it_keeps_as_much_as_there_is_room_for(steps: list[tuple[bool, str, int]]) -> None:
    kept: Recent[str, int] = Recent(10)
    order: list[tuple[str, int]] = []
    """Key and size, what was asked for last at the end."""
    for is_asked, key, size in steps:
        old = [one for one in order if one[0] == key]
        order = [one for one in order if one[0] != key]
        if is_asked:
            order += old
            assert kept.get(key) == (old[0][1] if old else None)
            continue
        assert kept.keep(key, size, size) == size
        order.append((key, size))
        while sum(size for _, size in order) > 10:
            order.pop(0)
