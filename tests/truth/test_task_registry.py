"""A registry of ground truths (D30)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.errors import InputError
from groundtrace.model import Task
from groundtrace.storage import LocalFolder
from groundtrace.truth import load_ground_truth, load_registry
from groundtrace.truth.task_registry import registry_from

JSON = """
{
  "tasks": {
    "_remark": "not a task",
    "Ferry-001": {
      "files": ["ferry::deck.go", {"repo": "sg-evals/pier--v1", "path": "post.go"}],
      "source": "curated by hand", "confidence": "high",
      "symbols": [{"file": "deck.go", "symbol": "Load"}],
      "chunks": [{"file": "deck.go", "line_start": 3, "line_end": 9, "annotation": "loading"}],
      "expected_edit_files": ["ferry::deck.go"]
    },
    "suite_a/twin": ["a.go"],
    "twin": ["b.go"]
  }
}
"""
TOML = """
[Ferry-001]
files = ["ferry::deck.go", { repo = "sg-evals/pier--v1", path = "post.go" }]
source = "curated by hand"
confidence = "high"
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(("name", "text"), [("truth.json", JSON), ("truth.toml", TOML)])
def test_a_registry_stands_in_where_there_is_no_task_directory(
    tmp_path: Path, name: str, text: str
) -> None:
    """Names are found whatever their case; the source says that it was the registry."""
    registry = load_registry(write(tmp_path, name, text))
    truth, problems = load_ground_truth(Task("ferry-001", "any", None), registry)
    assert [file.spelling for file in truth.files] == ["ferry::deck.go", "pier::post.go"]
    assert (truth.source, truth.confidence) == ("registry: curated by hand", "high")
    assert problems == () and registry.problems == ()


def test_all_parts_of_a_truth_can_be_registered(tmp_path: Path) -> None:
    registry = load_registry(write(tmp_path, "truth.json", JSON))
    truth, _ = load_ground_truth(Task("ferry-001", "any", None), registry)
    assert [symbol.symbol for symbol in truth.symbols] == ["Load"]
    assert [(chunk.line_start, chunk.line_end) for chunk in truth.chunks] == [(3, 9)]
    assert [file.path for file in truth.expected_edit_files] == ["deck.go"]
    assert truth.expected_edit_files_source == "registry: curated by hand"
    assert truth.expected_edit_files_confidence == "high"


def test_the_suite_tells_namesakes_apart(tmp_path: Path) -> None:
    registry = load_registry(write(tmp_path, "truth.json", JSON))
    found = {
        suite: load_ground_truth(Task("twin", suite, None), registry).truth
        for suite in ("suite_a", "suite_b")
    }
    assert found["suite_a"].files[0].path == "a.go"
    assert found["suite_b"].files[0].path == "b.go"
    assert (found["suite_a"].source, found["suite_a"].confidence) == ("registry", None)


def test_other_names_of_a_task_are_tried() -> None:
    registry = registry_from({"legacy-id": ["a.go"]}, "r.json")
    task = Task("new-name", "s", None, aliases=("LEGACY-ID",))
    assert load_ground_truth(task, registry).truth.files[0].path == "a.go"
    assert registry.task("Legacy-ID") is not None
    assert registry.task("unknown") is None


def test_what_only_the_task_directory_knows_is_kept(tmp_path: Path) -> None:
    """D27 and D30: a patch that only adds files gives nothing to retrieve, so the registry stands
    in; that the patch tells which files to edit was lost with it."""
    (tmp_path / "tests").mkdir()
    patch = "--- /dev/null\n+++ b/new.go\n@@ -0,0 +1 @@\n+package x\n"
    write(tmp_path, "tests/expected.diff", patch)
    task = Task("t", "s", LocalFolder(tmp_path))
    truth, _ = load_ground_truth(task, registry_from({"t": ["a.go"]}, "r.json"))
    assert [file.path for file in truth.files] == ["a.go"]
    assert [file.path for file in truth.expected_edit_files] == ["new.go"]
    assert (truth.source, truth.expected_edit_files_source) == ("registry", "tests/expected.diff")
    stated = {"files": ["a.go"], "expected_edit_files": ["b.go"]}
    truth, _ = load_ground_truth(task, registry_from({"t": stated}, "r.json"))
    assert [file.path for file in truth.expected_edit_files] == ["b.go"]
    assert truth.expected_edit_files_source == "registry"


