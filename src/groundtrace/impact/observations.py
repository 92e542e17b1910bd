"""One observation a trial: identity and finite values, with copies of a trial recognised.

The one place that decides what a missing value is (D34), which trials are copies (D32) and
when two task names mean one task.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from groundtrace.artifacts.rows import TrialRow
from groundtrace.metrics.table import METRICS, OUTCOMES, SHOWN_PREFIX
from groundtrace.values import known, model_name


@dataclass(frozen=True, slots=True)
class Observation:
    """One trial as the statistics see it."""

    task: str
    """Identity of the task: its name, with the suite where several suites share the name."""
    task_name: str
    benchmark: str | None
    run_id: str
    config: str
    key: str
    """Equal for copies of one trial."""
    model: str | None
    harness: str | None
    version: str | None
    values: Mapping[str, float]
    """Metrics and outcomes that have a finite value; what is missing is absent."""
    why: Callable[[str], str]
    """Reason code of a metric that is absent, as summaries count it."""

    def absence(self, name: str) -> str:
        """Why this trial has no value of `name`."""
        if name == "reward":
            return "no_valid_reward"
        return "not_recorded" if name in OUTCOMES else self.why(name)


def hit_metric(name: str) -> str | None:
    """The recall that tells whether a time to the first relevant file exists (D21)."""
    info = METRICS.get(name)
    if info is None or not info.needs_hit:
        return None
    return f"{SHOWN_PREFIX}file_recall" if name.startswith(SHOWN_PREFIX) else "file_recall"


def observe(rows: Iterable[TrialRow]) -> list[Observation]:
    """Observations in an order that does not depend on the order of the rows."""
    kept = sorted(rows, key=_order)
    suites: dict[str, set[str]] = {}
    for row in kept:
        if row.benchmark:
            suites.setdefault(row.task_name, set()).add(row.benchmark)
    return [_observation(row, suites.get(row.task_name, set())) for row in kept]


def distinct(observations: Sequence[Observation]) -> list[Observation]:
    """One observation a trial and configuration: of copies, the one that says most."""
    best: dict[tuple[str, str], Observation] = {}
    for seen in observations:
        kept = best.get((seen.config, seen.key))
        if kept is None or len(seen.values) > len(kept.values):
            best[seen.config, seen.key] = seen
    return sorted(best.values(), key=lambda o: (o.task, o.config, o.run_id, o.key))


def by_task(observations: Iterable[Observation]) -> dict[str, list[Observation]]:
    """Observations grouped by task, tasks in order of name."""
    groups: dict[str, list[Observation]] = {}
    for seen in observations:
        groups.setdefault(seen.task, []).append(seen)
    return dict(sorted(groups.items()))


def mean(observations: Sequence[Observation], name: str) -> float | None:
    """Mean of the values that are there; None when there is none."""
    if len(observations) == 1:
        return observations[0].values.get(name)
    return mean_of([o.values[name] for o in observations if name in o.values])


def mean_of(values: Sequence[float]) -> float | None:
    """Their mean; None when there is none."""
    # Divided first: the sum of two large values may not be a number.
    return math.fsum(value / len(values) for value in values) if values else None


def reasons(observations: Sequence[Observation], names: Sequence[str]) -> str:
    """Why a task has no value: the reason that most of its trials give."""
    found = Counter(
        next((o.absence(name) for name in names if name not in o.values), "never_together")
        for o in observations
    )
    return min(found, key=lambda reason: (-found[reason], reason))


def number(value: float | None) -> float | None:
    """A value as documents hold it: six decimals, null when it is not finite."""
    if value is None or not math.isfinite(value):
        return None
    return round(value, 6) + 0.0


def _order(row: TrialRow) -> tuple[str, str, str, str, str]:
    return (row.task_name, row.config_name, row.run_id, row.trial_name, row.trial_key)


def _observation(row: TrialRow, suites: set[str]) -> Observation:
    outcome = row.outcome
    values = {name: row.metrics[name] for name in METRICS if name in row.metrics}
    for name in OUTCOMES:
        value = getattr(outcome, name, None)
        if value is not None:
            values[name] = value
    return Observation(
        task=f"{row.benchmark}/{row.task_name}"
        if len(suites) > 1 and row.benchmark
        else row.task_name,
        task_name=row.task_name,
        benchmark=row.benchmark or (next(iter(suites)) if len(suites) == 1 else None),
        run_id=row.run_id,
        config=row.config_name,
        key=row.trial_key,
        model=model_name((outcome.model if outcome is not None else None) or row.model),
        harness=known(outcome.harness if outcome is not None else None),
        version=known(outcome.harness_version if outcome is not None else None),
        values={name: float(v) for name, v in values.items() if math.isfinite(v)},
        why=row.why_undefined,
    )
