"""Trials in wide form: one row per trial, with outcomes and every metric as a column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from groundtrace.metrics.catalogue import METRICS
from groundtrace.rows.detail import Detail
from groundtrace.tables.flat_rows import flat_dicts


def wide_rows(details: Iterable[Detail]) -> Iterator[dict[str, Any]]:
    """The columns of the table `trials`, then one for each metric; None if it is undefined."""
    for detail in details:
        (row,) = flat_dicts("trials", iter([detail]))
        metrics = {name: metric.getter(detail.metrics) for name, metric in METRICS.items()}
        yield row | metrics
