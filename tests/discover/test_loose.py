"""Traces without trial records: which files are trials, and what each is called (D57)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from groundtrace import traces
from groundtrace.config import Settings
from groundtrace.discover import FoundProblem, Skipped, discover
from groundtrace.model import Problem, Stated, Trial
from groundtrace.storage import Folder, place_at
from groundtrace.traces.source import Keep, Probe, RawCall, Recognised, Sample, Source
from groundtrace.truth.definitions import load_tasks
from tests.conftest import Ran

TASKS = str(Path(__file__).parent.parent / "fixtures" / "tasks" / "rows.jsonl")


def trajectory(task: str | None = None, model: str = "lab/wader-1", **info: Any) -> str:
    """A trajectory of one call."""
    config = {"model": {"model_name": model}, "environment": {"cwd": "/testbed"}}
    root: dict[str, Any] = {
        "info": {"mini_version": "1.15.0", "exit_status": "Submitted", "config": config, **info},
        "messages": [
            {"role": "user", "content": "Fix it."},
            {"role": "assistant", "content": "```bash\ncat heron/nest.py\n```"},
            {
                "role": "user",
                "content": "<returncode>0</returncode>\n<output>\nEGGS = 3\n</output>",
            },
        ],
        "trajectory_format": "mini-swe-agent-1",
    }
    if task is not None:
        root["instance_id"] = task
    return json.dumps(root)


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def trials(runs: Path, tasks: str | None = None, **settings: Any) -> dict[str, Trial]:
    index = load_tasks([tasks] if tasks else [])
    found = discover(place_at(runs), settings=Settings(**settings), tasks=index)
    return {item.path: item for item in found if isinstance(item, Trial)}


def problems(runs: Path, tasks: str | None = None) -> list[Problem]:
    index = load_tasks([tasks] if tasks else [])
    found = discover(place_at(runs), settings=Settings(), tasks=index)
    return [item.problem for item in found if isinstance(item, FoundProblem)]


def test_a_trace_is_recognised_under_any_name_and_at_any_depth(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    put(runs / "a/b/c/d/one.traj.json", trajectory("heron__heron-12"))
    put(runs / "two.log", trajectory("heron__heron-13"))
    assert sorted(trials(runs)) == ["a/b/c/d/one.traj.json", "two.log"]


def test_the_whole_identity_of_a_loose_trial(tmp_path: Path) -> None:
    put(tmp_path / "runs/x/x.traj.json", trajectory("heron__heron-12"))
    (trial,) = trials(tmp_path / "runs", TASKS).values()
    assert (trial.task_name, trial.config_name, trial.run_id) == (
        "heron__heron-12",
        "wader-1",
        "runs",
    )
    assert (trial.benchmark, trial.harness, trial.harness_version) == (
        "rows",
        "mini-swe-agent",
        "1.15.0",
    )
    assert trial.task is not None
    assert trial.evidence["task_name"] == "trace: instance_id"
    assert trial.evidence["config_name"] == "model"
    (alone,) = trials(tmp_path / "runs").values()
    assert alone.benchmark == "loose" and alone.task is None


@pytest.mark.parametrize(
    ("path", "expected", "where"),
    [
        ("heron__heron-12.traj.json", "heron__heron-12", "name of the file"),
        ("heron__heron-12_0/out.json", "heron__heron-12", "name of a folder"),
        ("heron__heron-12-run1.json", "heron__heron-12", "name of the file"),
        ("heron__heron-12/attempt.json", "heron__heron-12", "name of a folder"),
        ("other.traj.json", "other", "name of the file, which is no known task"),
    ],
)
def test_a_task_from_names_where_the_trace_states_none(
    path: str, expected: str, where: str, tmp_path: Path
) -> None:
    put(tmp_path / "runs" / path, trajectory())
    (trial,) = trials(tmp_path / "runs", TASKS).values()
    assert (trial.task_name, trial.evidence["task_name"]) == (expected, where)
    assert (trial.task is not None) is (expected == "heron__heron-12")


def test_a_stated_task_that_nobody_defines_keeps_its_name_and_is_told(tmp_path: Path) -> None:
    put(tmp_path / "runs/heron__heron-12.json", trajectory("egret__egret-1"))
    (trial,) = trials(tmp_path / "runs", TASKS).values()
    assert trial.task_name == "egret__egret-1" and trial.task is None
    assert [problem.kind for problem in problems(tmp_path / "runs", TASKS)] == ["no_task"]


def test_folders_that_tell_several_apart_are_configurations(tmp_path: Path) -> None:
    """One folder above all says nothing, and folders of tasks are none."""
    runs = tmp_path / "runs"
    for config in ("fast", "slow"):
        for task in ("heron__heron-12", "heron__heron-13"):
            put(runs / "mini" / config / task / f"{task}.traj.json", trajectory(task))
    found = trials(runs)
    assert {trial.config_name for trial in found.values()} == {"fast", "slow"}
    assert {trial.evidence["config_name"] for trial in found.values()} == {"folder below RUNS"}
    below = trials(runs / "mini" / "fast")
    assert {trial.config_name for trial in below.values()} == {"wader-1"}
    named = trials(runs, config_name="mine")
    assert {trial.config_name for trial in named.values()} == {"mine"}


def rows_of(folder: Path, *names: str) -> str:
    path = folder / "tasks.jsonl"
    rows = [{"instance_id": name, "repo": "x/y", "files": ["heron/nest.py"]} for name in names]
    put(path, "\n".join(map(json.dumps, rows)))
    return str(path)


@pytest.mark.parametrize("sides", [("base", "mcp"), ("bl", "mcp"), ("base", "new")])
def test_a_side_before_a_task_is_a_configuration_also_if_it_is_a_wrapper(
    sides: tuple[str, str], tmp_path: Path
) -> None:
    """`mcp_` was removed as a wrapper and `base_` was not: half of the trials had their task, and
    both sides were one configuration."""
    tasks = rows_of(tmp_path, "fix-login", "add-cache")
    expected = set()
    for side in sides:
        for task in ("fix-login", "add-cache"):
            put(tmp_path / f"runs/{side}_{task}.json", trajectory())
            expected.add((side, task))
    found = trials(tmp_path / "runs", tasks).values()
    assert {(trial.config_name, trial.task_name) for trial in found} == expected
    assert all(trial.task is not None for trial in found)


def test_what_all_paths_say_comes_before_a_file_that_is_named_like_a_task(tmp_path: Path) -> None:
    """`2/1.json` is attempt 1 of task 2 beside `2/0.json`; it was held against task 1."""
    tasks = rows_of(tmp_path, "1", "2", "3")
    paths = [f"{arm}/{task}/{k}.json" for arm in ("fast", "slow") for task in "123" for k in "01"]
    for path in paths:
        put(tmp_path / "runs" / path, trajectory())
    found = {path: trial.task_name for path, trial in trials(tmp_path / "runs", tasks).items()}
    assert found == {path: path.split("/")[1] for path in paths}


def test_without_any_sign_the_configuration_is_default(tmp_path: Path) -> None:
    put(
        tmp_path / "runs/a.json",
        json.dumps(
            [
                {"role": "assistant", "content": "```bash\nls\n```"},
                {"role": "user", "content": "<returncode>0</returncode>\n<output>\n</output>"},
            ]
        ),
    )
    (trial,) = trials(tmp_path / "runs").values()
    assert (trial.config_name, trial.task_name) == ("default", "a")


def test_files_that_are_no_traces_are_passed_with_a_reason(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    put(runs / "a.json", trajectory("heron__heron-12"))
    put(runs / "b.json", '{"no": "trace"}')
    put(runs / "empty.json", "")
    (runs / "c.bin").write_bytes(b"\0\1\2" * 100)
    found = discover(place_at(runs), settings=Settings())
    passed = {item.path: item.reason for item in found if isinstance(item, Skipped)}
    assert passed == {
        "b.json": "no trace: JSON that no reader knows",
        "c.bin": "no trace: binary",
        "empty.json": "no trace: empty",
    }


def test_a_huge_file_that_is_no_trace_costs_its_head(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    put(runs / "a.json", trajectory("heron__heron-12"))
    with open(runs / "huge.json", "wb") as stream:  # sparse: two gigabytes of zeros after a brace
        stream.write(b'{"rows": [')
        stream.truncate(2 << 30)
    assert list(trials(runs)) == ["a.json"]
    os.unlink(runs / "huge.json")


def test_the_prompt_may_name_the_instance(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "instance_id: heron__heron-12\nFix it."},
        {"role": "assistant", "content": "```bash\nls\n```"},
        {"role": "user", "content": "<returncode>0</returncode>\n<output>\n</output>"},
    ]
    put(tmp_path / "runs/a.json", json.dumps(messages))
    (trial,) = trials(tmp_path / "runs").values()
    assert trial.task_name == "heron__heron-12"
    assert trial.evidence["task_name"] == "trace: instance_id in the prompt"


class LineReader:
    """A made-up format: one sample a line."""

    name = "lines"
    patterns: tuple[str, ...] = ()

    def recognise(self, probe: Probe) -> Recognised | None:
        return Recognised("marker", "lines") if probe.head.startswith(b'{"lines"') else None

    def rows(self, folder: Folder, path: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in folder.read(path).splitlines()]

    def samples(self, folder: Folder, path: str) -> Iterator[Sample]:
        for row in self.rows(folder, path):
            stated = Stated(
                task=row["lines"], model=row["model"], reward=1.0, reward_source="target"
            )
            yield Sample(row["lines"], stated)

    def read_sample(self, folder: Folder, path: str, sample: str, keep: Keep) -> Source:
        row = next(row for row in self.rows(folder, path) if row["lines"] == sample)
        source = Source(path, "transcript", "lines", parsed=True)
        source.calls.append(RawCall("bash", {"command": row["run"]}))
        return source

    def read(self, folder: Folder, path: str, keep: Keep) -> Source:
        raise AssertionError("samples are read one at a time")


def test_a_file_of_many_samples_gives_a_trial_each(
    groundtrace: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traces, "all_readers", lambda: ((*traces.READERS, LineReader()), ()))
    rows = [{"lines": f"heron__heron-{n}", "model": "m", "run": f"cat {n}.py"} for n in (12, 13)]
    put(tmp_path / "runs/output.jsonl", "\n".join(json.dumps(row) for row in rows))
    found = trials(tmp_path / "runs", TASKS)
    assert sorted(found) == ["output.jsonl#heron__heron-12", "output.jsonl#heron__heron-13"]
    assert {trial.task_name for trial in found.values()} == {"heron__heron-12", "heron__heron-13"}
    laid_out = trials(tmp_path / "runs", TASKS, layout=("{task}",)).values()  # the file is no task
    assert {trial.task_name for trial in laid_out} == {"heron__heron-12", "heron__heron-13"}
    outcome = found["output.jsonl#heron__heron-12"].outcome
    assert (outcome.reward, outcome.reward_source) == (1.0, "trace: target")
    file = f"{tmp_path}/runs/output.jsonl"
    one: Ran = groundtrace("explain", f"{file}#heron__heron-13", "--calls")
    assert one.code == 0 and "cat 13.py" in one.out and "cat 12.py" not in one.out
    many: Ran = groundtrace("explain", file)
    assert many.code == 2 and "2 samples" in many.err
    put(tmp_path / "m.csv", "trace,config\nruns/output.jsonl#heron__heron-12,mine\n")
    (picked,) = trials(tmp_path / "m.csv").values()
    assert (picked.task_name, picked.config_name) == ("heron__heron-12", "mine")


# --- verdicts ---


def test_verdicts_and_predictions_beside_the_traces(tmp_path: Path) -> None:
    top = tmp_path / "submission"
    for number in (12, 13, 14, 15):
        task = f"heron__heron-{number}"
        put(top / f"trajs/{task}/{task}.traj.json", trajectory(task))
    put(top / "logs/heron__heron-12/report.json", '{"resolved": true, "tests_status": {}}')
    put(top / "logs/heron__heron-13/report.json", '{"heron__heron-13": {"resolved": false}}')
    put(top / "results.json", '{"resolved": ["heron__heron-14"], "no_logs": ["heron__heron-15"]}')
    patch = {"instance_id": "heron__heron-12", "model_patch": "diff"}
    put(top / "trajs/preds.json", json.dumps({"heron__heron-12": patch}))
    for runs in (top, top / "trajs"):  # the folder of everything, or that of the traces alone
        found = {trial.task_name[-2:]: trial for trial in trials(runs).values()}
        assert {name: trial.outcome.reward for name, trial in found.items()} == {
            "12": 1.0,
            "13": 0.0,
            "14": 1.0,
            "15": 0.0,
        }
        source = found["12"].outcome.reward_source or ""
        assert source.endswith("logs/heron__heron-12/report.json")
        loose = found["12"].loose
        assert loose is not None and loose.submission == "diff"


def test_no_verdict_is_no_reward(tmp_path: Path) -> None:
    put(tmp_path / "runs/a.json", trajectory("heron__heron-12"))
    put(tmp_path / "runs/results.json", '{"resolved": ["egret-1"], "no_logs": []}')
    (trial,) = trials(tmp_path / "runs").values()
    assert trial.outcome.reward is None and trial.outcome.reward_reason == "no_verdict"


def test_verdicts_that_disagree_are_told_and_the_report_counts(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    put(runs / "a.json", trajectory("heron__heron-12"))
    put(runs / "logs/heron__heron-12/report.json", '{"resolved": false}')
    put(runs / "results.json", '{"resolved": ["heron__heron-12"]}')
    (trial,) = trials(runs).values()
    assert trial.outcome.reward == 0.0
    assert [problem.kind for problem in problems(runs)] == ["verdicts_disagree"]


@pytest.mark.parametrize("text", ["", "[1]", '{"resolved": "yes"}', '{"x": {"resolved": 1}}'])
def test_a_report_that_says_nothing_gives_no_verdict(text: str, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    put(runs / "a.json", trajectory("heron__heron-12"))
    put(runs / "logs/heron__heron-12/report.json", text)
    (trial,) = trials(runs).values()
    assert trial.outcome.reward is None


def evaluation(run: str, model: str, task: str, resolved: bool) -> tuple[str, str]:
    path = f"logs/run_evaluation/{run}/{model}/{task}/report.json"
    return path, json.dumps({task: {"resolved": resolved}})


def test_reports_of_the_official_harness_judge_their_own_model(tmp_path: Path) -> None:
    """Two models on one instance, evaluated side by side: each gets its own verdict (D102)."""
    task = "heron__heron-12"
    put(tmp_path / "runs/a/t.traj.json", trajectory(task, model="lab/wader-1"))
    put(tmp_path / "runs/b/t.traj.json", trajectory(task, model="lab/egret"))
    put(tmp_path / "runs/c/t.traj.json", trajectory(task, model="lab/ibis"))
    for run, model, resolved in (
        ("night", "lab__Wader-1", True),
        ("night", "mini-swe-agent_egret_v2", False),
    ):
        path, text = evaluation(run, model, task, resolved)
        put(tmp_path / path, text)  # beside RUNS, where the harness was started
    found = trials(tmp_path / "runs", TASKS)
    rewards = {path[0]: trial.outcome.reward for path, trial in found.items()}
    assert rewards == {"a": 1.0, "b": 0.0, "c": None}  # nobody judged the ibis
    source = found["a/t.traj.json"].outcome.reward_source
    assert source == f"../logs/run_evaluation/night/lab__Wader-1/{task}/report.json"


def test_an_only_model_is_evaluated_under_any_name(tmp_path: Path) -> None:
    path, text = evaluation("r1", "submission", "heron__heron-12", True)
    put(tmp_path / "runs" / path, text)
    put(tmp_path / "runs/trajs/t.traj.json", trajectory("heron__heron-12"))
    (trial,) = trials(tmp_path / "runs", TASKS).values()
    assert trial.outcome.reward == 1.0


def test_evaluations_that_disagree_give_no_verdict_unless_the_run_tells(tmp_path: Path) -> None:
    task = "heron__heron-12"
    for run, resolved in (("first", True), ("second", False)):
        path, text = evaluation(run, "wader-1", task, resolved)
        put(tmp_path / "night" / path, text)
    put(tmp_path / "night/t.traj.json", trajectory(task))
    (trial,) = trials(tmp_path / "night", TASKS).values()
    assert trial.outcome.reward is None
    told = [problem.kind for problem in problems(tmp_path / "night", TASKS)]
    assert told == ["verdicts_disagree"]
    (tmp_path / "night").rename(tmp_path / "second")
    (trial,) = trials(tmp_path / "second", TASKS).values()
    assert trial.outcome.reward == 0.0


def test_a_changed_evaluation_is_seen_by_the_next_run(groundtrace: Any, tmp_path: Path) -> None:
    path, text = evaluation("r1", "wader-1", "heron__heron-12", True)
    put(tmp_path / "box" / path, text)
    put(tmp_path / "box/t.traj.json", trajectory("heron__heron-12"))
    outcomes = tmp_path / "box/retrieval_events/outcomes.json"
    for resolved, expected in ((True, 1.0), (False, 0.0)):
        put(tmp_path / "box" / path, evaluation("r1", "wader-1", "heron__heron-12", resolved)[1])
        ran: Ran = groundtrace("run", tmp_path / "box", "--tasks", TASKS, "--format", "md")
        assert ran.code == 0, ran.err
        (trial,) = json.loads(outcomes.read_text())["trials"]
        assert trial["reward"] == expected


# --- manifests ---


def test_what_a_manifest_states_wins(tmp_path: Path) -> None:
    put(tmp_path / "set/t/a.json", trajectory("heron__heron-12", model="lab/other"))
    put(tmp_path / "elsewhere/b.json", trajectory("heron__heron-12"))
    put(
        tmp_path / "set/list.csv",
        "trace,task,config,run,trial,model,harness,harness_version,reward,cost_usd,agent_seconds,team\n"
        "t/a.json,heron__heron-13,mine,night,first,wader-9,mini,7,0.5,1.25,60,red\n"
        "../elsewhere/b.json,,,,,,,,,,,\n",
    )
    first, second = trials(tmp_path / "set/list.csv", TASKS).values()
    assert (first.task_name, first.config_name, first.run_id, first.trial_name) == (
        "heron__heron-13",
        "mine",
        "night",
        "first",
    )
    assert (first.model, first.harness, first.harness_version) == ("wader-9", "mini", "7")
    outcome = first.outcome
    assert (outcome.reward, outcome.cost_usd, outcome.agent_seconds) == (0.5, 1.25, 60.0)
    assert (outcome.reward_source, outcome.cost_source) == ("manifest", "manifest")
    assert first.loose is not None and first.loose.groups == {"team": "red"}
    assert (second.task_name, second.run_id, second.path) == (
        "heron__heron-12",
        "set",
        "../elsewhere/b.json",
    )


def test_bad_rows_of_a_manifest_are_told_with_their_lines(tmp_path: Path) -> None:
    put(tmp_path / "a.json", trajectory("heron__heron-12"))
    put(tmp_path / "none.json", "{}")
    rows: list[Any] = [
        {"trace": "a.json", "reward": "high"},
        {"trace": "gone.json"},
        {"task": "x"},
        {"trace": "a.json"},
        [1],
        {"trace": "none.json"},
        {"trace": "a.json#sample"},
    ]
    put(tmp_path / "list.jsonl", "\n".join(json.dumps(row) for row in rows) + "\n{cut")
    (trial,) = trials(tmp_path / "list.jsonl").values()
    assert trial.outcome.reward is None
    told = {(problem.kind, problem.line) for problem in problems(tmp_path / "list.jsonl")}
    assert told == {
        ("bad_row", 1),
        ("trace_missing", 2),
        ("bad_row", 3),
        ("bad_row", 4),
        ("bad_row", 5),
        ("unrecognised", None),
        ("trace_missing", None),
        ("bad_row", 8),
    }


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_manifest_of_a_spreadsheet_is_read(mark: str, groundtrace: Any, tmp_path: Path) -> None:
    """`Trace;Task;Reward`, as programs write it in many countries, was “no trials found”."""
    put(tmp_path / "a.json", trajectory())
    put(tmp_path / "b.json", trajectory())
    rows = (
        ("Trace", "Task", "Reward", "Team"),
        ("a.json", "t1", "1", "x"),
        ("b.json", "t2", "?", "y"),
    )
    put(tmp_path / "m.csv", "\n".join(map(mark.join, rows)))
    found = {trial.task_name: trial for trial in trials(tmp_path / "m.csv").values()}
    assert [found[name].outcome.reward for name in ("t1", "t2")] == [1.0, None]
    assert found["t1"].loose is not None and found["t1"].loose.groups == {"Team": "x"}
    # A value that is left out leaves the trial: “no trial: m.csv:3” was said of it.
    said = groundtrace("normalize", tmp_path / "m.csv", "--out", tmp_path / "out").out
    assert "\nm.csv:3: reward: reward is not a number" in said and "no trial" not in said


def test_the_repository_of_a_manifest_is_the_trials(groundtrace: Any, tmp_path: Path) -> None:
    """Without it nothing says whose `heron/nest.py` it is; with it paths and provenance do."""
    put(tmp_path / "set/a.json", trajectory())
    put(tmp_path / "set/b.json", trajectory())
    put(tmp_path / "set/m.csv", "trace,repo\na.json,marsh/heron\nb.json,\n")
    ran: Ran = groundtrace("run", tmp_path / "set/m.csv", "--format", "md")
    assert ran.code == 0, ran.err
    documents = {
        document["provenance"]["source_file"]: document
        for path in (tmp_path / "set").rglob("*.retrieval_events.json")
        if (document := json.loads(path.read_text()))
    }
    assert set(documents) == {"a.json", "b.json"}
    assert documents["a.json"]["provenance"]["repo"] == "heron"
    assert documents["b.json"]["provenance"]["repo"] is None
    (access,) = documents["a.json"]["events"][0]["accesses"]
    assert access["repo"] == "heron"


def test_unknown_columns_of_a_manifest_group_the_report(groundtrace: Any, tmp_path: Path) -> None:
    rows = ["trace,task,trial,team,note,reward"]
    for number in range(60):
        put(tmp_path / f"set/{number}.json", trajectory("heron__heron-12"))
        team = ("red", "<b>blue</b>", "")[number % 3]
        reward = {"red": 1, "<b>blue</b>": 0, "": 1}[team]
        rows.append(f"{number}.json,task-{number},t{number},{team},note {number},{reward}")
    put(tmp_path / "set/m.csv", "\n".join(rows))
    ran: Ran = groundtrace("run", tmp_path / "set/m.csv", "--out", tmp_path / "out")
    assert ran.code == 0, ran.err
    (summary_file, *_) = sorted((tmp_path / "out").rglob("run_retrieval_summary.json"))
    summary = json.loads(summary_file.read_text())
    teams = summary["by_group"]["team"]
    assert {name: group["trials"] for name, group in teams.items()} == {
        "red": 20,
        "<b>blue</b>": 20,
    }
    assert {name: group["outcomes"]["reward"]["mean"] for name, group in teams.items()} == {
        "red": 1.0,
        "<b>blue</b>": 0.0,
    }
    assert summary["groups_left_out"] == ["note"]  # as many values as trials
    markdown = next((tmp_path / "out").rglob("*.md")).read_text()
    assert "Use and outcomes by `team`" in markdown
    assert "too many values to group by: `note`" in markdown
    page = next((tmp_path / "out").rglob("*.html")).read_text()
    assert "&lt;b&gt;blue&lt;/b&gt;" in page and "<b>blue</b>" not in page.split("<script")[0]
    query = (
        "select name, value, count(*) n from groups where name = 'team' group by all order by value"
    )
    asked: Ran = groundtrace("sql", tmp_path / "set/m.csv", query, "--out", tmp_path / "out")
    assert asked.code == 0, asked.err
    assert "red" in asked.out and "20" in asked.out


# --- commands ---


def test_from_traces_to_a_report_and_again_without_work(groundtrace: Any, tmp_path: Path) -> None:
    runs = tmp_path / "trajs"
    put(runs / "one/heron__heron-12.traj.json", trajectory("heron__heron-12"))
    ran: Ran = groundtrace("run", runs, "--tasks", TASKS, "--jobs", 1, "--format", "md", "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["written"] == 1
    document = runs / "retrieval_events/wader-1/heron__heron-12.retrieval_events.json"
    events = json.loads(document.read_text())
    assert events["provenance"]["benchmark"] == "rows"
    assert events["coverage"]["trace_source"] == "transcript"
    assert events["ground_truth"]["test_files"] == ["tests/test_nest.py"]
    assert len(events["ground_truth"]["edit_chunks"]) == 3
    again: Ran = groundtrace("run", runs, "--tasks", TASKS, "--jobs", 1, "--json")
    assert json.loads(again.out)["unchanged"] == 1 and json.loads(again.out)["written"] == 0
    # A verdict that appears beside RUNS is an input too.
    put(tmp_path / "logs/heron__heron-12/report.json", '{"resolved": true}')
    third: Ran = groundtrace("run", runs, "--tasks", TASKS, "--jobs", 1, "--json")
    assert json.loads(third.out)["written"] == 1
    outcomes = json.loads((runs / "retrieval_events/outcomes.json").read_text())
    assert outcomes["trials"][0]["reward"] == 1.0
    for command in ("evaluate", "impact", "report"):
        flags = ("--format", "md") if command == "report" else ()
        assert groundtrace(command, runs, *flags).code == 0


def test_one_file_puts_results_beside_itself_or_below_out(groundtrace: Any, tmp_path: Path) -> None:
    file = tmp_path / "box/a.log"
    put(file, trajectory("heron__heron-12"))
    put(tmp_path / "box/b.log", trajectory("heron__heron-13"))
    assert groundtrace("normalize", file, "--jobs", 1).code == 0
    assert [p.name for p in (tmp_path / "box/retrieval_events").rglob("*_events.json")] == [
        "heron__heron-12.retrieval_events.json"
    ]
    assert groundtrace("run", file, "--out", tmp_path / "out", "--format", "md").code == 0
    assert (tmp_path / "out/box/retrieval_events/outcomes.json").is_file()
    assert groundtrace("report", file, "--out", tmp_path / "out", "--format", "md").code == 0


def test_runs_of_a_manifest_are_written_apart_below_out(groundtrace: Any, tmp_path: Path) -> None:
    put(tmp_path / "set/a.json", trajectory("heron__heron-12"))
    put(tmp_path / "set/b.json", trajectory("heron__heron-12"))
    put(tmp_path / "set/m.csv", "trace,run\na.json,one\nb.json,two\nc.json,two\n")
    ran: Ran = groundtrace(
        "run", tmp_path / "set/m.csv", "--out", tmp_path / "out", "--format", "md"
    )
    assert ran.code == 0, ran.err
    assert "no trial: m.csv:4: 'c.json': no such file beside the manifest" in ran.err
    folders = sorted(path.parent.parent.name for path in (tmp_path / "out").rglob("outcomes.json"))
    assert [name for name in folders if name in ("one", "two")] == ["one", "two"]


def test_explain_takes_a_file(groundtrace: Any, tmp_path: Path) -> None:
    put(tmp_path / "box/a.log", trajectory("heron__heron-12"))
    ran: Ran = groundtrace("explain", tmp_path / "box/a.log", "--tasks", TASKS)
    assert ran.code == 0, ran.err
    assert "rows.jsonl, row 1" in ran.out and "heron/nest.py" in ran.out
    missing: Ran = groundtrace("explain", f"{tmp_path}/box/a.log#none")
    assert missing.code == 2 and "sample" in missing.err


def test_a_dry_run_tells_how_each_trial_was_named(groundtrace: Any, tmp_path: Path) -> None:
    put(tmp_path / "runs/a.json", trajectory("heron__heron-12"))
    ran: Ran = groundtrace("run", tmp_path / "runs", "--dry-run", "--config-name", "mine")
    assert "task by trace: instance_id; config by --config-name" in ran.out
    assert not (tmp_path / "runs/retrieval_events").exists()


def test_nothing_found_says_what_was_looked_for_and_what_came_nearest(
    groundtrace: Any, tmp_path: Path
) -> None:
    put(tmp_path / "runs/near.json", '{"a": 1}')
    ran: Ran = groundtrace("run", tmp_path / "runs")
    assert ran.code == 3
    assert "mini-swe-agent" in ran.err and "near.json (JSON that no reader knows)" in ran.err


def test_prices_make_a_cost_of_tokens(groundtrace: Any, tmp_path: Path) -> None:
    """By hand: 600,000 fresh at $2, 400,000 cached at $0.5, 100,000 output at $10 a million."""
    usage = {
        "prompt_tokens": 1_000_000,
        "completion_tokens": 100_000,
        "prompt_tokens_details": {"cached_tokens": 400_000},
    }
    root = json.loads(trajectory("heron__heron-12"))
    root["messages"][1]["extra"] = {"response": {"usage": usage}}
    put(tmp_path / "runs/a.json", json.dumps(root))
    prices = '[models."wader-1"]\ninput = 2.0\ncached = 0.5\noutput = 10\n'
    put(tmp_path / "prices.toml", prices)
    flags = ("--jobs", 1, "--prices", tmp_path / "prices.toml")
    assert groundtrace("normalize", tmp_path / "runs", *flags).code == 0
    outcomes = json.loads((tmp_path / "runs/retrieval_events/outcomes.json").read_text())
    (trial,) = outcomes["trials"]
    assert trial["cost_usd"] == pytest.approx(2.4)
    assert trial["cost_source"] == "tokens of the trace and --prices"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = ", "not valid TOML"),
        ("", "no prices in it"),
        ("[models.a]\ninput = 1", "output must be dollars"),
        ("[models.a]\ninput = 1\noutput = 2\nother = 3", "unknown key 'other'"),
        ("models = 3", "no prices in it"),
    ],
)
def test_prices_that_cannot_be_used_stop_the_command(
    text: str, expected: str, groundtrace: Any, tmp_path: Path
) -> None:
    put(tmp_path / "runs/a.json", trajectory("heron__heron-12"))
    put(tmp_path / "prices.toml", text)
    ran: Ran = groundtrace("run", tmp_path / "runs", "--prices", tmp_path / "prices.toml")
    assert ran.code == 2 and expected in ran.err
