"""Disks that refuse, fill up or change under the run; clocks that go back; two runs at once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adversarial.worlds import (
    Call,
    World,
    assert_good_trial_was_evaluated,
    assert_said,
    stream,
)
from tests.conftest import FIXED_TIME, Ran
from tests.whole_runs import WITH_WORKERS


def mounted(folder: Path, options: str) -> bool:
    """A memory disk at a folder, where that is allowed."""
    folder.mkdir(parents=True, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if os.geteuid() != 0 or shutil.which("mount") is None:
        return False
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def on_disk(folder: Path, options: str) -> Iterator[Path]:
    """The folder on a disk of its own while a test runs."""
    if not mounted(folder, options):
        pytest.skip("a disk can only be mounted by root, and not everywhere")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def small_disk(world: World) -> Iterator[Path]:
    """The output folder on a disk of 64 KB."""
    yield from on_disk(world.out, "size=64k")


@pytest.fixture
def closed_disk(world: World) -> Iterator[Path]:
    """The output folder on a disk that can only be read."""
    yield from on_disk(world.out, "size=1m,ro")


def command_line(world: World, *flags: str) -> list[str]:
    where = [str(world.run), "--tasks", str(world.tasks), "--out", str(world.out)]
    return [sys.executable, "-c", WITH_WORKERS, "run", *where, "--format", "md", *flags]


def in_process(world: World, *flags: str) -> Ran:
    """The command in a process of its own."""
    ran = subprocess.run(
        command_line(world, *flags),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=os.environ | {"SOURCE_DATE_EPOCH": FIXED_TIME},
    )
    return Ran(ran.returncode, ran.stdout, ran.stderr)


def no_torn_files(folder: Path) -> None:
    """Every document on the disk is whole (D37)."""
    for path in folder.rglob("*.json"):
        json.loads(path.read_text(encoding="utf-8"))
    assert not list(folder.rglob("*.tmp"))


def test_an_output_folder_that_cannot_be_written(
    world: World, closed_disk: Path, groundtrace: Call
) -> None:
    """One sentence that names the folder and the reason; nothing half done."""
    ran = world.evaluate(groundtrace)
    assert ran.code == 2, ran
    assert_said(ran, str(closed_disk), "ead-only")
    assert not list(closed_disk.iterdir())


def test_a_full_disk_is_said_and_leaves_whole_files(
    world: World, small_disk: Path, groundtrace: Call
) -> None:
    """Trials that no longer fit are named; what was written is whole; more room completes it."""
    many = stream(*(f"/workspace/src/some/folder/file_{n}.py" for n in range(60)))
    for number in range(12):
        world.trial(f"task-{number:02}", trace=many)
    ran = world.evaluate(groundtrace)
    assert ran.code in (1, 2), ran
    assert_said(ran, "No space left")
    no_torn_files(small_disk)
    subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
    ran = world.evaluate(groundtrace)
    assert ran.code == 0, ran.err
    assert len(world.documents()) == 13
    assert_good_trial_was_evaluated(world)


def test_a_clock_that_goes_back_changes_nothing(
    world: World, groundtrace: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inputs dated in the future, then a run that is made "before" the last one: an incremental
    run must still see every change, and elapsed time is never negative."""
    ahead = time.time() + 10 * 365 * 86400
    for path in world.run.rglob("*"):
        os.utime(path, (ahead, ahead))
    assert world.evaluate(groundtrace).code == 0
    first = world.documents("retrieval_metrics.json")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    trace = next(world.run.rglob("claude-code.txt"))
    trace.write_text(stream("/workspace/src/other.py"))
    os.utime(trace, (86400, 86400))
    assert world.evaluate(groundtrace).code == 0
    second = world.documents("retrieval_metrics.json")
    assert first["baseline good-1"]["file_level_metrics"]["file_recall"] == 1.0
    assert second["baseline good-1"]["file_level_metrics"]["file_recall"] == 0.0


def test_a_clock_that_goes_back_inside_a_trace(world: World, groundtrace: Call) -> None:
    """Order is that of appearance, never of time (D1), and no time is before the start (D10)."""
    lines = []
    for number, stamp in enumerate(
        ("2026-03-20T18:05:00Z", "2026-03-20T17:00:00Z", "1970-01-01T00:00:00Z")
    ):
        for text in stream(f"/workspace/src/f{number}.py").splitlines()[1:]:
            record = json.loads(
                text.replace("toolu_01", f"toolu_{number}").replace("msg_01", f"msg_{number}")
            )
            lines.append(json.dumps(record | {"timestamp": stamp}))
    world.trial("good-1", config="mcp", trace="\n".join(lines) + "\n")
    assert world.evaluate(groundtrace).code == 0
    events = world.documents()["mcp good-1"]["events"]
    assert [event["target_files"] for event in events] == [
        ["src/f0.py"],
        ["src/f1.py"],
        ["src/f2.py"],
    ]
    # A time of 1970 is a clock that was never set: no time, rather than one of fifty years.
    assert [event["elapsed_seconds"] for event in events] == [3900.0, 0.0, None]


