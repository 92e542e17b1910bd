"""Evaluation only from documents: any version 1.x, any content of a valid document (D12)."""

from __future__ import annotations

from pathlib import Path

import msgspec
import msgspec.inspect as inspect
import pytest
from hypothesis import given, settings

from groundtrace.documents.codec import decode, encode
from groundtrace.documents.events import EventsDocument
from groundtrace.errors import VersionError
from groundtrace.rows.make import row_from
from groundtrace.rows.summarise import summarise
from tests.documents.strategies import values
from tests.metrics.builders import NOW, metrics_of

FIXTURES = Path(__file__).parent.parent / "fixtures" / "metrics"


def _load(version: str) -> EventsDocument:
    name = f"version_{version}.retrieval_events.json"
    document: EventsDocument = decode("retrieval_events", (FIXTURES / name).read_bytes(), name)
    return document


def test_a_document_of_1_0_by_hand() -> None:
    """Retrieved: README.md, lib.rs, Cargo.toml (hit), weigh.rs (hit). A shell command has a target,
    so it is not known which files were shown, read and written."""
    metrics = metrics_of(_load("1_0"))
    found, shown = metrics.file_level_metrics, metrics.file_level_metrics_shown
    assert (found.n_retrieved, found.n_overlap, found.file_recall) == (4, 2, 1.0)
    assert (found.mrr, found.map_score) == (1 / 3, (1 / 3 + 2 / 4) / 2)
    assert (found.first_gt_hit_step, found.ttfr_seconds, found.ttfr_tokens) == (1, 4.0, 900)
    assert (shown.computable, shown.reason) == (False, "older_document")
    assert metrics.utilization_probes.reason == "older_document"
    assert metrics.error_taxonomy.slices.evidence_type == "mcp"
    assert set(metrics.error_taxonomy.files) == {"irrelevant_retrieval", "missed_key_evidence"}
    assert metrics.event_summary.first_ground_truth_hit_step == 1


def test_a_later_minor_version_is_evaluated_by_the_fields_known() -> None:
    assert metrics_of(_load("1_7")) == metrics_of(_load("1_0"))


def test_another_major_version_is_refused() -> None:
    with pytest.raises(VersionError, match=r"schema version 2\.0"):
        _load("2_0")


@settings(max_examples=150, deadline=None)
@given(values(inspect.type_info(EventsDocument)))
def test_every_valid_document_can_be_evaluated_summed_up_and_read_back(raw: object) -> None:
    """Nothing in a document that passes validation may stop the evaluation."""
    document = msgspec.convert(raw, EventsDocument)
    metrics = metrics_of(document)
    assert decode("retrieval_metrics", encode(metrics), "x") == metrics
    made = summarise([row_from(metrics, document)], scope="run", generated_at=NOW)
    assert decode("run_retrieval_summary", encode(made), "x") == made
