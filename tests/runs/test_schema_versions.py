"""The version of the documents changes what is written, and no number of the run (D43)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from groundtrace.metrics.catalogue import METRICS
from tests.conftest import Ran
from tests.whole_runs import RUN, run, shrink

Call = Callable[..., Ran]
RESULTS = ("*.retrieval_metrics.json", "run_retrieval_summary.json", "impact_analysis.json")


def numbers(folder: Path) -> dict[str, Any]:
    """Everything that was computed, without what a version may leave out."""
    return {
        str(path.relative_to(folder)): without_later_fields(json.loads(path.read_text()))
        for pattern in RESULTS
        for path in sorted(folder.rglob(pattern))
    }


def without_later_fields(document: Any) -> Any:
    if isinstance(document, dict) and "schema_version" in document:
        document = {**document, "schema_version": "", "provenance": {}, "coverage": {}}
    return without_later_sections(document)


LATER_SECTIONS = {
    "line_level_metrics",
    "context_metrics",
    "discovery",
    "subagent_metrics",
    "patch_metrics",
    "published_metrics",
    "funnel",
    "judged_metrics",
    "function_level_metrics",
    "servers",
}
MADE_OF_LATER = {"finders", "patch_sources"}
"""Made from sections that documents of earlier versions do not have (D73, D130)."""
LATER_METRICS = {name for name, metric in METRICS.items() if metric.section in LATER_SECTIONS}


def without_later_sections(value: Any) -> Any:
    """A document without the sections that version 1.2 added, and what is made from them."""
    if isinstance(value, list):
        kept = (item for item in value if not is_of_later_metric(item))
        return [without_later_sections(item) for item in kept]
    if not isinstance(value, dict):
        return value
    return {
        key: without_later_sections(item)
        for key, item in value.items()
        if key not in LATER_SECTIONS | LATER_METRICS | MADE_OF_LATER
    }


def is_of_later_metric(item: Any) -> bool:
    return isinstance(item, dict) and item.get("metric") in LATER_METRICS


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_an_older_version_of_the_documents_changes_no_number(
    groundtrace: Call, sample: Path, tmp_path: Path, version: str
) -> None:
    """Metrics by category made a file only written by Bash a hit, in 15 of 28 real trials."""
    shrink(sample)
    run(groundtrace, sample, "--out", tmp_path / "now")
    run(groundtrace, sample, "--out", tmp_path / "then", "--schema-version", version)
    assert numbers(tmp_path / "then") == numbers(tmp_path / "now")
    written = {
        json.loads(path.read_text())["schema_version"]
        for path in (tmp_path / "then").rglob("*.retrieval_events.json")
    }
    assert written == {version}


def test_written_1_0_documents_have_what_the_published_schema_requires(
    groundtrace: Call, sample: Path
) -> None:
    """D59: and validate and evaluate take them, as they take those of others."""
    shrink(sample)
    runs = sample / "runs/official"
    run(groundtrace, sample, "--schema-version", "1.0")
    documents = sorted((runs / RUN / "retrieval_events").rglob("*.retrieval_events.json"))
    for path in documents:
        document = json.loads(path.read_text())
        assert document["generated_at"] == "2026-01-01T00:00:00Z"
        assert isinstance(document["provenance"]["benchmark"], str)
        del document["provenance"]["batch_timestamp"]
        path.write_text(json.dumps(document))
    assert groundtrace("validate", *documents).code == 0
    ran = groundtrace("evaluate", runs, "--jobs", 1)
    assert ran.code == 0, ran.err
    assert f"{len(documents)} documents evaluated" in ran.out


def test_evaluating_again_keeps_what_an_older_document_cannot_give(
    groundtrace: Call, sample: Path
) -> None:
    """A document of version 1.0 has no kinds: metrics of basis `accesses` stay, even when asked
    to be made again, until the document itself changes."""
    shrink(sample)
    run(groundtrace, sample, "--schema-version", "1.0")
    folder = sample / "runs/official" / RUN / "retrieval_events"
    before = numbers(folder)
    assert groundtrace("evaluate", sample / "runs/official", "--jobs", 1, "--force").code == 0
    assert numbers(folder) == before
    path = next(folder.rglob("*.retrieval_events.json"))
    path.write_text(path.read_text() + "\n")
    assert groundtrace("evaluate", sample / "runs/official", "--jobs", 1).code == 0
    metrics = path.with_name(path.name.replace("_events.json", "_metrics.json"))
    assert json.loads(metrics.read_text())["basis"] == "categories"
