"""The catalogue of metrics: complete, consistent, and true on its own example."""

from __future__ import annotations

import dataclasses
import re
from typing import get_args

import pytest
from msgspec import UNSET, structs

from groundtrace.documents.functions import FunctionLevelMetrics
from groundtrace.documents.metrics import (
    ChunkLevelMetrics,
    ContextMetrics,
    DiscoveryMetrics,
    FileLevelMetrics,
    JudgedMetrics,
    LineLevelMetrics,
    SubagentMetrics,
    UtilizationProbes,
)
from groundtrace.documents.patches import FunnelMetrics, PatchMetrics, PublishedMetrics
from groundtrace.errors import UsageError
from groundtrace.metrics.catalogue import (
    METRICS,
    OUTCOMES,
    QUANTITIES,
    SECTIONS,
    Calculations,
    Catalogue,
    values_in,
)
from groundtrace.metrics.chunk_level import CHUNK_LEVEL
from groundtrace.metrics.evidence import EvidenceView
from groundtrace.metrics.example import example_document
from groundtrace.metrics.record import DISPLAYS, Display, Spot
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
    "line_recall",
    "line_precision",
    "chunk_recall_by_lines",
    "relevant_chars_share",
    "chars_to_first_relevant",
    "repeated_chars_share",
    "relevant_in_context_at_first_edit",
    "found_first_by_mcp",
    "shown_first_by_mcp",
    "found_only_by_mcp",
    "found_first_by_subagents",
    "main_thread_recall",
    "found_only_by_subagents",
    "subagent_findings_used",
    "funnel_never_met",
    "funnel_met",
    "funnel_shown",
    "funnel_edited",
    "patch_recall",
    "patch_precision",
    "patch_f1",
    "seen_not_edited",
    "edited_unseen",
    "test_files_touched",
    "acc@1",
    "acc@3",
    "acc@5",
    "correct_location",
    "correct_location_line",
    "polybench_file_recall",
    "polybench_file_precision",
    "polybench_file_f1",
    "locagent_file_acc@1",
    "locagent_file_acc@3",
    "locagent_file_acc@5",
    "contextbench_editloc_recall",
    "contextbench_editloc_precision",
    "correct_location_function",
    "locagent_function_acc@5",
    "locagent_function_acc@10",
    "locagent_function_recall@5",
    "locagent_function_recall@10",
    "locagent_function_precision@5",
    "locagent_function_precision@10",
    "contextbench_file_coverage",
    "contextbench_file_precision",
    "contextbench_line_coverage",
    "contextbench_line_precision",
    "contextbench_file_redundancy",
    "contextbench_line_redundancy",
    "contextbench_file_usage_drop",
    "contextbench_line_usage_drop",
    "contextbench_file_auc",
    "contextbench_line_auc",
    "contextbench_final_file_recall",
    "contextbench_final_file_precision",
    "contextbench_final_block_recall",
    "contextbench_final_block_precision",
    "contextbench_final_line_recall",
    "contextbench_final_line_precision",
    "bpref",
    "judged@10",
    "functions_relevant",
    "functions_shown",
    "function_recall",
    "function_precision",
    "function_f1",
    "function_lines_recall",
    "function_edit_recall",
    "function_edit_precision",
    "func_acc@1",
    "func_acc@3",
    "func_acc@5",
    "symbol_recall",
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
        "model_calls",
    ]


@pytest.mark.parametrize("name", METRICS)
def test_the_example_worked_by_hand_is_what_the_code_computes(name: str) -> None:
    """The documentation prints these examples; this test runs them."""
    info = METRICS[name]
    working, value = info.example
    computed = info.getter(metrics_of(example_document()))
    assert computed == pytest.approx(value, abs=5e-5), "the page prints four decimals"
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
        line_level_metrics=LineLevelMetrics(basis=None, reason=None),
        context_metrics=ContextMetrics(reason=None),
        discovery=DiscoveryMetrics(reason=None),
        subagent_metrics=SubagentMetrics(reason=None),
        funnel=FunnelMetrics(reason=None),
        function_level_metrics=FunctionLevelMetrics(computable=True, reason=None),
        patch_metrics=PatchMetrics(source=None, reason=None),
        published_metrics=PublishedMetrics(),
        judged_metrics=JudgedMetrics(reason=None),
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
    assert all(text.strip() for text in [*texts, info.reference])
    assert "first K" not in info.measures or info.cutoff is None


