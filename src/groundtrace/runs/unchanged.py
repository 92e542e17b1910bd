"""Runs where nothing changed at all: recognised by listing files, without reading a record."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import msgspec
from msgspec.structs import replace

from groundtrace.discover import Run
from groundtrace.runs.output_folders import EVENTS_ENDING, OUTCOMES_FILE, RunOutput
from groundtrace.runs.plan import Fingerprints, WorkContext
from groundtrace.runs.request import Request
from groundtrace.runs.state import FILE_NAME as STATE_FILE
from groundtrace.runs.state import (
    OUTPUT_FOLDERS,
    documents_are_as_written,
    fingerprint,
    fingerprint_lines,
    is_current,
    load_state,
)
from groundtrace.runs.tally import UnchangedRun
from groundtrace.runs.task_definitions import TaskDefinitions
from groundtrace.storage.listed import MAX_LISTED_RUN, listed


def fingerprint_of_shared(
    request: Request, tasks: TaskDefinitions, context: WorkContext, known: Fingerprints
) -> str:
    """Fingerprint of what all runs share: settings, every task, the registry, the request."""
    of_tasks = tasks.fingerprint(known)
    return fingerprint(known.context, of_tasks, context.registry, request.only)


def fingerprint_of_run(run: Run, shared: str) -> tuple[str | None, int | None]:
    """Fingerprint of a whole run, without opening a file, and the number of lines that it is made
    from; None if links make that impossible."""
    lines: Sequence[str] | None
    if run.loose is not None:
        lines = run.loose.marks(run.folder, OUTPUT_FOLDERS)
    else:
        lines = run.folder.everything(OUTPUT_FOLDERS)
    if lines is None:
        return None, None
    return fingerprint_lines(chain((shared, run.run_id, run.path), lines)), len(lines)


def unchanged_run(
    output: RunOutput, run_fingerprint: str | None, request: Request
) -> UnchangedRun | None:
    """The run if it needs no work: its inputs are the same, and its results still exist.

    Then its records are not read, which saves most of the time of a run without changes. This needs
    no lock, because nothing is written.
    """
    if run_fingerprint is None or request.force or request.prune:
        return None
    state = load_state(output.folder)
    if state.run is None or state.run.fingerprint != run_fingerprint:
        return None
    marks = output.folder.file_marks()
    if not is_current(state, marks, OUTCOMES_FILE, "") or not documents_are_as_written(
        state, marks
    ):
        return None
    request.known.keep(output.folder, state, marks)
    on_disk = sum(path.endswith(EVENTS_ENDING) for path in marks)
    documents = len(state.documents)
    return UnchangedRun(output, documents, on_disk - documents, state.run)


class KnownRun(msgspec.Struct, frozen=True):
    """What must be known about a run before its trials are looked for."""

    run: Run
    """The run; with its files as they were listed, if they were and it has no results yet."""
    output: RunOutput
    """Where its files go."""
    fingerprint: str | None
    files: int | None
    """Number of files and folders in it; None if links keep it from being listed."""
    unchanged: UnchangedRun | None
    """The run, if it needs no work."""


class KnownRuns:
    """Compares runs with what an earlier command stored about them; each run is checked once."""

    def __init__(self, request: Request, shared: str) -> None:
        """`shared` is the fingerprint of what all runs share."""
        self._request = request
        self._shared = shared
        self._folders = request.output_folders
        self._looked: tuple[Run, KnownRun] | None = None

    def is_unchanged(self, run: Run) -> bool:
        """Whether an earlier command found this run in the folder, and nothing changed since.

        Only a folder with a state is checked. A folder that groups runs has no state, so its whole
        content is not listed.
        """
        output = self._output(run)
        if not output.folder.has_file(STATE_FILE):
            return False
        return self._look(run, output, had_state=True).unchanged is not None

    def look_at(self, run: Run) -> KnownRun:
        """What is known about a run."""
        if self._looked is not None and self._looked[0] == run:
            return self._looked[1]
        output = self._output(run)
        return self._look(run, output, had_state=output.folder.has_file(STATE_FILE))

    def _look(self, run: Run, output: RunOutput, *, had_state: bool) -> KnownRun:
        found = run
        if not had_state and run.loose is None:
            # All of it will be read, so this listing is kept for everybody. Comparing with a state
            # needs only the lines, which take less time to make.
            run = replace(run, folder=listed(run.folder, OUTPUT_FOLDERS, MAX_LISTED_RUN))
        mark, files = fingerprint_of_run(run, self._shared)
        looked = KnownRun(run, output, mark, files, unchanged_run(output, mark, self._request))
        self._looked = found, looked
        return looked

    def _output(self, run: Run) -> RunOutput:
        return self._folders.run(run.run_id, run.path)
