"""The files that an agent edited: as its patch says, else as its writes say (D94)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from msgspec import UNSET

from groundtrace.documents.events import FROM_TRACE, EventsDocument
from groundtrace.documents.patches import EditSource
from groundtrace.metrics.evidence import SHOWN, WRITTEN, EvidenceView, Touch

OUTSIDE = ("/", "~", "../")
"""What spellings of files outside of every repository begin with: no patch can hold them."""


@dataclass(frozen=True, slots=True)
class Edited:
    """Edited files by their names in lower case, and where they come from."""

    source: EditSource | None
    reason: str | None = None
    """Why it is not known what was edited."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Name in lower case to its spelling."""
    new: frozenset[str] | None = None
    """Those that were not there before, in lower case; None where that is not known."""


def edited_files(evidence: EvidenceView) -> Edited:
    """What was handed in, else what was written."""
    submission = evidence.document.submission
    if submission is not UNSET:
        source: EditSource = "trace" if submission.source.startswith(FROM_TRACE) else "predictions"
        created = [] if submission.new_files is UNSET else submission.new_files
        return Edited(source, None, by_key(submission.files), frozenset(by_key(created)))
    if evidence.trace_reason is not None:
        return Edited(None, evidence.trace_reason)
    if evidence.basis == "categories":
        return Edited(None, "older_document")
    names = (
        touch.name if touch.edit is None else touch.edit
        for touch in evidence.first(WRITTEN)
        if touch.edit is not None or touch.truth is not None or not touch.file.startswith(OUTSIDE)
    )
    files = by_key(names)
    # Changes by a program that a shell started leave no write, so this is no empty patch.
    return Edited("writes", None if files else "nothing_written", files)


def by_key(files: Iterable[str]) -> dict[str, str]:
    """Files by their names in lower case; of two spellings the first is kept."""
    found: dict[str, str] = {}
    for file in files:
        found.setdefault(file.lower(), file)
    return found


def names_of(touch: Touch) -> set[str]:
    """Every name in lower case by which a patch or the ground truth may call a touched file."""
    return {name.lower() for name in (touch.file, touch.name, touch.edit) if name is not None}


def shown_names(evidence: EvidenceView) -> set[str]:
    """Names in lower case of all files whose content was shown."""
    return {name for touch in evidence.first(SHOWN) for name in names_of(touch)}


def gold_files(document: EventsDocument) -> tuple[dict[str, str], str | None]:
    """The files that the gold patch edits, or why they are not known."""
    expected = document.ground_truth.expected_edit_files
    if expected is UNSET:
        return {}, "no_expected_edit_files"
    return by_key(expected), None if expected else "no_edit_expected"


def gold_to_see(document: EventsDocument, gold: Mapping[str, str]) -> dict[str, str]:
    """Those of them that an agent could have looked at: a file that the gold patch creates is not.

    A gold patch names changed lines of every file that it changes, so a file without any that is
    not among the relevant files was not there before.
    """
    truth = document.ground_truth
    chunks = [] if truth.edit_chunks is UNSET else truth.edit_chunks
    if not chunks and not truth.files:
        return {}
    known = by_key([*truth.files, *(chunk.file for chunk in chunks)])
    return {key: file for key, file in gold.items() if not chunks or key in known}
