"""Rows of trials written by hand, made through documents and metrics like real rows."""

from __future__ import annotations

from msgspec import structs

from groundtrace.documents.events import EventsDocument
from groundtrace.documents.outcomes import TrialOutcome
from groundtrace.rows.make import row_from
from groundtrace.rows.trial_row import TrialRow
from tests.metrics.builders import Seen, metrics_of, step, trial

A, B = "src/a.py", "src/b.py"


def row(document: EventsDocument, result: TrialOutcome | None = None, **options) -> TrialRow:
    return row_from(metrics_of(document), document, result, **options)


def task(
    name: str, *found: str, seconds: float | None = None, source: str | None = "transcript", **more
) -> TrialRow:
    """A trial with two relevant files that reads `found`, and one other file at the end."""
    truth = more.pop("truth", (A, B))
    edits = more.pop("edits", None)
    result = more.pop("outcome", None)
    calls = [
        step(Seen("read", file, file if file in truth else None), seconds=seconds, tokens=100)
        for file in [*found, "z.py"]
    ]
    more.setdefault("trial_name", f"{name}__1")
    if result is not None:
        result = structs.replace(result, task_name=name, trial_name=more["trial_name"])
    return row(
        trial(
            *calls if source else (),
            version="1.3",
            truth=truth,
            edits=edits,
            source=source,
            task_name=name,
            **more,
        ),
        result,
    )
