"""The comparison that the answer uses and that the page draws."""

from __future__ import annotations

from groundtrace.documents.comparison import MatchedComparison
from groundtrace.documents.impact import ImpactDocument


def comparison_of(impact: ImpactDocument) -> MatchedComparison | None:
    """The comparison that the answer uses."""
    answer = impact.answer
    lists = {
        "matched_comparisons": impact.matched_comparisons,
        "other_comparisons": impact.other_comparisons,
    }
    wanted = (answer.baseline, answer.config)
    for found in lists.get(answer.comparison or "", ()):
        if found.suite is None and (found.baseline_config, found.config) == wanted:
            return found
    return None
