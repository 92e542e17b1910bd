"""Plan the work of a run: which trials are written, under which names, and which are stale."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import field
from msgspec.structs import replace

from groundtrace import __version__
from groundtrace.base.entry_points import entry_points
from groundtrace.base.frozen import Frozen
from groundtrace.base.kept_bytes import KeptBytes
from groundtrace.base.safe_names import document_stem, safe_names
from groundtrace.config import Settings
from groundtrace.discover import Found, FoundProblem, Selection, Skipped, select
from groundtrace.discover.outcome import below
from groundtrace.discover.select import Candidate, candidate, first_call
from groundtrace.documents.outcomes import SkippedFolder
from groundtrace.model import READER_ENTRY_POINTS, Contender, Problem, Task, Trial
from groundtrace.runs.output_folders import EVENTS_ENDING, RUN_FILES
from groundtrace.runs.state import KEPT_TRIALS, bytes_below, files_mark, fingerprint
from groundtrace.storage import Folder
from groundtrace.storage.local import LocalFolder, current_mark

if TYPE_CHECKING:
    from groundtrace.truth import Registry


class WorkContext(Frozen, frozen=True):
    """What all trials of a command share; it is sent to the workers."""

    settings: Settings
    registry: Registry | None
    generated_at: str
    with_metrics: bool
    """Compute metrics as well, in the same pass."""
    with_page: bool = False
    """Make what the page holds of a trial as well, if it is of a smaller run."""

    def fingerprint(self) -> str:
        """Changes when results might: settings, version, readers of other packages."""
        readers = [
            (point.name, point.value, point.dist.version if point.dist is not None else "")
            for point in entry_points(group=READER_ENTRY_POINTS)
        ]
        # The baseline changes only the analysis, no trial's documents.
        settings = replace(self.settings, baseline="")
        repos: list[Any] = []
        if self.settings.repos:  # a run without changes needs git no sooner
            from groundtrace.functions.repositories import listed

            repos = list(map(listed, self.settings.repos))
        return fingerprint(__version__, settings, readers, repos)

    def task_of(self, trial: Contender) -> Task | None:
        """The trial's task; if it has no definition, the one that the registry names."""
        if trial.task is None and self.registry is not None:
            return self.registry.task(trial.task_name, trial.benchmark)
        return trial.task

    def for_trial(self, trial: Contender) -> WorkContext:
        """The same with only this trial's part of the registry: registries are large."""
        if self.registry is None:
            return self
        from groundtrace.truth import Registry

        task = self.task_of(trial)
        truth = self.registry.find(task) if task is not None else None
        only = {task.name.lower(): truth} if task is not None and truth is not None else {}
        return replace(self, registry=Registry(only))


class PlannedTrial(Frozen, frozen=True):
    """One trial whose document a run should have."""

    number: int
    """Its place in `Plan.waiting`."""
    attempt: int
    """Its number among the attempts of its task that count, by time."""
    problems: tuple[Problem, ...]
    """Problems that discovery met with this trial."""
    document_path: str
    """Its events document, relative to the folder of the run's results."""
    truth_fingerprint: str
    """Fingerprint of its ground truth, which trials of one task share."""
    inputs_fingerprint: str
    """Fingerprint of everything its document and its outcome are made from."""
    files_fingerprint: str
    """Fingerprint of its files only. If it differs after reading, the files changed meanwhile."""
    has_task: bool
    """Whether its task is defined, by a task definition or by the registry."""


class TrialWork(PlannedTrial, frozen=True):
    """A planned trial with all that a worker needs: a description without the contents of files."""

    trial: Trial
    output: Folder
    run_path: str
    context: WorkContext

    def folders(self) -> Iterator[Folder]:
        """Folders that a worker must see."""
        yield self.trial.folder
        yield self.output
        if self.trial.task is not None and self.trial.task.folder is not None:
            yield self.trial.task.folder

    def input_bytes(self) -> int | None:
        """Bytes of all files of the trial, which shows whether a worker is worth its start."""
        folder = self.trial.folder
        return bytes_below(folder) if isinstance(folder, LocalFolder) else None


IN_MEMORY = 1_000
"""Trials of a run that stay in memory: a few megabytes."""


