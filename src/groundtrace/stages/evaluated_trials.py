"""Every evaluated trial with its documents, one at a time: for tables, the API and the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from groundtrace.artifacts.file_names import EVENTS_ENDING, metrics_path
from groundtrace.artifacts.output_folders import OutputFolders, RunOutput
from groundtrace.artifacts.read import (
    OutcomeIndex,
    StoredDocument,
    document_paths,
    read_one,
    read_outcomes,
)
from groundtrace.documents.events import EventsDocument
from groundtrace.documents.metrics import MetricsDocument
from groundtrace.errors import NothingFoundError
from groundtrace.model import Problem
from groundtrace.rows.detail import Detail
from groundtrace.rows.make import row_from
from groundtrace.stages.only import require_fitting


def evaluated_trials(
    folders: OutputFolders, only: str | None = None, problems: list[Problem] | None = None
) -> Iterator[Detail]:
    """Trials of all runs in order; what cannot be read is added to `problems`.

    Raises NothingFoundError at the end when there was nothing at all.
    """
    outputs, _ = folders.existing()
    require_fitting(folders, only)
    nothing = True
    for trial in evaluated_trials_in(outputs, only, problems):
        nothing = False
        yield trial
    if nothing:
        raise NothingFoundError(f"{folders.runs}: nothing evaluated; run 'groundtrace evaluate'")


def evaluated_trials_in(
    outputs: Iterable[RunOutput], only: str | None = None, problems: list[Problem] | None = None
) -> Iterator[Detail]:
    """Trials of these output folders, in the order of their rows."""
    for output in outputs:
        outcomes = read_outcomes(output.folder)
        if outcomes.problem is not None and problems is not None:
            problems.append(outcomes.problem)
        index = OutcomeIndex(outcomes)
        for path in document_paths(output.folder, EVENTS_ENDING):
            if not index.wants(path, only):
                continue
            events: StoredDocument[EventsDocument] = read_one(
                output.folder, path, "retrieval_events"
            )
            metrics: StoredDocument[MetricsDocument] = read_one(
                output.folder, metrics_path(path), "retrieval_metrics"
            )
            for problem in (events.problem, metrics.problem):
                if problem is not None and problems is not None:
                    problems.append(problem)
            if events.document is None or metrics.document is None:
                continue
            outcome = index.find(path, metrics.document)
            row = row_from(
                metrics.document,
                events.document,
                outcome,
                path=path,
                no_outcome=index.no_outcome,
            )
            yield Detail(row, events.document, metrics.document)
