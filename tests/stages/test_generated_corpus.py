"""The data for the benchmarks: a generated corpus that is read like a real one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.generate import FORMS, generate
from benchmarks.million import GeneratedRows, main
from groundtrace.summary.summarise import summarise
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
