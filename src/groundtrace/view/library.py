"""The results as the viewer knows them: listed at once, read in the background, made again when
they change.

The list comes from the outcomes of each run, which are in one file. What the documents add, such as
files and metrics, comes while they are read; meanwhile the viewer says how far it is.
"""

from __future__ import annotations

import threading
import time
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from groundtrace.base.jsonio import clean_text
from groundtrace.base.safe_names import OUTPUT
from groundtrace.config import Settings
from groundtrace.discover import Run, layout_of
from groundtrace.documents.outcomes import TrialOutcome
from groundtrace.errors import GroundtraceError
from groundtrace.redact import masking
from groundtrace.report.safe_text import shown_name
from groundtrace.rows.trial_row import Detail
from groundtrace.rows.units import DistinctTrials
from groundtrace.runs.evaluated_trials import read_detail
from groundtrace.runs.output_folders import EVENTS_ENDING, OutputFolders, RunOutput
from groundtrace.runs.read import OutcomeIndex, document_paths, read_outcomes
from groundtrace.runs.state import fingerprint
from groundtrace.storage import Folder, open_place, place_at
from groundtrace.view.index import (
    UNREADABLE,
    ListedTrial,
    TrialIndex,
    reward_words,
    trial_id,
    unread_line,
    with_row,
)

CHUNK = 100
"""Trials that are read before the list shows them."""
LOOK_SECONDS = 1.0
"""Seconds between checks for changed results."""


@dataclass(frozen=True, slots=True)
class Results:
    """Which results the viewer shows."""

    folders: OutputFolders
    only: str | None = None
    settings: Settings = field(default_factory=Settings)


class Snapshot:
    """The results as they were at one moment."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.outputs, single = results.folders.existing()
        self.widest = self.outputs[0].folder if single else results.folders.aggregate()
        """Where the analysis over all results is."""
        self.marks = marks_of(self.outputs)
        self.version = fingerprint(self.marks)
        self.index = TrialIndex()
        self.outcomes: list[OutcomeIndex] = []
        self.total = 0
        self.read = 0
        """Trials whose documents were read so far."""
        self.problems: list[str] = []
        with masking(results.settings.mask):
            self._list()

    def _list(self) -> None:
        """Add every trial, known only from its outcome."""
        listed: list[ListedTrial] = []
        taken: set[str] = set()
        for number, output in enumerate(self.outputs):
            stored = read_outcomes(output.folder)
            if stored.problem is not None:
                self.problems.append(str(stored.problem))
            outcomes = OutcomeIndex(stored)
            self.outcomes.append(outcomes)
            for path in self._paths(output, outcomes):
                outcome = outcomes.by_document(path)
                trial = _listed(len(listed), number, path, output.run_id, outcome, outcomes)
                if trial.id in taken:
                    trial = replace(trial, id=trial_id(trial.id, path))
                taken.add(trial.id)
                listed.append(trial)
        self._listed = listed
        self.total = len(listed)
        self.index.insert("trials", listed)

    def _paths(self, output: RunOutput, outcomes: OutcomeIndex) -> Iterator[str]:
        # From the outcomes if there are any: checking each of 40,000 files takes a while.
        named = outcomes.documents()
        for path in document_paths(output.folder, EVENTS_ENDING) if named is None else named:
            if outcomes.wants(path, self.results.only):
                yield path

    def load(self, ended: threading.Event | None = None) -> None:
        """Read every trial's documents until `ended`; the list shows what is read so far."""
        distinct = DistinctTrials()
        places = array("q")
        """Place of each row that was added to `distinct`."""
        with masking(self.results.settings.mask):
            for start in range(0, len(self._listed), CHUNK):
                if ended is not None and ended.is_set():
                    return
                lines: list[dict[str, Any]] = []
                details: list[Detail | None] = []
                for listed in self._listed[start : start + CHUNK]:
                    detail = self._detail(listed)
                    details.append(detail)
                    if detail is None:
                        lines.append(unread_line(listed, UNREADABLE))
                        continue
                    counted_in = distinct.counted_in(distinct.add(detail.row))
                    places.append(listed.place)
                    lines.append(with_row(listed, detail.row, counted_in))
                self.index.add_read(lines, details)
                self.read += len(lines)
            if distinct.overtaken:
                self._mark_copies(distinct, places)
        self._listed = []

    def _detail(self, listed: ListedTrial) -> Detail | None:
        folder = self.outputs[listed.output].folder
        detail, problems = read_detail(folder, listed.document, self.outcomes[listed.output])
        self.problems += [str(problem) for problem in problems][: 100 - len(self.problems)]
        return detail

    def _mark_copies(self, distinct: DistinctTrials, places: array[int]) -> None:
        """Mark trials that counted until a better copy of them was read."""
        runs = dict(self.index.ask("SELECT place, run FROM trials"))
        words = {}
        for number, place in enumerate(places):
            counted_in = distinct.counted_in(number)
            if counted_in is not None:
                here = shown_name(counted_in) == runs[place]
                words[place] = f"copy, counted {'in this run' if here else 'in another run'}"
        self.index.set_found(words)

    def trial(self, name: str) -> tuple[ListedTrial, Detail | None] | None:
        """The trial with an id, with its documents as they are now."""
        rows = self.index.ask("SELECT * FROM trials WHERE id = ?", [name])
        if not rows:
            return None
        listed = ListedTrial(*rows[0])
        folder = self.outputs[listed.output].folder
        detail, _ = read_detail(folder, listed.document, self.outcomes[listed.output])
        return listed, detail

    def outcome(self, listed: ListedTrial, detail: Detail | None) -> TrialOutcome | None:
        """What outcomes.json says about a trial."""
        known = self.outcomes[listed.output].by_document(listed.document)
        return known if known is not None or detail is None else detail.row.outcome

    def run_folder(self, listed: ListedTrial) -> Folder | None:
        """The folder of a trial's run, below RUNS; None if it does not exist."""
        output = self.outputs[listed.output]
        if self.results.folders.out is None:
            base = place_at(self.results.folders.runs).folder
            path = output.folder.url[len(base.url) :].strip("/").removesuffix(OUTPUT).strip("/")
            return base.folder(path) if path else base
        return self._runs.get(output.run_id)

    @cached_property
    def _runs(self) -> dict[str, Folder]:
        """Run folders by id, for results that are not inside the runs."""
        try:
            place = open_place(self.results.folders.runs)
            found = layout_of(place, self.results.settings, by_run=True).runs()
            return {item.run_id: item.folder for item in found if isinstance(item, Run)}
        except (GroundtraceError, OSError):
            return {}


