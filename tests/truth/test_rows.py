"""Data sets as task definitions: which rows are tasks, and what each says."""

from __future__ import annotations

import builtins
import importlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.errors import InputError, MissingExtraError
from groundtrace.model import GroundTruth, Problem
from groundtrace.storage import LocalFolder
from groundtrace.truth import load_ground_truth, rows
from groundtrace.truth.definitions import load_tasks
from groundtrace.truth.tasks import TaskIndex

TASKS = Path(__file__).parent.parent / "fixtures" / "tasks"


def index(*names: str | Path) -> TaskIndex:
    found = load_tasks([str(TASKS / name) for name in names])
    assert found is not None
    return found


def truth(name: str, tasks: TaskIndex) -> tuple[GroundTruth, tuple[Problem, ...]]:
    task = tasks.find(name)
    assert task is not None, name
    return load_ground_truth(task)


def chunks(found: GroundTruth, part: str = "chunks") -> list[tuple[str, int, int]]:
    return [(c.file, c.line_start, c.line_end) for c in getattr(found, part)]


@pytest.mark.parametrize("source", ["rows.jsonl", "folders"])
def test_a_patch_gives_evidence_edit_targets_and_changed_lines(source: str) -> None:
    """Worked by hand from the patch: D53 and D55."""
    found, problems = truth("heron__heron-12", index(source))
    assert not problems
    assert [file.path for file in found.files] == ["heron/nest.py", "heron/old.py"]
    assert [file.path for file in found.expected_edit_files] == [
        "heron/nest.py",
        "heron/old.py",
        "heron/new.py",
        "heron/made.py",
    ]
    assert found.confidence == found.expected_edit_files_confidence == "high"
    # Two removed lines; an insertion between lines 10 and 11; one before line 1, at the edge.
    assert chunks(found, "edit_chunks") == [
        ("heron/nest.py", 2, 3),
        ("heron/nest.py", 10, 11),
        ("heron/old.py", 1, 1),
    ]
    assert found.test_files == ("tests/test_nest.py",)
    assert not found.chunks


def test_rows_name_their_task_repository_and_data_set() -> None:
    tasks = index("rows.jsonl")
    task = tasks.find("HERON__heron-12")
    assert task is not None and task.row is not None
    assert (task.benchmark, task.repos, task.row.number) == ("rows", ("heron/heron",), 1)


def test_a_row_without_a_patch_and_a_patch_that_is_none_are_told() -> None:
    tasks = index("rows.jsonl")
    found, problems = truth("heron__heron-13", tasks)
    assert not found.files and found.test_files == ("tests/test_nest.py",)
    assert (problems[0].file, problems[0].kind) == ("rows.jsonl:2", "no_file_list")
    found, problems = truth("heron__heron-14", tasks)
    assert not found.files
    assert {p.kind for p in problems} == {"bad_patch", "no_file_list", "no_ground_truth"}


def test_context_gives_files_and_lines_and_the_patch_edits() -> None:
    """Container prefixes go; a file of the annotator's beside the clone is none (D56)."""
    tasks = index("context.jsonl")
    found, problems = truth("heron__heron-12", tasks)
    assert [file.path for file in found.files] == ["heron/nest.py", "heron/egg.py"]
    assert chunks(found) == [("heron/nest.py", 1, 5), ("heron/egg.py", 3, 4)]
    assert found.expected_edit_files and found.edit_chunks
    assert found.source == "context.jsonl gold_context"
    assert [(p.kind, "/workspace/try_it.py" in p.reason) for p in problems] == [("bad_entry", True)]
    # The traces go by the original id; the data set's own is another name.
    assert tasks.find("Set__py__1") is tasks.find("heron__heron-12")
    assert tasks.tasks[0].repos == ("heron/heron", "heron")


def test_context_as_free_text() -> None:
    found, problems = truth("heron__heron-13", index("context.jsonl"))
    assert not problems
    assert [file.path for file in found.files] == ["heron/nest.py", "heron/egg.py"]
    assert chunks(found) == [("heron/nest.py", 2, 7), ("heron/egg.py", 4, 4)]