def test_directions() -> None:
    """D35: lower is better for times, tokens and cost; higher for everything else."""
    lower = {name for name, info in {**METRICS, **OUTCOMES}.items() if info.better == "lower"}
    ttfr = {f"{prefix}ttfr_{unit}" for prefix in ("", "shown.") for unit in ("seconds", "tokens")}
    chars = {"chars_to_first_relevant", "repeated_chars_share"}
    spent = {"cost_usd", "agent_seconds", "trial_seconds", "output_tokens", "model_calls"}
    drops = {f"contextbench_{level}_usage_drop" for level in ("file", "line")}
    repeats = {f"contextbench_{level}_redundancy" for level in ("file", "line")}
    short = {"funnel_never_met", "funnel_met", "funnel_shown"}
    patch = {"seen_not_edited", "edited_unseen", "test_files_touched"}
    counts = {"functions_relevant", "functions_shown"}
    assert lower == ttfr | chars | spent | drops | repeats | short | patch | counts


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_writes_out_its_own_arithmetic(name: str) -> None:
    """What `explain` shows, on the example; a share's arithmetic gives the share."""
    metric = METRICS[name]
    written = Calculations(EvidenceView(example_document())).of(name)
    assert written is not None
    share = re.fullmatch(r"(\d+) of (?:the first )?(\d+)( .*)?", written)
    if share is not None:
        assert round(int(share[1]) / int(share[2]), 4) == metric.example[1]
    else:
        whole = {"f1", "ndcg", "mrr", "map", "ttfr_seconds", "ttfr_tokens"}
        files = {"seen_not_edited", "edited_unseen", "test_files_touched"}
        patch = {"patch_f1", "polybench_file_f1", "correct_location", "correct_location_line"}
        patch |= {f"{front}acc@{k}" for front in ("", "locagent_file_") for k in (1, 3, 5)}
        context = {f"contextbench_{level}_{end}" for level in ("file", "line") for end in CURVES}
        other = {"chars_to_first_relevant", "bpref"}
        functions = {f"func_acc@{k}" for k in (1, 3, 5)} | {"correct_location_function"}
        functions |= {
            f"locagent_function_{name}@{k}"
            for name in ("acc", "recall", "precision")
            for k in (5, 10)
        }
        functions |= {"functions_relevant", "functions_shown", "function_f1"}
        assert metric.family in whole | files | patch | context | other | functions


CURVES = ("auc", "usage_drop")


def test_arithmetic_by_hand() -> None:
    written = Calculations(EvidenceView(example_document()))
    assert {name: written.of(name) for name in ("f1@5", "ndcg@3", "shown.mrr", "map")} == {
        "f1@5": "2·2 / (5 + 3)",
        "ndcg@3": "0.6309 / 2.1309",
        "shown.mrr": "1 / 1",
        "map": "(1/2 + 2/4) / 3",
    }
    assert (written.of("ttfr_tokens"), written.of("shown.ttfr_seconds")) == (
        "at step 1",
        "at step 2",
    )


@pytest.mark.parametrize("catalogue", [METRICS, OUTCOMES, QUANTITIES])
def test_an_unknown_name_is_an_error_with_the_nearest_one(catalogue: Catalogue) -> None:
    """It once got an explanation of its own: that of a time to the first relevant file."""
    nearest = next(iter(catalogue))
    with pytest.raises(UsageError, match=f"unknown .*; nearest is '{nearest}'"):
        catalogue[f"{nearest}x"]
    with pytest.raises(UsageError, match="nearest is 'recall@10'"):
        Calculations(EvidenceView(example_document())).of("recal@10")


def test_two_records_cannot_share_a_name() -> None:
    with pytest.raises(ValueError, match="two metrics are named 'mrr'"):
        Catalogue("metric", [METRICS["mrr"], METRICS["mrr"]])


def test_a_declaration_that_names_another_metric_is_refused() -> None:
    """A slip in `shown_in` would leave a metric out of a table without a word."""
    (declared,) = CHUNK_LEVEL.declarations
    slip = dataclasses.replace(declared, shown_in={"chunk_recal": {"line_ranges": Spot()}})
    section = dataclasses.replace(CHUNK_LEVEL, declarations=(slip,))
    with pytest.raises(ValueError, match="chunk_recall speaks of chunk_recal"):
        list(section.metrics())


def test_every_metric_of_a_section_is_a_field_of_the_document() -> None:
    document = metrics_of(example_document())
    for section in SECTIONS:
        for where in section.fields:
            fields = getattr(document, where.name).__struct_fields__
            assert {d.stored_field for d in section.declarations} <= set(fields)


def test_every_display_is_described_and_shows_something() -> None:
    assert set(DISPLAYS) == set(get_args(Display))
    for display in DISPLAYS:
        assert QUANTITIES.names_in(display), display
    used = {display for record in QUANTITIES.values() for display in record.shown_in}
    assert used == set(DISPLAYS)


def test_displays_hold_only_what_they_can_show() -> None:
    """Gains are listed first and drawn green; charts need a question."""
    for display in ("movers", "task_chart"):
        assert {record.better for record in QUANTITIES.shown_in(display)} == {"higher"}
    for display in ("recall_charts", "first_hit_charts"):
        assert all(metric.heading(display).endswith("?") for metric in METRICS.shown_in(display))
    for display in ("quality", "groups"):
        assert all(metric.over_shown in METRICS for metric in METRICS.shown_in(display))
    for display in ("first_hit", "first_hit_shown", "first_hit_charts"):
        assert all(metric.hit_metric in METRICS for metric in METRICS.shown_in(display))


def test_a_display_keeps_its_own_order() -> None:
    """Positions come first, then the catalogue's order."""
    assert METRICS.names_in("api_summary")[2:4] == ("mrr", "ndcg@10")
    assert METRICS.names_in("groups")[3:5] == ("ndcg@10", "mrr")
    assert OUTCOMES.names_in("correlation") == (
        "reward",
        "cost_usd",
        "agent_seconds",
        "output_tokens",
    )


@pytest.mark.parametrize("section", [None, "discovery", "context_metrics", "judged_metrics"])
def test_all_values_of_a_document_are_those_of_the_getters(section: str | None) -> None:
    document = metrics_of(example_document())
    if section is not None:  # as in a document of an earlier version
        document = structs.replace(document, **{section: UNSET})
    values, absent = values_in(document)
    read = {name: metric.getter(document) for name, metric in METRICS.items()}
    assert list(values.items()) == [item for item in read.items() if item[1] is not None]
    assert [metric.name for metric in absent] == [name for name in read if read[name] is None]
