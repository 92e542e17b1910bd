"""Folders with things that no harness writes: links, pipes, devices, folders instead of files."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from groundtrace.storage import LocalFolder
from groundtrace.traces import read_trace
from tests.adversarial.worlds import (
    Call,
    World,
    assert_good_trial_was_evaluated,
    assert_said,
    put,
    result_of,
    stream,
)


def test_a_link_out_of_the_runs_folder_is_not_followed(world: World, groundtrace: Call) -> None:
    """A whole trial elsewhere, linked into the run: not evaluated, and counted as a problem."""
    elsewhere = world.top / "elsewhere"
    put(elsewhere / "result.json", result_of("stolen", "stolen__abc0001"))
    put(elsewhere / "agent/claude-code.txt", stream("/workspace/src/a.py"))
    (world.run / "baseline/linked__abcdefg").symlink_to(elsewhere)
    ran = world.evaluate(groundtrace)
    assert ran.code == 0, ran.err
    assert_good_trial_was_evaluated(world)
    assert list(world.documents()) == ["baseline good-1"]
    assert world.summary()["problems"]["link_not_followed"] == 1


@pytest.mark.parametrize("name", ["result.json", "config.json", "agent/claude-code.txt", "agent"])
def test_a_link_in_a_trial_that_leaves_the_runs_folder_is_not_read(
    name: str, world: World, groundtrace: Call
) -> None:
    """`result.json` as a link to a file of secrets: nothing of it may turn up in a document."""
    secret = world.top / "secret"
    put(secret / "file", json.dumps(result_of("secret-task", "secret-trial")))
    put(secret / "claude-code.txt", stream("/workspace/secret.py"))
    trial = world.trial("good-2")
    target = trial / name
    if target.is_dir():
        (target / "claude-code.txt").unlink()
        target.rmdir()
        target.symlink_to(secret)
    else:
        target.unlink()
        target.symlink_to(secret / ("claude-code.txt" if "agent" in name else "file"))
    ran = world.evaluate(groundtrace)
    assert ran.code == 0, ran.err
    assert_good_trial_was_evaluated(world)
    assert not any(b"secret" in p.read_bytes() for p in world.results.rglob("*.json"))
    assert len(world.documents()) == 2, "the trial itself is not lost"
    problems = json.dumps(world.documents()) + json.dumps(world.summary()["problems"])
    assert any(word in problems for word in ("not_a_file", "no_trace", "degraded_reason"))


def test_links_that_go_round_end(world: World, groundtrace: Call) -> None:
    """A link to a parent, two links to each other: the walk ends and says what it left out."""
    (world.run / "baseline/again").symlink_to(world.run)
    (world.run / "one").symlink_to(world.run / "two")
    (world.run / "two").symlink_to(world.run / "one")
    ran = world.evaluate(groundtrace)
    assert ran.code == 0, ran.err
    assert_good_trial_was_evaluated(world)
    assert list(world.documents()) == ["baseline good-1"]
    assert sum(world.summary()["problems"].values()) >= 3


REFERENCES = (
    "../other/trajectory.json",
    "../../../../secret.json",
    "/etc/passwd",
    "file:///etc/passwd",
    "..\\..\\secret.json",
    "a/../../../secret.json",
    "\0",
    "x" * 5000,
)


@pytest.mark.parametrize("reference", REFERENCES, ids=lambda text: ascii(text)[:24])
@pytest.mark.parametrize("key", ["continued_trajectory_ref", "subagent"])
def test_a_reference_in_a_trajectory_cannot_leave_the_trial(
    key: str, reference: str, tmp_path: Path
) -> None:
    """D37: nothing outside the trial's folder is read because a trace names it."""
    call = {"tool_call_id": "s", "function_name": "Read", "arguments": {"file_path": "/secret"}}
    secret = {"schema_version": "ATIF-v1.7", "agent": {"name": "x"}, "steps": [_step(call)]}
    for place in ("secret.json", "runs/secret.json", "runs/other/trajectory.json"):
        put(tmp_path / place, secret)
    own = {"tool_call_id": "o", "function_name": "Read", "arguments": {"file_path": "/own"}}
    step = _step(own)
    step["observation"]["results"][0]["subagent_trajectory_ref"] = [{"trajectory_path": reference}]
    trajectory = {"schema_version": "ATIF-v1.7", "agent": {"name": "x"}, "steps": [step]}
    if key == "continued_trajectory_ref":
        trajectory[key] = reference
    put(tmp_path / "runs/trial/agent/trajectory.json", trajectory)
    trace, problems = read_trace(LocalFolder(tmp_path / "runs/trial", tmp_path / "runs"))
    assert [call.arguments for call in trace.calls] == [{"file_path": "/own"}]
    assert problems, "a reference that is not followed is a loss, and is named"


