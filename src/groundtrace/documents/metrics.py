"""The per-task metrics document: the four metric stages of one trial (D24)."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from groundtrace.documents.base import Count, Record, Seconds, Share, Version
from groundtrace.documents.events import Coverage, EventSummary, Provenance

NotComputable = Literal["no_ground_truth", "no_trace", "empty_trace", "answers_missing"]
"""Why metrics cannot be computed (D19)."""

Cutoff = Literal["1", "3", "5", "10"]
"""The specification's values of K, as keys."""

ByCutoff = dict[Cutoff, Share]

TaxonomyLabel = Literal[
    "irrelevant_retrieval",
    "missed_key_evidence",
    "wrong_evidence_used",
    "unused_correct_retrieval",
    "ambiguity_near_miss",
]


EditTargets = Literal["known", "none_expected", "unknown"]
"""What a task says of the files to be edited (D58)."""


class FileLevelMetrics(Record, frozen=True, kw_only=True):
    """Stage 1: the ordered list of files against the ground truth."""

    computable: Annotated[bool, Meta(description="Whether the values below mean anything.")]
    reason: Annotated[NotComputable | None, Meta(description="Why not, when not computable.")]
    precision: Annotated[ByCutoff | None, Meta(description="Precision@K by K.")] = None
    recall: Annotated[ByCutoff | None, Meta(description="Recall@K by K.")] = None
    f1: Annotated[ByCutoff | None, Meta(description="F1@K by K.")] = None
    ndcg: Annotated[ByCutoff | None, Meta(description="nDCG@K by K.")] = None
    mrr: Annotated[Share | None, Meta(description="Reciprocal rank of the first hit.")] = None
    map_score: Annotated[Share | None, Meta(description="Average precision.")] = None
    file_recall: Annotated[
        Share | None, Meta(description="Share of ground-truth files found anywhere.")
    ] = None
    context_efficiency: Annotated[
        Share | None,
        Meta(description="Share of retrieved files that are relevant; null if none retrieved."),
    ] = None
    n_retrieved: Annotated[Count | None, Meta(description="Distinct files retrieved.")] = None
    n_ground_truth: Annotated[Count | None, Meta(description="Ground-truth files.")] = None
    n_overlap: Annotated[Count | None, Meta(description="Ground-truth files retrieved.")] = None
    first_gt_hit_step: Annotated[
        Count | None, Meta(description="`step_index` of the first hit, a write aside.")
    ] = None
    ttfr_seconds: Annotated[
        Seconds | None, Meta(description="Seconds to the first relevant file.")
    ] = None
    ttfr_tokens: Annotated[Count | None, Meta(description="Tokens to the first relevant file.")] = (
        None
    )


class ChunkLevelMetrics(Record, frozen=True, kw_only=True):
    """Stage 2: line ranges, at file-match granularity."""

    resolution: Annotated[
        Literal["chunk_level", "file_level_only"], Meta(description="What could be resolved.")
    ]
    validity: Annotated[
        Literal["file_match_only", "unsupported"], Meta(description="What the value means.")
    ]
    chunk_recall: Annotated[
        Share | None, Meta(description="Share of chunks whose file was accessed.")
    ] = None
    chunks_total: Annotated[Count, Meta(description="Ground-truth chunks.")] = 0
    chunks_hit: Annotated[Count | None, Meta(description="Chunks whose file was accessed.")] = None
    reason: Annotated[
        str | None, Meta(description="Why there is no chunk recall, when there is none.")
    ] = None


