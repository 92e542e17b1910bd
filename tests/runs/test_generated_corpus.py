"""The data for the benchmarks: a generated corpus that is read like a real one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.generate import FORMS, generate, task_and_config, tasks_of
from benchmarks.million import GeneratedRows, main
from benchmarks.pipeline import counts_in
from groundtrace.rows.summarise import summarise
from tests.conftest import Ran

Call = Callable[..., Ran]


def test_a_generated_corpus_has_the_mixture_of_a_real_one(
    groundtrace: Call, tmp_path: Path
) -> None:
    trials = 2 * len(FORMS)
    size = generate(tmp_path, trials)
    assert 100_000 < size / trials < 400_000
    runs = tmp_path / "runs"
    ran = groundtrace("normalize", runs, "--tasks", tmp_path / "benchmarks", "--jobs", 1, "--json")
    assert json.loads(ran.out)["written"] == trials
    tools: Counter[str] = Counter()
    hits = 0
    for path in runs.rglob("*.retrieval_events.json"):
        document = json.loads(path.read_text())
        assert document["coverage"]["degraded_reason"] is None
        assert document["coverage"]["problems"] == {}
        assert document["coverage"]["has_ground_truth"]
        hits += document["summary"]["ground_truth_files_hit"]
        tools.update(event["tool_name"] for event in document["events"])
    calls = sum(tools.values())
    assert 0.45 < (tools["Bash"] + tools["execute_bash"]) / calls < 0.65
    assert 0.03 < sum(n for name, n in tools.items() if "keyword_search" in name) / calls < 0.2
    assert hits > trials // 4


@pytest.mark.parametrize("run_size", [1, 2, 1_000, 1_001, 10_000])
def test_no_trial_of_a_generated_run_supersedes_another(run_size: int) -> None:
    """10,000 trials of 500 tasks in one run: 9,000 of them did not count."""
    for first in (0, 3 * run_size):
        run = [task_and_config(first + number, run_size) for number in range(run_size)]
        assert len(set(run)) == run_size
        assert len({task for task, _ in run}) <= tasks_of(run_size)


def test_the_benchmark_stops_if_a_trial_did_not_count(groundtrace: Call, tmp_path: Path) -> None:
    generate(tmp_path, 4, run_size=2)
    out = tmp_path / "out"
    tasks = tmp_path / "benchmarks"
    groundtrace("run", tmp_path / "runs", "--tasks", tasks, "--out", out, "--jobs", 1)
    assert counts_in(out, 4) > 0
    next(out.rglob("*.retrieval_metrics.json")).unlink()
    with pytest.raises(SystemExit, match="only 3 of 4"):
        counts_in(out, 4)


def test_the_same_corpus_every_time(tmp_path: Path) -> None:
    for name in ("a", "b"):
        generate(tmp_path / name, 3)
    one, two = (
        {
            p.relative_to(tmp_path / name): p.read_bytes()
            for p in (tmp_path / name).rglob("*.*")
            if p.is_file()
        }
        for name in ("a", "b")
    )
    assert one == two


def test_generated_rows_go_through_every_stage(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--trials", "600", "--draws", "100"])
    assert "of the limit" in capsys.readouterr().out
    summary = summarise(GeneratedRows(600), scope="*", generated_at="2026-01-01T00:00:00Z")
    assert summary.scope == "*"
