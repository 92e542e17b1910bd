"""The numbers that went into a metric, written out, so that a person can do the sum again."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from groundtrace.documents.metrics import MetricsDocument
from groundtrace.metrics.evidence import RETRIEVED, SHOWN, Evidence
from groundtrace.metrics.ranking import dcg_at
from groundtrace.metrics.table import METRICS, SHOWN_PREFIX


class Arithmetic:
    """Writes out the calculation of any metric for one document."""

    def __init__(self, evidence: Evidence, metrics: MetricsDocument) -> None:
        self._relevant = len(evidence.truth)
        self._hits = {
            "": [touch.truth is not None for touch in evidence.first(RETRIEVED)],
            SHOWN_PREFIX: [touch.truth is not None for touch in evidence.first(SHOWN)],
        }
        self._metrics = metrics

    def of(self, name: str) -> str | None:
        """The calculation of a metric that has a value, such as `3 of 4`."""
        info = METRICS[name]
        prefix = SHOWN_PREFIX if name.startswith(SHOWN_PREFIX) else ""
        base = name.removeprefix(prefix).partition("@")[0]
        if base in _RANKED:
            return _RANKED[base](self._hits[prefix], self._relevant, info.cutoff or 0)
        if base in _COUNTED:
            return _COUNTED[base](self._metrics)
        step = getattr(self._metrics, info.section).first_gt_hit_step
        return None if step is None else f"at step {step}"


def _precision(hits: list[bool], _: int, k: int) -> str:
    return f"{sum(hits[:k])} of the first {k}"


def _recall(hits: list[bool], relevant: int, k: int) -> str:
    return f"{sum(hits[:k])} of {relevant}"


def _f1(hits: list[bool], relevant: int, k: int) -> str:
    found = sum(hits[:k])
    return f"2·{found} / ({k} + {relevant})"


def _ndcg(hits: list[bool], relevant: int, k: int) -> str:
    return f"{dcg_at(hits, k):.4f} / {dcg_at([True] * relevant, k):.4f}"


def _mrr(hits: list[bool], _: int, __: int) -> str:
    return f"1 / {hits.index(True) + 1}" if any(hits) else "no relevant file"


def _map(hits: list[bool], relevant: int, _: int) -> str:
    ranks = [rank for rank, hit in enumerate(hits, 1) if hit]
    terms = " + ".join(f"{found}/{rank}" for found, rank in enumerate(ranks, 1))
    return f"({terms or '0'}) / {relevant}"


def _file_recall(hits: list[bool], relevant: int, _: int) -> str:
    return f"{sum(hits)} of {relevant}"


def _efficiency(hits: list[bool], _: int, __: int) -> str:
    return f"{sum(hits)} of {len(hits)} retrieved"


def _share_of(value: float | None, part: int | None) -> str:
    """Edit targets that were written, of all: the document has the part and the share."""
    whole = f" of {round(part / value)}" if part and value else ""
    return f"{part}{whole} expected edit files written"


def _part_of(value: float | None, whole: int | None) -> str:
    """Written files that were read before, of all written: the document has whole and share."""
    return f"{round((value or 0) * (whole or 0))} of {whole} written files"


_RANKED: Mapping[str, Callable[[list[bool], int, int], str]] = {
    "precision": _precision,
    "recall": _recall,
    "f1": _f1,
    "ndcg": _ndcg,
    "mrr": _mrr,
    "map": _map,
    "file_recall": _file_recall,
    "context_efficiency": _efficiency,
}
"""Metrics of the ranking: hits in order, number of relevant files, cut-off."""

_COUNTED: Mapping[str, Callable[[MetricsDocument], str | None]] = {
    "chunk_recall": lambda m: (
        f"{m.chunk_level_metrics.chunks_hit} of {m.chunk_level_metrics.chunks_total} chunks"
    ),
    "util_read_overlap_with_relevant_files": lambda m: (
        f"{m.utilization_probes.files_read_relevant} of {m.file_level_metrics.n_ground_truth} relevant files read"
    ),
    "util_write_overlap_with_relevant_files_proxy": lambda m: (
        f"{m.utilization_probes.files_written_relevant} of {m.file_level_metrics.n_ground_truth} relevant files written"
    ),
    "util_write_overlap_with_expected_edit_files": lambda m: _share_of(
        m.utilization_probes.util_write_overlap_with_expected_edit_files,
        m.utilization_probes.files_written_expected_edit,
    ),
    "util_read_before_write_ratio": lambda m: _part_of(
        m.utilization_probes.util_read_before_write_ratio, m.utilization_probes.files_written
    ),
}
"""Metrics that are a share of counts in the document."""