class UtilizationProbes(Record, frozen=True, kw_only=True):
    """Stage 3: whether retrieved evidence was used."""

    probe_available: Annotated[bool, Meta(description="False only without ground truth or trace.")]
    reason: Annotated[NotComputable | None, Meta(description="Why not, when not available.")]
    util_read_overlap_with_relevant_files: Annotated[
        Share | None, Meta(description="Share of relevant files that were read.")
    ] = None
    util_write_overlap_with_relevant_files_proxy: Annotated[
        Share | None, Meta(description="Share of relevant files written; null without writes.")
    ] = None
    util_write_overlap_with_expected_edit_files: Annotated[
        Share | None, Meta(description="Share of expected edit files written.")
    ] = None
    util_read_before_write_ratio: Annotated[
        Share | None, Meta(description="Share of written files read at an earlier step.")
    ] = None
    expected_edit_probe_available: Annotated[
        bool, Meta(description="Whether edit targets are known.")
    ] = False
    expected_edit_probe_reason: Annotated[
        str | None, Meta(description="Why the edit probe has no value, when it has none.")
    ] = None
    files_read: Annotated[Count | None, Meta(description="Distinct files read.")] = None
    files_read_relevant: Annotated[Count | None, Meta(description="Relevant files read.")] = None
    files_written: Annotated[Count | None, Meta(description="Distinct files written.")] = None
    files_written_relevant: Annotated[Count | None, Meta(description="Relevant files written.")] = (
        None
    )
    files_written_expected_edit: Annotated[
        Count | None, Meta(description="Expected edit files written.")
    ] = None


class Slices(Record, frozen=True, kw_only=True):
    """Calibration slices of one trial."""

    candidate_set_size: Annotated[
        Literal["small", "medium", "large"],
        Meta(description="Retrieved files: up to 5, 6 to 20, over 20."),
    ]
    evidence_type: Annotated[
        Literal["local", "mcp"], Meta(description="mcp when at least one MCP call was made.")
    ]


class ErrorTaxonomy(Record, frozen=True, kw_only=True):
    """Stage 4: five labels with the files behind them."""

    computable: Annotated[bool, Meta(description="Whether the labels mean anything.")]
    reason: Annotated[NotComputable | None, Meta(description="Why not, when not computable.")]
    labels: Annotated[dict[TaxonomyLabel, Count] | None, Meta(description="Files per label.")] = (
        None
    )
    files: Annotated[
        dict[TaxonomyLabel, list[str]] | None, Meta(description="The files behind each label.")
    ] = None
    slices: Annotated[Slices | None, Meta(description="Calibration slices.")] = None
    not_applicable: Annotated[
        list[TaxonomyLabel],
        Meta(
            description="Labels that do not apply: no edit was expected. In documents without "
            "`edit_targets` also those of trials whose edit targets are unknown."
        ),
    ] = msgspec.field(default_factory=list)
    edit_targets: Annotated[
        EditTargets | UnsetType,
        Meta(
            description="Whether the task tells which files to edit: known; none_expected, where "
            "the labels about writing do not apply; unknown, where they count. Since 1.2."
        ),
    ] = UNSET


Basis = Literal["accesses", "categories"]
"""What metrics are computed from: the kind of each access or, in documents of version 1.0, the
category of each call."""


class MetricsDocument(Record, frozen=True, kw_only=True):
    """All metrics of one trial."""

    schema_version: Version
    generated_at: Annotated[str, Meta(description="When it was computed, UTC.")]
    provenance: Annotated[Provenance, Meta(description="Which execution this is.")]
    coverage: Annotated[Coverage, Meta(description="What could be read.")]
    event_summary: Annotated[EventSummary, Meta(description="Counts over the events.")]
    file_level_metrics: Annotated[
        FileLevelMetrics, Meta(description="Over retrieved files: every kind but written.")
    ]
    file_level_metrics_shown: Annotated[
        FileLevelMetrics, Meta(description="Over files whose content was shown.")
    ]
    chunk_level_metrics: Annotated[ChunkLevelMetrics, Meta(description="Line ranges.")]
    utilization_probes: Annotated[UtilizationProbes, Meta(description="Use of evidence.")]
    error_taxonomy: Annotated[ErrorTaxonomy, Meta(description="Error labels and slices.")]
    basis: Annotated[
        Basis | UnsetType,
        Meta(
            description="accesses: by the kind of each access; categories: by the category of each "
            "call, from an events document of version 1.0 alone. Since 1.2."
        ),
    ] = UNSET
    access_counts: Annotated[
        dict[str, Count] | UnsetType,
        Meta(description="Accesses counted by `category/kind`. Since 1.2."),
    ] = UNSET
