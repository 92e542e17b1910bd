"""Stage 2: line ranges (chunks) of the ground truth, counted by file.

In version 1 of the specification, a call covers a chunk if it touched the chunk's file. All events
count, also writes (D23).
"""

from __future__ import annotations

from msgspec import UNSET

from groundtrace.base.frozen import Frozen
from groundtrace.documents.metrics import ChunkLevelMetrics, NotComputable
from groundtrace.metrics.evidence import EvidenceView
from groundtrace.metrics.record import (
    SPECIFICATION,
    MetricDeclaration,
    MetricSection,
    SectionField,
    Spot,
)


class ChunkAccess(Frozen, frozen=True):
    """How many chunks there are, and for how many of them the file was accessed."""

    total: int
    hit: int
    trace_reason: NotComputable | None

    @property
    def known(self) -> bool:
        """Whether there are chunks and events."""
        return bool(self.total) and self.trace_reason is None


def chunk_access(evidence: EvidenceView) -> ChunkAccess:
    """The chunks of a trial's task, counted."""
    chunks = evidence.document.ground_truth.chunks
    if not evidence.document.coverage.has_chunk_ground_truth or chunks is UNSET:
        return ChunkAccess(0, 0, evidence.trace_reason)
    # A chunk's file can be spelled as in the ground truth or as in the trial.
    touched = {name.lower() for touch in evidence.touches for name in (touch.file, touch.name)}
    hit = sum(chunk.file.lower() in touched for chunk in chunks)
    return ChunkAccess(len(chunks), hit, evidence.trace_reason or evidence.identity_reason)


def make_chunk_level(chunks: ChunkAccess) -> ChunkLevelMetrics:
    """The section, or why it has no value."""
    if not chunks.total:
        return ChunkLevelMetrics(
            resolution="file_level_only",
            validity="unsupported",
            reason="no_chunk_ground_truth",
        )
    if chunks.trace_reason is not None:
        return ChunkLevelMetrics(
            resolution="chunk_level",
            validity="unsupported",
            chunks_total=chunks.total,
            reason=chunks.trace_reason,
        )
    return ChunkLevelMetrics(
        resolution="chunk_level",
        validity="file_match_only",
        chunks_total=chunks.total,
        chunks_hit=chunks.hit,
        **CHUNK_LEVEL.values(chunks),
    )


_CHUNK_RECALL = MetricDeclaration[ChunkAccess](
    name="chunk_recall",
    title="Chunk recall",
    measures="Share of the ground truth's line ranges whose file was accessed in any way, writes included.",
    formula="chunks whose file was accessed / chunks",
    undefined="the task has no line ranges (`no_chunk_ground_truth`), or there is no usable trace (`no_trace`, `empty_trace`, `answers_missing`, `subagents_unseen`)",
    known_problems=(
        "An access to the file is enough; this metric does not judge whether the lines "
        "themselves were shown."
    ),
    reference=SPECIFICATION,
    compute=lambda chunks: chunks.hit / chunks.total if chunks.known else None,
    arithmetic=lambda chunks: f"{chunks.hit} of {chunks.total} chunks",
    worked={
        "chunk_recall": ("src/app.py was accessed, src/config.py was not: 1 / 2", 0.5),
    },
    shown_in={
        "chunk_recall": {
            "coverage": Spot(70, "chunk recall"),
            "line_ranges": Spot(),
            "comparison": Spot(110),
            "trial_detail": Spot(110),
        },
    },
)

CHUNK_LEVEL = MetricSection[ChunkAccess](
    heading="Line ranges (stage 2)",
    fields=(SectionField[ChunkAccess](name="chunk_level_metrics", view=chunk_access),),
    declarations=(_CHUNK_RECALL,),
    make=make_chunk_level,
    why=lambda section, declared: section.reason or declared.missing,
)
