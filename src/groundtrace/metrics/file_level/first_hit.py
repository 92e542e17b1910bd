"""How soon the first relevant file was met.

Trials without a hit have no value, so means of these metrics are shown with the hit rate (D21).
"""

from __future__ import annotations

from groundtrace.metrics.displays import Spot
from groundtrace.metrics.evidence import seconds_at
from groundtrace.metrics.file_level.ranked_list import RankedList
from groundtrace.metrics.record import NO_TRUTH_OR_TRACE, SPECIFICATION, MetricDeclaration


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
