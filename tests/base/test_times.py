"""Differences of times (D40)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from groundtrace.base.times import parse_time, seconds_between

moments = st.datetimes(datetime(2015, 1, 1), datetime(2060, 1, 1), timezones=st.just(UTC))


@given(moments, st.integers(0, 10**11))
def test_seconds_between_two_stated_times_are_those_of_the_clock(
    start: datetime, microseconds: int
) -> None:
    """Every microsecond that the two times state, and no digit beyond: epoch times as doubles
    differ by 0.10000014305114746 where a clock says 0.1."""
    end = start + timedelta(microseconds=microseconds)
    times = parse_time(start.isoformat()), parse_time(end.isoformat())
    assert times[0] is not None
    assert times[1] is not None
    assert seconds_between(times[0], times[1]) == microseconds / 1e6
