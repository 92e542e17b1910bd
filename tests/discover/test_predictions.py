"""Predictions without traces and ranked lists as RUNS (D234)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Ran

Call = Callable[..., Ran]

GOLD = "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1,2 +1,2 @@\n x\n-a\n+b\n"
OTHER = GOLD.replace("a.py", "b.py")
TASKS = [
    {"instance_id": f"lab__tool-{n}", "repo": "lab/tool", "base_commit": "0" * 40, "patch": patch}
    for n, patch in ((1, GOLD), (2, GOLD + OTHER), (3, GOLD))
]


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "tasks.jsonl", TASKS)


def write_lines(path: Path, rows: list[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def predictions() -> dict[str, dict[str, Any]]:
    texts = {"1": GOLD, "2": "# No patch generated for it\n", "3": None}
    return {
        f"lab__tool-{n}": {"model_name_or_path": "lab/wader-1", "model_patch": text}
        for n, text in texts.items()
    }


def documents(folder: Path, kind: str) -> dict[str, dict[str, Any]]:
    found = [json.loads(path.read_text()) for path in folder.rglob(f"*.{kind}.json")]
    return {one["provenance"]["task_name"]: one for one in found}


def run(groundtrace: Call, runs: Path, tasks: Path, out: Path) -> dict[str, dict[str, Any]]:
    ran = groundtrace("run", runs, "--tasks", tasks, "--out", out, "--quiet")
    assert ran.code == 0, ran.err
    return documents(out, "retrieval_metrics")


@pytest.mark.parametrize("name", ["preds.json", "all_preds.jsonl", "of_wader.jsonl", "list.json"])
def test_predictions_are_trials_without_calls(
    groundtrace: Call, tmp_path: Path, tasks: Path, name: str
) -> None:
    """Whatever the file is called: by its rows, one a line, as a list, or by instance."""
    rows = [{"instance_id": key, **row} for key, row in predictions().items()]
    runs = tmp_path / "wader" / name
    write_lines(runs, rows)
    if name == "preds.json":
        runs.write_text(json.dumps(predictions(), indent=1))
    elif name == "list.json":
        runs.write_text(json.dumps(rows))
    results = {"resolved_ids": ["lab__tool-1"], "unresolved_ids": ["lab__tool-2"]}
    (runs.parent / "results.json").write_text(json.dumps(results))
    found = run(groundtrace, runs, tasks, tmp_path / "out")
    assert len(found) == 3
    one, text, null = (found[f"lab__tool-{n}"] for n in (1, 2, 3))
    assert one["provenance"]["config_name"] == one["provenance"]["model"] == "wader-1"
    assert (one["coverage"]["trace_source"], one["event_summary"]["total_events"]) == (None, 0)
    assert one["coverage"]["degraded_reason"].startswith("no trace: a row of predictions")
    assert one["published_metrics"]["source"] == one["patch_metrics"]["source"] == "predictions"
    assert (one["patch_metrics"]["recall"], one["published_metrics"]["correct_location_line"]) == (
        1,
        1,
    )
    for empty in (text, null):  # text that is no patch, and no text, are empty patches (D233)
        assert empty["patch_metrics"]["recall"] == 0.0
        assert empty["published_metrics"]["polybench_file_precision"] == 0.0
    assert one["file_level_metrics"] == {"computable": False, "reason": "no_trace"} | {
        key: None for key in one["file_level_metrics"] if key not in ("computable", "reason")
    }
    outcomes = json.loads(next((tmp_path / "out").rglob("outcomes.json")).read_text())["trials"]
    rewards = {trial["task_name"]: trial["reward"] for trial in outcomes}
    assert rewards == {"lab__tool-1": 1.0, "lab__tool-2": 0.0, "lab__tool-3": 0.0}


def test_ranked_lists_have_the_metrics_of_a_ranking(
    groundtrace: Call, tmp_path: Path, tasks: Path
) -> None:
    rows = [
        {
            "instance_id": "lab__tool-1",
            "found_files": ["src/b.py", "src/a.py", "src/b.py"],
            "found_modules": ["src/a.py:Box"],
            "found_entities": ["src/a.py:Box.open"],
        },
        {
            "instance_id": "lab__tool-2",
            "found_entities": ["src/a.py:f", "src/a.py:g", "src/b.py:h"],
        },
        {"instance_id": "lab__tool-3", "found_files": []},
    ]
    lists = write_lines(tmp_path / "lists" / "loc_outputs.jsonl", rows)
    found = run(groundtrace, lists, tasks, tmp_path / "out")
    one, two, three = (found[f"lab__tool-{n}"] for n in (1, 2, 3))
    assert one["file_level_metrics"]["basis"] == "ranking"
    assert (one["file_level_metrics"]["mrr"], one["file_level_metrics"]["n_retrieved"]) == (0.5, 2)
    assert [one["patch_metrics"][f"acc@{k}"] for k in (1, 3, 5)] == [0, 1, 1]
    assert two["published_metrics"]["locagent_file_acc@1"] == 1.0
    assert (two["patch_metrics"]["acc@1"], two["patch_metrics"]["acc@3"]) == (0.0, 1.0)
    assert three["file_level_metrics"]["mrr"] == 0.0
    assert three["published_metrics"]["locagent_file_acc@5"] == 0.0
    events = documents(tmp_path / "out", "retrieval_events")["lab__tool-1"]
    assert events["ranking"] == {
        "files": ["src/b.py", "src/a.py"],
        "modules": ["src/a.py:Box"],
        "entities": ["src/a.py:Box.open"],
    }
    exported = groundtrace("export", tmp_path / "out" / "lists", "--to", "trec", tmp_path / "trec")
    assert exported.code == 0
    assert "1 query retrieved nothing" in exported.err
    ranked = (tmp_path / "trec" / "default.retrieved.run").read_text().splitlines()
    assert ranked[0].split()[:4] == ["lists/lab__tool-1", "Q0", "src/b.py", "1"]
    assert not (tmp_path / "trec" / "default.shown.run").exists()


def test_predictions_beside_traces_add_no_trials(
    groundtrace: Call, tmp_path: Path, tasks: Path
) -> None:
    """Their patches are those of the traces; a message instead of a patch is an empty patch, also
    if the agent wrote files."""
    command = {"role": "assistant", "content": "```bash\necho x > src/a.py\n```"}
    answer = {"role": "user", "content": "<returncode>0</returncode>\n<output>\n</output>"}
    for number in (1, 2):
        name = f"lab__tool-{number}"
        made = tmp_path / "runs" / name / f"{name}.traj.json"
        made.parent.mkdir(parents=True)
        info = {
            "exit_status": "LimitsExceeded",
            "model_stats": {"instance_cost": 1, "api_calls": 1},
        }
        body = {"instance_id": name, "info": info, "messages": [command, answer]}
        made.write_text(json.dumps({**body, "trajectory_format": "mini-swe-agent-1"}))
    (tmp_path / "runs" / "preds.json").write_text(json.dumps(predictions()))
    found = run(groundtrace, tmp_path / "runs", tasks, tmp_path / "out")
    assert sorted(found) == ["lab__tool-1", "lab__tool-2"]
    assert found["lab__tool-1"]["coverage"]["trace_source"] is not None
    empty = found["lab__tool-2"]
    assert empty["patch_metrics"]["source"] == "predictions"
    assert (empty["patch_metrics"]["recall"], empty["published_metrics"]["polybench_file_f1"]) == (
        0,
        0,
    )
    trials = json.loads(next((tmp_path / "out").rglob("outcomes.json")).read_text())["trials"]
    assert [trial["model_calls"] for trial in trials] == [1, 1]


BROKEN = [
    '{"instance_id": "lab__tool-1", "model_patch": 7}',
    '{"instance_id": "lab__tool-2", "found_files": [["src/a.py"], ["src/b.py"]]}',
    '{"instance_id": 3, "model_patch": ""}',
    '["a list"]',
    '{"instance_id": "lab__tool-3", "model_patch": "',
    '{"instance_id": "lab__tool-3", "model_patch": "", "found_files": [1, null, "src/a.py"]}',
]


def test_broken_rows_are_named_and_the_others_count(
    groundtrace: Call, tmp_path: Path, tasks: Path
) -> None:
    runs = tmp_path / "x" / "all_preds.jsonl"
    runs.parent.mkdir()
    runs.write_text("\n".join(BROKEN) + "\n")
    ran = groundtrace("run", runs, "--tasks", tasks, "--out", tmp_path / "out", "-v")
    found = documents(tmp_path / "out", "retrieval_metrics")
    assert list(found) == ["lab__tool-3"]
    assert found["lab__tool-3"]["file_level_metrics"]["mrr"] == 1.0
    for said in (
        "model_patch is int",
        "several samples",
        "a row without instance_id",
        "not valid JSON",
    ):
        assert said in ran.err, said


def test_a_file_that_is_neither_is_still_refused(groundtrace: Call, tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text('{"instance_id": "x", "patch": "model_patch"}\n')
    ran = groundtrace("run", path, "--out", tmp_path / "out")
    assert ran.code != 0