def test_an_empty_list_of_edits_is_a_statement(tmp_path: Path) -> None:
    """D58: `expected_edit_files: []` expects no edit; without the key nothing is known of edits."""
    record = "tests/ground_truth.json"
    (tmp_path / "tests").mkdir()
    task = Task("t", "s", LocalFolder(tmp_path))

    def edits(text: str) -> tuple[int, str | None]:
        write(tmp_path, record, text)
        truth, _ = load_ground_truth(task)
        return len(truth.expected_edit_files), truth.expected_edit_files_source

    assert edits('{"files": ["a.go"], "expected_edit_files": []}') == (0, record)
    assert edits('{"files": ["a.go"]}') == (0, None)
    assert edits('{"files": ["a.go"], "expected_edit_files": null}') == (0, None)
    write(tmp_path, "tests/expected.diff", "--- a/b.go\n+++ b/b.go\n@@ -1 +1 @@\n-x\n+y\n")
    assert edits('{"files": ["a.go"], "expected_edit_files": []}') == (1, "tests/expected.diff")
    read_only = registry_from({"t": {"files": ["a.go"], "expected_edit_files": []}}, "r.json")
    truth, _ = load_ground_truth(Task("t", "s", None), read_only)
    assert (truth.expected_edit_files, truth.expected_edit_files_source) == ((), "registry")


def test_a_task_directory_with_files_wins(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    write(tmp_path, "tests/ground_truth.json", '["own.go"]')
    registry = registry_from({"t": ["registered.go"]}, "r.json")
    truth, _ = load_ground_truth(Task("t", "s", LocalFolder(tmp_path)), registry)
    assert truth.files[0].path == "own.go"


def test_a_task_directory_without_files_is_helped_out(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    write(tmp_path, "tests/ground_truth.json", "{")
    registry = registry_from({"t": ["registered.go"]}, "r.json")
    truth, problems = load_ground_truth(Task("t", "s", LocalFolder(tmp_path)), registry)
    assert truth.files[0].path == "registered.go"
    assert [problem.kind for problem in problems] == ["broken_json"]


def test_a_bad_entry_is_a_problem_and_the_others_stand() -> None:
    registry = registry_from(
        {
            "good": ["a.go"],
            "GOOD": ["b.go"],
            "empty": [],
            "number": 3,
            "sure": {"files": ["a.go"], "confidence": "certain", "flies": []},
        },
        "r.json",
    )
    assert registry.names == ("good", "sure")
    kinds = sorted(problem.kind for problem in registry.problems)
    assert kinds == ["bad_confidence", "bad_task", "duplicate_task", "no_file_list", "unknown_key"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("r.json", "{", "r.json:1: not valid JSON"),
        ("r.json", "[]", "a registry is an object"),
        ("r.json", '{"tasks": 3}', "a registry is an object"),
        ("r.json", "{}", "no task with files"),
        ("r.json", '{"t": []}', "no task with files in it ('t' has no files)"),
        ("r.toml", "= 1", "not valid TOML"),
    ],
)
def test_a_file_that_cannot_be_used_is_an_error_with_the_place(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        load_registry(write(tmp_path, name, text))
    assert message in str(caught.value)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        load_registry(tmp_path / "none.json")


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["files", "chunks", "symbols", "source", "confidence", "path", "repo"])
            | st.text(max_size=3),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=6), JSON_VALUES, max_size=4))
def test_no_data_makes_the_registry_raise(tasks: dict[str, Any]) -> None:
    registry = registry_from(tasks, "r.json")
    assert all(truth.files for truth in registry.truths.values())
