"""Trials whose files end like relevant files but lie elsewhere, in a sentence (D182)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from groundtrace.rows.trial_row import TrialRow


class Elsewhere(NamedTuple):
    """What to look at, and the tasks that it is about."""

    text: str
    tasks: list[str]


def files_elsewhere(rows: Iterable[TrialRow]) -> Elsewhere | None:
    """The sentence for trials in which a relevant file was not matched although a path ends like it.

    None if there is no such trial. It may be a copy, such as one in site-packages. It may also be a
    clone that was not recognised; then recall is too low.
    """
    found = [row for row in rows if row.coverage.unmatched_suffixes]
    if not found:
        return None
    trials = "1 trial" if len(found) == 1 else f"{len(found):,} trials"
    text = f"{trials} accessed files that end like relevant files but lie elsewhere"
    return Elsewhere(text, sorted({row.task_name for row in found}))
