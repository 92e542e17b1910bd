"""Which kind of call met each relevant file first, counted over the trials of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from groundtrace.metrics.evidence import RETRIEVED
from groundtrace.report.calls import way_of
from groundtrace.rows.detail import Detail

NEVER = "never met"


class FirstMet(NamedTuple):
    """What one trial adds to the chart."""

    config: str
    files: int
    """Number of its relevant files."""
    ways: tuple[str, ...]
    """The kind of call that met each of them first, for those that were met."""


def first_met(detail: Detail) -> FirstMet | None:
    """What a trial adds; None if it is not known what it met."""
    evidence = detail.evidence
    if evidence.reason is not None:
        return None
    found = [touch for touch in evidence.first(RETRIEVED) if touch.truth is not None]
    ways = tuple(way_of(touch.event) for touch in found)
    return FirstMet(detail.row.config_name, len(evidence.truth), ways)


class FirstFound:
    """Relevant files by configuration and kind of call; each trial counts once."""

    def __init__(self) -> None:
        self.files: Counter[str] = Counter()
        """Configuration to the number of relevant files of its trials with a trace."""
        self.trials: Counter[str] = Counter()
        """Configuration to the number of these trials."""
        self._ways: Counter[tuple[str, str]] = Counter()
        self._seen: set[int] = set()

    def add(self, place: int, trial: FirstMet | None) -> None:
        """Add the trial of one row; a row that was added before is not counted again."""
        if place in self._seen:
            return
        self._seen.add(place)
        if trial is None:
            return
        config = trial.config
        self.trials[config] += 1
        self.files[config] += trial.files
        for way in trial.ways:
            self._ways[config, way] += 1
        self._ways[config, NEVER] += trial.files - len(trial.ways)

    def number(self, config: str, way: str) -> int:
        """Files of a configuration that this kind of call met first."""
        return self._ways[config, way]

    def share(self, config: str, way: str) -> float:
        """The same as a share of the configuration's relevant files."""
        return self._ways[config, way] / self.files[config]

    def ways(self, configs: Collection[str]) -> list[str]:
        """The kinds of calls that met files, most files first; "never met" is last."""
        totals: Counter[str] = Counter()
        for (config, way), number in self._ways.items():
            if config in configs and number:
                totals[way] += number
        return sorted(totals, key=lambda way: (way == NEVER, -totals[way], way))
