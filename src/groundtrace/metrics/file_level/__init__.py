"""Stage 1: the ordered list of files against the ground truth (D18 to D21).

Computed twice: over retrieved files, and over files whose content was shown.

`ranked_list` has what the metrics are computed from, and those over the list. How soon the first
relevant file was met is declared here. Trials without a hit have no value, so means of these metrics
are shown with the hit rate (D21).
"""

from __future__ import annotations

from msgspec import UNSET

from groundtrace.documents.metrics import FileLevelMetrics
from groundtrace.metrics.evidence import RETRIEVED, SHOWN, seconds_at
from groundtrace.metrics.file_level.ranked_list import (
    AT_CUTOFFS,
    WHOLE_LIST,
    RankedList,
    ranked_list,
)
from groundtrace.metrics.record import (
    NO_TRUTH_OR_TRACE,
    SPECIFICATION,
    MetricDeclaration,
    MetricSection,
    SectionField,
    Spot,
)


def _seconds(ranked: RankedList) -> float | None:
    return seconds_at(ranked.first_hit) if ranked.first_hit else None


def _tokens(ranked: RankedList) -> int | None:
    return ranked.first_hit.event.cumulative_tokens if ranked.first_hit else None


def _step(ranked: RankedList) -> str | None:
    return f"at step {ranked.first_hit.event.step_index}" if ranked.first_hit else None


FIRST_HIT: tuple[MetricDeclaration[RankedList], ...] = (
    MetricDeclaration[RankedList](
        name="ttfr_seconds",
        title="Time to first relevant file",
        plain={"ttfr_seconds": "Time to the first relevant file"},
        measures=(
            "Seconds from the agent's start to the call that first met a relevant file, not "
            "counting writes."
        ),
        formula="elapsed seconds at the first access that hits and is not a write",
        undefined=NO_TRUTH_OR_TRACE
        + ", no relevant file was met (`never_hit`), or the trace has no times (`no_time`)",
        known_problems=(
            "Agents that never meet a relevant file have no value, so look at the mean only "
            "together with the hit rate."
        ),
        reference=SPECIFICATION,
        compute=_seconds,
        arithmetic=_step,
        worked={
            "ttfr_seconds": ("src/app.py is surfaced at 8 s", 8.0),
            "shown.ttfr_seconds": ("src/app.py is read at 12 s", 12.0),
        },
        better="lower",
        upper=None,
        unit="s",
        missing="no_time",
        hit_metric="file_recall",
        shown_in={
            "ttfr_seconds": {
                "coverage": Spot(50, "seconds to the first relevant file"),
                "first_hit": Spot(10),
                "comparison": Spot(90),
                "trial_table": Spot(50, "first met after"),
                "trial_detail": Spot(90),
                "first_hit_charts": Spot(10, "How soon did they meet a relevant file?"),
                "correlation": Spot(80),
            },
            "shown.ttfr_seconds": {
                "first_hit_shown": Spot(10),
                "comparison": Spot(91),
            },
        },
    ),
    MetricDeclaration[RankedList](
        name="ttfr_tokens",
        title="Tokens to first relevant file",
        plain={"ttfr_tokens": "Tokens to the first relevant file"},
        measures=(
            "Tokens of all model calls up to the call that first met a relevant file, not "
            "counting writes."
        ),
        formula="cumulative tokens at the first access that hits and is not a write",
        undefined=NO_TRUTH_OR_TRACE
        + ", no relevant file was met (`never_hit`), or the trace has no token counts (`no_tokens`)",
        known_problems=(
            "Agents that never meet a relevant file have no value. Cached input counts in full "
            "at every model call."
        ),
        reference=SPECIFICATION,
        compute=_tokens,
        arithmetic=_step,
        worked={
            "ttfr_tokens": ("src/app.py is surfaced when 1,800 tokens were used", 1800.0),
            "shown.ttfr_tokens": ("src/app.py is read when 2,500 tokens were used", 2500.0),
        },
        better="lower",
        upper=None,
        unit="tokens",
        missing="no_tokens",
        hit_metric="file_recall",
        shown_in={
            "ttfr_tokens": {
                "coverage": Spot(60, "tokens to the first relevant file"),
                "first_hit": Spot(20),
                "comparison": Spot(100),
                "trial_detail": Spot(100),
                "first_hit_charts": Spot(20, "After how many tokens did they meet one?"),
                "correlation": Spot(90),
            },
            "shown.ttfr_tokens": {
                "first_hit_shown": Spot(20),
                "comparison": Spot(101),
            },
        },
    ),
)
"""In the order in which tables show them."""


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
