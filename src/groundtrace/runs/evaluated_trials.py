"""Evaluated trials, one at a time: as rows for statistics, or with their documents for tables, the
API and the page. Rows that this command made are kept; others are read from documents on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from msgspec import UNSET

from groundtrace.base.frozen import Frozen
from groundtrace.config import Settings
from groundtrace.documents.codec import encode
from groundtrace.documents.events import EventsDocument
from groundtrace.documents.metrics import MetricsDocument
from groundtrace.documents.outcomes import TrialOutcome
from groundtrace.errors import NothingFoundError
from groundtrace.model import Problem
from groundtrace.redact import masking
from groundtrace.rows.kept import KeptRows, unpacked
from groundtrace.rows.trial_row import Detail, TrialRow
from groundtrace.runs.only import require_fitting
from groundtrace.runs.output_folders import (
    EVENTS_ENDING,
    OutputFolders,
    RunOutput,
    events_path,
    metrics_path,
)
from groundtrace.runs.read import (
    OutcomeIndex,
    StoredDocument,
    document_paths,
    read_metrics,
    read_one,
    read_outcomes,
)
from groundtrace.runs.request import Request
from groundtrace.runs.state import mark_of
from groundtrace.storage import Folder
from groundtrace.storage.local import LocalFolder

MadeRows = Mapping[str, KeptRows]
"""Address of an output folder to its rows by document, if this process made them."""


RefusedDocuments = Mapping[str, frozenset[str]]
"""Address of an output folder to its documents that are refused."""


Row = TypeVar("Row", covariant=True)


class ReadAgain(Iterable[Row]):
    """Rows that are read again for each loop: a whole benchmark's rows do not fit in memory."""

    def __init__(self, read: Callable[[], Iterator[Row]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[Row]:
        return self._read()


def rows_of_runs(
    outputs: Iterable[RunOutput], made: MadeRows, request: Request
) -> Iterator[TrialRow]:
    """Whole rows, in the order of the runs and of their documents."""
    for output in outputs:
        known = made.get(output.folder.url)
        if known is not None:
            yield from (known[path] for path in sorted(known))
            continue
        index = OutcomeIndex(read_outcomes(output.folder))
        paths = document_paths(output.folder, EVENTS_ENDING)
        wanted = (path for path in paths if index.wants(path, request.only))
        read = request.engine.map(evaluate_stored, works_on(output.folder, wanted, index, request))
        rows = {
            done.item.document_path: done.result.packed_row
            for done in read
            if done.result is not None and done.result.packed_row is not None
        }
        yield from (unpacked(rows[path]) for path in sorted(rows))


def rows_for_impact(
    outputs: Iterable[RunOutput], made: MadeRows, request: Request, refused: RefusedDocuments
) -> Iterator[TrialRow]:
    """Rows for the impact analysis, in the order of `rows_of_runs`.

    The order decides which of two equal copies counts. The analysis does not need accesses and
    unknown tools, so events documents are not read. What was computed from a document that is
    `refused` now does not count.
    """
    for output in outputs:
        known = made.get(output.folder.url)
        if known is not None:
            yield from (known[path] for path in sorted(known))
        else:
            read = stored_trial_rows(output.folder, request.only)
            without = refused.get(output.folder.url, frozenset())
            yield from (
                row for row in read if isinstance(row, TrialRow) and row.document not in without
            )


# one document, in a worker


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
    is_masked: bool
    """The document certainly holds no credential."""
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
    """Why the events document cannot be read, or its metrics not be replaced (D62)."""


def works_on(
    output: Folder,
    paths: Iterable[str],
    index: OutcomeIndex,
    request: Request,
    *,
    stale: frozenset[str] = frozenset(),
    unchanged: frozenset[str] = frozenset(),
    masked: frozenset[str] = frozenset(),
) -> Iterator[DocumentWork]:
    """Work on these events documents; the metrics of all but the stale ones are current.

    `unchanged` are documents that are evaluated again only because the user asked for it; `masked`
    are those that certainly hold no credential.
    """
    for path in paths:
        yield DocumentWork(
            output=output,
            document_path=path,
            outcome=index.by_document(path),
            no_outcome=index.no_outcome,
            is_current=path not in stale,
            is_unchanged=path in unchanged,
            is_masked=path in masked,
            settings=request.settings,
            generated_at=request.generated_at,
        )


def evaluate_stored(work: DocumentWork) -> DocumentDone:
    """One document: its metrics on disk, and its row, or why it is refused."""
    with masking(work.settings.mask):
        return _evaluate_stored(work)


def _evaluate_stored(work: DocumentWork) -> DocumentDone:
    # Imported only if there is a document: a run without changes needs none of these modules.
    from groundtrace.metrics import evaluate as evaluate_document
    from groundtrace.rows.kept import packed
    from groundtrace.rows.make import row_from
    from groundtrace.tools import is_known_tool

    folder = work.output
    events: StoredDocument[EventsDocument] = read_one(
        folder, work.document_path, "retrieval_events", is_masked=work.is_masked
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
        if stored.document is None and stored.problem is None and folder.has_file(target):
            stored = read_one(folder, target, "retrieval_metrics")
        if stored.problem is not None and stored.problem.kind == "unknown_version":
            return DocumentDone(None, "", stored.problem)  # another groundtrace wrote it (D62)
        metrics = evaluate_document(events.document, generated_at=work.generated_at)
        # The events document is masked, and all texts here are from it or our own.
        mark = folder.write(target, encode(metrics, is_masked=True, is_ordered=True)).mark
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


# rows whose documents were written earlier


def stored_trial_rows(folder: Folder, only: str | None = None) -> Iterator[TrialRow | Problem]:
    """A row for every metrics document of the run, and the problems met while reading.

    Events documents are not read: the rows have no unknown tools.
    """
    from groundtrace.rows.make import row_from

    outcomes = read_outcomes(folder)
    if outcomes.problem is not None:
        yield outcomes.problem
    index = OutcomeIndex(outcomes)
    for stored in read_metrics(folder):
        if stored.document is None:
            if stored.problem is not None:
                yield stored.problem
            continue
        path = events_path(stored.path)
        if not index.wants(path, only):
            continue
        outcome = index.find(path, stored.document)
        yield row_from(stored.document, None, outcome, path=path, no_outcome=index.no_outcome)


# trials with their documents


def evaluated_trials(
    folders: OutputFolders, only: str | None = None, problems: list[Problem] | None = None
) -> Iterator[Detail]:
    """Trials of all runs in order; what cannot be read is added to `problems`.

    Raises NothingFoundError at the end if there was no trial at all.
    """
    outputs, _ = folders.existing()
    require_fitting(folders, only)
    nothing = True
    for trial in evaluated_trials_in(outputs, only, problems):
        nothing = False
        yield trial
    if nothing:
        raise NothingFoundError(f"{folders.runs}: nothing evaluated; run 'groundtrace run'")


def evaluated_trials_in(
    outputs: Iterable[RunOutput],
    only: str | None = None,
    problems: list[Problem] | None = None,
    is_known: Callable[[str], bool] | None = None,
) -> Iterator[Detail]:
    """Trials of these output folders, in the order of their rows.

    `is_known` says whether a tool is known; without it no tool counts as unknown.
    """
    for output in outputs:
        outcomes = read_outcomes(output.folder)
        if outcomes.problem is not None and problems is not None:
            problems.append(outcomes.problem)
        index = OutcomeIndex(outcomes)
        for path in document_paths(output.folder, EVENTS_ENDING):
            if not index.wants(path, only):
                continue
            detail, found = read_detail(output.folder, path, index, is_known)
            if problems is not None:
                problems += found
            if detail is not None:
                yield detail


def read_detail(
    folder: Folder,
    path: str,
    index: OutcomeIndex,
    is_known: Callable[[str], bool] | None = None,
) -> tuple[Detail | None, tuple[Problem, ...]]:
    """The trial whose events document is at `path`, and problems with reading it."""
    from groundtrace.rows.make import row_from

    events: StoredDocument[EventsDocument] = read_one(folder, path, "retrieval_events")
    metrics: StoredDocument[MetricsDocument] = read_one(
        folder, metrics_path(path), "retrieval_metrics"
    )
    problems = tuple(p for p in (events.problem, metrics.problem) if p is not None)
    if events.document is None or metrics.document is None:
        return None, problems
    row = row_from(
        metrics.document,
        events.document,
        index.find(path, metrics.document),
        path=path,
        is_known=is_known,
        no_outcome=index.no_outcome,
    )
    return Detail(row, events.document, metrics.document), problems
