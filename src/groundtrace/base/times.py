"""Timestamps in every form that traces use, as seconds since the epoch in UTC (D10)."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

EARLIEST = 1_262_304_000.0
"""2010-01-01. No agent ran before, so an earlier time is damage or a counter."""

LATEST = 4_102_444_800.0
"""2100-01-01."""

MILLISECONDS_FROM = 1e11
"""A number from here on counts milliseconds, as Cursor's do."""


def parse_time(value: Any) -> float | None:
    """Seconds since the epoch; a time without zone is UTC; None if the value is not plausible."""
    if isinstance(value, str):
        if not 10 <= len(value) <= 40:
            return None
        try:
            moment = datetime.fromisoformat(value.strip())
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=UTC)
            seconds = moment.timestamp()
        except (OverflowError, ValueError):
            return None
        return seconds if EARLIEST <= seconds <= LATEST else None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return _plausible_number(value)


def _plausible_number(value: int | float) -> float | None:
    try:
        number = float(value)
    except OverflowError:
        return None
    if not math.isfinite(number):
        return None
    seconds = number / 1000 if number >= MILLISECONDS_FROM else number
    return seconds if EARLIEST <= seconds <= LATEST else None


def seconds_between(start: float, end: float) -> float:
    """Seconds from one time to another, to the microsecond.

    Clocks give microseconds at most, and an epoch time in a double is exact to a quarter of a
    microsecond. Further digits are noise from the subtraction (D40).
    """
    return round(end - start, 6)


def earliest(first: float | None, second: float | None) -> float | None:
    """The earlier of two times; one or both may be missing."""
    if first is None or second is None:
        return second if first is None else first
    return min(first, second)
