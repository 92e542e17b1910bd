"""Impact: how retrieval relates to reward, cost and time, computed only from stored documents.

`analyse` joins correlations, matched comparisons and aggregates into one document. It imports
numpy when it is called.

The modules in the order of the data: rows become `observations`, whose times count from one moment;
`pairing` matches them by task. `resample`, `flips`, `signflip`, `association`, `pooled` and `power`
are the statistics. `deltas`, `beside` and `matched` compare; `family` gives rows their level and
their verdict, `verdicts` gives comparisons theirs. `correlation`, `aggregates` and `linked`
describe. `answer` chooses what a reader needs first, in `answer_words`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from groundtrace.impact.options import ImpactOptions

if TYPE_CHECKING:
    from groundtrace.documents.impact import ImpactDocument
    from groundtrace.rows.trial_row import TrialRow

__all__ = ["ImpactOptions", "analyse"]


def analyse(
    rows: Iterable[TrialRow], options: ImpactOptions, *, generated_at: str, scope: str
) -> ImpactDocument:
    """The impact document of one run (`scope` is its id) or of all runs (`*`)."""
    from groundtrace.impact.analysis import impact_document

    return impact_document(rows, options, generated_at=generated_at, scope=scope)
