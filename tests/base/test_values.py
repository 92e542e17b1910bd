"""Values from files of other programs: every stage reads them the same way."""

from __future__ import annotations

from typing import Any

import pytest

from groundtrace.base.times import earliest, parse_time
from groundtrace.base.values import as_amount, as_count, as_number, known, model_name


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("2026-03-20T18:25:24Z", 1774031124.0),
        ("2026-03-20T18:25:24.500000", 1774031124.5),
        ("2026-03-20T20:25:24+02:00", 1774031124.0),
        ("2026-03-20T18:25:24.123456789Z", 1774031124.123456),
        (1774031124, 1774031124.0),
        (1774031124500, 1774031124.5),
        ("yesterday", None),
        (None, None),
        (True, None),
        (12, None),
        (10**400, None),
        (float("nan"), None),
        ("0001-01-01T00:00:00+23:59", None),
        ("1970-01-01T00:00:00Z", None),
    ],
)
def test_a_time_without_a_zone_is_utc_and_an_absurd_one_is_none(
    value: Any, seconds: float | None
) -> None:
    """D10; docker writes naive times, daytona a Z, Cursor milliseconds."""
    assert parse_time(value) == (None if seconds is None else pytest.approx(seconds, abs=1e-6))


def test_the_earlier_of_two_times_where_either_may_be_missing() -> None:
    assert (earliest(None, None), earliest(None, 2.0), earliest(3.0, None)) == (None, 2.0, 3.0)
    assert earliest(3.0, 2.0) == 2.0


@pytest.mark.parametrize("value", [-1, 1.5, True, "3", float("nan"), 2**70, None, [1]])
def test_counts_are_whole_and_not_negative(value: Any) -> None:
    """Anything else is no count: a zero in its place would be invented."""
    assert as_count(value) is None


def test_counts_that_a_program_wrote_as_floats_are_counts() -> None:
    assert (as_count(0), as_count(12), as_count(12.0)) == (0, 12, 12)


@pytest.mark.parametrize("value", [True, "1", None, float("inf"), 10**400, {}])
def test_numbers_are_finite_and_nothing_else(value: Any) -> None:
    assert as_number(value) is None
    assert as_amount(value) is None


def test_an_amount_is_not_negative() -> None:
    assert (as_amount(-0.5), as_amount(0), as_amount(0.25)) == (None, 0.0, 0.25)


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("anthropic/claude-x", "claude-x"),
        ("openrouter/anthropic/claude-x", "claude-x"),
        ("claude-x", "claude-x"),
        ("anthropic/claude-x/", "claude-x"),
        (" unknown ", None),
        ("anthropic/unknown", None),
        ("/", None),
        ("", None),
        (None, None),
    ],
)
def test_a_model_goes_by_its_name_without_its_provider(raw: str | None, name: str | None) -> None:
    """D33: documents, outcomes and pairs must agree on it, or equal models look different."""
    assert model_name(raw) == name


@pytest.mark.parametrize("text", ["", "  ", "Unknown", "none", "NULL", None])
def test_a_placeholder_is_not_a_name(text: str | None) -> None:
    assert known(text) is None
