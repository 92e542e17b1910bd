"""Stage 1: the ordered list of files against the ground truth (D18 to D21).

Computed twice: over retrieved files, and over files whose content was shown.

ranked_list   what the metrics are computed from
at_cutoffs    metrics over the first K files
whole_list    metrics over the whole list
first_hit     how soon the first relevant file was met
"""

from __future__ import annotations

from msgspec import UNSET

from groundtrace.documents.metrics import FileLevelMetrics
from groundtrace.metrics.evidence import RETRIEVED, SHOWN
from groundtrace.metrics.file_level.at_cutoffs import AT_CUTOFFS
from groundtrace.metrics.file_level.first_hit import FIRST_HIT
from groundtrace.metrics.file_level.ranked_list import RankedList, ranked_list
from groundtrace.metrics.file_level.whole_list import WHOLE_LIST
from groundtrace.metrics.record import MetricDeclaration, MetricSection, SectionField

SHOWN_PREFIX = "shown."
"""Prefix of the names of metrics over files whose content was shown."""


def make_file_level(ranked: RankedList) -> FileLevelMetrics:
    """The section for one list, or why it has no values."""
    if ranked.reason is not None:
        return FileLevelMetrics(computable=False, reason=ranked.reason)
    first = ranked.first_hit
    return FileLevelMetrics(
        computable=True,
        reason=None,
        n_retrieved=len(ranked.hits),
        n_ground_truth=ranked.relevant,
        n_overlap=sum(ranked.hits),
        first_gt_hit_step=first.event.step_index if first else None,
        basis="ranking" if ranked.is_ranking else UNSET,
        **FILE_LEVEL.values(ranked),
    )


def _why(section: FileLevelMetrics, declared: MetricDeclaration[RankedList]) -> str:
    if not section.computable:
        return section.reason or "not_computable"
    if declared.hit_metric is not None and section.basis is not UNSET:
        return "no_trace"
    if declared.hit_metric is not None and section.first_gt_hit_step is None:
        return "never_hit"
    return declared.missing


FILE_LEVEL = MetricSection[RankedList](
    heading="Files (stage 1)",
    fields=(
        SectionField[RankedList](
            name="file_level_metrics",
            view=lambda evidence: ranked_list(evidence, RETRIEVED),
            over="retrieved",
        ),
        SectionField[RankedList](
            name="file_level_metrics_shown",
            view=lambda evidence: ranked_list(evidence, SHOWN),
            over="shown",
            prefix=SHOWN_PREFIX,
            title_end=" (shown)",
            measures_end=" Only files whose content was shown count.",
            undefined_end="; the document is of version 1.0 (`older_document`)",
        ),
    ),
    declarations=(*AT_CUTOFFS, *WHOLE_LIST, *FIRST_HIT),
    make=make_file_level,
    why=_why,
    cut=RankedList.first,
)
