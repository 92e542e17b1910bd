"""The table of metrics: complete, consistent, and true on its own example."""

from __future__ import annotations

import pytest
from msgspec import structs

from groundtrace.documents.metrics import (
    ChunkLevelMetrics,
    FileLevelMetrics,
    UtilizationProbes,
)
from groundtrace.metrics.catalogue import METRICS, OUTCOMES
from groundtrace.metrics.example import example_document
from tests.metrics.builders import metrics_of

AT_CUTOFFS = [
    f"{family}@{k}" for family in ("precision", "recall", "f1", "ndcg") for k in (1, 3, 5, 10)
]
WHOLE_LIST = ["mrr", "map", "file_recall", "context_efficiency", "ttfr_seconds", "ttfr_tokens"]
OTHERS = [
    "chunk_recall",
    "util_read_overlap_with_relevant_files",
    "util_write_overlap_with_relevant_files_proxy",
    "util_write_overlap_with_expected_edit_files",
    "util_read_before_write_ratio",
]


def test_the_names_are_the_canonical_ones() -> None:
    """Rows, impact, reports and columns use these names; a change moves every consumer."""
    file_level = AT_CUTOFFS + WHOLE_LIST
    shown = [f"shown.{name}" for name in file_level]
    assert list(METRICS) == [*file_level, *shown, *OTHERS]
    assert list(OUTCOMES) == [
        "reward",
        "cost_usd",
        "agent_seconds",
        "trial_seconds",
        "output_tokens",
    ]


@pytest.mark.parametrize("name", METRICS)
def test_the_example_worked_by_hand_is_what_the_code_computes(name: str) -> None:
    """The documentation prints these examples; this test runs them."""
    info = METRICS[name]
    working, value = info.example
    assert info.getter(metrics_of(example_document())) == value
    assert working


@pytest.mark.parametrize("name", METRICS)
def test_each_getter_reads_its_own_field(name: str) -> None:
    """A value put into one field alone comes out of the metrics of that field alone."""
    info = METRICS[name]
    document = metrics_of(example_document())
    empty = structs.replace(
        document,
        file_level_metrics=FileLevelMetrics(computable=True, reason=None),
        file_level_metrics_shown=FileLevelMetrics(computable=True, reason=None),
        chunk_level_metrics=ChunkLevelMetrics(
            resolution="file_level_only", validity="unsupported", reason="no_chunk_ground_truth"
        ),
        utilization_probes=UtilizationProbes(probe_available=True, reason=None),
    )
    value = {str(info.cutoff): 0.125} if info.cutoff else 0.125
    section = structs.replace(getattr(empty, info.section), **{info.field: value})
    marked = structs.replace(empty, **{info.section: section})
    having = [other for other in METRICS.values() if other.getter(marked) is not None]
    assert having == [info]
    assert info.getter(marked) == 0.125


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_says_everything(name: str) -> None:
    """The page of a metric has fixed headings, none of them empty."""
    info = METRICS[name]
    texts = [info.title, info.measures, info.undefined, info.known_problems, info.formula]
    assert all(text.strip() for text in [*texts, info.reference, info.range_text])
    assert "first K" not in info.measures or info.cutoff is None


def test_directions() -> None:
    """D35: lower is better for times, tokens and cost; higher for everything else."""
    lower = {name for name, info in {**METRICS, **OUTCOMES}.items() if info.better == "lower"}
    ttfr = {f"{prefix}ttfr_{unit}" for prefix in ("", "shown.") for unit in ("seconds", "tokens")}
    assert lower == ttfr | {"cost_usd", "agent_seconds", "trial_seconds", "output_tokens"}
