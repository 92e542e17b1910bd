"""Times of two trials are compared only if both count from the same moment (D67).

Seconds count from the start of the agent if the records state it, else from the first line of the
trace. When the two sides used different clocks, equal behaviour gave +55 s with p 0.008.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from groundtrace.impact.observations import Observation, ObservedValues, WhyAbsent
from groundtrace.rows.clocks import SharedClock, shared_clock, timed_names

__all__ = ["by_shared_clock", "on_one_clock", "timed_names"]

Trials = tuple[Observation, ...]


def on_one_clock(baseline: Trials, config: Trials) -> tuple[Trials, Trials, str | None]:
    """The trials of both sides that use one clock, or the reason why there are none.

    If both sides have trials with each clock, the first clock by name is used: a mean over both
    clocks would mix them.
    """
    ours, theirs = _clocks(baseline), _clocks(config)
    shared = ours & theirs
    if not shared:
        return (), (), "clock_differs" if ours and theirs else "clock_unknown"
    clock = min(shared)
    return (
        tuple(o for o in baseline if o.clock == clock),
        tuple(o for o in config if o.clock == clock),
        None,
    )


def _clocks(trials: Sequence[Observation]) -> set[str]:
    return {o.clock for o in trials if o.clock is not None}


def by_shared_clock(trials: Sequence[Observation]) -> list[Observation]:
    """The trials, without times that count from another moment than most trials' times (D121)."""
    clock = shared_clock((o.config_name, o.clock) for o in trials if _times(o))
    return list(trials) if clock.any_counts else [_without_times(o, clock) for o in trials]


def _times(trial: Observation) -> list[str]:
    return [name for name in timed_names() if name in trial.values]


def _without_times(trial: Observation, clock: SharedClock) -> Observation:
    why, times = clock.why_not(trial.clock), _times(trial)
    if why is None or not times:
        return trial
    kept = {name: value for name, value in trial.values.items() if name not in times}
    index = {name: number for number, name in enumerate(kept)}
    undefined = (*trial.why.undefined, *((name, why) for name in times))
    return replace(
        trial,
        values=ObservedValues(index, kept.values()),
        why=WhyAbsent(undefined, trial.why.reason),
    )
