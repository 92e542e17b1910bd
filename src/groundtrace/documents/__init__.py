"""The documents that groundtrace reads and writes, each defined once.

These types give the published JSON Schemas, check documents when they are read, and encode them
when they are written. `KINDS` is the table of documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import cast

from groundtrace.base.frozen import Frozen
from groundtrace.documents.base import MAJOR, SCHEMA_VERSION, SCHEMA_VERSIONS, Record

__all__ = [
    "KINDS",
    "MAJOR",
    "SCHEMA_VERSION",
    "SCHEMA_VERSIONS",
    "DocumentKind",
    "Record",
    "kind_of",
]


class DocumentKind(Frozen, frozen=True):
    """One kind of document: its type and its file."""

    place: str
    """Module and name of its type."""
    file_name: str
    """Name of the file; where there are many files, the end of their names, with a leading dot."""
    purpose: str

    @property
    def type(self) -> type[Record]:
        """Its type, imported when it is asked: the types of the impact analysis are a twentieth of
        the time in which `normalize` starts, which asks for none of them."""
        module, _, name = self.place.partition(":")
        return cast("type[Record]", getattr(import_module(f"{__name__}.{module}"), name))


KINDS: Mapping[str, DocumentKind] = {
    "retrieval_events": DocumentKind(
        "events:EventsDocument",
        ".retrieval_events.json",
        "Every tool call of one trial and what it touched.",
    ),
    "retrieval_metrics": DocumentKind(
        "metrics:MetricsDocument", ".retrieval_metrics.json", "The metrics of one trial."
    ),
    "run_retrieval_summary": DocumentKind(
        "summary:RunSummaryDocument",
        "run_retrieval_summary.json",
        "Aggregates over a run, or over all runs.",
    ),
    "outcomes": DocumentKind(
        "outcomes:OutcomesDocument", "outcomes.json", "Reward, cost and time of every trial found."
    ),
    "impact_analysis": DocumentKind(
        "impact:ImpactDocument", "impact_analysis.json", "Correlations and matched comparisons."
    ),
}
"""Every kind of document by its name."""


def kind_of(file_name: str) -> str | None:
    """The kind of document that a file of this name holds; None when the name does not show it."""
    name = file_name.rpartition("/")[2]
    for kind, info in KINDS.items():
        if name == info.file_name or (info.file_name[0] == "." and name.endswith(info.file_name)):
            return kind
    return None
