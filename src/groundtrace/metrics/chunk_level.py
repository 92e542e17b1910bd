"""Stage 2: line ranges of the ground truth, at the granularity of files.

In version 1 a call covers a chunk when it touched the chunk's file. All events count, writes
too (D23).
"""

from __future__ import annotations

from msgspec import UNSET

from groundtrace.documents.metrics import ChunkLevelMetrics
from groundtrace.metrics.evidence import ANY, Evidence
from groundtrace.metrics.rounding import rounded


def chunk_level(evidence: Evidence) -> ChunkLevelMetrics:
    """Chunk recall, or why there is none."""
    chunks = evidence.document.ground_truth.chunks
    if not evidence.document.coverage.has_chunk_ground_truth or chunks is UNSET or not chunks:
        return ChunkLevelMetrics(
            resolution="file_level_only",
            validity="unsupported",
            reason="no_chunk_ground_truth",
        )
    if evidence.trace_reason is not None:
        return ChunkLevelMetrics(
            resolution="chunk_level",
            validity="unsupported",
            chunks_total=len(chunks),
            reason=evidence.trace_reason,
        )
    is_touched = evidence.names(evidence.first(ANY))
    hit = sum(is_touched(chunk.file) for chunk in chunks)
    return ChunkLevelMetrics(
        resolution="chunk_level",
        validity="file_match_only",
        chunk_recall=rounded(hit / len(chunks)),
        chunks_total=len(chunks),
        chunks_hit=hit,
    )
