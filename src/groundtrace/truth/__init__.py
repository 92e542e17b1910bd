"""Ground truth: what a task says an agent should have found.

`load_ground_truth` goes through the specification's chain (D25), the table `SOURCES` in
`truth/sources.py`. The first source that gives files wins, and its name and confidence are
recorded. Edit targets, chunks and symbols each have their own order over the same sources. The
record that knows the relevant files best (`ground_truth.json`) is rarely the one that knows the
edits (a patch) or the lines (`expected_defects.json`).

After the chain come the oracles (D29), whose lists were made to score an answer, and what an agent
made: both only if the user asks for them (D192). A registry (D30) comes last.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

from msgspec.structs import replace

from groundtrace.model import Confidence, GroundTruth, Problem, Task, TruthResult
from groundtrace.problems import TEMPORARY
from groundtrace.storage import Folder, TooLargeError
from groundtrace.storage.watch import note_error, watched
from groundtrace.truth.entries import Notes
from groundtrace.truth.gold import truth_of_row
from groundtrace.truth.records import SourceFindings
from groundtrace.truth.sources import (
    ANSWER_SOURCES,
    CHUNK_SOURCES,
    EDIT_CHUNK_SOURCES,
    EDIT_SOURCES,
    GROUND_TRUTH,
    SOURCES,
    STATED_EDITS,
    SYMBOL_SOURCES,
    TEST_SOURCES,
    TruthSource,
)
from groundtrace.truth.task_registry import Registry, load_registry

__all__ = ["Registry", "kept_ground_truth", "load_ground_truth", "load_registry"]

_EXPLAINS_ABSENCE = frozenset({"no_file_list", "regex_pattern"})
"""Problems that matter only as long as no source has given files."""


def load_ground_truth(
    task: Task | None, registry: Registry | None = None, chosen: Collection[str] = ("default",)
) -> TruthResult:
    """The ground truth of a task, and why sources were skipped. Never raises on bad data.

    `chosen` is the setting `truth_sources`.
    """
    if task is None:
        reason = "no definition of this task is known, so there is no ground truth"
        return TruthResult(GroundTruth(), (Problem("task.toml", "no_task_definition", reason),))
    truth = GroundTruth()
    problems: tuple[Problem, ...] = ()
    if task.row is not None:
        truth, problems = truth_of_row(task.row)
    elif task.folder is not None:
        truth, problems = _from_folder(task.folder, chosen)
    if not truth.files and registry is not None:
        truth = _with_registry(truth, registry.find(task))
    if not truth.files:
        known = task.folder is not None or task.row is not None
        reason = f"no source of {task.name} gives files" if known else "no task directory"
        problems = (*problems, Problem(GROUND_TRUTH, "no_ground_truth", reason))
    return TruthResult(truth, problems)


KEPT_TRUTHS = 1024
"""Truths that a worker keeps: more than most benchmarks have tasks."""
_truths: dict[tuple[str, str, Collection[str]], TruthResult] = {}
"""Where a truth was read, the fingerprint of that and the sources chosen, to the truth."""


def kept_ground_truth(
    task: Task | None,
    registry: Registry | None,
    mark: str | None,
    chosen: tuple[str, ...] = ("default",),
) -> TruthResult:
    """The ground truth of a task, read once by a worker for all trials of the task.

    `mark` is a fingerprint of the files it is read from; without one it is read again. If a
    temporary error spoiled it, or no file was found, it is not kept, and the next trial reads it
    again. The case: a worker of a cluster could not see a task's folder and kept "no truth" under
    the fingerprint of its files; later trials, with the folder in sight, got that.
    """
    if not mark or task is None:
        return load_ground_truth(task, registry, chosen)
    key = (task.folder.url if task.folder is not None else "", mark, chosen)
    if key not in _truths:
        with watched() as watch:
            loaded = load_ground_truth(task, registry, chosen)
        if watch.errors or any(problem.kind in TEMPORARY for problem in loaded.problems):
            note_error(task.name)
            return loaded
        if not loaded.truth.files:
            return loaded
        if len(_truths) >= KEPT_TRUTHS:
            _truths.clear()
        _truths[key] = loaded
    return _truths[key]


def _with_registry(known: GroundTruth, stated: GroundTruth | None) -> GroundTruth:
    """The registry's truth, completed with what only the task's own sources know.

    The case: a patch that only adds files tells what to edit, but gives no file to retrieve (D27).
    """
    if stated is None:
        return known
    edits = stated if stated.expected_edit_files_source else known
    return replace(
        stated,
        symbols=stated.symbols or known.symbols,
        chunks=stated.chunks or known.chunks,
        expected_edit_files=edits.expected_edit_files,
        expected_edit_files_source=edits.expected_edit_files_source,
        expected_edit_files_confidence=edits.expected_edit_files_confidence,
        edit_chunks=stated.edit_chunks or known.edit_chunks,
        hunks=stated.hunks or known.hunks,
        old_names=stated.old_names or known.old_names,
        test_files=stated.test_files or known.test_files,
    )


def _from_folder(
    folder: Folder, chosen: Collection[str]
) -> tuple[GroundTruth, tuple[Problem, ...]]:
    truth = GroundTruth()
    problems: list[Problem] = []
    readings: dict[str, SourceFindings] = {}
    left_out: list[Problem] = []
    for source in SOURCES:
        if truth.files and source.when == "until_found":
            continue
        reading = _read(folder, source)
        if reading is None:
            continue
        found_before = bool(truth.files)
        problems += (
            problem
            for problem in reading.problems
            if not (found_before and problem.kind in _EXPLAINS_ABSENCE) and problem not in problems
        )
        if reading.files and not source.is_chosen(chosen):
            reading = replace(reading, files=(), chunks=())
            reason = "it names files, but --truth-sources does not choose it"
            left_out.append(Problem(source.path, "truth_source_off", reason))
        readings.setdefault(source.path, reading)
        if reading.files and not found_before:
            truth = replace(
                truth, files=reading.files, source=source.path, confidence=source.confidence
            )
    if not truth.files:
        problems += left_out
    return _completed(truth, readings), tuple(problems)


def _read(folder: Folder, source: TruthSource) -> SourceFindings | None:
    """What a source says; None when its file is missing."""
    notes = Notes(source.path)
    try:
        if not folder.has_file(source.path):
            return None
        reading = source.read(folder.read(source.path), notes)
    except TooLargeError as error:
        notes.add("too_large", str(error))
        reading = SourceFindings()
    except OSError as error:
        notes.add("unreadable", f"cannot be read: {error.strerror or error}")
        reading = SourceFindings()
    return replace(reading, problems=notes.problems())


Part = TypeVar("Part")


def _first(
    readings: dict[str, SourceFindings],
    order: Iterable[str],
    part: Callable[[SourceFindings], tuple[Part, ...]],
) -> tuple[str | None, tuple[Part, ...]]:
    for path in order:
        if path in readings and part(readings[path]):
            return path, part(readings[path])
    return None, ()


def _completed(truth: GroundTruth, readings: dict[str, SourceFindings]) -> GroundTruth:
    """The truth with edit targets, chunks and symbols, each from its own best source."""
    source, edit_files = _first(readings, EDIT_SOURCES, lambda reading: reading.edit_files)
    if source is None:  # else a source may say that nothing is to be edited (D58)
        silent = [path for path in (*EDIT_SOURCES, *ANSWER_SOURCES) if path in readings]
        source = next((path for path in silent if readings[path].expects_no_edit), None)
    return replace(
        truth,
        expected_edit_files=edit_files,
        expected_edit_files_source=source,
        expected_edit_files_confidence=_edit_confidence(source),
        chunks=_first(readings, CHUNK_SOURCES, lambda reading: reading.chunks)[1],
        symbols=_first(readings, SYMBOL_SOURCES, lambda reading: reading.symbols)[1],
        edit_chunks=_first(readings, EDIT_CHUNK_SOURCES, lambda reading: reading.edit_chunks)[1],
        hunks=_first(readings, EDIT_CHUNK_SOURCES, lambda reading: reading.hunks)[1],
        old_names=_first(readings, EDIT_CHUNK_SOURCES, lambda reading: reading.old_names)[1],
        test_files=_first(readings, TEST_SOURCES, lambda reading: reading.test_files)[1],
    )


def _edit_confidence(path: str | None) -> Confidence | None:
    if path == GROUND_TRUTH:
        return STATED_EDITS
    return next((source.confidence for source in SOURCES if source.path == path), None)
