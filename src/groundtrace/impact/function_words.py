"""The answer's sentence about functions; empty if no trial's functions are known."""

from __future__ import annotations

from collections.abc import Sequence

from groundtrace.documents.answer import AssociationOfLevel
from groundtrace.impact.observations import Observation


def functions_sentence(trials: Sequence[Observation], linked: AssociationOfLevel | None) -> str:
    """How many functions were looked at for those needed, and whether finding went with solving."""
    both = [
        (o.values["functions_shown"], o.values["functions_relevant"])
        for o in trials
        if "functions_shown" in o.values and "functions_relevant" in o.values
    ]
    if not both:
        return ""
    shown, needed = (sum(column) / len(both) for column in zip(*both, strict=True))
    words = f"A trial looked at {shown:.0f} functions on average; {needed:.1f} were needed."
    if linked is None or not (linked.by_found.shown_all.n and linked.by_found.otherwise.n):
        return words
    every, other = linked.by_found.shown_all, linked.by_found.otherwise
    return (
        f"{words} Where every needed function was shown, {every.solved} of {every.n} trials were "
        f"solved, otherwise {other.solved} of {other.n}."
    )
