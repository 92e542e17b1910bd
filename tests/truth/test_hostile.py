"""Bad ground truth: nothing raises, every loss is named, the next source is tried (D25, D38)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundtrace.model import Task, TruthResult
from groundtrace.storage import LocalFolder
from groundtrace.truth import load_ground_truth
from groundtrace.truth.entries import Notes
from groundtrace.truth.records import FILE_GROUPS, ORACLE_GROUPS, SPEC_GROUPS, literal, python_paths
from groundtrace.truth.sources import SOURCES

RECORD = "tests/ground_truth.json"


def task(folder: Path) -> Task:
    return Task(name="t", benchmark="b", folder=LocalFolder(folder))


def load(folder: Path, files: dict[str, bytes]) -> TruthResult:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return load_ground_truth(task(folder))


GROUPS = (*FILE_GROUPS, *ORACLE_GROUPS, *SPEC_GROUPS)
OTHER_KEYS = (
    "chunks symbols expected_edit_files ground_truth patterns file_references defects expected_files "
    "expected_file expected_line_range artifacts oracle path file repo line_start line_end annotation "
    "symbol patch steps text"
)
KEYS = st.sampled_from([*sorted({key for group in GROUPS for key in group}), *OTHER_KEYS.split()])
TRAPS = [
    *("a/b.py", "r::a/b.py", "::", "a::", "::b", "a/b.c::f", "a/b.c:3", "\0", "\ud800", "a/", ".."),
    *("[['a/b.py']]", "a\\.py", "\\", "diff --git a/x b/x\n@@ -1 +1 @@", "x" * 5000, "--", "/"),
]
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(TRAPS)
)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.text(max_size=4), inner, max_size=4),
    max_leaves=25,
)  # fmt: skip


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=JSON, others=JSON)
def test_no_json_makes_the_loader_raise(tmp_path: Path, data: Any, others: Any) -> None:
    """Whatever the JSON: no exception, and what comes out can be written and has a source."""
    first, second = (json.dumps(value).encode() for value in (data, others))
    names = [source.path for source in SOURCES if source.path.endswith(".json")]
    check(load(tmp_path, {name: first if name == RECORD else second for name in names}))


def check(loaded: TruthResult) -> None:
    """What comes out can be written, and has a source where it has files."""
    truth, problems = loaded
    assert (truth.source is None) == (not truth.files) == (truth.confidence is None)
    # A stated empty list of edits has a source and no files (D58).
    assert truth.expected_edit_files_source is not None or not truth.expected_edit_files
    assert (truth.expected_edit_files_source is None) == (
        truth.expected_edit_files_confidence is None
    )
    for file in (*truth.files, *truth.expected_edit_files):
        assert file.path and file.spelling.endswith(file.path)
        assert not file.path.endswith("/") and "\0" not in file.path
        file.spelling.encode("utf-8")
    assert len({file.spelling for file in truth.files}) == len(truth.files)
    for chunk in truth.chunks:
        assert 1 <= chunk.line_start <= chunk.line_end
    for problem in problems:
        problem.reason.encode("utf-8")
        assert "\n" not in problem.reason and "\0" not in problem.reason


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(raw=st.binary(max_size=200))
def test_no_bytes_make_the_loader_raise(tmp_path: Path, raw: bytes) -> None:
    """Whatever the bytes: no exception, files with a source or a reason why there are none."""
    loaded = load(tmp_path, {source.path: raw for source in SOURCES})
    check(loaded)
    assert loaded.truth.files or loaded.problems


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (b"", "empty_file"),
        (b"  \n", "empty_file"),
        (b"{", "broken_json"),
        (b"[" * 100_000, "broken_json"),
        (b"null", "no_file_list"),
        (b"[]", None),
        (b"{}", "no_file_list"),
        (b'{"files": []}', "no_file_list"),
        (b'{"files": {"a": 1}}', "bad_entry"),
        (b'{"files": ["src/", "docs/"]}', "directory_entry"),
        (b"\"[['a/b.py'\"", "no_file_list"),
        (b'"the answer is 42"', "no_file_list"),
        (b"NaN", "no_file_list"),
    ],
)
def test_a_record_without_files_is_passed_over_and_the_next_is_used(
    tmp_path: Path, raw: bytes, kind: str | None
) -> None:
    """D25: an empty list means unknown; the document says what was used instead."""
    changes = b'{"expected_files": ["src/a.go"]}'
    truth, problems = load(tmp_path, {RECORD: raw, "tests/expected_changes.json": changes})
    assert [file.path for file in truth.files] == ["src/a.go"]
    assert truth.source == "tests/expected_changes.json"
    if kind is not None:
        assert (RECORD, kind) in [(problem.file, problem.kind) for problem in problems]


def test_tolerated_json_is_read(tmp_path: Path) -> None:
    """A byte-order mark, NaN and a lone surrogate are no reason to lose a ground truth."""
    raw = b'\xef\xbb\xbf{"weight": NaN, "files": ["a/\\ud800.py", "a/b.py"]}'
    truth, problems = load(tmp_path, {RECORD: raw})
    assert [file.path for file in truth.files] == ["a/���.py", "a/b.py"]
    assert problems == ()


def test_a_hundred_thousand_files_are_just_many(tmp_path: Path) -> None:
    files = [f"src/d{number % 100}/f{number}.py" for number in range(100_000)]
    truth, problems = load(tmp_path, {RECORD: json.dumps({"files": files + files}).encode()})
    assert [file.spelling for file in truth.files] == files
    assert problems == ()


def test_a_hundred_thousand_bad_entries_are_one_problem(tmp_path: Path) -> None:
    files = ["src/a.py", *(f"src/d{number}/" for number in range(100_000))]
    truth, problems = load(tmp_path, {RECORD: json.dumps(files).encode()})
    assert len(truth.files) == 1
    (problem,) = problems
    assert problem.reason == "'src/d0/' is a folder; only files count (and 99,999 more like it)"


def test_case_is_kept(tmp_path: Path) -> None:
    """D8: only comparison is lower-case, and names that differ in case may be two files."""
    truth, _ = load(tmp_path, {RECORD: b'["net/xt_DSCP.h", "net/xt_dscp.h"]'})
    assert [file.path for file in truth.files] == ["net/xt_DSCP.h", "net/xt_dscp.h"]


class Unreadable(LocalFolder):
    """A folder whose files are there and cannot be opened."""

    def open(self, relative: str) -> BinaryIO:
        raise PermissionError(13, "Permission denied")

    def read(self, relative: str, limit: int = 0) -> bytes:
        raise PermissionError(13, "Permission denied")


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / RECORD).write_text('["a/b.py"]')
    truth, problems = load_ground_truth(Task("t", "b", Unreadable(tmp_path)))
    assert truth.files == ()
    assert [(problem.file, problem.kind) for problem in problems] == [
        (RECORD, "unreadable"),
        (RECORD, "no_ground_truth"),
    ]


def test_a_link_out_of_the_tasks_is_not_followed(tmp_path: Path) -> None:
    """D37: nothing outside the folder is read."""
    (tmp_path / "secret.json").write_text('["a/b.py"]')
    (tmp_path / "task/tests").mkdir(parents=True)
    (tmp_path / "task" / RECORD).symlink_to(tmp_path / "secret.json")
    assert load_ground_truth(task(tmp_path / "task")).truth.files == ()


def test_without_a_task_the_truth_is_unknown_and_says_so() -> None:
    truth, (problem,) = load_ground_truth(None)
    assert truth.files == ()
    assert problem.kind == "no_task_definition"


def test_without_a_directory_the_truth_is_unknown_and_says_so() -> None:
    truth, (problem,) = load_ground_truth(Task("t", "b", None))
    assert truth.files == ()
    assert (problem.kind, problem.reason) == ("no_ground_truth", "no task directory")


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"controller/state\.go", "controller/state.go"),
        (r"a\/b\-c\.py", "a/b-c.py"),
        ("plain", "plain"),
        (r"cmd/argocd.server/main\.go", None),
        (r"a/b\d\.go", None),
        (r"\ba/b\.go", None),
        (r"a/b\.go$", None),
        (r"a/(b|c)\.go", None),
        ("a\\", None),
        ("", ""),
    ],
)
def test_a_pattern_is_literal_when_it_can_match_one_text_only(
    pattern: str, text: str | None
) -> None:
    """D26. The unescaped dot of the first refused one matches any character."""
    assert literal(pattern) == text


@pytest.mark.parametrize(
    "text",
    [
        "open('a/b.py')",
        "[open('a/b.py')]",
        "['a/b.py' for x in y]",
        "'a/b.py'",
        "['a'] + ['b']",
        "{'a': 'b'}",
        "[f'a']",
        "[1, 2]",
        "[" * 50 + "'a/b.py'" + "]" * 50,
        "['a/b.py'",
        "]['a'",
        "['a/b.py'] ['x']",
        "['\\xZZ']",
    ],
)
def test_only_lists_of_texts_are_evaluated(text: str) -> None:
    """A ground truth is data: nothing that could compute is handed to the evaluator."""
    notes = Notes("x")
    assert python_paths(text, notes) == []
    assert [problem.kind for problem in notes.problems()] == ["no_file_list"]


def test_a_python_literal_of_any_list_form_is_read() -> None:
    notes = Notes("x")
    assert python_paths("""[('a/b.py', "c'd.py"), ['e\\\\f.py'], 'g.py',]""", notes) == [
        "a/b.py",
        "c'd.py",
        "e\\f.py",
        "g.py",
    ]
    assert notes.problems() == ()