class WaitingTrials:
    """Trials of one run that were found and wait to be processed, by number.

    Which of them count is known only when all are found, and a trial takes 5 kB with its records
    and the listing of its files. So only the first ones stay in memory; the others wait in a
    temporary file.
    """

    def __init__(self) -> None:
        self._here: list[Trial] = []
        self._file = KeptBytes()
        self._places: list[tuple[int, Task | None]] = []
        """Position in the file, and the task: trials of one task share it, so it stays here."""

    def add(self, trial: Trial) -> int:
        """Add a trial; returns its number. Raises OutputError if the disk is full."""
        if len(self._here) < IN_MEMORY:
            self._here.append(trial)
            return len(self._here) - 1
        import pickle

        data = pickle.dumps(replace(trial, task=None), pickle.HIGHEST_PROTOCOL)
        self._places.append((self._file.add(data), trial.task))
        return len(self._here) + len(self._places) - 1

    def get(self, number: int) -> Trial:
        """The trial with this number."""
        if number < len(self._here):
            return self._here[number]
        import pickle

        place, task = self._places[number - len(self._here)]
        trial: Trial = pickle.loads(self._file.data(place))
        return replace(trial, task=task)


class Plan(Frozen, frozen=True):
    """All work of one run. The trials themselves wait: each is read when its turn comes."""

    trials: tuple[PlannedTrial, ...]
    """Trials whose documents the run should have, stale or not."""
    superseded: tuple[tuple[int, str], ...]
    """Numbers of trials that are not written because a later one counts, with the reason."""
    skipped: tuple[SkippedFolder, ...]
    problems: Mapping[str, int]
    """Problems that belong to no single trial, counted by kind."""
    waiting: WaitingTrials
    """Every trial of the run by number."""
    output: Folder
    run_path: str
    context: WorkContext
    fingerprint: str | None = None
    """Fingerprint of the whole run; None if listing files is not enough to compute it."""
    broken: tuple[str, ...] = ()
    """Lines about records that could not be read or leave something open."""

    def work(self, planned: PlannedTrial) -> TrialWork:
        """What a worker needs for a trial."""
        trial = self.waiting.get(planned.number)
        return TrialWork(
            **msgspec.structs.asdict(planned),
            trial=trial,
            output=self.output,
            run_path=self.run_path,
            context=self.context.for_trial(trial),
        )


class Fingerprints(msgspec.Struct):
    """Fingerprints of inputs; a task's is computed once."""

    context: str
    tasks: dict[str, str] = field(default_factory=dict)

    def truth(self, trial: Contender, context: WorkContext) -> str:
        """Fingerprint of a trial's ground truth: of its task and its part of the registry."""
        task = "" if trial.task is None else self.task(trial.task)
        if context.registry is None:
            return task
        return fingerprint(task, context.registry.truths)

    def inputs(
        self,
        trial: Contender,
        truth: str,
        files: str,
        place: str,
        attempt: int,
        problems: Iterable[Problem],
    ) -> str:
        """Fingerprint of a trial: its files (by `files_mark`), its truth, and what discovery says.

        `place` is its path inside the run, so that a run given alone has the same fingerprints
        as in a folder of runs.
        """
        return fingerprint(
            self.context,
            place,
            files,
            truth,
            list(trial.names),
            [trial.benchmark, trial.batch_timestamp, trial.trial_key],
            attempt,
            [str(problem) for problem in problems],
        )

    def task(self, task: Task) -> str:
        """Fingerprint of a task's definition: its files, and what the index says about it."""
        key = task.folder.url if task.folder is not None else f"{task.benchmark}/{task.name}"
        if task.row is not None:
            key = f"{task.row.file}:{task.row.number}:{key}"
        if key not in self.tasks:
            files = files_mark(task.folder) if task.folder is not None else ""
            named = [task.name, task.benchmark, task.repos, task.repo_paths, task.aliases]
            self.tasks[key] = fingerprint(named, files, task.row)
        return self.tasks[key]


