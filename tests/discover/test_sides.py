"""Which names tell configurations apart, and which traces are no attempts of one (D391 to D393)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from groundtrace.config import Settings
from groundtrace.discover import Skipped, discover
from groundtrace.discover.layout import Layout
from groundtrace.discover.roles import Clues, infer
from groundtrace.discover.sides import are_moments, may_be_sides, repeated, separating
from groundtrace.model import Trial
from groundtrace.storage import place_at
from groundtrace.truth.definitions import load_tasks
from tests.discover.test_loose import put, trajectory

TASKS = ("heron-1", "heron-2")


def patterns(*paths: str, makers: str = "") -> list[str]:
    """Layouts inferred from paths in which the names of tasks are known."""
    clues = []
    for path in paths:
        parts = path.split("/")
        own = next((part for part in parts if part.partition(".")[0] in TASKS), "")
        task = own.partition(".")[0]
        found = frozenset({task})
        clues.append(Clues(parts, found, frozenset(makers.split()), False, {}, task or None))
    return [layout.pattern for layout in infer(clues)]


def crossed(*names: str, below: str = "") -> list[str]:
    """Each name with a file for each task."""
    return [f"{name}/{task}{below}.json" for name in names for task in TASKS]


@pytest.mark.parametrize(
    ("paths", "pattern"),
    [
        # Both levels tell traces of one task apart: both are the configuration.
        (crossed("a/lexical", "a/semantic", "b/lexical", "b/semantic"), "{config}/{config}/{task}"),
        (crossed("exp1/graph", "exp1/baseline", "exp2/graph", "exp2/baseline"), "{config}/{config}/{task}"),
        # A level that follows from the task is no side, above or below the side.
        (["easy/x/heron-1.json", "easy/y/heron-1.json", "hard/x/heron-2.json", "hard/y/heron-2.json"], "*/{config}/{task}"),
        (["x/easy/heron-1.json", "y/easy/heron-1.json", "x/hard/heron-2.json", "y/hard/heron-2.json"], "{config}/*/{task}"),
        # Nor are dates in names that are equal otherwise, portions, seeds and verdicts.
        (crossed("2026-03-01_night/x", "2026-03-01_night/y", "2026-03-02_night/x"), "{trial}/{config}/{task}"),
        (crossed("x/batch_1", "x/batch_2", "y/batch_1", "y/batch_2"), "{config}/*/{task}"),
        (crossed("x/s1", "x/s2", "y/s1", "y/s2"), "{config}/*/{task}"),
        (crossed("x/resolved", "y/resolved", "x/unresolved", "y/unresolved"), "{config}/*/{task}"),
        # Attempts at the end of a configuration's name.
        (crossed("mcp-run1", "mcp-run2", "base-run1", "base-run2"), "{config}-run{trial}/{task}"),
        (crossed("all_run_1", "all_run_2"), "all_run_{trial}/{task}"),
        # `gpt-4` and `gpt-5` are no attempts.
        (crossed("gpt-4", "gpt-5"), "{config}/{task}"),
    ],
)  # fmt: skip
def test_levels_that_tell_traces_of_one_task_apart(paths: list[str], pattern: str) -> None:
    assert patterns(*paths) == [pattern]


def test_a_level_named_after_the_models_says_enough() -> None:
    paths = crossed("lab/wader-1", "den/teal-2")
    assert patterns(*paths, makers="wader-1 teal-2") == ["*/{config}/{task}"]


def test_a_path_that_does_not_fit_the_common_form_keeps_its_configuration() -> None:
    paths = [f"{side}/{task}{end}.json" for side in "xy" for task in TASKS for end in ("", "-7")]
    layouts = [Layout("{config}/{task}-{trial}"), Layout("{config}/*")]
    for path in paths:
        fits = [layout.roles(path.split("/")) for layout in layouts]
        assert next(filter(None, fits))["config"] == path[0]


def test_two_levels_of_a_configuration_are_joined() -> None:
    roles = Layout("{config}/{config}/{task}").roles(["wader-1", "mcp", "heron-1.json"])
    assert roles == {"config": "wader-1-mcp", "task": "heron-1"}


@pytest.mark.parametrize(
    ("names", "are"),
    [
        (["2026-03-01", "2026-03-02"], True),
        (["20260301_1200", "20260302_1300"], True),
        (["2026-03-01_x", "2026-03-02_x"], True),
        (["2026-03-01_x", "2026-03-02_y"], False),
        (["x", "x2"], False),
    ],
)
def test_names_that_differ_by_a_date(names: list[str], are: bool) -> None:
    assert are_moments(names) is are


def test_what_is_no_side() -> None:
    assert may_be_sides(["lexical", "semantic"])
    assert not may_be_sides(["lexical"])
    assert not may_be_sides(["passed", "failed", "empty_patch", "no_generation"])
    assert not may_be_sides(["main", "rerun"])
    assert not may_be_sides(["retry-1", "retry-2"])
    assert may_be_sides(["plain", "retry"]), "what a side does, perhaps: never averaged"
    assert may_be_sides(["lexical-retry", "semantic-retry"])
    assert may_be_sides(["run-a", "run-b"])
    assert not may_be_sides(["first-try", "second-try", "third_try"])
    assert not may_be_sides(["attempt_a", "attempt_b"])
    assert not may_be_sides(["2026-W09", "2026-W10"])
    assert not may_be_sides(["March", "April"])
    assert not may_be_sides(["day1", "day2"])
    assert may_be_sides(["lexical", "semantic", "rerun"]), (
        "two sides are never averaged for a third"
    )
    assert may_be_sides(["lexical", "semantic", "logs"])
    assert not may_be_sides(["0123456789abcdef", "fedcba9876543210"])
    assert not may_be_sides(["one", "two"], below_task=True)
    assert may_be_sides(["one", "two", "one", "two"], below_task=True)


def test_repeated_names_have_one_end() -> None:
    found = repeated(["mcp_run1", "mcp_run2", "base_run1"])
    assert found is not None
    assert (list(found.stems), found.mark) == (["mcp", "mcp", "base"], "_run")
    assert repeated(["mcp_run1", "base-run2", "mcp-run1"]) is None
    assert repeated(["mcp_run1", "base_run2"]) is None


def test_levels_are_taken_until_nothing_more_is_told_apart() -> None:
    tasks = ["t", "t", "t", "u"]
    assert separating(tasks, [(0, "aabb"), (1, "aabb"), (2, "cdcd")]) == [0, 2]
    assert separating(["t", "u"], [(0, "ab")]) == []


# --- whole folders ------------------------------------------------------------------------


def of_folder(runs: Path, tasks: Sequence[str] = ()) -> tuple[list[Trial], list[Skipped]]:
    rows = runs.parent / "rows.jsonl"
    rows.write_text("".join(json.dumps({"instance_id": t, "patch": ""}) + "\n" for t in tasks))
    found = list(discover(place_at(runs), settings=Settings(), tasks=load_tasks([str(rows)])))
    return (
        [item for item in found if isinstance(item, Trial)],
        [item for item in found if isinstance(item, Skipped)],
    )


def configs(trials: Sequence[Trial]) -> Mapping[str, str]:
    return {trial.path: trial.config_name for trial in trials}


def row(task: str) -> str:
    """A row of a data set of chats, with one call."""
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "nest.py"},
    ]
    return json.dumps({"instance_id": task, "messages": messages}) + "\n"


def test_files_of_rows_with_the_same_instances_are_sides(tmp_path: Path) -> None:
    rows = "".join(map(row, TASKS))
    for name in ("teal", "wader"):
        put(tmp_path / f"runs/{name}.jsonl", rows)
    trials, _ = of_folder(tmp_path / "runs", TASKS)
    assert {trial.config_name for trial in trials} == {"teal", "wader"}


def test_files_of_rows_with_other_instances_are_one_configuration(tmp_path: Path) -> None:
    for name, task in zip(("one", "two"), TASKS, strict=True):
        put(tmp_path / f"runs/{name}.jsonl", row(task))
    trials, _ = of_folder(tmp_path / "runs", TASKS)
    assert {trial.config_name for trial in trials} == {"default"}


def test_copies_that_programs_leave_behind_are_no_attempts(tmp_path: Path) -> None:
    for name in ("heron-1.json", "heron-1.json.bak", "heron-1.json~", "heron-1.json.orig"):
        put(tmp_path / "runs" / name, trajectory("heron-1"))
    put(tmp_path / "runs/backup/heron-1.json", trajectory("heron-1"))
    trials, skipped = of_folder(tmp_path / "runs", TASKS)
    assert [trial.path for trial in trials] == ["heron-1.json"]
    assert {one.path for one in skipped} == {
        "backup", "heron-1.json.bak", "heron-1.json.orig", "heron-1.json~"
    }  # fmt: skip


def test_a_copy_beside_its_file_is_no_attempt_if_it_has_the_same_bytes(tmp_path: Path) -> None:
    put(tmp_path / "runs/heron-1.json", trajectory("heron-1"))
    put(tmp_path / "runs/heron-1 (1).json", trajectory("heron-1"))
    put(tmp_path / "runs/heron-1 copy.json", trajectory("heron-1", note="another"))
    put(tmp_path / "runs/attempt_2/heron-1.json", trajectory("heron-1"))
    trials, skipped = of_folder(tmp_path / "runs", TASKS)
    assert len(trials) == 3
    assert [one.reason for one in skipped] == ["the same bytes as heron-1.json"]


def test_a_folder_of_traces_of_two_models_is_two_configurations(tmp_path: Path) -> None:
    for side in ("x", "y"):
        for number, model in enumerate(("lab/wader-1", "lab/teal-2")):
            for task in TASKS:
                put(tmp_path / f"runs/{side}/{task}-{number}.json", trajectory(task, model))
    trials, _ = of_folder(tmp_path / "runs", TASKS)
    assert {trial.config_name for trial in trials} == {
        f"{side}-{model}" for side in "xy" for model in ("wader-1", "teal-2")
    }


def test_a_single_other_model_tells_no_configurations_apart(tmp_path: Path) -> None:
    for number in range(2):
        for task in (*TASKS, "heron-3"):
            model = "lab/teal-2" if (number, task) == (1, "heron-3") else "lab/wader-1"
            put(tmp_path / f"runs/x/{task}-{number}.json", trajectory(task, model))
            put(tmp_path / f"runs/y/{task}-{number}.json", trajectory(task))
    trials, _ = of_folder(tmp_path / "runs", (*TASKS, "heron-3"))
    assert {trial.config_name for trial in trials} == {"x", "y"}


def test_a_trace_that_names_no_model_is_not_of_another_one(tmp_path: Path) -> None:
    for task in TASKS:
        put(tmp_path / f"runs/x/{task}-0.json", trajectory(task, "lab/wader-1"))
        put(tmp_path / f"runs/x/{task}-1.json", trajectory(task, ""))
        put(tmp_path / f"runs/y/{task}-0.json", trajectory(task, "lab/wader-1"))
    trials, _ = of_folder(tmp_path / "runs", TASKS)
    assert {trial.config_name for trial in trials} == {"x", "y"}
    assert {trial.model for trial in trials} == {"wader-1", None}


def evaluation(task_id: str, created: str, ids: Sequence[str], **more: Any) -> str:
    samples = [
        {"id": name, "epoch": 1, "input": "", "messages": [], "scores": {}, "events": []}
        for name in ids
    ]
    head = {"task": "nest", "task_id": task_id, "created": created, "model": "lab/wader-1", **more}
    return json.dumps({"version": 2, "status": "success", "eval": head, "samples": samples})


def test_of_a_resumed_evaluation_the_last_log_counts(tmp_path: Path) -> None:
    put(tmp_path / "runs/a.json", evaluation("e1", "2026-01-01T10:00:00", TASKS))
    put(tmp_path / "runs/b.json", evaluation("e1", "2026-01-01T12:00:00", TASKS[:1]))
    trials, skipped = of_folder(tmp_path / "runs", TASKS)
    assert {trial.path for trial in trials} == {"a.json#heron-2", "b.json#heron-1"}
    assert [one.reason for one in skipped] == ["tried again in b.json"]


def test_evaluations_of_other_names_and_arguments_are_configurations(tmp_path: Path) -> None:
    for name, arguments in (("a", {"hints": True}), ("b", {"hints": False})):
        log = evaluation(name, "2026-01-01T10:00:00", TASKS, task_args=arguments)
        put(tmp_path / f"runs/2026-01-01T10-00-00_{name}.json", log)
    trials, _ = of_folder(tmp_path / "runs", TASKS)
    assert {t.config_name for t in trials} == {"wader-1-hints=True", "wader-1-hints=False"}


# --- Harbor's jobs ------------------------------------------------------------------------


def job(folder: Path, *agents: Mapping[str, Any]) -> None:
    """A job that ran two tasks with each of its agents."""
    put(folder / "config.json", json.dumps({"job_name": folder.name, "agents": agents}))
    for number, agent in enumerate(agents):
        for task in TASKS:
            trial = folder / f"{task}__AbCdEf{number}"
            config = {"trial_name": trial.name, "agent": agent, "task": {"path": f"nests/{task}"}}
            put(trial / "config.json", json.dumps(config))
            put(trial / "result.json", json.dumps({"task_name": task, "trial_name": trial.name}))


OWL = {"name": "owl", "model_name": "lab/wader-1"}
TERN = {"name": "tern", "model_name": "lab/teal-2"}


def test_jobs_named_by_their_time_are_told_apart_by_agent_and_model(tmp_path: Path) -> None:
    job(tmp_path / "jobs/2026-03-01__10-00-00", OWL)
    job(tmp_path / "jobs/2026-03-02__10-00-00", TERN)
    trials, _ = of_folder(tmp_path / "jobs", TASKS)
    assert {trial.config_name for trial in trials} == {"owl-wader-1", "tern-teal-2"}


def test_agents_of_one_job_are_configurations(tmp_path: Path) -> None:
    job(tmp_path / "jobs/night", OWL, TERN)
    trials, _ = of_folder(tmp_path / "jobs", TASKS)
    assert {trial.config_name for trial in trials} == {"night-owl-wader-1", "night-tern-teal-2"}


def test_agents_that_differ_in_their_settings_alone_are_numbered(tmp_path: Path) -> None:
    job(tmp_path / "jobs/night", OWL, {**OWL, "kwargs": {"search": True}})
    trials, _ = of_folder(tmp_path / "jobs", TASKS)
    assert {trial.config_name for trial in trials} == {"night-owl-wader-1-1", "night-owl-wader-1-2"}


def test_a_job_of_one_agent_has_the_name_of_its_folder(tmp_path: Path) -> None:
    job(tmp_path / "jobs/night", OWL)
    trials, _ = of_folder(tmp_path / "jobs", TASKS)
    assert {trial.config_name for trial in trials} == {"night"}


# --- verdicts in rows ---------------------------------------------------------------------

ROWS = [{"instance_id": "heron-1", "resolved": True}, {"instance_id": "heron-2", "resolved": False}]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("results.jsonl", "".join(f"{json.dumps(row)}\n" for row in ROWS)),
        ("results.csv", "instance_id,resolved\nheron-1,True\nheron-2,false\n"),
        ("results.json", json.dumps({"results": [{"task_id": r["instance_id"], "is_resolved": r["resolved"]} for r in ROWS]})),
        ("report.json", json.dumps({"instances": {r["instance_id"]: r for r in ROWS}})),
        ("results.json", json.dumps({"heron-1": {"status": "resolved"}, "heron-2": {"status": "unresolved"}})),
        ("results.json", json.dumps({"heron-1": {"reward": 1.0}, "heron-2": {"reward": 0.0}})),
    ],
)  # fmt: skip
def test_verdicts_in_rows(name: str, text: str, tmp_path: Path) -> None:
    for task in TASKS:
        put(tmp_path / f"runs/{task}.json", trajectory(task))
    put(tmp_path / "runs" / name, text)
    trials, _ = of_folder(tmp_path / "runs", TASKS)
    assert {t.task_name: t.outcome.reward for t in trials} == {"heron-1": 1.0, "heron-2": 0.0}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        # What an agent says of itself, counts, and two verdicts about one instance are none.
        ("results.json", json.dumps([{"id": "heron-1", "success": True}])),
        ("results.json", json.dumps({"heron-1": 3})),
        ("results.jsonl", '{"instance_id": "heron-1", "resolved": true}\n{"instance_id": "heron-1", "resolved": false}\n'),
        ("results.jsonl", '{"instance_id": "heron-1", "note": "x"}\n'),
    ],
)  # fmt: skip
def test_rows_that_are_no_verdicts(name: str, text: str, tmp_path: Path) -> None:
    put(tmp_path / "runs/heron-1.json", trajectory("heron-1"))
    put(tmp_path / "runs" / name, text)
    trials, _ = of_folder(tmp_path / "runs", TASKS)
    assert [trial.outcome.reward for trial in trials] == [None]