def test_snippets_and_files() -> None:
    tasks = index("snippets.json")
    found, _ = truth("heron__heron-15", tasks)
    assert chunks(found) == [("heron/nest.py", 2, 2)] and not found.expected_edit_files
    found, _ = truth("heron__heron-16", tasks)
    assert [file.path for file in found.files] == ["heron/nest.py", "heron/egg.py"]
    assert not found.chunks


def test_the_first_place_that_defines_a_task_wins() -> None:
    both = index("context.jsonl", "rows.jsonl")
    assert truth("heron__heron-12", both)[0].source == "context.jsonl gold_context"
    assert truth("heron__heron-14", both)[0].source is None  # only rows.jsonl has it
    other = index("rows.jsonl", "context.jsonl")
    assert truth("heron__heron-12", other)[0].source == "rows.jsonl patch"
    assert len(both) == len(other) == 3


def test_bad_rows_are_told_with_their_lines(tmp_path: Path) -> None:
    rows = [
        '{"instance_id": "a-1", "patch": "x"}',
        "[1]",
        '{"patch": "no name"}',
        '{"instance_id": "A-1", "patch": "again"}',
        '{"instance_id": "b-1", "pat',
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(rows))
    found = load_tasks([str(tmp_path / "t.jsonl")])
    assert found is not None and [task.name for task in found.tasks] == ["a-1"]
    assert [(p.kind, p.line) for p in found.problems] == [
        ("bad_task", 2),
        ("bad_task", 3),
        ("duplicate_task", 4),
        ("truncated_line", 5),
    ]


