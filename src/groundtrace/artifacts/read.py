"""Reading a `retrieval_events` folder back: documents one at a time, and rows made of them.

A broken file is a problem beside the documents that could be read, never the end of the reading.
"""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from msgspec import UNSET

from groundtrace.artifacts.codec import decode
from groundtrace.artifacts.documents import KINDS
from groundtrace.artifacts.documents.events import EventsDocument, EventSummary
from groundtrace.artifacts.documents.metrics import MetricsDocument
from groundtrace.artifacts.documents.outcomes import OutcomesDocument, TrialOutcome
from groundtrace.artifacts.rows import EVENT_COUNTS, TrialRow
from groundtrace.errors import InputError, VersionError
from groundtrace.jsonio import clean_text
from groundtrace.model import Problem
from groundtrace.storage import Folder

D = TypeVar("D")

EVENTS_ENDING = KINDS["retrieval_events"].file_name
METRICS_ENDING = KINDS["retrieval_metrics"].file_name

MAX_DOCUMENT = 1024 * 1024 * 1024
"""Documents are groundtrace's own; only one that no trial could give is refused for its size."""


@dataclass(frozen=True, slots=True)
class Stored(Generic[D]):
    """One file of the folder: its document, or the problem that stood in the way."""

    path: str
    """Relative to the folder, such as `baseline/fix-1.retrieval_events.json`."""
    document: D | None
    problem: Problem | None = None


def document_paths(folder: Folder, ending: str) -> Iterator[str]:
    """Documents of one kind, as `config/file`, sorted."""
    for config in folder.entries():
        if config.kind != "folder":
            continue
        for entry in folder.folder(config.name).entries():
            if entry.kind == "file" and entry.name.endswith(ending):
                yield f"{config.name}/{entry.name}"


def read_metrics(folder: Folder) -> Iterator[Stored[MetricsDocument]]:
    """Every metrics document, one at a time."""
    for path in document_paths(folder, METRICS_ENDING):
        yield read_one(folder, path, "retrieval_metrics")


def read_outcomes(folder: Folder) -> Stored[OutcomesDocument]:
    """The folder's outcomes; neither document nor problem when it has none."""
    name = KINDS["outcomes"].file_name
    if not folder.has_file(name):
        return Stored(name, None)
    return read_one(folder, name, "outcomes")


def read_one(folder: Folder, path: str, kind: str) -> Stored[D]:
    """One document of a known kind."""
    try:
        return Stored(path, decode(kind, folder.read(path, MAX_DOCUMENT), path))
    except VersionError as error:
        return Stored(path, None, Problem(path, "unknown_version", str(error)))
    except InputError as error:
        return Stored(path, None, Problem(path, "broken_document", str(error)))
    except OSError as error:
        return Stored(path, None, Problem(path, "unreadable_document", str(error)))


def events_path(metrics_path: str) -> str:
    """The events document that a metrics document was made from."""
    return metrics_path.removesuffix(METRICS_ENDING) + EVENTS_ENDING


def metrics_path(events_path: str) -> str:
    """The metrics document beside an events document."""
    return events_path.removesuffix(EVENTS_ENDING) + METRICS_ENDING


class OutcomeIndex:
    """Finds the outcome of a document: by the file that the outcome names, else by identity."""

    def __init__(self, document: OutcomesDocument | None) -> None:
        trials = document.trials if document is not None else []
        self._everything = document is None
        self._by_document = {trial.document: trial for trial in trials if trial.document}
        self._by_name = {(t.config_name, t.task_name, t.trial_name): t for t in trials}

    def lists(self, path: str) -> bool:
        """Whether a document belongs to the run: what outcomes.json does not name was left behind
        by trials that are gone or count no more, and would be counted beside their successors."""
        return self._everything or path in self._by_document

    def wants(self, path: str, only: str | None) -> bool:
        """Whether a document belongs to the run and its task fits `--only`, without case."""
        if not self.lists(path):
            return False
        outcome = self._by_document.get(path)
        stem = path.rpartition("/")[2].removesuffix(EVENTS_ENDING)
        name = stem if outcome is None else outcome.task_name
        return only is None or fnmatch.fnmatchcase(name.casefold(), only.casefold())

    def by_document(self, path: str) -> TrialOutcome | None:
        """The outcome that names this events document."""
        return self._by_document.get(path)

    def find(self, path: str, document: MetricsDocument) -> TrialOutcome | None:
        """The outcome of the trial whose events document lies at `path`."""
        where = document.provenance
        found = self._by_document.get(path)
        if found is not None and found.trial_name == where.trial_name:
            return found
        return self._by_name.get((where.config_name, where.task_name, where.trial_name))