def plan_run(
    found: Iterable[Found], output: Folder, run_path: str, context: WorkContext, known: Fingerprints
) -> Plan:
    """Sort what discovery found of one run into work, superseded trials and problems."""
    waiting = WaitingTrials()
    candidates: list[Candidate] = []
    files: list[str] = []
    skipped: list[SkippedFolder] = []
    of_trial: dict[str, list[Problem]] = {}
    for item in found:
        if isinstance(item, Trial):
            candidates.append(candidate(waiting.add(item), item))
            files.append(_files_of(item) if item.loose is None else item.loose.inputs)
        elif isinstance(item, Skipped):
            skipped.append(SkippedFolder(path=below(run_path, item.path), reason=item.reason))
        elif isinstance(item, FoundProblem):
            of_trial.setdefault(item.path, []).append(item.problem)
    settings = context.settings
    chosen = select(
        candidates, settings.trials, lambda trial: first_call(waiting.get(trial.number), settings)
    )
    for path, problem in chosen.doubts.items():
        of_trial.setdefault(path, []).append(problem)
    names = _document_names(chosen)
    trials: list[PlannedTrial] = []
    for trial in chosen.selected:
        problems = tuple(of_trial.pop(trial.path, ()))
        own = context.for_trial(trial)
        truth = known.truth(trial, own)
        place = below(run_path, trial.path)
        mark = files[trial.number]
        trials.append(
            PlannedTrial(
                number=trial.number,
                attempt=chosen.attempts[trial.path],
                problems=problems,
                document_path=names[trial.path],
                truth_fingerprint=truth,
                inputs_fingerprint=known.inputs(
                    trial, truth, mark, place, chosen.attempts[trial.path], problems
                ),
                files_fingerprint=mark,
                has_task=_has_task(trial, own),
            )
        )
    rest = Counter(problem.kind for group in of_trial.values() for problem in group)
    trials.sort(key=lambda planned: planned.document_path)
    return Plan(
        trials=tuple(trials),
        superseded=tuple((s.trial.number, s.reason) for s in chosen.superseded),
        skipped=tuple(skipped),
        problems=dict(sorted(rest.items())),
        waiting=waiting,
        output=output,
        run_path=run_path,
        context=context if len(trials) < KEPT_TRIALS else replace(context, with_page=False),
    )


def _has_task(trial: Contender, context: WorkContext) -> bool:
    """Whether a trial's task is defined; `context` has only its part of the registry."""
    registry = context.registry
    return trial.task is not None or (registry is not None and bool(registry.truths))


def _files_of(trial: Trial) -> str:
    """Fingerprint of a trial's files.

    If a record changed after it was read, the fingerprint is one that no files will have later, so
    that the next run processes the trial again (D79).
    """
    mark = files_mark(trial.folder)
    if trial.folder.is_listed:  # before any record was read
        return mark
    if all(seen == current_mark(path) for path, seen in trial.records.items()):
        return mark
    return f"changed while it was read: {mark}"


def problems_outside_runs(
    found: Iterable[Skipped | FoundProblem],
) -> tuple[list[SkippedFolder], dict[str, int]]:
    """What discovery met above the runs: folders without trials, problems counted by kind."""
    items = list(found)
    skipped = [SkippedFolder(path=i.path, reason=i.reason) for i in items if isinstance(i, Skipped)]
    counts = Counter(i.problem.kind for i in items if isinstance(i, FoundProblem))
    return skipped, dict(sorted(counts.items()))


def _document_names(chosen: Selection[Candidate]) -> dict[str, str]:
    """Trial path to the path of its events document.

    It is `<config>/<task>` for the latest trial; others also have the trial's name (D148). Names are
    safe, and differ even on file systems that ignore case.
    """
    items = _stems(chosen)
    folders = safe_names((trial.config_name for trial, _ in items), RUN_FILES)
    by_folder: dict[str, set[str]] = {}
    for trial, stem in items:
        by_folder.setdefault(folders[trial.config_name], set()).add(stem)
    stems = {folder: safe_names(stems) for folder, stems in by_folder.items()}
    names = {}
    for trial, stem in items:
        folder = folders[trial.config_name]
        names[trial.path] = f"{folder}/{stems[folder][stem]}{EVENTS_ENDING}"
    return names


def _stems(chosen: Selection[Candidate]) -> list[tuple[Candidate, str]]:
    """Each trial with the stem of its documents.

    If two suites have a task of the same name, the stem contains the suite.
    """
    latest = chosen.latest
    plain = Counter(
        (trial.config_name, trial.task_name) for trial in chosen.selected if trial.path in latest
    )
    taken: set[tuple[str, str]] = set()
    items = []
    for trial in chosen.selected:
        extra = None if trial.path in latest else trial.trial_name
        if extra is None and plain[trial.config_name, trial.task_name] > 1:
            extra = trial.benchmark or trial.trial_name
        stem = document_stem(trial.task_name, extra)
        if (trial.config_name, stem) in taken:
            stem = document_stem(trial.task_name, f"{extra}.{trial.path}")
        taken.add((trial.config_name, stem))
        items.append((trial, stem))
    return items
