"""Three real trials, computed by hand from what their calls touched."""

from __future__ import annotations

import os

import pytest

from groundtrace.documents.metrics import MetricsDocument

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif("GROUNDTRACE_CORPUS" not in os.environ, reason="no corpus of real trials"),
]


@pytest.fixture(scope="module")
def metrics() -> dict[str, MetricsDocument]:
    """Metrics of the three trials, by the trial's name."""
    from groundtrace.config import Settings
    from groundtrace.discover import discover
    from groundtrace.model import Trial
    from groundtrace.pipeline import read_trial
    from groundtrace.runs.plan import WorkContext
    from groundtrace.storage import open_folder
    from groundtrace.truth.tasks import build_index
    from tests.metrics.builders import NOW, metrics_of

    corpus = os.environ["GROUNDTRACE_CORPUS"]
    settings = Settings()
    tasks = build_index(open_folder(f"{corpus}/benchmarks"))
    context = WorkContext(settings=settings, registry=None, generated_at=NOW, with_metrics=True)
    wanted = ("__Ruw46XZ", "__AXuby5g", "__4b15fe0")
    found = discover(open_folder(f"{corpus}/runs"), settings=settings, tasks=tasks)
    return {
        trial.path[-7:]: metrics_of(read_trial(trial, context).document)
        for trial in found
        if isinstance(trial, Trial) and trial.path.endswith(wanted)
    }


def test_listings_and_one_search_over_remote_files(metrics: dict[str, MetricsDocument]) -> None:
    """13 files; ranks 1, 3 and 5 to 10 are relevant, of 9; the other five lie beside them.

    Average precision: (1/1 + 2/3 + 3/5 + 4/6 + 5/7 + 6/8 + 7/9 + 8/10) / 9.
    """
    document = metrics["Ruw46XZ"]
    found = document.file_level_metrics
    assert (found.n_retrieved, found.n_overlap, found.n_ground_truth) == (13, 8, 9)
    assert found.precision == {"1": 1.0, "3": 2 / 3, "5": 0.6, "10": 0.8}
    assert found.recall == {"1": 1 / 9, "3": 2 / 9, "5": 3 / 9, "10": 8 / 9}
    assert (found.mrr, found.context_efficiency) == (1.0, 8 / 13)
    precisions = 1 / 1 + 2 / 3 + 3 / 5 + 4 / 6 + 5 / 7 + 6 / 8 + 7 / 9 + 8 / 10
    assert found.map_score == pytest.approx(precisions / 9, rel=1e-12)
    assert document.file_level_metrics_shown.n_retrieved == 12
    assert document.utilization_probes.util_read_overlap_with_relevant_files == 0
    labels = document.error_taxonomy.labels
    assert labels["missed_key_evidence"] == 1
    assert labels["ambiguity_near_miss"] == labels["irrelevant_retrieval"] == 5
    assert document.error_taxonomy.slices.evidence_type == "mcp"


def test_one_file_found_and_read(metrics: dict[str, MetricsDocument]) -> None:
    document = metrics["AXuby5g"]
    found = document.file_level_metrics
    assert (found.n_retrieved, found.n_overlap, found.n_ground_truth) == (1, 1, 1)
    assert found.precision["10"] == 0.1
    assert (found.first_gt_hit_step, found.context_efficiency) == (1, 1.0)
    assert document.utilization_probes.util_read_overlap_with_relevant_files == 1
    assert document.error_taxonomy.slices.candidate_set_size == "small"


def test_listings_buy_no_recall_over_shown_files(metrics: dict[str, MetricsDocument]) -> None:
    """31 files by name, 6 shown; ranks 1 and 17 are relevant, of 3: (1/1 + 2/17) / 3."""
    document = metrics["4b15fe0"]
    found, shown = document.file_level_metrics, document.file_level_metrics_shown
    assert (found.n_retrieved, found.n_overlap) == (31, 2)
    assert found.map_score == pytest.approx((1 / 1 + 2 / 17) / 3, rel=1e-12)
    assert (shown.n_retrieved, shown.n_overlap, shown.context_efficiency) == (6, 2, 2 / 6)
    assert (found.ttfr_seconds, shown.ttfr_seconds) == (8.036, 9.987)
    near = document.error_taxonomy.files["ambiguity_near_miss"]
    assert near == ["src/flask/__init__.py", "src/flask/wrappers.py", "src/flask/sessions.py"]
