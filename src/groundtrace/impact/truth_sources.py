"""What the answer says of trials whose relevant files come from sources on request (D192)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from groundtrace.impact.observations import Observation
from groundtrace.truth.sources import ON_REQUEST


def truth_on_request(trials: Sequence[Observation]) -> tuple[str, list[str]] | None:
    """A sentence and the tasks it is about (kind `truth_sources` of *Look at*); None if there are
    no such trials."""
    found = [one for one in trials if one.truth_source in ON_REQUEST]
    if not found:
        return None
    sources = Counter(one.truth_source for one in found)
    named = ", ".join(f"{source} ({count:,})" for source, count in sorted(sources.items()))
    tasks = sorted({one.task_name for one in found})
    text = (
        f"{len(found):,} of {len(trials):,} trials are held against truth that the specification "
        f"leaves out: {named}"
    )
    return text, tasks
