"""How a trial ended, in one word; and the stages that relevant files reached, by that word (D96)."""

from __future__ import annotations

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


def verdict_of(row: TrialRow) -> Verdict:
    """The verdict from a trial's reward."""
    return verdict_of_reward(None if row.outcome is None else row.outcome.reward)


def verdict_of_reward(reward: float | None) -> Verdict:
    """1 or more is solved, 0 or less is not solved."""
    if reward is None:
        return "no_verdict"
    if reward >= 1:
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
        self._all: Positions = defaultdict(_positions)
        self._configs: defaultdict[str, Positions] = defaultdict(lambda: defaultdict(_positions))

    def add(self, position: int, row: TrialRow) -> None:
        """Add the row at a position."""
        verdict = verdict_of(row)
        self._all[verdict].append(position)
        self._configs[row.config_name][verdict].append(position)

    def overall(
        self, tasks: Callable[[array[int]], int], of: Callable[[str, array[int]], Distribution]
    ) -> dict[Verdict, VerdictSummary]:
        """By verdict over all configurations; `tasks` counts the tasks of rows, `of` gives the
        distribution of a metric over rows."""
        return _summaries(self._all, tasks, of)

    def by_config(
        self, tasks: Callable[[array[int]], int], of: Callable[[str, array[int]], Distribution]
    ) -> dict[str, dict[Verdict, VerdictSummary]]:
        """The same for each configuration."""
        return {
            name: _summaries(self._configs[name], tasks, of) for name in in_order(self._configs)
        }


def _summaries(
    groups: Positions,
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
