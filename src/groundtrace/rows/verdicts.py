"""How a trial ended, in one word; and the stages that relevant files reached, by that word (D96)."""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Callable, Mapping

from groundtrace.documents.base import in_order
from groundtrace.documents.summary import Distribution, Verdict, VerdictSummary
from groundtrace.metrics.catalogue import METRICS
from groundtrace.rows.trial_row import TrialRow

VERDICTS: Mapping[Verdict, str] = {
    "resolved": "solved",
    "partly": "partly",
    "not_resolved": "not solved",
    "no_verdict": "lost (no reward)",
}
"""Every verdict in the order of tables, and its words."""


PASS = 1.0
"""The reward from which a trial is solved."""
OTHER_SCALE = 5
"""Rewards that reach this are not on a scale up to 1; a bonus above 1 is."""


def on_other_scale(largest: float) -> bool:
    """Whether rewards up to this are points of another scale: then nobody knows which one passes,
    and of rewards up to 100 nearly all reach 1."""
    return math.isfinite(largest) and largest >= OTHER_SCALE


def verdict_of(row: TrialRow) -> Verdict:
    """The verdict from a trial's reward."""
    return verdict_of_reward(None if row.outcome is None else row.outcome.reward)


def verdict_of_reward(reward: float | None) -> Verdict:
    """1 or more is solved, 0 or less is not solved."""
    if reward is None:
        return "no_verdict"
    if reward >= PASS:
        return "resolved"
    return "not_resolved" if reward <= 0 else "partly"


NAMES = (*METRICS.names_in("funnel"), *METRICS.names_in("patches"))
"""Metrics that are shown by verdict."""

_ORDERED = tuple(in_order(dict.fromkeys(NAMES)))

Positions = defaultdict[Verdict, "array[int]"]


def _positions() -> array[int]:
    return array("q")


class VerdictGroups:
    """Positions of rows by verdict, over all configurations and for each."""

    def __init__(self) -> None:
        self._largest = 0.0
        self._all: Positions = defaultdict(_positions)
        self._configs: defaultdict[str, Positions] = defaultdict(lambda: defaultdict(_positions))

    def add(self, position: int, row: TrialRow) -> None:
        """Add the row at a position."""
        verdict = verdict_of(row)
        reward = None if row.outcome is None else row.outcome.reward
        self._largest = max(self._largest, abs(reward or 0.0))
        self._all[verdict].append(position)
        self._configs[row.config_name][verdict].append(position)

    def overall(
        self, tasks: Callable[[array[int]], int], of: Callable[[str, array[int]], Distribution]
    ) -> dict[Verdict, VerdictSummary]:
        """By verdict over all configurations; `tasks` counts the tasks of rows, `of` gives the
        distribution of a metric over rows."""
        return _summaries(self._said(self._all), tasks, of)

    def by_config(
        self, tasks: Callable[[array[int]], int], of: Callable[[str, array[int]], Distribution]
    ) -> dict[str, dict[Verdict, VerdictSummary]]:
        """The same for each configuration."""
        return {
            name: _summaries(self._said(self._configs[name]), tasks, of)
            for name in in_order(self._configs)
        }

    def _said(self, groups: Positions) -> Mapping[Verdict, array[int]]:
        """Groups whose verdict is known: rewards of another scale do not say who passed (D407)."""
        if not on_other_scale(self._largest):
            return groups
        return {verdict: own for verdict, own in groups.items() if verdict == "no_verdict"}


def _summaries(
    groups: Mapping[Verdict, array[int]],
    tasks: Callable[[array[int]], int],
    of: Callable[[str, array[int]], Distribution],
) -> dict[Verdict, VerdictSummary]:
    return {
        verdict: VerdictSummary(
            trials=len(groups[verdict]),
            tasks=tasks(groups[verdict]),
            metrics={name: of(name, groups[verdict]) for name in _ORDERED},
        )
        for verdict in in_order(groups)
    }
