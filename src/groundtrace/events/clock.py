"""When the time of a trial starts, and times as documents write them (D10)."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Literal

from groundtrace.base.frozen import Frozen
from groundtrace.base.times import seconds_between
from groundtrace.model import Trace, Trial

_MAX_LEAD = 3600.0
"""How many seconds the agent's recorded start may be before the first time of the trace (D10)."""


class Clock(Frozen, frozen=True):
    """The time from which `elapsed_seconds` counts (D10)."""

    origin: Literal["agent_execution", "first_timestamp"] | None
    start: float | None

    def elapsed(self, timestamp: float | None) -> float | None:
        """Seconds since the start; the start is never later than any call's time."""
        if timestamp is None or self.start is None or not math.isfinite(timestamp):
            return None
        return seconds_between(self.start, timestamp)


def clock_of(trial: Trial, trace: Trace) -> Clock:
    """The clock of a trial: the recorded start of the agent, else the trace's first time."""
    times = [trace.first_timestamp, *(call.timestamp for call in trace.calls)]
    stated = [time for time in times if time is not None and math.isfinite(time)]
    if not stated:
        return Clock(None, None)
    first = min(stated)
    started = trial.outcome.agent_started_at
    if started is not None and 0 <= first - started <= _MAX_LEAD:
        return Clock("agent_execution", started)
    return Clock("first_timestamp", first)


def iso(timestamp: float | None) -> str | None:
    """A time as documents write it; None if there is no time that can be written."""
    if timestamp is None or not math.isfinite(timestamp):
        return None
    try:
        moment = datetime.fromtimestamp(timestamp, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return f"{moment.isoformat(timespec='milliseconds')[:-6]}Z"  # without +00:00
