"""A trial that waits elsewhere while it is decided which trials count."""

from __future__ import annotations

from groundtrace.model import Contender, Trial


class Candidate(Contender, frozen=True, kw_only=True):
    """What stands for a trial."""

    number: int
    """Its place among the trials of its run."""


def candidate(number: int, trial: Trial) -> Candidate:
    """What stands for a trial."""
    known = {name: getattr(trial, name) for name in Contender.__struct_fields__}
    return Candidate(**known, number=number)
