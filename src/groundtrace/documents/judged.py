"""Metrics over judged files only, as the metrics document holds them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from groundtrace.documents.base import Count, Record, Share


class JudgedMetrics(Record, frozen=True, kw_only=True):
    """Retrieved files that the task judges: relevant or irrelevant (D120). Since 1.2."""

    reason: Annotated[str | None, Meta(description="Why there are no values, when there are none.")]
    n_irrelevant: Annotated[
        Count | None, Meta(description="Files that are judged irrelevant, retrieved or not.")
    ] = None
    bpref: Annotated[
        Share | None,
        Meta(
            description=(
                "Whether relevant files come before files judged irrelevant; unjudged files are "
                "left out."
            )
        ),
    ] = None
    judged_at_10: Annotated[
        Share | None, Meta(description="Share of the first 10 retrieved files that are judged.")
    ] = None
