"""Times of two trials are compared only where both count from the same moment (D67).

Seconds count from the start of the agent where the records state it, else from the first line of
the trace. One clock on each side made +55 s, p 0.008, out of equal behaviour.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from groundtrace.impact.observations import Observation
from groundtrace.metrics.catalogue import METRICS

Trials = tuple[Observation, ...]


@cache
def timed_names() -> tuple[str, ...]:
    """Metrics that a trial's own clock gives."""
    return tuple(name for name, metric in METRICS.items() if metric.unit == "s")


def on_one_clock(baseline: Trials, config: Trials) -> tuple[Trials, Trials, str | None]:
    """The trials of both sides that use one clock, or the reason why there are none.

    Where the sides share both clocks the first by name is taken: a mean over both would mix them.
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
