"""Real trajectories of mini-swe-agent, counted by another program than the reader.

The counting here knows only two things: a reply with exactly one fence is a call, and `info` states
the cost. Verdicts are those of the reports beside the trajectories.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from groundtrace.api import load_summary, read_trace
from tests.conftest import Ran

pytestmark = pytest.mark.corpus

FENCE = re.compile(r"```bash\s*\n(.*?)\n```", re.DOTALL)


def trajectories(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.traj.json"))


@pytest.mark.parametrize(
    ("part", "number", "calls"),
    [
        ("swebench/mini-swe-agent", 36, 1213),
        ("contextbench/mini-swe-agent/qwen3_coder_next", 12, 540),
        ("contextbench/mini-swe-agent/qwen_32b", 12, 253),
    ],
)
def test_every_executed_call_once_and_in_order(
    part: str, number: int, calls: int, corpus_next: Path
) -> None:
    files = trajectories(corpus_next / part)
    assert len(files) == number
    total = 0
    for file in files:
        data = json.loads(file.read_text())
        replies = [m["content"] for m in data["messages"] if m["role"] == "assistant"]
        fences = [FENCE.findall(reply) for reply in replies]
        expected = [found[0].strip() for found in fences if len(found) == 1]
        trace, problems = read_trace(file)
        assert [call.arguments["command"] for call in trace.calls] == expected, file.name
        assert not problems
        assert all(call.result is not None for call in trace.calls)
        total += len(trace.calls)
    assert total == calls


def test_swe_bench_costs_verdicts_and_recall(
    corpus_next: Path, groundtrace: Any, tmp_path: Path
) -> None:
    runs = corpus_next / "swebench/mini-swe-agent/gemini-3-pro"
    tasks = corpus_next / "swebench/tasks.jsonl"
    ran: Ran = groundtrace("run", runs, "--tasks", tasks, "--out", tmp_path, "--format", "md")
    assert ran.code == 0, ran.err
    outcomes = json.loads((tmp_path / "gemini-3-pro/retrieval_events/outcomes.json").read_text())
    found = {trial["task_name"]: trial for trial in outcomes["trials"]}
    assert len(found) == 36
    for file in trajectories(runs):
        data = json.loads(file.read_text())
        trial = found[data["instance_id"]]
        assert trial["cost_usd"] == pytest.approx(data["info"]["model_stats"]["instance_cost"])
        report = json.loads((runs / f"logs/{data['instance_id']}/report.json").read_text())
        assert trial["reward"] == float(report["resolved"])
    (row,) = load_summary(runs, out=tmp_path).rows()
    assert row["computable"] == 36 and row["file_recall"] > 0.98


def test_two_models_on_the_same_tasks(corpus_next: Path, groundtrace: Any, tmp_path: Path) -> None:
    runs, tasks = corpus_next / "contextbench", corpus_next / "contextbench/gold.jsonl"
    ran: Ran = groundtrace(
        "run", runs, "--tasks", tasks, "--baseline", "qwen_32b", "--out", tmp_path, "--format", "md"
    )
    assert ran.code == 0, ran.err
    assert "Found    relevant files shown" in ran.out and "12 tasks that both ran" in ran.out
    impact = json.loads(next(tmp_path.rglob("impact_analysis.json")).read_text())
    answer = impact["answer"]
    # Two models, and nobody judged them: fair, under another name than a matched comparison.
    assert (answer["comparison"], answer["n"]) == ("other_comparisons", 12)
    assert (answer["baseline"], answer["config"]) == ("qwen_32b", "qwen3_coder_next")
    assert all(not found["tasks"] for found in impact["matched_comparisons"])
    rows = {row["config_name"]: row for row in load_summary(runs, out=tmp_path).rows()}
    assert set(rows) == {"qwen3_coder_next", "qwen_32b"}
    assert all(row["computable"] == 12 for row in rows.values())
    # As the paths in commands and outputs tell: 0.83 to 0.86, and 0.68 at most.
    assert rows["qwen3_coder_next"]["file_recall"] == pytest.approx(0.861, abs=0.03)
    assert rows["qwen_32b"]["file_recall"] == pytest.approx(0.63, abs=0.06)
