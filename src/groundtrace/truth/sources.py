"""The files of a task folder that may hold ground truth: `SOURCES`, the specification's chain.

A source is one line of that table: its file, how it is read, and the confidence in its files. Edit
targets, chunks and symbols each have their own order over the same sources.

File names from prose and scripts are the last source, so only clear cases are taken. A name is used
if it has a folder and the extension of a source file, is at a place where people name files, and is
not something that the agent must produce. From `instruction.md`, names in backticks are `medium`;
bare names are used only if there are none in backticks, and are `low`. From `tests/test.sh`, only
files that a line inspects (`grep`, `[ -f … ]`, `cat`) are used, as `low`: what a test runner is
given is the verifier's own test, not evidence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, Literal

from msgspec.structs import replace

from groundtrace.base import tomlio
from groundtrace.base.frozen import Frozen
from groundtrace.base.jsonio import BadJsonError, HeavyJsonError, loads
from groundtrace.base.patterns import regex
from groundtrace.model import Confidence
from groundtrace.problems import ProblemKind
from groundtrace.truth import records
from groundtrace.truth.entries import Notes, collect, truth_file
from groundtrace.truth.gold import from_patch, gold_patches, test_files_of
from groundtrace.truth.patches import read_patch
from groundtrace.truth.records import SourceFindings

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


_EXTENSIONS = (
    "adoc asm bazel bzl c cc cfg cjs clj cmake conf cpp cs css cu cxx dart def erl ex exs f90 "
    "fs go gradle graphql groovy h hbs hh hpp hrl hs html hxx ini ipp java jl js json jsx kt "
    "kts less lua m md mjs ml mm mod nix opt php pl pm properties proto ps1 py pyi pyx r rb "
    "rs rst s sass sbt scala scss sol sql sum svelte swift td tf toml ts tsx txt v vue xml "
    "yaml yml zig "
)
SOURCE_EXTENSIONS = frozenset(_EXTENSIONS.split())
"""Extensions that make a bare word count as a file; `example.com/v1.2` has none of them."""

_PART = r"(?:[\w.@+~-]|\[[\w.-]{1,40}\]|\([\w.-]{1,40}\))"  # app/(auth)/[id]/page.tsx is a path
_PATH = regex(
    rf"(?<![\w/.$@:<{{~-])/?(?=[\w.@])(?:{_PART}{{1,128}}/){{1,40}}{_PART}{{0,128}}\w(?![\w/*<>{{}}])"
)
_MAX_LINE = 4000
"""Longer lines are data or minified code; people do not name files there."""
_BACKTICKED = regex(r"`([^`\n]+)`")
_FENCE = regex(r"^ {0,3}(```|~~~)")
_OUTPUT = regex(
    r"\b(?:writ(?:e|es|ing|ten)|sav(?:e|es|ing)|creat(?:e|es|ing)|output|produc(?:e|es|ing)"
    r"|generat(?:e|es|ing)|stor(?:e|es|ing)|plac(?:e|es|ing)|put|emit|add a|new file"
    r"|do not|don't|never|instead of|example|e\.g\.|such as)\b",
    re.IGNORECASE,
)
"""Words after which a name is an output, a warning or an example."""
_HARNESS = regex(
    r"^/(?:tests?|logs?|tmp|solution|oracle|usr|etc|var|proc|dev|opt|home|root|bin)/"
    r"|(?:^|/)(?:answer|review|solution|reward|result|report|task_spec|ground_truth)\.\w+$"
    r"|(?:^|/)path/to/|^(?:foo|bar)/|(?:^|/)\.\.?(?:/|$)(?<!^\./)"
)
"""The verifier's own files, files that the agent hands in, and placeholders for any file."""
_HANDED_IN = regex(
    r"^/.*\.(?:md|txt|json|csv)$|(?:^|/)(?!README|CHANGELOG|CONTRIBUTING)[A-Z0-9_-]+\.md$"
)
"""Reports: the agent writes `/workspace/analysis/IMPACT_REPORT.md`, it does not find it."""
_HOST = regex(r"^[\w-]+(?:\.[\w-]+)+/")
_INSPECTS = regex(
    r"(?:^|[\s;&|(!`])(?:grep|egrep|fgrep|rg|cat|head|tail|sed|awk|diff|cmp|wc|test|stat|\[\[?)\s"
)
_RUNS_TESTS = regex(r"\b(?:pytest|unittest|jest|mocha|vitest|tox|nose|ctest|phpunit|rspec)\b")
_BUILDS = regex(r"\b(?:go|cargo|npm|yarn|pnpm|mvn|gradle|dotnet|make|bazel)\s")
_ASKS_TEST = regex(r"(?<=\s)(?:test|check)\b")
_VARIABLE = regex(r"\$(?:\{\w+\}|\w+)/")


def instruction_paths(text: str) -> tuple[list[str], bool]:
    """Files that an instruction names, and whether they are in backticks."""
    lines = list(_prose(text))
    quoted = _kept(
        match[1].strip()
        for line in lines
        for match in _BACKTICKED.finditer(line)
        if not _OUTPUT.search(_sentence(line, match.start()))
    )
    if quoted:
        return quoted, True
    bare = _kept(
        match[0]
        for line in lines
        for match in _PATH.finditer(line)
        if not _OUTPUT.search(_sentence(line, match.start()))
    )
    return bare, False


def script_paths(text: str) -> list[str]:
    """Files that a test script inspects."""
    found: list[str] = []
    for line in _short_lines(text):
        if line.lstrip().startswith("#") or _runs_tests(line) or not _INSPECTS.search(line):
            continue
        found += (match[0] for match in _PATH.finditer(_VARIABLE.sub("", line)))
    return _kept(found)


def _runs_tests(line: str) -> bool:
    if _RUNS_TESTS.search(line):
        return True
    builds = _BUILDS.search(line)
    return builds is not None and _ASKS_TEST.search(line, builds.end()) is not None


def _prose(text: str) -> Iterator[str]:
    """Lines outside of fenced blocks; these hold examples of output and commands."""
    fence: str | None = None
    for line in _short_lines(text):
        mark = _FENCE.match(line)
        if mark is None:
            if fence is None:
                yield line
        elif fence is None:
            fence = mark[1]
        elif fence == mark[1]:
            fence = None


def _short_lines(text: str) -> Iterator[str]:
    return (line for line in text.split("\n") if len(line) <= _MAX_LINE)


def _sentence(line: str, place: int) -> str:
    """The part of a sentence before a name."""
    before = line[max(0, place - 300) : place]
    return re.split(r"(?<=[.;!?])\s", before)[-1]


def _kept(candidates: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(path for path in candidates if is_source_path(path)))


def is_source_path(path: str) -> bool:
    """Whether a word is certainly the path of a source file."""
    if not _PATH.fullmatch(path):
        return False
    if any(rule.search(path) for rule in (_HARNESS, _HOST, _HANDED_IN)):
        return False
    name = path.rsplit("/", 1)[-1]
    stem, _, extension = name.rpartition(".")
    return bool(stem) and extension.lower() in SOURCE_EXTENSIONS
