"""What charts share: their record, and the parts of Vega-Lite specifications."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groundtrace.report.blocks import Name, Paragraph, ReportTable

MAX_CONFIGS = 8
"""Configurations in one chart: one for each colour that a reader can distinguish."""

COLOURS = [f"var(--c{number})" for number in range(1, MAX_CONFIGS + 1)]


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart."""

    id: str
    section: str
    """Id of the section that shows it."""
    question: Paragraph
    alt: str
    """What it shows, for readers who cannot see it."""
    spec: Mapping[str, Any]
    numbers: ReportTable | None = None
    """The numbers behind it."""
    note: Paragraph = ()


LEGEND_STYLE = {
    "title": None,
    "orient": "top",
    "direction": "horizontal",
    "labelLimit": 300,
}


def spec(values: list[dict[str, Any]], **parts: Any) -> dict[str, Any]:
    return {
        "data": {"values": values},
        "width": "container",
        **parts,
    }


def ordinal(field: str, title: str | None, order: Sequence[str]) -> dict[str, Any]:
    return {
        "field": field,
        "type": "ordinal",
        "title": title,
        "sort": list(order),
        "axis": {"labelAngle": 0, "labelLimit": 150},
    }


def share_axis(field: str, title: str) -> dict[str, Any]:
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": {"domain": [0, 1]},
        "axis": {"format": ".0%", "tickCount": 5},
    }


def colour(configs: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "field": "config",
        "type": "nominal",
        "scale": {"domain": [Name(c) for c in configs], "range": COLOURS[: len(configs)]},
        "legend": LEGEND_STYLE,
    }


def dash(configs: Mapping[str, Any]) -> dict[str, Any]:
    """A dash pattern for each configuration, for readers who cannot distinguish the colours."""
    dashes = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [10, 4], [3, 5], [12, 3, 3, 3], [1, 4]]
    return {
        "field": "config",
        "type": "nominal",
        "scale": {"domain": [Name(c) for c in configs], "range": dashes[: len(configs)]},
        "legend": LEGEND_STYLE,
    }


def tooltip(*fields: str) -> list[dict[str, str]]:
    return [{"field": field, "type": "nominal"} for field in fields]
