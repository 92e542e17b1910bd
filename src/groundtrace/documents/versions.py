"""What each version of the documents added, and documents as an earlier version has them.

Minor versions only add optional fields (1.1 to 1.0, 1.2 to 1.1, 1.3 to 1.2), so an earlier version of a
document is the same document without these fields. Metrics are computed from the whole document
before it is reduced: the version that is written changes no number.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec import UNSET

from groundtrace.documents.base import SCHEMA_VERSIONS, Record
from groundtrace.documents.events import Event, EventsDocument

if TYPE_CHECKING:
    from groundtrace.documents.metrics import MetricsDocument

R = TypeVar("R", bound=Record)

ADDED: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "1.1": {
        "Coverage": ("elapsed_origin", "problems"),
        "Event": ("call_id", "accesses"),
    },
    "1.2": {
        "Provenance": ("harness", "harness_version", "repo", "source_file"),
        "Coverage": (
            "calls_unanswered",
            "calls_unknown_tool",
            "lookups",
            "lookups_unanswered",
            "tokens_share",
        ),
        "GroundTruthSection": ("edit_chunks", "test_files"),
        "Event": ("failed", "answered", "result_chars", "agent", "mcp_server"),
        "Access": (
            "expected_edit_file",
            "near_ground_truth",
            "line_ranges",
            "line_changes",
            "base_lines",
            "chunks",
            "edit_chunks",
            "shown_chars",
            "line_shift",
            "evidence",
            "other_revision",
        ),
        "EventsDocument": ("submission", "final_context", "context_changes", "subagent_inputs"),
        "MetricsDocument": (
            "line_level_metrics",
            "context_metrics",
            "discovery",
            "subagent_metrics",
            "patch_metrics",
            "published_metrics",
            "funnel",
            "judged_metrics",
        ),
    },
    "1.3": {
        "EventsDocument": ("ranking", "functions"),
        "GroundTruthSection": ("old_names", "functions"),
        "Provenance": ("repo_roots", "title", "branch", "started_at", "last_call_at"),
        "Event": ("seconds",),
        "Submission": ("old_names", "edit_chunks"),
        "Coverage": ("subagents_unseen", "unmatched_suffixes"),
        "Access": ("functions",),
        "MetricsDocument": ("function_level_metrics", "servers"),
    },
}
"""The optional fields that each version added, by the name of their type: a run that
only reads traces needs no types of metrics."""


def events_as(document: EventsDocument, version: str, *, generated_at: str) -> EventsDocument:
    """An events document as it is written: as a version has it, with its time of making (D59)."""
    written = msgspec.structs.replace(document, generated_at=generated_at)
    if version == document.schema_version:
        return written
    without = _fields_after(version)
    reduced = _reduced(written, without)
    return msgspec.structs.replace(
        reduced,
        schema_version=version,
        provenance=_reduced(document.provenance, without),
        coverage=_reduced(document.coverage, without),
        ground_truth=_reduced(document.ground_truth, without),
        submission=UNSET if reduced.submission is UNSET else _reduced(reduced.submission, without),
        events=[_event(event, without) for event in document.events],
    )


def metrics_as(document: MetricsDocument, version: str) -> MetricsDocument:
    """A metrics document as a version has it: without the sections that later versions added.

    Provenance, coverage, basis and counts stay complete. Rows are made from this document, and a
    summary made again next year must equal the one that was made in the run.
    """
    if version == document.schema_version:
        return document
    return msgspec.structs.replace(
        _reduced(document, _fields_after(version)), schema_version=version
    )


def _fields_after(version: str) -> dict[str, tuple[str, ...]]:
    """Fields that later versions added, by type."""
    fields: dict[str, tuple[str, ...]] = {}
    for later in SCHEMA_VERSIONS[SCHEMA_VERSIONS.index(version) + 1 :]:
        for kind, names in ADDED[later].items():
            fields[kind] = (*fields.get(kind, ()), *names)
    return fields


def _reduced(record: R, without: Mapping[str, tuple[str, ...]]) -> R:
    names = without.get(type(record).__name__, ())
    return msgspec.structs.replace(record, **dict.fromkeys(names, UNSET)) if names else record


def _event(event: Event, without: Mapping[str, tuple[str, ...]]) -> Event:
    reduced = _reduced(event, without)
    if reduced.accesses is UNSET:
        return reduced
    accesses = [_reduced(access, without) for access in reduced.accesses]
    return msgspec.structs.replace(reduced, accesses=accesses)
