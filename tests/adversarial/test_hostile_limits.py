"""Limits of entries, steps, calls and time: a problem names each, and only its trial suffers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from groundtrace.base.jsonio import MAX_DECODED, HeavyJsonError, loads
from groundtrace.config import Settings
from groundtrace.model import ToolCall, Trace
from groundtrace.storage import LocalFolder
from groundtrace.traces import read_trace, source
from groundtrace.traces.atif import records
from groundtrace.truth import entries, patches
from groundtrace.truth.entries import Notes, collect, truth_file
from groundtrace.truth.patches import read_patch
from tests.adversarial.worlds import (
    Call,
    World,
    assert_good_trial_was_evaluated,
    assert_said,
    put,
    stream,
)
from tests.fuzz import giants

HEAD = '{"schema_version": "ATIF-v1.2", "agent": {"name": "claude-code"}, "steps": ['
STEP = '{"step_id": 1, "source": "agent", "message": "", "tool_calls": [%s]}'
CALL = '{"tool_call_id": "c%d", "function_name": "Read", "arguments": {"file_path": "/w/a.py"}}'


def test_a_trajectory_of_empty_steps_takes_little(tmp_path: Path) -> None:
    """60 MB of `{}` took 2.9 GB of memory and three minutes."""
    path = put(tmp_path / "agent/trajectory.json", "")
    with path.open("w", encoding="utf-8") as stream_:
        stream_.write(HEAD + STEP % (CALL % 1) + ",")
        for _ in range(200):
            stream_.write("{}," * 100_000)
        stream_.write("{}]}")
    found = giants.measured(tmp_path)
    assert found.megabytes < 400, f"{found.megabytes} MB of memory"
    assert found.calls == 1
    assert "too_many" in found.problems


def test_steps_beyond_the_limit_are_named_with_their_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    text = HEAD + ",".join(STEP % (CALL % number) for number in range(30)) + "]}"
    put(tmp_path / "agent/trajectory.json", text)
    for size in (records.LARGE, 10):  # decoded whole, and step by step
        monkeypatch.setattr("groundtrace.traces.atif.trace.LARGE", size)
        monkeypatch.setattr(records, "MAX_STEPS", 10)
        trace, problems = read_trace(LocalFolder(tmp_path))
        assert len(trace.calls) == 10
        (problem,) = [p for p in problems if p.kind == "too_many"]
        assert problem.reason == "more than 10 steps; the others are not read"
        assert problem.lost_calls == 20


def test_calls_beyond_the_limit_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_CALLS", 3)
    put(tmp_path / "agent/claude-code.txt", stream(*(f"/workspace/{n}.py" for n in range(9))))
    trace, problems = read_trace(LocalFolder(tmp_path))
    assert [call.arguments["file_path"] for call in trace.calls] == [
        "/workspace/0.py",
        "/workspace/1.py",
        "/workspace/2.py",
    ]
    (problem,) = problems
    assert (problem.kind, problem.lost_calls) == ("too_many", 1)
    assert problem.reason.startswith("more than 3 calls")


def test_a_truth_beyond_the_limit_is_no_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of it would be another truth, with other numbers."""
    monkeypatch.setattr(entries, "MAX_ENTRIES", 5)
    notes = Notes("x")
    assert len(collect([f"{n}.py" for n in range(5)], truth_file, notes)) == 5
    assert notes.problems() == ()
    assert collect([f"{n}.py" for n in range(6)], truth_file, notes) == ()
    (problem,) = notes.problems()
    assert problem.kind == "too_many" and "more than 5 entries" in problem.reason


