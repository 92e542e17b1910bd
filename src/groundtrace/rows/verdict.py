"""How a trial ended, in one word: the groups of tables by verdict (D96)."""

from __future__ import annotations

from collections.abc import Mapping

from groundtrace.documents.summary import Verdict
from groundtrace.rows.trial_row import TrialRow

VERDICTS: Mapping[Verdict, str] = {
    "resolved": "resolved",
    "partly": "partly",
    "not_resolved": "not resolved",
    "no_verdict": "no verdict",
}
"""Every verdict in the order of tables, and its words."""


def verdict_of(row: TrialRow) -> Verdict:
    """The verdict from a trial's reward: 1 or more is resolved, 0 or less is not resolved."""
    reward = None if row.outcome is None else row.outcome.reward
    if reward is None:
        return "no_verdict"
    if reward >= 1:
        return "resolved"
    return "not_resolved" if reward <= 0 else "partly"
