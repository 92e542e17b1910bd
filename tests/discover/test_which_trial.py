"""Nothing lost, nothing taken for another: verdicts, links, names of files, folders of runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from groundtrace.config import Settings
from groundtrace.discover import Skipped, discover
from groundtrace.errors import UsageError
from groundtrace.model import Trial
from groundtrace.storage import place_at
from groundtrace.truth.definitions import load_tasks
from tests.discover.run_trees import trial
from tests.discover.test_loose import problems, put, trajectory, trials


def rewards(runs: Path) -> dict[str, float | None]:
    return {found.task_name: found.outcome.reward for found in trials(runs).values()}


def leaderboard(top: Path, *tasks: str, **lists: list[str]) -> Path:
    """Traces as leaderboards keep them, with a list of ids instead of reports."""
    for task in tasks:
        put(top / f"trajs/{task}.json", trajectory(task))
    put(top / "results/results.json", json.dumps({"no_generation": [], "no_logs": [], **lists}))
    return top


def test_a_list_of_resolved_ids_is_a_verdict_for_every_trial(tmp_path: Path) -> None:
    top = leaderboard(tmp_path / "runs", "h-1", "h-2", "h-3", resolved=["h-1"])
    assert rewards(top) == {"h-1": 1.0, "h-2": 0.0, "h-3": 0.0}
    sources = {t.task_name: t.outcome.reward_source for t in trials(top).values()}
    assert sources == dict.fromkeys(("h-1", "h-2", "h-3"), "results/results.json")


def test_the_list_that_names_a_trial_is_kept_as_the_reason(tmp_path: Path) -> None:
    top = leaderboard(tmp_path / "runs", "h-1", "h-2", resolved=["h-1"], no_generation=["h-2"])
    (second,) = [t for t in trials(top).values() if t.task_name == "h-2"]
    assert (second.outcome.reward, second.outcome.reward_source) == (
        0.0,
        "results/results.json: no_generation",
    )


def test_an_empty_list_of_resolved_ids_is_a_verdict_too(tmp_path: Path) -> None:
    assert rewards(leaderboard(tmp_path / "runs", "h-1", resolved=[])) == {"h-1": 0.0}


def test_a_list_of_other_trials_says_nothing(tmp_path: Path) -> None:
    assert rewards(leaderboard(tmp_path / "runs", "h-1", resolved=["egret-7"])) == {"h-1": None}


def test_lists_without_resolved_ids_say_nothing(tmp_path: Path) -> None:
    assert rewards(leaderboard(tmp_path / "runs", "h-1", generated=["h-1"])) == {"h-1": None}


def test_generated_and_applied_lists_do_not_contradict(tmp_path: Path) -> None:
    top = leaderboard(
        tmp_path / "runs", "h-1", "h-2", resolved=["h-1"], generated=["h-1", "h-2"], applied=["h-1"]
    )
    assert rewards(top) == {"h-1": 1.0, "h-2": 0.0}


def test_lists_that_contradict_each_other_give_no_verdict_and_are_named(tmp_path: Path) -> None:
    top = leaderboard(tmp_path / "runs", "h-1", "h-2", resolved=["h-1", "h-2"], unresolved=["h-2"])
    assert rewards(top) == {"h-1": 1.0, "h-2": None}
    (problem,) = [p for p in problems(top) if p.kind == "verdicts_disagree"]
    assert "h-2" in problem.reason
    assert problem.file == "results/results.json"


def test_two_lists_that_differ_give_no_verdict(tmp_path: Path) -> None:
    top = leaderboard(tmp_path / "runs", "h-1", resolved=["h-1"])
    put(top / "results.json", '{"resolved": [], "unresolved": ["h-1"]}')
    assert rewards(top) == {"h-1": None}
    assert any(p.kind == "verdicts_disagree" for p in problems(top))


# --- links ------------------------------------------------------------------------------------


def skipped(runs: Path) -> dict[str, str]:
    found = discover(place_at(str(runs)), settings=Settings())
    return {item.path: item.reason for item in found if isinstance(item, Skipped)}


def test_a_link_to_a_folder_adds_no_trial_and_no_configuration(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    for model in ("modelA", "modelB"):
        put(runs / f"{model}/h-1.json", trajectory("h-1"))
    (runs / "latest").symlink_to(runs / "modelA")
    assert sorted(trials(runs)) == ["modelA/h-1.json", "modelB/h-1.json"]
    assert "read where they lie" in skipped(runs)["latest"]


def test_folders_that_link_to_each_other_are_walked_once(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    names = [f"m{number}" for number in range(6)]
    for name in names:
        put(runs / name / "h-1.json", trajectory("h-1"))
    for name in names:
        for other in names:
            if other != name:
                (runs / name / f"to-{other}").symlink_to(runs / other)
    assert sorted(trials(runs)) == [f"{name}/h-1.json" for name in names]


def test_a_link_to_a_file_is_the_file(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    put(runs / "a/h-1.json", trajectory("h-1"))
    (runs / "again.json").symlink_to(runs / "a/h-1.json")
    assert list(trials(runs)) == ["a/h-1.json"]
    assert "again.json" in skipped(runs)


def test_a_link_into_a_hidden_folder_is_followed(tmp_path: Path) -> None:
    """Nothing else leads there."""
    runs = tmp_path / "runs"
    put(runs / ".store/h-1.json", trajectory("h-1"))
    (runs / "seen").symlink_to(runs / ".store")
    assert list(trials(runs)) == ["seen/h-1.json"]


# --- names ------------------------------------------------------------------------------------


def named(runs: Path, **settings: Any) -> set[tuple[str, str]]:
    return {(t.config_name, t.task_name) for t in trials(runs, **settings).values()}


def test_files_of_one_name_are_different_trials(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    for folder in ("claude/taskA", "claude/taskB", "codex/taskA", "codex/taskB"):
        put(runs / folder / "session.json", trajectory())
    assert named(runs) == {
        ("claude", "taskA"),
        ("claude", "taskB"),
        ("codex", "taskA"),
        ("codex", "taskB"),
    }


def test_a_single_level_of_folders_above_one_file_name_is_the_task(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    for task in ("task-a", "task-b"):
        put(runs / task / "trace.json", trajectory())
    assert {task for _, task in named(runs)} == {"task-a", "task-b"}
    assert len({config for config, _ in named(runs)}) == 1


def test_a_given_layout_wins_and_what_does_not_fit_is_listed(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    put(runs / "may/h-1/codex_1.json", trajectory("stated"))
    put(runs / "may/h-1/codex_2.json", trajectory())
    put(runs / "other.json", trajectory())
    settings = {"layout": ("{run}/{task}/{config}_{trial}",)}
    found = trials(runs, **settings)
    assert {(t.run_id, t.config_name, t.task_name, t.trial_name) for t in found.values()} == {
        ("may", "codex", "h-1", "1"),
        ("may", "codex", "h-1", "2"),
    }
    items = discover(place_at(str(runs)), settings=Settings(**settings))  # type: ignore[arg-type]
    reasons = {item.path: item.reason for item in items if isinstance(item, Skipped)}
    assert "does not fit --layout" in reasons["other.json"]


def test_a_layout_that_fits_nothing_is_an_error_with_an_example(tmp_path: Path) -> None:
    put(tmp_path / "runs/a/b/c.json", trajectory())
    with pytest.raises(UsageError, match=r"fits none of 1 traces, such as a/b/c\.json"):
        trials(tmp_path / "runs", layout=("{config}/{task}",))


def test_the_dry_run_prints_a_layout_that_gives_the_same(groundtrace: Any, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    for config in ("m1", "m2"):
        for task in ("t1", "t2"):
            put(runs / config / task / "session.json", trajectory())
    first = groundtrace("normalize", runs, "--dry-run")
    line = next(line for line in first.err.splitlines() if line.startswith("the same as"))
    assert line == "the same as --layout '{config}/{task}/session'"
    again = groundtrace("normalize", runs, "--dry-run", "--layout", "{config}/{task}/session")
    names = ("config", "task", "trial")
    assert [row.split()[2:4] for row in first.out.splitlines()] == [
        row.split()[2:4] for row in again.out.splitlines()
    ], names


# --- folders of runs --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["r1__archived", "r1__aborted_2", "r1__duplicate", "r1__all_errored", "preamble_test_1"],
)
def test_runs_that_their_makers_threw_away_are_skipped_and_named(name: str, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    trial(runs / "r0/mcp/a-1__AAAAAAA", "a-1")
    trial(runs / name / "mcp/a-1__BBBBBBB", "a-1")
    found = [t for t in discover(place_at(str(runs)), settings=Settings()) if isinstance(t, Trial)]
    assert [t.run_id for t in found] == ["r0"]
    assert "threw away" in skipped(runs)[name]
    everything = discover(place_at(str(runs)), settings=Settings(skip_runs=()))
    assert {t.run_id for t in everything if isinstance(t, Trial)} == {"r0", name}


def test_a_run_that_is_given_itself_is_read_whatever_its_name(tmp_path: Path) -> None:
    trial(tmp_path / "r1__archived/mcp/a-1__BBBBBBB", "a-1")
    place = place_at(str(tmp_path / "r1__archived"))
    found = discover(place, settings=Settings())
    assert [t.run_id for t in found if isinstance(t, Trial)] == ["r1__archived"]


def test_a_parquet_path_is_no_pattern(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    folder = tmp_path / "repo=none"
    folder.mkdir()
    for name, repo in (("tasks[AB].parquet", "right/one"), ("tasksA.parquet", "wrong/one")):
        duckdb.sql(
            f"COPY (SELECT 'h-1' AS instance_id, '{repo}' AS repo, '' AS patch) "
            f"TO '{tmp_path / 'made.parquet'}' (FORMAT parquet)"
        )
        (tmp_path / "made.parquet").rename(folder / name)
    index = load_tasks([str(folder / "tasks[AB].parquet")])
    task = index.find("h-1")
    assert task is not None
    assert task.repos == ("right/one",)


# --- tasks from prompts and rows --------------------------------------------------------------


def session(prompt: str) -> str:
    lines: list[dict[str, Any]] = [
        {"type": "user", "sessionId": "s", "message": {"role": "user", "content": prompt}},
        {
            "type": "assistant",
            "sessionId": "s",
            "message": {
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "a.py"}}
                ],
            },
        },
        {
            "type": "user",
            "sessionId": "s",
            "message": {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "heron-99"}],
            },
        },
    ]
    return "\n".join(map(json.dumps, lines)) + "\n"


def tasks_file(folder: Path) -> str:
    rows = [{"instance_id": f"heron__heron-{n}", "repo": "o/r"} for n in (12, 13)]
    rows.append({"instance_id": "heron", "repo": "o/r"})
    put(folder / "tasks.jsonl", "\n".join(map(json.dumps, rows)))
    return str(folder / "tasks.jsonl")


@pytest.mark.parametrize(
    ("prompt", "task"),
    [
        ("Work on instance_id: heron__heron-12.", "heron__heron-12"),
        ("Please mend heron__heron-12 (see heron__heron-12.md)", "heron__heron-12"),
        ("Compare heron__heron-12 with heron__heron-13.", None),
        ("This is about heron__heron-123 only.", None),
        ("A heron stands in the water.", None),
        ("Nothing is named.", None),
    ],
)
def test_a_task_that_the_prompt_alone_names_is_the_task(
    prompt: str, task: str | None, tmp_path: Path
) -> None:
    put(tmp_path / "runs/0f3a.jsonl", session(prompt))
    (found,) = trials(tmp_path / "runs", tasks_file(tmp_path)).values()
    assert (None if found.task is None else found.task.name) == task
    if task is not None:
        assert "prompt" in found.evidence["task_name"]


def chat(**members: Any) -> dict[str, Any]:
    call = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
    ]
    return {**members, "messages": messages}


@pytest.mark.parametrize("key", ["instance_id", "task_id", "id", "uid", "uuid", "traj_id", None])
def test_rows_are_told_apart_by_any_id_they_have(key: str | None, tmp_path: Path) -> None:
    rows = [chat(**({key: f"r-{n}"} if key else {})) for n in range(5)]
    put(tmp_path / "runs/rows.jsonl", "\n".join(map(json.dumps, rows)))
    found = trials(tmp_path / "runs")
    assert len(found) == 5
    assert len({t.task_name for t in found.values()}) == 5


def test_a_large_member_before_the_telling_ones_changes_nothing(tmp_path: Path) -> None:
    row = {"patch": "x" * 90_000, **chat(instance_id="r-1")}
    put(tmp_path / "runs/rows.jsonl", json.dumps(row) + "\n" + json.dumps(chat(instance_id="r-2")))
    assert {t.task_name for t in trials(tmp_path / "runs").values()} == {"r-1", "r-2"}


def test_one_trajectory_hides_no_other_trace(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    put(runs / "a/claude.jsonl", session("hello"))
    put(runs / "c/trajectory.json", trajectory("h-1"))
    assert len(trials(runs)) == 2


def test_a_refused_file_that_is_named_like_a_trace_is_named(
    groundtrace: Any, tmp_path: Path
) -> None:
    runs = tmp_path / "runs"
    put(runs / "a.jsonl", session("hello"))
    put(runs / "b.traj", '{"unlike": "anything"}')
    put(runs / "c.traj.json", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
    ran = groundtrace("normalize", runs, "--out", tmp_path / "out", "--jobs", 1)
    assert ran.code == 0
    said = ran.out + ran.err
    assert "b.traj" in said
    assert "c.traj.json" in said
    assert "git lfs pull" in said
    assert "map-a-format" in said


def test_a_broken_record_is_named_with_its_file(groundtrace: Any, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    trial(runs / "r1/mcp/a-1__AAAAAAA", "a-1")
    put(trial(runs / "r1/mcp/b-1__BBBBBBB", "b-1") / "result.json", '{"reward": ')
    for _ in range(2):  # said again when nothing changed
        ran = groundtrace("normalize", runs, "--out", tmp_path / "out", "--jobs", 1)
        assert "r1/mcp/b-1__BBBBBBB/result.json" in ran.out


def test_tasks_of_another_benchmark_are_said(groundtrace: Any, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    trial(runs / "r1/mcp/a-1__AAAAAAA", "a-1")
    given = ("normalize", runs, "--tasks", tasks_file(tmp_path), "--out", tmp_path / "out")
    ran = groundtrace(*given, "--jobs", 1)
    assert "none of 1 trial has a task that --tasks defines: a-1 is not; the nearest is" in ran.out


def test_a_run_of_a_manifest_may_have_the_name_of_a_result_folder(
    groundtrace: Any, tmp_path: Path
) -> None:
    put(tmp_path / "a.jsonl", session("hello"))
    put(tmp_path / "b.jsonl", session("hello"))
    rows = "trace,run\na.jsonl,retrieval_events_aggregate\nb.jsonl,other\n"
    put(tmp_path / "manifest.csv", rows)
    out = tmp_path / "out"
    ran = groundtrace("run", tmp_path / "manifest.csv", "--out", out, "--jobs", 1)
    assert ran.code == 0
    summary = json.loads(
        (out / "retrieval_events_aggregate/run_retrieval_summary.json").read_text(encoding="utf-8")
    )
    assert summary["overall"]["trials"] == 2


def test_the_difficulty_of_a_data_set_is_a_group_of_its_trials(
    groundtrace: Any, tmp_path: Path
) -> None:
    put(tmp_path / "runs/heron__heron-12.json", trajectory("heron__heron-12"))
    row = {"instance_id": "heron__heron-12", "repo": "o/r", "difficulty": "1-4 hours"}
    put(tmp_path / "tasks.jsonl", json.dumps(row))
    given = ("normalize", tmp_path / "runs", "--tasks", tmp_path / "tasks.jsonl", "--jobs", 1)
    assert groundtrace(*given).code == 0
    outcomes = json.loads(
        (tmp_path / "runs/retrieval_events/outcomes.json").read_text(encoding="utf-8")
    )
    assert outcomes["trials"][0]["groups"] == {"difficulty": "1-4 hours"}