def test_a_patch_beyond_the_limit_is_no_patch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patches, "MAX_FILES", 3)
    text = "".join(f"--- a/{n}\n+++ b/{n}\n@@ -1 +1 @@\n-x\n+y\n" for n in range(9))
    assert len(read_patch(text[: len(text) // 3]).files) == 3
    found = read_patch(text)
    assert found.files == () and found.faults == ("more than 3 files; none of them is used",)


def test_hunks_of_one_file_take_time_that_grows_with_their_number() -> None:
    """Each hunk copied those before it: 100,000 took minutes."""
    hunks = "".join(f"@@ -{n} +{n} @@\n-x\n+y\n" for n in range(1, 60_001))
    found = read_patch(f"--- a/f\n+++ b/f\n{hunks}")
    assert len(found.changed) == 60_000 and not found.faults


def test_json_that_takes_too_much_memory_says_how_much() -> None:
    with pytest.raises(HeavyJsonError, match=f"{MAX_DECODED >> 20} MB"):
        loads(b"[" + b'{"a":1},' * 1_000_000 + b"1]")


def test_two_million_entries_cost_their_trial_alone(world: World, groundtrace: Call) -> None:
    world.task("large-1")
    world.trial("large-1")
    truth = world.tasks / "csb_sdlc_fix/large-1/tests/ground_truth.json"
    put(truth, '{"files": [' + ",".join(f'"s/{n}.py"' for n in range(2_000_000)) + "]}")
    ran = world.evaluate(groundtrace)
    assert_said(ran)
    assert ran.code == 0
    assert_good_trial_was_evaluated(world)
    coverage = world.documents()["baseline large-1"]["coverage"]
    assert coverage["problems"]["too_large"] == 1


# --- one call, one trial ---------------------------------------------------------------------


def test_a_fault_in_one_call_costs_that_call(monkeypatch: pytest.MonkeyPatch) -> None:
    from groundtrace.tools import views

    real = views._own

    def faulty(call: ToolCall, *rest: Any) -> Any:
        if call.arguments.get("file_path") == "bad":
            raise ZeroDivisionError("by a bad call")
        return real(call, *rest)

    monkeypatch.setattr(views, "_own", faulty)
    calls = [ToolCall("Read", {"file_path": name}) for name in ("a.py", "bad", "b.py")]
    found = views.view_calls(Trace(calls=tuple(calls)), Settings())
    assert [[ref.path for ref in view.refs] for view in found] == [["a.py"], [], ["b.py"]]
    (problem,) = found[1].problems
    assert (problem.kind, problem.lost_calls) == ("internal_error", 1)
    assert "ZeroDivisionError" in problem.reason


# --- what is not waited for, what is not read ------------------------------------------------


@pytest.mark.parametrize("name", ["x.retrieval_events.json", "x.json"])
def test_validate_waits_for_no_pipe(name: str, tmp_path: Path, groundtrace: Call) -> None:
    os.mkfifo(tmp_path / name)
    ran = groundtrace("validate", tmp_path / name)
    assert_said(ran, name)
    assert ran.code in (1, 2)


def test_a_device_without_end_is_not_read(world: World, groundtrace: Call) -> None:
    for command in (("validate", "/dev/zero"), ("schema", "--help")):
        assert "Traceback" not in groundtrace(*command).err
    assert groundtrace("validate", "/dev/zero").code == 2
    for flag in ("--config", "--ground-truth", "--prices"):
        ran = world.evaluate(groundtrace, flag, "/dev/zero")
        assert_said(ran, "/dev/zero: cannot be read (not a regular file)")
        assert ran.code == 2


def test_settings_from_a_pipe_with_a_writer_are_read(world: World) -> None:
    """A shell's `<(command)` is one."""
    line = f"{sys.executable} -m groundtrace run {world.run} --tasks {world.tasks}"
    line += f" --out {world.out} --jobs 1 --config <(printf '[compare]\\nbaseline = \"x\"\\n')"
    ran = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_a_trace_that_is_a_link_to_another_trials_is_not_credited(
    world: World, groundtrace: Call
) -> None:
    other = next(world.run.glob("*/trial-*"))
    trial = world.trial("good-1", config="thief")
    trace = trial / "agent/claude-code.txt"
    trace.unlink()
    trace.symlink_to(other / "agent/claude-code.txt")
    assert world.evaluate(groundtrace).code == 0
    document = world.documents()["thief good-1"]
    assert document["events"] == []
    assert document["coverage"]["problems"]["foreign_trace"] == 1
    assert_good_trial_was_evaluated(world)


def test_a_trace_that_is_a_link_to_a_store_of_traces_is_read(
    world: World, groundtrace: Call
) -> None:
    trial = world.trial("good-1", config="linked")
    trace = trial / "agent/claude-code.txt"
    stored = world.run / "store/blob-1.txt"
    stored.parent.mkdir()
    trace.rename(stored)
    trace.symlink_to(stored)
    assert world.evaluate(groundtrace).code == 0
    assert len(world.documents()["linked good-1"]["events"]) == 1


# --- names and text --------------------------------------------------------------------------

BUTTONS = [f"src/sk-button-primary-large-v{number}.tsx" for number in range(1, 5)]


def test_names_that_look_like_credentials_are_shown_in_full(
    world: World, groundtrace: Call
) -> None:
    """Identity first, then masking: four files of the design system became one `[masked]`."""
    world.task("sk-1", *BUTTONS)
    world.trial("sk-1", trace=stream(*(f"/workspace/{name}" for name in BUTTONS)))
    assert world.evaluate(groundtrace, "--format", "md,html").code == 0
    metrics = world.documents("retrieval_metrics.json")["baseline sk-1"]
    assert metrics["file_level_metrics"]["file_recall"] == 1.0
    trial = next(
        path.parent for path in world.run.glob("*/*/result.json") if "sk-1" in path.read_text()
    )
    shown = groundtrace("explain", trial, "--tasks", world.tasks).out
    assert all(name in shown for name in BUTTONS)
    assert "[masked]" not in shown


def test_a_credential_in_an_error_is_masked_wherever_it_is_kept(
    world: World, groundtrace: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "Zk3v9QpL7xWt2RbN8mYc"

    def fails(*_: object, **__: object) -> None:
        raise ValueError(f"cannot read password={secret}")

    monkeypatch.setattr("groundtrace.pipeline.build_document", fails)
    ran = world.evaluate(groundtrace, "-v")
    assert ran.code in (1, 3)
    kept = [p.read_text(errors="replace") for p in world.out.rglob("*") if p.is_file()]
    assert any("ValueError" in text for text in kept)
    assert all(secret not in text for text in (*kept, ran.out, ran.err))
    assert (
        json.loads((world.results / "outcomes.json").read_text())["trials"][0]["state"] == "failed"
    )


@pytest.mark.parametrize("kind", ["md", "html"])
def test_the_head_of_a_report_says_that_nothing_is_masked(
    kind: str, world: World, groundtrace: Call
) -> None:
    where = world.results / f"retrieval_report.{kind}"
    said = "credentials in it are not masked"
    world.evaluate(groundtrace, "--format", kind, "--no-mask")
    head = where.read_text(encoding="utf-8")
    assert said in head and head.index(said) < head.index("## " if kind == "md" else "<h1")
    world.evaluate(groundtrace, "--format", kind)
    assert said not in where.read_text(encoding="utf-8")