@pytest.mark.parametrize("text", ["", "[]", "3", "{", '{"rows": "x"}'])
def test_a_file_without_any_task_stops_the_command(text: str, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(InputError, match=r"t\.json: no task in it"):
        load_tasks([str(tmp_path / "t.json")])


def test_another_file_is_no_data_set(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("x")
    with pytest.raises(InputError, match=r"not a file of tasks"):
        load_tasks([str(tmp_path / "t.txt")])


def test_parquet_gives_the_same_tasks_as_jsonl(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    shutil.copy(TASKS / "rows.jsonl", tmp_path / "source.jsonl")
    target = tmp_path / "rows.parquet"
    duckdb.sql(
        f"COPY (SELECT * FROM read_json('{tmp_path}/source.jsonl')) TO '{target}' (FORMAT parquet)"
    )
    found = load_tasks([str(target)])
    assert found is not None
    assert truth("heron__heron-12", found)[0].edit_chunks == (
        truth("heron__heron-12", index("rows.jsonl"))[0].edit_chunks
    )
    assert [task.name for task in found.tasks] == [t.name for t in index("rows.jsonl").tasks]


def _parquet(path: Path, rows: int, text: str) -> str:
    duckdb = pytest.importorskip("duckdb")
    made = f"SELECT 't' || i AS instance_id, {text} AS patch FROM range({rows}) AS r(i)"
    duckdb.sql(f"COPY ({made}) TO '{path}' (FORMAT parquet)")
    return str(path)


def test_a_parquet_file_of_twenty_thousand_tasks_is_read(tmp_path: Path) -> None:
    """Run apart: the limit of memory ended the whole program in DuckDB, without a message."""
    file = _parquet(tmp_path / "t.parquet", 20_000, "repeat(md5(i::varchar) || chr(10), 80)")
    read = (
        f"from groundtrace.truth.definitions import load_tasks; print(len(load_tasks([{file!r}])))"
    )
    ran = subprocess.run([sys.executable, "-c", read], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, "20000\n"), ran.stderr


def test_text_that_takes_no_place_in_a_parquet_file_is_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "MAX_TEXT", 50_000)
    monkeypatch.setattr(rows, "MAX_RATIO", 1)
    found = load_tasks([_parquet(tmp_path / "t.parquet", 1_000, "repeat('x', 1000)")])
    assert found is not None
    assert len(found.tasks) == 49  # 1000 characters and the name
    assert [(p.kind, p.line) for p in found.problems] == [("too_large", 50)]


def test_rows_and_their_problems_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten million rows without a name took 500 MB, a problem for each."""
    monkeypatch.setattr(rows, "MAX_ROWS", 40)
    monkeypatch.setattr(rows, "MOST_PROBLEMS", 7)
    (tmp_path / "t.jsonl").write_text('{"instance_id": "a"}\n' + "{}\n" * 30 + "{\n" * 30)
    found = load_tasks([str(tmp_path / "t.jsonl")])
    assert found is not None and [task.name for task in found.tasks] == ["a"]
    assert [p.kind for p in found.problems[:8]] == ["bad_task"] * 7 + ["too_large"]
    assert len(found.problems) == 8
    (tmp_path / "t.jsonl").write_text("".join(f'{{"id": "t{n}"}}\n' for n in range(60)))
    found = load_tasks([str(tmp_path / "t.jsonl")])
    assert found is not None and len(found.tasks) == 40
    assert "more than 40 rows" in found.problems[0].reason


def test_a_deep_column_of_a_parquet_file_is_refused(tmp_path: Path) -> None:
    """DuckDB takes twice as long for each level: 3 kB with 60 levels took 22 GB."""
    duckdb = pytest.importorskip("duckdb")
    value = "[" * 12 + "'a.py'" + "]" * 12
    file = tmp_path / "t.parquet"
    duckdb.sql(f"COPY (SELECT 'a' AS id, {value} AS files) TO '{file}' (FORMAT parquet)")
    with pytest.raises(InputError, match="files: more than 8 levels"):
        load_tasks([str(file)])


@pytest.mark.parametrize("most", [1, 10, 100, 10_000])
def test_rows_of_a_parquet_file_are_read_in_batches_of_bounded_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """2,000 rows of a million equal letters, in a file of 57 kB, were copied together."""
    duckdb = pytest.importorskip("duckdb")
    file = tmp_path / "t.parquet"
    made = "[{'file': 'src/' || i || '.py', 'content': 'é'}, {'file': 'b.py', 'content': null}]"
    duckdb.sql(
        f"COPY (SELECT 'x-' || i AS id, repeat('x', i) AS patch, {made} AS snippets"
        f" FROM range(40) t(i)) TO '{file}' (FORMAT parquet)"
    )
    monkeypatch.setattr(rows, "MAX_BATCH", most)
    problems: list[Problem] = []
    read = list(rows.read_task_rows(LocalFolder(tmp_path), "t.parquet", problems))
    assert not problems
    texts = [(task.name, task.row.number, task.row.patch) for task in read if task.row is not None]
    assert texts == [(f"x-{i}", i + 1, "x" * i) for i in range(40)]


@given(st.lists(st.integers(0, 50), max_size=30), st.integers(1, 60), st.integers(0, 400))
def test_batches_hold_all_rows_before_the_limit_once(
    sizes: list[int], batch: int, most: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "MAX_BATCH", batch)
        found = list(rows._batches(sizes, most))
    read = [number for first, last in found for number in range(first, last)]
    allowed = next((n for n in range(len(sizes)) if sum(sizes[: n + 1]) > most), len(sizes))
    assert read == list(range(allowed))
    for first, last in found:
        assert last == first + 1 or sum(sizes[first:last]) <= batch


def test_a_damaged_parquet_file_is_told(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    (tmp_path / "t.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        load_tasks([str(tmp_path / "t.parquet")])


def test_parquet_without_duckdb_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str, *rest: Any) -> Any:
        if name == "duckdb":
            raise ImportError(name)
        return builtins.__import__(name, *rest)

    monkeypatch.setattr(importlib, "import_module", missing)
    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    with pytest.raises(MissingExtraError, match=r"groundtrace\[tables\]"):
        load_tasks([str(tmp_path / "t.parquet")])


def test_rows_of_every_shape_never_raise(tmp_path: Path) -> None:
    values: list[Any] = [
        None,
        1,
        "",
        "x",
        [],
        [1],
        {},
        {"file": 3},
        [{"file": "a.py", "lines": "x"}],
    ]
    rows = [
        {"instance_id": f"t-{n}", "gold_context": value, "patch": other, "repo": other}
        for n, (value, other) in enumerate((v, o) for v in values for o in values)
    ]
    (tmp_path / "t.json").write_text(json.dumps(rows))
    found = load_tasks([str(tmp_path / "t.json")])
    assert found is not None and len(found) == len(rows)
    for task in found.tasks:
        known, problems = load_ground_truth(task)
        assert known.files or problems
