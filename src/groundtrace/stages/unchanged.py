"""Runs where nothing changed at all: recognised by listing them, without reading a record."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import chain

from groundtrace.artifacts.file_names import EVENTS_ENDING, OUTCOMES_FILE
from groundtrace.artifacts.output_folders import RunOutput
from groundtrace.artifacts.state import FILE_NAME as STATE_FILE
from groundtrace.artifacts.state import (
    OUTPUT_FOLDERS,
    RunSeen,
    documents_are_as_written,
    fingerprint,
    fingerprint_lines,
    is_current,
    load_state,
    marks_in,
)
from groundtrace.discover import Run
from groundtrace.plan import Fingerprints, WorkContext
from groundtrace.stages.request import Request
from groundtrace.stages.task_definitions import TaskDefinitions


def fingerprint_of_shared(
    request: Request, tasks: TaskDefinitions, context: WorkContext, known: Fingerprints
) -> str:
    """Fingerprint of what all runs share: settings, every task, the registry, what is asked for."""
    of_tasks = tasks.fingerprint(known)
    registry = asdict(context.registry) if context.registry is not None else None
    return fingerprint(known.context, of_tasks, registry, request.only, context.with_metrics)


def fingerprint_of_run(run: Run, shared: str) -> str | None:
    """Fingerprint of a whole run, without opening a file; None where links forbid it."""
    lines: Iterable[str] | None
    if run.loose is not None:
        lines = run.loose.marks(run.folder, OUTPUT_FOLDERS)
    else:
        lines = run.folder.everything(OUTPUT_FOLDERS)
    if lines is None:
        return None
    return fingerprint_lines(chain((shared, run.run_id, run.path), lines))


@dataclass(frozen=True, slots=True)
class UnchangedRun:
    """A run with nothing to do, and what an earlier run knew of it."""

    output: RunOutput
    documents: int
    """Events documents of its trials."""
    left_behind: int
    """Events documents on disk that belong to no trial."""
    seen: RunSeen
    """The counts that are shown again."""


def unchanged_run(
    output: RunOutput, run_fingerprint: str | None, request: Request
) -> UnchangedRun | None:
    """The run if nothing is to be done for it: the same inputs, and the same results still there.

    Then its records are not even read, which is most of the time of a run without changes. Taken
    without a lock, because nothing will be written.
    """
    if run_fingerprint is None or request.force or request.prune:
        return None
    state = load_state(output.folder)
    if state.run is None or state.run.fingerprint != run_fingerprint:
        return None
    marks = marks_in(output.folder)
    if not is_current(state, marks, OUTCOMES_FILE, "") or not documents_are_as_written(
        state, marks
    ):
        return None
    on_disk = sum(path.endswith(EVENTS_ENDING) for path in marks)
    documents = len(state.documents)
    return UnchangedRun(output, documents, on_disk - documents, state.run)


Looked = tuple[RunOutput, str | None, UnchangedRun | None]
"""Where a run's files go, its fingerprint, and the run if nothing is to be done for it."""


class KnownRuns:
    """Runs against what an earlier command left of them; each is looked at once."""

    def __init__(self, request: Request, shared: str) -> None:
        """`shared` is the fingerprint of what all runs share."""
        self._request = request
        self._shared = shared
        self._looked: tuple[Run, Looked] | None = None

    def is_unchanged(self, run: Run) -> bool:
        """Whether a folder was found to be this run before, and all of it is as it was then.

        Only where there is a state: a folder that groups runs has none, and is not listed whole.
        """
        output = self._output(run)
        if not output.folder.has_file(STATE_FILE):
            return False
        return self.look_at(run)[2] is not None

    def look_at(self, run: Run) -> Looked:
        """What is to be known of a run before its trials are looked for."""
        if self._looked is None or self._looked[0] != run:
            output = self._output(run)
            mark = fingerprint_of_run(run, self._shared)
            self._looked = run, (output, mark, unchanged_run(output, mark, self._request))
        return self._looked[1]

    def _output(self, run: Run) -> RunOutput:
        return self._request.output_folders.run(run.run_id, run.path)
