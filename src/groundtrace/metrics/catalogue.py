"""Every metric and outcome by its canonical name: the table that all others are made from.

Each section is declared in its own module and listed in `SECTIONS`. Documents, summaries, tables,
reports, the impact analysis and the reference page get their list of metrics from here.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter
from typing import Any, TypeVar

from msgspec import UNSET

from groundtrace.base.suggest import unknown_name
from groundtrace.documents.metrics import MetricsDocument
from groundtrace.errors import UsageError
from groundtrace.metrics.chunk_level import CHUNK_LEVEL
from groundtrace.metrics.context import CONTEXT
from groundtrace.metrics.discovery import DISCOVERY
from groundtrace.metrics.evidence import EvidenceView
from groundtrace.metrics.file_level import FILE_LEVEL
from groundtrace.metrics.function_level import FUNCTION_LEVEL
from groundtrace.metrics.funnel import FUNNEL
from groundtrace.metrics.judged import JUDGED
from groundtrace.metrics.line_level import LINE_LEVEL
from groundtrace.metrics.outcome_metrics import ALL_OUTCOMES
from groundtrace.metrics.patches import PATCH
from groundtrace.metrics.published import PUBLISHED
from groundtrace.metrics.record import Display, Metric, MetricSection, OutcomeMetric, Quantity
from groundtrace.metrics.subagents import SUBAGENTS
from groundtrace.metrics.utilization import UTILIZATION

SECTIONS: tuple[MetricSection[Any], ...] = (
    FILE_LEVEL,
    CHUNK_LEVEL,
    UTILIZATION,
    LINE_LEVEL,
    CONTEXT,
    DISCOVERY,
    SUBAGENTS,
    FUNNEL,
    PATCH,
    PUBLISHED,
    JUDGED,
    FUNCTION_LEVEL,
)
"""The sections of the metrics document that hold metrics, in the order of tables."""

SPECIFIED = frozenset({"file_level_metrics", "chunk_level_metrics", "utilization_probes"})
"""Sections that hold the specification's own metrics: they come first everywhere (D195)."""

Kind = TypeVar("Kind", bound=Quantity)


class Catalogue(dict[str, Kind]):
    """Records by name; the error for an unknown name suggests the nearest one."""

    def __init__(self, what: str, records: Iterable[Kind]) -> None:
        super().__init__()
        self._what = what
        for record in records:
            if record.name in self:
                raise ValueError(f"two {what}s are named {record.name!r}")
            self[record.name] = record

    def __missing__(self, name: str) -> Kind:
        raise UsageError(unknown_name(self._what, name, self, listed=False))

    def shown_in(self, display: Display) -> tuple[Kind, ...]:
        """The records that a display shows, in its order."""
        shown = (record for record in self.values() if display in record.shown_in)
        return tuple(sorted(shown, key=lambda record: record.shown_in[display].order))

    def names_in(self, display: Display) -> tuple[str, ...]:
        """Names of the records that a display shows, in its order."""
        return tuple(record.name for record in self.shown_in(display))


METRICS: Catalogue[Metric] = Catalogue(
    "metric", (metric for section in SECTIONS for metric in section.metrics())
)
"""Every metric, in the order in which tables show them."""

_BY_SECTION = tuple(
    (
        section,
        tuple(
            (metric, metric.field, None if metric.cutoff is None else str(metric.cutoff))
            for metric in metrics
        ),
    )
    for section, metrics in groupby(METRICS.values(), attrgetter("section"))
)
"""Each section of the metrics document with its metrics, their fields and keys."""


def values_in(document: MetricsDocument) -> tuple[dict[str, float], list[Metric]]:
    """The values of all metrics that a document has, by name; and the metrics that it lacks.

    Each value is what the metric's `getter` gives. A row needs all of them, so a section is looked
    up once for all its metrics.
    """
    values: dict[str, float] = {}
    absent: list[Metric] = []
    for name, metrics in _BY_SECTION:
        section = getattr(document, name)
        for metric, field, key in metrics:
            value = None if section is UNSET else getattr(section, field)
            if key is not None and value is not None:
                value = value.get(key)
            if value is None:
                absent.append(metric)
            else:
                values[metric.name] = float(value)
    return values, absent


OUTCOMES: Catalogue[OutcomeMetric] = Catalogue("outcome", ALL_OUTCOMES)
"""Every outcome that metrics are related to."""

QUANTITIES: Catalogue[Quantity] = Catalogue(
    "metric or outcome", (*OUTCOMES.values(), *METRICS.values())
)
"""All outcomes and metrics, in the order of comparisons: outcomes first."""


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
