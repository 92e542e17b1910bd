"""The files of a task folder that may hold ground truth: `SOURCES`, the specification's chain.

A source is one line of that table: its file, how it is read, and the confidence in its files. Edit
targets, chunks and symbols each have their own order over the same sources.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Literal

from msgspec.structs import replace

from groundtrace.base import tomlio
from groundtrace.base.frozen import Frozen
from groundtrace.base.jsonio import BadJsonError, HeavyJsonError, loads
from groundtrace.model import Confidence
from groundtrace.problems import ProblemKind
from groundtrace.truth import records
from groundtrace.truth.entries import Notes, collect, truth_file
from groundtrace.truth.gold import from_patch, gold_patches, test_files_of
from groundtrace.truth.patches import read_patch
from groundtrace.truth.records import SourceFindings
from groundtrace.truth.text import instruction_paths, script_paths

When = Literal["always", "until_found"]


class TruthSource(Frozen, frozen=True):
    """One file of a task directory that may hold ground truth."""

    path: str
    read: Callable[[bytes, Notes], SourceFindings]
    confidence: Confidence
    """Confidence in its files, from the specification; `medium` for sources after the chain."""
    when: When = "always"
    """`until_found`: read only while no source has given files."""
    by_default: bool = True
    """Whether its files count unless the user says otherwise (D192)."""

    def is_chosen(self, chosen: Collection[str]) -> bool:
        """Whether its files count; `chosen` is the setting `truth_sources`."""
        return "all" in chosen or self.path in chosen or (self.by_default and "default" in chosen)


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
    """`patch` and `test_patch` in tests/config.json; `test_patch` belongs to the verifier."""
    if not isinstance(data, dict):
        return SourceFindings()
    patch, tests = data.get("patch"), data.get("test_patch")
    found = SourceFindings()  # the file has other uses, so no patch is no problem
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
TESTS_CONFIG = "tests/config.json"
SOLVE = "solution/solve.sh"
INSTRUCTION = "instruction.md"
ORACLE = "tests/oracle_answer.json"
SPEC = "tests/task_spec.json"
DEFINITION = "task.toml"
GOLD = "gold.patch"
TEST_PATCH = "test.patch"
"""The two patches of a SWE-bench task folder."""

SOURCES: tuple[TruthSource, ...] = (
    TruthSource(GROUND_TRUTH, _json(records.read_ground_truth), "high"),
    TruthSource(DEFECTS, _json(records.read_defects), "high"),
    TruthSource(CHANGES, _json(records.read_changes), "high"),
    *(TruthSource(path, _patch, "high") for path in PATCHES),
    # The benchmark's own gold patch, of the same kind as the ones before.
    TruthSource(TESTS_CONFIG, _json(_config_patch), "high"),
    TruthSource(GOLD, _patch, "high"),
    TruthSource(TEST_PATCH, _test_patch, "high"),
    TruthSource(SOLVE, _solve_sh, "medium"),
    TruthSource(INSTRUCTION, _instruction(quoted=True), "medium", "until_found"),
    TruthSource(INSTRUCTION, _instruction(quoted=False), "low", "until_found"),
    TruthSource("tests/test.sh", _test_sh, "low", "until_found"),
    # After the chain (D29): oracles, the task's own table, and what an agent made.
    TruthSource(ORACLE, _json(records.read_oracle), "medium", by_default=False),
    TruthSource(SPEC, _json(records.read_task_spec), "medium", by_default=False),
    TruthSource(DEFINITION, _toml, "medium"),
    *(
        TruthSource(path, _json(records.read_companion), "low", "until_found", by_default=False)
        for path in ("tests/ground_truth_agent.json", "tests/oracle_answer_agent.json")
    ),
)
"""The chain, in order. The specification's six steps end at `tests/test.sh`."""

ON_REQUEST = frozenset(source.path for source in SOURCES if not source.by_default)
"""Sources that the specification leaves out: they count only if the user asks for them (D192)."""

EDIT_SOURCES = (CHANGES, *PATCHES, TESTS_CONFIG, GOLD, SOLVE, GROUND_TRUTH)
"""Sources of edit targets (D27): real changes first, then a list that a record states."""

ANSWER_SOURCES = (DEFINITION, SPEC, ORACLE)
"""Sources that can say that a task asks for an answer and not for a change (D193)."""

STATED_EDITS: Confidence = "medium"
"""Confidence in edit targets that are only stated, not taken from a change."""

CHUNK_SOURCES = (DEFECTS, GROUND_TRUTH, CHANGES, ORACLE)
EDIT_CHUNK_SOURCES = (*PATCHES, TESTS_CONFIG, GOLD, SOLVE)
"""Only patches show which lines change (D55)."""
TEST_SOURCES = (TESTS_CONFIG, TEST_PATCH)
SYMBOL_SOURCES = (SPEC, GROUND_TRUTH, ORACLE)
"""Sources of symbols, best first (D29)."""
