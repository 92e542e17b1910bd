"""Reading a `retrieval_events` folder back, one document at a time.

A broken file becomes a problem; the other documents are still read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

from groundtrace.base.frozen import Frozen
from groundtrace.base.limit import OverLimitError, guarded_if_large
from groundtrace.base.safe_names import fits_only
from groundtrace.documents.codec import decode
from groundtrace.documents.masked import masked
from groundtrace.documents.outcomes import OutcomesDocument, TrialOutcome
from groundtrace.errors import InputError, VersionError
from groundtrace.model import Problem
from groundtrace.runs.output_folders import EVENTS_ENDING, METRICS_ENDING, OUTCOMES_FILE
from groundtrace.storage import Folder

if TYPE_CHECKING:
    from groundtrace.documents.metrics import MetricsDocument

D = TypeVar("D")

MAX_DOCUMENT = 256 * 1024 * 1024
"""groundtrace wrote these documents, and no trial gives a larger one; a larger file is refused."""


class StoredDocument(Frozen, Generic[D], frozen=True):
    """One file of the folder: its document, or the problem that kept it from being read."""

    path: str
    """Relative to the folder, such as `baseline/fix-1.retrieval_events.json`."""
    document: D | None
    problem: Problem | None = None


def document_paths(folder: Folder, ending: str) -> Iterator[str]:
    """Documents of one kind, as `config/file`, sorted."""
    for config, kind in folder.kinds():
        if kind != "folder":
            continue
        for name, inside in folder.folder(config).kinds():
            if inside == "file" and name.endswith(ending):
                yield f"{config}/{name}"


def read_metrics(folder: Folder) -> Iterator[StoredDocument[MetricsDocument]]:
    """Every metrics document, one at a time."""
    for path in document_paths(folder, METRICS_ENDING):
        yield read_one(folder, path, "retrieval_metrics")


def read_outcomes(folder: Folder) -> StoredDocument[OutcomesDocument]:
    """The folder's outcomes; without document and without problem when it has none."""
    if not folder.has_file(OUTCOMES_FILE):
        return StoredDocument(OUTCOMES_FILE, None)
    return read_one(folder, OUTCOMES_FILE, "outcomes")


def read_one(folder: Folder, path: str, kind: str, *, is_masked: bool = False) -> StoredDocument[D]:
    """One document of a known kind. `is_masked`: it certainly holds no credential."""
    try:
        data = folder.read(path, MAX_DOCUMENT)
        with guarded_if_large(len(data)):
            document = decode(kind, data, path)
        # Others can have written it; all other documents are made from these.
        if kind == "retrieval_events" and not is_masked:
            document = masked(document)
        return StoredDocument(path, document)
    except VersionError as error:
        return StoredDocument(path, None, Problem(path, "unknown_version", str(error)))
    except (InputError, OverLimitError) as error:
        return StoredDocument(path, None, Problem(path, "broken_document", str(error)))
    except OSError as error:
        return StoredDocument(path, None, Problem(path, "unreadable_document", str(error)))


class OutcomeIndex:
    """Finds the outcome of a trial: by the document that the outcome names, else by identity."""

    def __init__(self, stored: StoredDocument[OutcomesDocument]) -> None:
        document = stored.document
        trials = document.trials if document is not None else []
        self.no_outcome = "no_outcome" if stored.problem is None else "outcomes_refused"
        """The reason that is given for a trial without an outcome."""
        self._everything = document is None
        self._by_document = {trial.document: trial for trial in trials if trial.document}
        self._by_name = {(t.config_name, t.task_name, t.trial_name): t for t in trials}

    @classmethod
    def of_one(cls, path: str, outcome: TrialOutcome) -> OutcomeIndex:
        """An index of the outcome that names one document: small enough to send to a worker."""
        index = cls(StoredDocument(OUTCOMES_FILE, None))
        index._everything = False
        index._by_document = {path: outcome}
        return index

    def lists(self, path: str) -> bool:
        """Whether a document belongs to the run.

        A document that outcomes.json does not name is from a trial that is gone or no longer
        counts. If it were evaluated, it would count beside the trial that replaced it.
        """
        return self._everything or path in self._by_document

    def wants(self, path: str, only: str | None) -> bool:
        """Whether a document belongs to the run and its task matches `--only`, ignoring case."""
        if not self.lists(path):
            return False
        outcome = self._by_document.get(path)
        stem = path.rpartition("/")[2].removesuffix(EVENTS_ENDING)
        name = stem if outcome is None else outcome.task_name
        return only is None or fits_only(name, only)

    def documents(self) -> list[str] | None:
        """The events documents of the run, in order, without listing the folder; None when
        nothing says which documents belong to the run."""
        if self._everything:
            return None
        return sorted(self._by_document, key=lambda path: path.split("/"))

    def by_document(self, path: str) -> TrialOutcome | None:
        """The outcome that names this events document."""
        return self._by_document.get(path)

    def find(self, path: str, document: MetricsDocument) -> TrialOutcome | None:
        """The outcome of the trial whose events document is at `path`."""
        where = document.provenance
        found = self._by_document.get(path)
        if found is not None and found.trial_name == where.trial_name:
            return found
        return self._by_name.get((where.config_name, where.task_name, where.trial_name))
