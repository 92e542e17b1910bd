"""The files that an agent edited: from its patch, else from its writes (D94)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
from msgspec import UNSET

from groundtrace.base.frozen import Frozen
from groundtrace.documents.events import FROM_TRACE, EventsDocument
from groundtrace.documents.patches import EditSource
from groundtrace.metrics.evidence import SHOWN, WRITTEN, EvidenceView, Touch, once

OUTSIDE = ("/", "~", "../")
"""Beginnings of paths outside of every repository: no patch can contain such files."""


class Edited(Frozen, frozen=True):
    """Edited files by their names in lower case, and where they come from."""

    source: EditSource | None
    reason: str | None = None
    """Why it is not known what was edited."""
    files: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Name in lower case to its spelling."""
    new: frozenset[str] | None = None
    """Edited files that did not exist before, in lower case; None if that is not known."""


@once
def edited_files(evidence: EvidenceView) -> Edited:
    """The files of the patch that was handed in, else the files that were written."""
    submission = evidence.document.submission
    if submission is not UNSET:
        source: EditSource = "trace" if submission.source.startswith(FROM_TRACE) else "predictions"
        created = [] if submission.new_files is UNSET else submission.new_files
        return Edited(source, None, by_key(submission.files), frozenset(by_key(created)))
    reason = evidence.trace_reason or evidence.older
    if reason is not None:
        return Edited(None, reason)
    names = (
        touch.name if touch.edit is None else touch.edit
        for touch in evidence.first(WRITTEN)
        if touch.edit is not None or touch.truth is not None or not touch.file.startswith(OUTSIDE)
    )
    files = by_key(names)
    # A program that the shell starts can change files without a write in the trace. So no writes
    # do not mean an empty patch.
    return Edited("writes", None if files else "nothing_written", files)


def by_key(files: Iterable[str]) -> dict[str, str]:
    """Files by their names in lower case; if there are two spellings, the first is kept."""
    found: dict[str, str] = {}
    for file in files:
        found.setdefault(file.lower(), file)
    return found


def names_of(touch: Touch) -> set[str]:
    """Every name, in lower case, that a patch or the ground truth may use for a touched file."""
    return {name.lower() for name in (touch.file, touch.name, touch.edit) if name is not None}


def shown_names(evidence: EvidenceView) -> set[str]:
    """Names in lower case of all files whose content was shown."""
    return {name for touch in evidence.first(SHOWN) for name in names_of(touch)}


def ranked_names(evidence: EvidenceView) -> tuple[list[set[str]], str | None]:
    """The names in lower case of each file, in the order of a ranked list, else in the order in
    which files were first shown; or why there is no order."""
    ranked = evidence.ranked
    if ranked is not None:
        return [{file.lower()} for file in ranked], None
    why = evidence.trace_reason or evidence.older
    return ([], why) if why is not None else (list(map(names_of, evidence.first(SHOWN))), None)


def gold_files(document: EventsDocument) -> tuple[dict[str, str], str | None]:
    """The files that the gold patch edits, or why they are not known."""
    expected = document.ground_truth.expected_edit_files
    if expected is UNSET:
        return {}, "no_expected_edit_files"
    return by_key(expected), None if expected else "no_edit_expected"


def gold_to_see(document: EventsDocument, gold: Mapping[str, str]) -> dict[str, str]:
    """The gold files that an agent could look at: not those that the gold patch creates.

    A gold patch names changed lines of every existing file that it changes. So a gold file without
    such lines that is not a relevant file either did not exist before.
    """
    truth = document.ground_truth
    chunks = [] if truth.edit_chunks is UNSET else truth.edit_chunks
    if not chunks and not truth.files:
        return {}
    known = by_key([*truth.files, *(chunk.file for chunk in chunks)])
    return {key: file for key, file in gold.items() if not chunks or key in known}
