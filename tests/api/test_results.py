"""What a notebook expects of the objects that `run` and `load` return."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import groundtrace
from groundtrace.errors import UsageError
from groundtrace.results import RunResult


@pytest.fixture(scope="module")
def done(sample_source: Path, tmp_path_factory: pytest.TempPathFactory) -> RunResult:
    out = tmp_path_factory.mktemp("results")
    runs = sample_source / "runs/official"
    return groundtrace.run(runs, tasks=sample_source / "benchmarks", out=out, draws=100)


def test_repr_is_the_answer_in_a_few_lines(done: RunResult) -> None:
    assert len(repr(done)) < 3_000
    assert repr(done.answer) in repr(done)
    assert "Found" in str(done.answer)


def test_the_answer_has_its_fields_and_html(done: RunResult) -> None:
    assert done.answer is not None
    assert done.answer.n == 10
    assert [row.question for row in done.answer.rows] == ["found", "used", "result", "price"]
    assert "<table" in done.answer._repr_html_()
    with pytest.raises(AttributeError):
        _ = done.answer.nothing


def test_frames_have_a_row_for_each_trial(done: RunResult) -> None:
    frame = done.to_pandas()
    assert len(frame) == len(done.rows()) == 24
    assert done.to_polars().height == 24
    assert set(frame.config_name) == {"baseline-local-direct", "mcp-remote-direct"}


def test_a_missing_library_names_its_command(
    done: RunResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(groundtrace.GroundtraceError, match="pip install 'polars'"):
        done.to_polars()


def test_one_trial_by_task_and_configuration(done: RunResult) -> None:
    found = done.trial("lock-order-007", "base*")
    assert found.row.config_name == "baseline-local-direct"
    assert found.events.provenance.task_name == "lock-order-007"
    with pytest.raises(UsageError, match="2 trials fit"):
        done.trial("lock-order-007")
    with pytest.raises(UsageError, match="nearest is 'lock-order-007'"):
        done.trial("lock-ordr-007")


def test_explain_uses_the_tasks_of_the_run(done: RunResult) -> None:
    said = done.explain("lock-order-007", "base*")
    assert "Ranking" in said
    assert "2 of 2 files" in said
    assert "no ground truth" not in said
    assert "\x1b" not in said


def test_sql_gives_rows(done: RunResult) -> None:
    rows = done.sql("SELECT config_name, count(*) AS n FROM trials GROUP BY ALL ORDER BY 1")
    assert rows == [
        {"config_name": "baseline-local-direct", "n": 12},
        {"config_name": "mcp-remote-direct", "n": 12},
    ]


def test_load_gives_the_same_without_running(done: RunResult, sample_source: Path) -> None:
    assert done.folders is not None
    again = groundtrace.load(sample_source / "runs/official", out=done.folders.out)
    assert str(again.answer) == str(done.answer)
    assert again.rows() == done.rows()
    assert again.explain("lock-order-007", "base*") == done.explain("lock-order-007", "base*")


def test_load_without_results_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    with pytest.raises(groundtrace.GroundtraceError, match="run 'groundtrace run' first"):
        groundtrace.load(tmp_path / "runs")


Call = Callable[..., Any]


def test_explain_remembers_the_tasks(groundtrace: Call, sample: Path) -> None:
    runs, tasks = sample / "runs/official", sample / "benchmarks"
    assert groundtrace("run", runs, "--tasks", tasks, "--jobs", "1", "--draws", "100").code == 0
    trial = next(runs.rglob("lock-order-007__*"))
    for command in (("explain", trial), ("explain", "lock-order-007", runs, "--config-name", "b*")):
        ran = groundtrace(*command)
        assert ran.code == 0, ran.err
        assert "no ground truth" not in ran.out
        assert "2 of 2 files" in ran.out


def test_explain_says_that_remembered_tasks_are_gone(groundtrace: Call, sample: Path) -> None:
    runs, tasks = sample / "runs/official", sample / "benchmarks"
    assert groundtrace("run", runs, "--tasks", tasks, "--jobs", "1", "--draws", "100").code == 0
    tasks.rename(sample / "moved")
    trial = next(runs.rglob("lock-order-007__*"))
    ran = groundtrace("explain", trial)
    assert "which is no longer there; give --tasks" in ran.err
    assert "2 of 2 files" in groundtrace("explain", trial, "--tasks", sample / "moved").out


def test_results_elsewhere_are_named_with_out(
    groundtrace: Call, sample: Path, tmp_path: Path
) -> None:
    runs, tasks, out = sample / "runs/official", sample / "benchmarks", tmp_path / "out"
    asked = ("run", runs, "--tasks", tasks, "--out", out, "--jobs", "1", "--draws", "100")
    assert groundtrace(*asked).code == 0
    ran = groundtrace("explain", "lock-order-007", runs, "--config-name", "b*", "--out", out)
    assert "2 of 2 files" in ran.out
