"""The numbers that went into a metric, written out so that a person can repeat the calculation."""

from __future__ import annotations

from typing import Any

from groundtrace.metrics.catalogue import METRICS
from groundtrace.metrics.evidence import EvidenceView


class Calculations:
    """Writes out the calculation of any metric for one trial."""

    def __init__(self, evidence: EvidenceView) -> None:
        self._evidence = evidence
        self._views: dict[str, Any] = {}

    def of(self, name: str) -> str | None:
        """The calculation of a metric that has a value, such as `3 of 4`.

        Raises UsageError if no metric has that name. Once, an unknown name was explained as
        `at step 1`, as if it were a time to the first relevant file.
        """
        metric = METRICS[name]
        if metric.section not in self._views:
            self._views[metric.section] = metric.view(self._evidence)
        return metric.arithmetic(self._views[metric.section])
