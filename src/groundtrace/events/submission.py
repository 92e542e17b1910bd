"""What the agent handed in, as the document holds it: the files of its patch."""

from __future__ import annotations

from msgspec.structs import replace

from groundtrace.documents.events import EventsDocument, Submission
from groundtrace.jsonio import clean_text
from groundtrace.model import Trace, Trial
from groundtrace.truth.patches import edits, looks_like_patch, read_patch


def with_submission(document: EventsDocument, trial: Trial, trace: Trace) -> EventsDocument:
    """The document with the submission that the trace states, else what lies beside it."""
    text, source = trace.stated.submission, trace.stated.submission_source
    where = f"trace: {source}"
    if text is None and trial.loose is not None:
        text, where = trial.loose.submission, trial.loose.submission_source or "predictions"
    if text is None:
        return document
    if text.strip() and not looks_like_patch(text):
        return document  # a message, not a change: what was handed in is not known
    files = edits(read_patch(text).files) if text.strip() else []
    unique = list(dict.fromkeys(clean_text(file) for file in files))
    return replace(document, submission=Submission(files=unique, source=clean_text(where)))