def _listed(
    place: int,
    output: int,
    path: str,
    run_id: str,
    outcome: TrialOutcome | None,
    outcomes: OutcomeIndex,
) -> ListedTrial:
    config, _, name = path.partition("/")
    name = name.removesuffix(EVENTS_ENDING)
    names = (run_id, config, name, name)
    suite = None
    if outcome is not None:
        names = (outcome.run_id, outcome.config_name, outcome.task_name, outcome.trial_name)
        suite = outcome.benchmark
    run, config, task, trial = map(clean_text, names)
    return ListedTrial(
        place=place,
        id=trial_id(run, config, task, trial),
        output=output,
        document=path,
        run=shown_name(run),
        config=shown_name(config),
        suite=shown_name(clean_text(suite or "unknown")),
        task=task,
        trial=trial,
        verdict=reward_words(outcome, outcomes.no_outcome),
    )


def marks_of(outputs: list[RunOutput]) -> list[tuple[str, str, str]]:
    """Marks that change when results change: files are replaced, which changes their folders."""
    return [
        (output.folder.url, entry.name, f"{entry.kind} {entry.mark}")
        for output in outputs
        for entry in output.folder.entries()
        if not entry.name.endswith((".lock", ".tmp"))
    ]


class Library:
    """The current snapshot, and a thread that reads it and looks for changes."""

    def __init__(self, results: Results) -> None:
        """Raises NothingFoundError if there are no results."""
        self.results = results
        self.current = Snapshot(results)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, name="groundtrace-view", daemon=True)

    def start(self) -> None:
        """Start reading in the background."""
        self._thread.start()

    def end(self) -> None:
        """Stop reading and checking for changes, and remove the database."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()
        self.current.index.close()

    def _work(self) -> None:
        self.current.load(self._ended)
        pause = LOOK_SECONDS
        while not self._ended.wait(pause):
            started = time.monotonic()
            self.look()
            # While a long run writes its results, most of the time is for the user's requests.
            pause = max(LOOK_SECONDS, 2 * (time.monotonic() - started))

    def look(self) -> bool:
        """Read the results again if they changed; if that fails, the old ones stay."""
        try:
            outputs, _ = self.results.folders.existing()
            if marks_of(outputs) == self.current.marks:
                return False
            fresh = Snapshot(self.results)
            fresh.load(self._ended)
        except (GroundtraceError, OSError):
            return False
        self.current = fresh
        return True