def read_rows(
    folder: Folder,
    *,
    is_known: Callable[[str], bool] | None = None,
    with_events: bool = True,
    only: str | None = None,
) -> Iterator[TrialRow | Problem]:
    """A row for every metrics document of the run, and the problems met on the way.

    `is_known` tells known tools from unknown ones; without it none is counted as unknown.
    Without events the rows lack accesses and unknown tools, and reading is faster.
    """
    outcomes = read_outcomes(folder)
    if outcomes.problem is not None:
        yield outcomes.problem
    index = OutcomeIndex(outcomes.document)
    for stored in read_metrics(folder):
        if stored.document is None:
            if stored.problem is not None:
                yield stored.problem
            continue
        path = events_path(stored.path)
        if not index.wants(path, only):
            continue
        events: Stored[EventsDocument] = Stored(path, None)
        if with_events and folder.has_file(path):
            events = read_one(folder, path, "retrieval_events")
            if events.problem is not None:
                yield events.problem
        yield row_from(
            stored.document,
            events.document,
            index.find(path, stored.document),
            path=path,
            is_known=is_known,
        )


def row_from(
    metrics: MetricsDocument,
    events: EventsDocument | None = None,
    outcome: TrialOutcome | None = None,
    *,
    path: str | None = None,
    is_known: Callable[[str], bool] | None = None,
) -> TrialRow:
    """The row of one trial; its values are the document's, so that rows made now and rows read
    later are equal. An outcome of another trial, as beside a document that an earlier run left
    under the same name, is not taken."""
    # Imported when there is a row: not in a run without changes.
    from groundtrace.metrics.evidence import why_no_events
    from groundtrace.metrics.table import METRICS

    where = metrics.provenance
    if outcome is not None and clean_text(outcome.trial_name) != where.trial_name:
        outcome = None
    found = metrics.file_level_metrics
    shown = metrics.file_level_metrics_shown
    values: dict[str, float] = {}
    undefined: dict[str, str] = {}
    for name, info in METRICS.items():
        value = info.getter(metrics)
        if value is not None:
            values[name] = value
        elif (why := info.why_undefined(metrics)) != found.reason:
            undefined[name] = why
    volume = _volume(metrics)
    if not volume:
        undefined.update(dict.fromkeys(EVENT_COUNTS, why_no_events(metrics.coverage)))
    taxonomy = metrics.error_taxonomy
    return TrialRow(
        run_id=where.run_id,
        config_name=where.config_name,
        task_name=where.task_name,
        trial_name=where.trial_name,
        benchmark=where.benchmark,
        model=where.model,
        batch_timestamp=where.batch_timestamp,
        coverage=metrics.coverage,
        summary=metrics.event_summary,
        computable=found.computable,
        reason=found.reason,
        metrics=values,
        undefined=undefined,
        hit=found.first_gt_hit_step is not None if found.computable else None,
        hit_shown=shown.first_gt_hit_step is not None if shown.computable else None,
        volume=volume,
        labels=dict((taxonomy.labels or {}).items()),
        not_applicable=tuple(taxonomy.not_applicable),
        slices=taxonomy.slices,
        unknown_tools=_unknown_tools(events, is_known),
        accesses=_accesses(events),
        document=path,
        outcome=outcome,
    )


def _volume(metrics: MetricsDocument) -> dict[str, float]:
    """Counts of a trial that was seen working; without a trace a count of 0 would be invented."""
    summary: EventSummary = metrics.event_summary
    if not summary.total_events:
        return {}
    probes = metrics.utilization_probes
    counts: dict[str, int | None] = {name: getattr(summary, name) for name in EVENT_COUNTS}
    counts["files_retrieved"] = metrics.file_level_metrics.n_retrieved
    counts["files_shown"] = metrics.file_level_metrics_shown.n_retrieved
    counts["files_read"] = probes.files_read
    counts["files_written"] = probes.files_written
    return {name: float(count) for name, count in counts.items() if count is not None}


def _unknown_tools(
    events: EventsDocument | None, is_known: Callable[[str], bool] | None
) -> dict[str, int]:
    if events is None or is_known is None:
        return {}
    names = Counter(event.tool_name for event in events.events)
    return {name: count for name, count in sorted(names.items()) if not is_known(name)}


def _accesses(events: EventsDocument | None) -> dict[str, int]:
    from groundtrace.metrics.evidence import KIND_BY_CATEGORY

    counts: Counter[str] = Counter()
    for event in events.events if events is not None else ():
        if event.accesses is UNSET:
            kind = KIND_BY_CATEGORY[event.tool_category]
            counts[f"{event.tool_category}/{kind}"] += len(event.target_files)
        else:
            counts.update(f"{event.tool_category}/{access.kind}" for access in event.accesses)
    return {name: count for name, count in sorted(counts.items()) if count}