def test_a_trial_that_ended_before_it_began_has_no_duration(
    world: World, groundtrace: Call
) -> None:
    """A negative time is no time: missing, not zero (D34)."""
    world.trial(
        "good-1",
        config="mcp",
        started_at="2026-03-20T18:00:00",
        finished_at="2026-03-20T17:00:00",
        agent_execution={"started_at": "2026-03-20T18:00:00", "finished_at": "2020-01-01T00:00:00"},
    )
    assert world.evaluate(groundtrace).code == 0
    outcome = next(o for o in world.outcomes()["trials"] if o["config_name"] == "mcp")
    assert outcome["trial_seconds"] is None and outcome["agent_seconds"] is None


def test_two_processes_at_once_give_one_whole_result(world: World, groundtrace: Call) -> None:
    """Both start together: each ends with its result or with the other's name, never with a torn
    file; afterwards everything is there."""
    for number in range(40):
        world.trial(f"task-{number:02}")
    environment = os.environ | {"SOURCE_DATE_EPOCH": FIXED_TIME}
    both = [
        subprocess.Popen(
            command_line(world, "--jobs", "1"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for _ in range(2)
    ]
    said = [process.communicate(timeout=120)[1] for process in both]
    codes = sorted(process.returncode for process in both)
    assert codes in ([0, 0], [0, 2]), said
    if codes == [0, 2]:
        refused = said[0] if both[0].returncode == 2 else said[1]
        assert "in use by" in refused and "Traceback" not in refused
    no_torn_files(world.out)
    assert len(world.documents()) == 41
    ran = world.evaluate(groundtrace)
    assert ran.code == 0
    assert "0 documents written, 41 unchanged" in ran.err


def test_a_runs_folder_that_changes_during_the_run(world: World, groundtrace: Call) -> None:
    """Trials vanish and files are cut while the run reads them: what is gone is said, the rest is
    evaluated, and a second run agrees with what is there then."""
    trials = [world.trial(f"task-{number:02}") for number in range(60)]
    process = subprocess.Popen(
        command_line(world, "--jobs", "1"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"SOURCE_DATE_EPOCH": FIXED_TIME},
    )
    until = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < until:
        if any(world.out.rglob("*.retrieval_events.json")):
            break
        time.sleep(0.002)
    for trial in trials[40:]:
        shutil.rmtree(trial)
    for trial in trials[30:40]:
        (trial / "agent/claude-code.txt").write_bytes(b'{"type":"assist')
    _, said = process.communicate(timeout=120)
    assert process.returncode in (0, 1), said
    assert "Traceback" not in said and "internal error" not in said
    no_torn_files(world.out)
    assert_good_trial_was_evaluated(world)
    ran = world.evaluate(groundtrace, "--prune")
    assert ran.code == 0, ran.err
    documents = world.documents("retrieval_metrics.json")
    assert len(documents) == 41
    cut = documents["baseline task-35"]
    assert cut["file_level_metrics"]["computable"] is False, "a cut trace is unknown, not zero"


def test_files_that_vanish_between_finding_and_reading(
    world: World, groundtrace: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same without chance: every trial's folder is emptied after it was found."""
    from groundtrace import traces

    gone = world.trial("task-1")
    real = traces.read_trace

    def read_after_vanishing(folder: object, **given: object) -> object:
        shutil.rmtree(gone, ignore_errors=True)
        return real(folder, **given)

    monkeypatch.setattr(traces, "read_trace", read_after_vanishing)
    ran = world.evaluate(groundtrace)
    assert ran.code in (0, 1), ran.err
    assert_said(ran)
    assert_good_trial_was_evaluated(world)
    document = world.documents().get("baseline task-1")
    said = "task-1" in ran.err or "trial-2" in ran.err
    assert said or (document is not None and document["coverage"]["degraded_reason"])


def test_an_output_file_that_is_a_link_elsewhere_is_not_written_through(
    world: World, groundtrace: Call
) -> None:
    """A link in the output folder to a file of the benchmark: refused by name, the file stays."""
    assert world.evaluate(groundtrace).code == 0
    victim = world.top / "in/precious.json"
    victim.write_text("precious")
    document = next(world.results.glob("baseline/*.retrieval_events.json"))
    document.unlink()
    document.symlink_to(victim)
    ran = world.evaluate(groundtrace, "--force")
    assert victim.read_text() == "precious"
    assert ran.code in (1, 2)
    assert_said(ran, document.name)


def test_lock_and_state_that_are_links_elsewhere_are_not_written_through(
    world: World, groundtrace: Call
) -> None:
    """The lock is emptied and filled at every run: through a link it would be another's file."""
    victim = world.top / "in/precious.json"
    victim.write_text("precious")
    world.results.mkdir(parents=True)
    (world.results / ".state.json").symlink_to(victim)
    (world.results / ".lock").symlink_to(victim)
    ran = world.evaluate(groundtrace)
    assert victim.read_text() == "precious"
    assert_said(ran)
    assert ran.code in (0, 2), ran.err


def test_a_run_in_a_process_says_the_same(world: World) -> None:
    """The whole program, with workers, on one good and one hopeless trial."""
    trial = world.trial("hopeless", trace=b"\xff\xfe\x00")
    shutil.rmtree(trial / "agent")
    (trial / "agent").write_text("a file")
    ran = in_process(world, "--jobs", "2")
    assert ran.code == 0, ran.err
    assert "Traceback" not in ran.err
    assert_good_trial_was_evaluated(world)
    assert world.documents()["baseline hopeless"]["coverage"]["degraded_reason"]