def _step(call: dict[str, object]) -> dict[str, object]:
    results = [{"source_call_id": call["tool_call_id"], "content": "x"}]
    return {
        "step_id": 1,
        "source": "agent",
        "message": "",
        "tool_calls": [call],
        "observation": {"results": results},
    }


@pytest.mark.parametrize("name", ["result.json", "agent/claude-code.txt", "agent/trajectory.json"])
def test_a_pipe_in_a_trial_folder_is_not_waited_for(
    name: str, world: World, groundtrace: Call
) -> None:
    """Opening a pipe that nobody writes to would hang for ever."""
    trial = world.trial("good-2")
    (trial / name).unlink(missing_ok=True)
    os.mkfifo(trial / name)
    ran = world.evaluate(groundtrace)
    assert ran.code == 0, ran.err
    assert_good_trial_was_evaluated(world)
    assert len(world.documents()) == 2


def test_a_device_in_a_trial_folder_is_not_read(world: World, groundtrace: Call) -> None:
    """`/dev/zero` under the name of a transcript never ends."""
    trial = world.trial("good-2")
    (trial / "agent/claude-code.txt").unlink()
    try:
        os.mknod(trial / "agent/claude-code.txt", 0o20666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only root can make a device")
    ran = world.evaluate(groundtrace)
    assert ran.code == 0, ran.err
    assert_good_trial_was_evaluated(world)
    coverage = world.documents()["baseline good-2"]["coverage"]
    assert coverage["trace_source"] is None and coverage["degraded_reason"]


@pytest.mark.parametrize("name", ["result.json", "config.json", "agent/claude-code.txt"])
def test_a_folder_named_like_a_file(name: str, world: World, groundtrace: Call) -> None:
    trial = world.trial("good-2")
    (trial / name).unlink()
    (trial / name / "inside").mkdir(parents=True)
    put(trial / "agent/trajectory.json", {"schema_version": "ATIF-v1.2", "steps": []})
    ran = world.evaluate(groundtrace)
    assert ran.code == 0, ran.err
    assert_good_trial_was_evaluated(world)
    assert len(world.documents()) == 2


def test_folders_in_place_of_ground_truth(world: World, groundtrace: Call) -> None:
    """A folder named ground_truth.json is no ground truth: unknown, not zero (D19)."""
    task = world.task("good-2")
    (task / "tests/ground_truth.json").unlink()
    (task / "tests/ground_truth.json").mkdir()
    world.trial("good-2")
    assert world.evaluate(groundtrace).code == 0
    metrics = world.documents("retrieval_metrics.json")["baseline good-2"]
    assert metrics["file_level_metrics"]["computable"] is False
    assert metrics["file_level_metrics"]["reason"] == "no_ground_truth"


def test_files_where_folders_belong(world: World, groundtrace: Call, tmp_path: Path) -> None:
    """RUNS, TASKS and --out as plain files: one sentence that names the file, exit 2."""
    file = put(tmp_path / "file", "x")
    for arguments in (
        ("run", file, "--tasks", world.tasks),
        ("run", world.run, "--tasks", file),
        ("run", world.run, "--tasks", world.tasks, "--out", file),
        ("evaluate", file),
        ("report", world.run, "--out", file),
    ):
        ran = groundtrace(*arguments)
        assert ran.code in (2, 3), (arguments, ran)
        assert_said(ran, "file")
        assert len(ran.err.strip().splitlines()) == 1, ran.err


def test_an_output_folder_with_foreign_files_in_it(world: World, groundtrace: Call) -> None:
    """What others put under our names is counted and left out; nothing of theirs is removed."""
    assert world.evaluate(groundtrace).code == 0
    foreign = put(world.results / "baseline/theirs.retrieval_events.json", "not JSON")
    put(world.results / "baseline/list.retrieval_metrics.json", "[]")
    (world.results / "odd.retrieval_events.json").mkdir()
    os.mkfifo(world.results / "baseline/pipe.retrieval_events.json")
    ran = world.evaluate(groundtrace)
    assert ran.code == 0, ran.err
    assert_said(ran, "1 document has no trial any more")
    assert foreign.read_text() == "not JSON"
    assert world.summary()["overall"]["computable"] == 1
