"""Trials whose files end like relevant files but lie elsewhere, in a sentence (D182)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Elsewhere(NamedTuple):
    """What to look at, and the tasks that it is about."""

    text: str
    tasks: list[str]


def elsewhere_in(tasks: Sequence[str]) -> Elsewhere | None:
    """The sentence for trials in which a relevant file was not matched although a path ends like it,
    from the task of each such trial; None if there is no such trial.

    It may be a copy, such as one in site-packages. It may also be a clone that was not recognised;
    then recall is too low.
    """
    if not tasks:
        return None
    trials = "1 trial" if len(tasks) == 1 else f"{len(tasks):,} trials"
    text = f"{trials} accessed files that end like relevant files but lie elsewhere"
    return Elsewhere(text, sorted(set(tasks)))
