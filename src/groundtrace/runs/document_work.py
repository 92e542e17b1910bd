"""One events document in a worker: its metrics on disk, and its row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import UNSET

from groundtrace.base.frozen import Frozen
from groundtrace.config import Settings
from groundtrace.documents.codec import encode
from groundtrace.documents.events import EventsDocument
from groundtrace.documents.metrics import MetricsDocument
from groundtrace.documents.outcomes import TrialOutcome
from groundtrace.model import Problem
from groundtrace.runs.file_names import metrics_path
from groundtrace.runs.read import OutcomeIndex, StoredDocument, read_one
from groundtrace.runs.request import Request
from groundtrace.runs.state import mark_of
from groundtrace.storage import Folder
from groundtrace.storage.local import LocalFolder


class DocumentWork(Frozen, frozen=True):
    """One events document to evaluate, or only to read for its row."""

    output: Folder
    document_path: str
    """Path of the events document, relative to `output`."""
    outcome: TrialOutcome | None
    no_outcome: str
    """Why there is no outcome, if there is none."""
    is_current: bool
    """Its metrics are on disk and current; only the row is needed."""
    is_unchanged: bool
    """Neither the document nor its metrics changed since they were made."""
    settings: Settings
    generated_at: str

    def folders(self) -> tuple[Folder]:
        """Folders that a worker must see."""
        return (self.output,)

    def input_bytes(self) -> int | None:
        """Bytes of the document, twice: a byte of it takes twice the time of one of a trace."""
        if not isinstance(self.output, LocalFolder):
            return None
        entry = self.output.stat(self.document_path)
        return 0 if entry is None else 2 * entry.size


class DocumentDone(Frozen, frozen=True):
    """What comes back from a worker."""

    packed_row: bytes | None
    """The row as it is stored (`rows.kept`); None if the document is refused."""
    metrics_mark: str
    """Mark of the metrics document that is on disk now."""
    refused: Problem | None = None
    """Why the events document cannot be read (D62)."""


def works_on(
    output: Folder,
    paths: Iterable[str],
    index: OutcomeIndex,
    request: Request,
    *,
    stale: frozenset[str] = frozenset(),
    unchanged: frozenset[str] = frozenset(),
) -> Iterator[DocumentWork]:
    """Work on these events documents; the metrics of all but the stale ones are current.

    `unchanged` are documents that are evaluated again only because the user asked for it.
    """
    for path in paths:
        yield DocumentWork(
            output=output,
            document_path=path,
            outcome=index.by_document(path),
            no_outcome=index.no_outcome,
            is_current=path not in stale,
            is_unchanged=path in unchanged,
            settings=request.settings,
            generated_at=request.generated_at,
        )


def evaluate_stored(work: DocumentWork) -> DocumentDone:
    """One document: its metrics on disk, and its row, or why it is refused."""
    # Imported only if there is a document: a run without changes needs none of these modules.
    from groundtrace.metrics import evaluate as evaluate_document
    from groundtrace.rows.kept import packed
    from groundtrace.rows.make import row_from
    from groundtrace.tools import is_known_tool

    folder = work.output
    events: StoredDocument[EventsDocument] = read_one(
        folder, work.document_path, "retrieval_events"
    )
    if events.document is None:
        return DocumentDone(None, "", events.problem)
    target = metrics_path(work.document_path)
    stored: StoredDocument[MetricsDocument] = StoredDocument(target, None)
    if work.is_current or work.is_unchanged:
        stored = read_one(folder, target, "retrieval_metrics")
    metrics = stored.document
    if not work.is_current and not _knows_more(metrics, events.document):
        metrics = None
    if metrics is None:
        metrics = evaluate_document(events.document, generated_at=work.generated_at)
        mark = folder.write(target, encode(metrics)).mark
    else:
        mark = mark_of(folder, target)
    row = row_from(
        metrics,
        events.document,
        work.outcome,
        path=work.document_path,
        is_known=lambda name: is_known_tool(name, work.settings),
        no_outcome=work.no_outcome,
    )
    return DocumentDone(packed(row), mark)


def _knows_more(metrics: MetricsDocument | None, events: EventsDocument) -> bool:
    """Whether the stored metrics were made from more than the stored events document contains.

    A run that writes version 1.0 computes metrics from the kinds of accesses, which a document of
    version 1.0 does not have. Evaluating that document again would give worse metrics (D43).
    """
    if metrics is None or metrics.basis != "accesses":
        return False
    return any(event.accesses is UNSET for event in events.events)
