"""Ground truth: what a task says an agent should have found.

`load_ground_truth` walks the specification's chain (D25). `SOURCES` is that chain as a table:
the first source that yields files wins, and its name and confidence are recorded. Edit targets,
chunks and symbols each have their own order over the same sources, because the record that knows
the relevant files best (`ground_truth.json`) is seldom the one that knows the edits (a patch) or
the lines (`expected_defects.json`).

After the chain come the oracles (D29), whose lists were made for scoring an answer, then the
curator's companions of a missing record, then a registry (D30).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from groundtrace import tomlio
from groundtrace.jsonio import BadJsonError, HeavyJsonError, loads
from groundtrace.model import Confidence, GroundTruth, Problem, Task, TruthFile, TruthResult
from groundtrace.problems import ProblemKind
from groundtrace.storage import Folder, TooLargeError
from groundtrace.truth import records
from groundtrace.truth.entries import Notes, collect, truth_file
from groundtrace.truth.gold import from_patch, test_files_of
from groundtrace.truth.patches import read_patch
from groundtrace.truth.records import SourceFindings
from groundtrace.truth.registry import Registry, load_registry
from groundtrace.truth.row_truth import truth_of_row
from groundtrace.truth.solve_sh import gold_patches
from groundtrace.truth.text import instruction_paths, script_paths

__all__ = ["SOURCES", "Registry", "TruthSource", "load_ground_truth", "load_registry"]

When = Literal["always", "until_found"]


@dataclass(frozen=True, slots=True)
class TruthSource:
    """One file of a task directory that may hold ground truth."""

    path: str
    read: Callable[[bytes, Notes], SourceFindings]
    confidence: Confidence
    """Confidence in its files, as the specification says; `medium` after the chain."""
    when: When = "always"
    """`until_found`: only read while no source has given files."""


def _json(read: Callable[[Any, Notes], SourceFindings]) -> Callable[[bytes, Notes], SourceFindings]:
    def reader(raw: bytes, notes: Notes) -> SourceFindings:
        try:
            return read(loads(raw), notes)
        except HeavyJsonError as error:
            notes.add("too_large", str(error))
            return SourceFindings()
        except BadJsonError as error:
            where = "" if error.line is None else f" at line {error.line}"
            kind: ProblemKind = "empty_file" if not raw.strip() else "broken_json"
            notes.add(kind, f"not valid JSON{where}: {error}")
            return SourceFindings()

    return reader


def _toml(raw: bytes, notes: Notes) -> SourceFindings:
    try:
        data = tomlio.loads(raw.decode("utf-8-sig", errors="replace"))
    except ValueError as error:
        notes.add("broken_toml", f"not valid TOML: {error}")
        return SourceFindings()
    return records.read_task_toml(data, notes)


def _patch(raw: bytes, notes: Notes) -> SourceFindings:
    return from_patch(read_patch(_text(raw)), notes)


def _config_patch(data: Any, notes: Notes) -> SourceFindings:
    """`patch` and `test_patch` in tests/config.json; the second belongs to the verifier."""
    if not isinstance(data, dict):
        return SourceFindings()
    patch, tests = data.get("patch"), data.get("test_patch")
    found = SourceFindings()  # the file has other uses, and no patch is no fault
    if isinstance(patch, str) and patch.strip():
        found = from_patch(read_patch(patch), notes)
    if isinstance(tests, str) and tests.strip():
        found = replace(found, test_files=test_files_of(tests, notes))
    return found


def _test_patch(raw: bytes, notes: Notes) -> SourceFindings:
    return SourceFindings(test_files=test_files_of(_text(raw), notes) if raw.strip() else ())


def _solve_sh(raw: bytes, notes: Notes) -> SourceFindings:
    return from_patch(gold_patches(_text(raw)), notes)


def _instruction(quoted: bool) -> Callable[[bytes, Notes], SourceFindings]:
    def reader(raw: bytes, notes: Notes) -> SourceFindings:
        paths, are_quoted = instruction_paths(_text(raw))
        return _named(paths if are_quoted is quoted else [], notes)

    return reader


def _test_sh(raw: bytes, notes: Notes) -> SourceFindings:
    return _named(script_paths(_text(raw)), notes)


def _named(paths: list[str], notes: Notes) -> SourceFindings:
    if not paths:
        notes.add("no_file_list", "it names no files")
    return SourceFindings(files=collect(paths, truth_file, notes))


def _text(raw: bytes) -> str:
    return raw.decode("utf-8-sig", errors="replace")


GROUND_TRUTH = "tests/ground_truth.json"
DEFECTS = "tests/expected_defects.json"
CHANGES = "tests/expected_changes.json"
PATCHES = ("tests/reference_fix.patch", "tests/expected.diff", "tests/expected.patch")
CONFIG = "tests/config.json"
SOLVE = "solution/solve.sh"
INSTRUCTION = "instruction.md"
ORACLE = "tests/oracle_answer.json"
SPEC = "tests/task_spec.json"
GOLD = "gold.patch"
TEST_PATCH = "test.patch"
"""The two patches of a SWE-bench task folder."""

SOURCES: tuple[TruthSource, ...] = (
    TruthSource(GROUND_TRUTH, _json(records.read_ground_truth), "high"),
    TruthSource(DEFECTS, _json(records.read_defects), "high"),
    TruthSource(CHANGES, _json(records.read_changes), "high"),
    *(TruthSource(path, _patch, "high") for path in PATCHES),
    # The benchmark's own gold patch, in the same folder and of the same kind as the ones before.
    TruthSource(CONFIG, _json(_config_patch), "high"),
    TruthSource(GOLD, _patch, "high"),
    TruthSource(TEST_PATCH, _test_patch, "high"),
    TruthSource(SOLVE, _solve_sh, "medium"),
    TruthSource(INSTRUCTION, _instruction(quoted=True), "medium", "until_found"),
    TruthSource(INSTRUCTION, _instruction(quoted=False), "low", "until_found"),
    TruthSource("tests/test.sh", _test_sh, "low", "until_found"),
    # After the chain (D29): oracles, then the curator's companions of a missing record.
    TruthSource(ORACLE, _json(records.read_oracle), "medium"),
    TruthSource(SPEC, _json(records.read_task_spec), "medium"),
    TruthSource("task.toml", _toml, "medium", "until_found"),
    TruthSource(
        "tests/ground_truth_agent.json", _json(records.read_companion), "medium", "until_found"
    ),
    TruthSource(
        "tests/oracle_answer_agent.json", _json(records.read_companion), "medium", "until_found"
    ),
)
"""The chain, in order. The specification's six steps end at `tests/test.sh`."""

