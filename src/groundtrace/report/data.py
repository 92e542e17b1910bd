"""What a report is made from: documents and rows, never traces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from groundtrace.base.frozen import Frozen
from groundtrace.documents.answer import Answer
from groundtrace.documents.comparison import MatchedComparison
from groundtrace.documents.impact import ImpactDocument
from groundtrace.documents.summary import RefusedDocument, RunSummaryDocument
from groundtrace.report.blocks_of_trials import MadeTrial
from groundtrace.report.safe_text import shown_name
from groundtrace.rows.trial_row import Detail, TrialRow

MakeTrials: TypeAlias = Callable[[Callable[[], int]], Iterator[MadeTrial]]
"""Makes trials for a page, each at the level that a function gives when the work on it begins."""


class ReportData(Frozen, frozen=True):
    """Everything a report shows."""

    scope: str
    """Run id, or `*` for all runs."""
    summary: RunSummaryDocument
    impact: ImpactDocument | None
    """None if there is no analysis, or it could not be read."""
    rows: Iterable[TrialRow]
    """Every evaluated trial. It can be iterated more than once; it may be too large for memory."""
    details: Callable[[], Iterator[Detail]]
    """Reads the trials' documents one at a time, in the order of the rows; can be called more than
    once."""
    impact_problem: str | None = None
    """Why an existing analysis could not be read."""
    refused: tuple[RefusedDocument, ...] = ()
    """Documents that cannot be read; no number in the report contains anything from them (D62)."""
    made_trials: MakeTrials | None = None
    """The same trials as the page holds them. None if they can only be made from `details`."""
    tasks: int | None = None
    """Number of distinct tasks in the rows, if it is already known."""


def comparison_of(impact: ImpactDocument, answer: Answer | None = None) -> MatchedComparison | None:
    """The comparison that an answer uses; by default the document's own answer."""
    answer = impact.answer if answer is None else answer
    lists = {
        "matched_comparisons": impact.matched_comparisons,
        "other_comparisons": impact.other_comparisons,
    }
    wanted = (answer.baseline, answer.config)
    for found in lists.get(answer.comparison or "", ()):
        if found.suite is None and (found.baseline_config, found.config) == wanted:
            return found
    return None


def pair_answers(impact: ImpactDocument) -> list[Answer]:
    """The answers with a comparison, the document's own first."""
    own = impact.answer
    return [own, *(one for one in impact.answers if one.comparison is not None and one != own)]


def pair_key(answer: Answer) -> str:
    """What the address calls a pair."""
    return f"{shown_name(answer.config or '')} against {shown_name(answer.baseline or '')}"