EDIT_SOURCES = (CHANGES, *PATCHES, CONFIG, GOLD, SOLVE, GROUND_TRUTH)
"""Where edit targets come from (D27): real changes first, then a list that a record states."""

STATED_EDITS: Confidence = "medium"
"""Confidence in edit targets that are only stated, not taken from a change."""

CHUNK_SOURCES = (DEFECTS, GROUND_TRUTH, CHANGES, ORACLE)
EDIT_CHUNK_SOURCES = (*PATCHES, CONFIG, GOLD, SOLVE)
"""Only patches tell which lines change (D55)."""
TEST_SOURCES = (CONFIG, TEST_PATCH)
SYMBOL_SOURCES = (SPEC, GROUND_TRUTH, ORACLE)
"""D29."""

_EXPLAINS_ABSENCE = frozenset({"no_file_list", "regex_pattern"})
"""Problems that only matter as long as no source has given files."""


def load_ground_truth(task: Task | None, registry: Registry | None = None) -> TruthResult:
    """The ground truth of a task, and why sources were skipped. Never raises on bad data."""
    if task is None:
        reason = "no definition of this task is known, so nothing can be scored against it"
        return TruthResult(GroundTruth(), (Problem("task.toml", "no_task_definition", reason),))
    truth = GroundTruth()
    problems: tuple[Problem, ...] = ()
    if task.row is not None:
        truth, problems = truth_of_row(task.row)
    elif task.folder is not None:
        truth, problems = _from_folder(task.folder)
    if not truth.files and registry is not None:
        truth = _with_registry(truth, registry.find(task))
    if not truth.files:
        known = task.folder is not None or task.row is not None
        reason = f"no source of {task.name} gives files" if known else "no task directory"
        problems = (*problems, Problem(GROUND_TRUTH, "no_ground_truth", reason))
    return TruthResult(truth, problems)


def _with_registry(known: GroundTruth, stated: GroundTruth | None) -> GroundTruth:
    """The registry's truth, with what only the task's own sources know beside the files: a patch
    that only adds files tells the edits but nothing to be retrieved (D27)."""
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
        test_files=stated.test_files or known.test_files,
    )


def _from_folder(folder: Folder) -> tuple[GroundTruth, tuple[Problem, ...]]:
    truth = GroundTruth()
    problems: list[Problem] = []
    readings: dict[str, SourceFindings] = {}
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
        readings.setdefault(source.path, reading)
        if reading.files and not found_before:
            truth = replace(
                truth, files=reading.files, source=source.path, confidence=source.confidence
            )
    return _completed(truth, readings), tuple(problems)


def _read(folder: Folder, source: TruthSource) -> SourceFindings | None:
    """What a source says; None when it is not there."""
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
    source, edit_files = _first(readings, EDIT_SOURCES, _edit_files)
    if source is None:
        source = next((path for path in EDIT_SOURCES if _expects_no_edit(readings, path)), None)
    return replace(
        truth,
        expected_edit_files=edit_files,
        expected_edit_files_source=source,
        expected_edit_files_confidence=_edit_confidence(source),
        chunks=_first(readings, CHUNK_SOURCES, lambda reading: reading.chunks)[1],
        symbols=_first(readings, SYMBOL_SOURCES, lambda reading: reading.symbols)[1],
        edit_chunks=_first(readings, EDIT_CHUNK_SOURCES, lambda reading: reading.edit_chunks)[1],
        test_files=_first(readings, TEST_SOURCES, lambda reading: reading.test_files)[1],
    )


def _edit_files(reading: SourceFindings) -> tuple[TruthFile, ...]:
    return reading.edit_files


def _expects_no_edit(readings: dict[str, SourceFindings], path: str) -> bool:
    """Whether a source states that nothing is to be edited (D58)."""
    return path in readings and readings[path].expects_no_edit


def _edit_confidence(path: str | None) -> Confidence | None:
    if path == GROUND_TRUTH:
        return STATED_EDITS
    return next((source.confidence for source in SOURCES if source.path == path), None)
