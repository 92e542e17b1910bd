"""Whole runs: incremental, whole or not at all, untouched inputs, the same by every way."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import FIXED_TIME, Ran

Call = Callable[..., Ran]
RUN = "demo_harbour_20260504"


def checksums(folder: Path, *, outputs: bool = False) -> dict[str, str]:
    """Every file below a folder with a digest; output folders only when asked for."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file() and (outputs or "retrieval_events" not in name):
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def results(folder: Path) -> dict[str, str]:
    """Digests of the results; state and lock are not results."""
    found = checksums(folder, outputs=True)
    return {name: digest for name, digest in found.items() if not Path(name).name.startswith(".")}


def run(call: Call, sample: Path, *flags: object) -> Ran:
    ran = call(
        "run", sample / "runs/official", "--tasks", sample / "benchmarks", "--format", "md", *flags
    )
    assert ran.code == 0, ran.err
    return ran


def test_the_benchmarks_own_files_are_never_touched(groundtrace: Call, sample: Path) -> None:
    """SPEC: result.json, task_metrics.json and the like are read, never modified."""
    before = checksums(sample)
    run(groundtrace, sample)
    assert checksums(sample) == before


def test_run_equals_normalize_then_evaluate_then_impact_then_report(
    groundtrace: Call, sample: Path, tmp_path: Path
) -> None:
    runs, tasks = sample / "runs/official", sample / "benchmarks"
    run(groundtrace, sample, "--out", tmp_path / "a")
    out = ("--out", tmp_path / "b")
    assert groundtrace("normalize", runs, "--tasks", tasks, *out).code == 0
    assert groundtrace("evaluate", runs, *out).code == 0
    assert groundtrace("impact", runs, *out).code == 0
    assert groundtrace("report", runs, "--format", "md", *out).code == 0
    assert results(tmp_path / "a") == results(tmp_path / "b")


def test_one_run_and_a_folder_of_runs_give_the_same_documents(
    groundtrace: Call, sample: Path
) -> None:
    run(groundtrace, sample)
    folder = sample / "runs/official" / RUN / "retrieval_events"
    together = results(folder)
    shutil.rmtree(folder)
    one = groundtrace(
        "run", sample / "runs/official" / RUN, "--tasks", sample / "benchmarks", "--format", "md"
    )
    assert one.code == 0, one.err
    assert results(folder) == together


def test_a_second_run_rewrites_nothing(groundtrace: Call, sample: Path) -> None:
    run(groundtrace, sample)
    stamps = {p: p.stat().st_mtime_ns for p in sample.rglob("*.json") if p.name[0] != "."}
    ran = run(groundtrace, sample)
    assert "0 documents written, 24 unchanged" in ran.err
    assert {p: p.stat().st_mtime_ns for p in stamps} == stamps


def change_result(sample: Path) -> None:
    path = next((sample / "runs").rglob("result.json"))
    data = json.loads(path.read_text())
    data["verifier_result"] = {"rewards": {"reward": 0.125}}
    path.write_text(json.dumps(data))


def change_trace(sample: Path) -> None:
    path = next((sample / "runs").rglob("mcp_rate*/agent/claude-code.txt"))
    path.write_text("\n".join(path.read_text().splitlines()[:6]) + "\n")


def change_truth(sample: Path) -> None:
    path = sample / "benchmarks/demo_org_trace/event-schema-005/tests/ground_truth.json"
    path.write_text('{"files": ["manifest::schema/event.go"]}')


def change_task(sample: Path) -> None:
    path = sample / "benchmarks/demo_sdlc_fix/quay-timeout-fix-001/task.toml"
    path.write_text(path.read_text().replace("sg-evals/quay--a1b2c3d4", "sg-evals/other--a1b2c3d4"))


def add_trial(sample: Path) -> None:
    folder = next((sample / "runs").rglob("mcp_rate*"))
    copy = folder.with_name("mcp_new__abcdefg")
    shutil.copytree(folder, copy)
    path = copy / "result.json"
    data = json.loads(path.read_text())
    data |= {"task_name": "brand-new", "trial_name": copy.name}
    path.write_text(json.dumps(data))
    (copy / "task_metrics.json").unlink()


@pytest.mark.parametrize(
    "change", [change_result, change_trace, change_truth, change_task, add_trial]
)
def test_an_incremental_run_gives_the_bytes_of_a_forced_one(
    change: Callable[[Path], None], groundtrace: Call, sample: Path
) -> None:
    run(groundtrace, sample)
    before = results(sample)
    change(sample)
    ran = run(groundtrace, sample)
    incremental = results(sample)
    assert incremental != before, "the change had no effect: this test tests nothing"
    assert "24 unchanged" not in ran.err
    run(groundtrace, sample, "--force")
    assert results(sample) == incremental


def test_changed_settings_make_everything_stale(groundtrace: Call, sample: Path) -> None:
    run(groundtrace, sample)
    ran = run(groundtrace, sample, "--shell", "ignore")
    assert "24 documents written" in ran.err
    incremental = results(sample)
    run(groundtrace, sample, "--shell", "ignore", "--force")
    assert results(sample) == incremental


def test_a_changed_registry_makes_everything_stale(
    groundtrace: Call, sample: Path, tmp_path: Path
) -> None:
    registry = tmp_path / "registry.json"
    registry.write_text('{"naming-survey-010": ["README.md"]}')
    run(groundtrace, sample, "--ground-truth", registry)
    registry.write_text('{"naming-survey-010": ["internal/config/config.go"]}')
    ran = run(groundtrace, sample, "--ground-truth", registry)
    assert "24 documents written" in ran.err
    incremental = results(sample)
    run(groundtrace, sample, "--ground-truth", registry, "--force")
    assert results(sample) == incremental


def test_what_vanished_is_removed_only_with_prune(groundtrace: Call, sample: Path) -> None:
    run(groundtrace, sample)
    shutil.rmtree(next((sample / "runs").rglob("mcp_rate*")))
    ran = run(groundtrace, sample)
    assert "1 documents have no trial any more" in ran.err
    left = list(sample.rglob("mcp-remote-direct/rate-limit-trace-004.*.json"))
    assert len(left) == 2
    run(groundtrace, sample, "--prune")
    assert not list(sample.rglob("mcp-remote-direct/rate-limit-trace-004.*.json"))
    pruned = results(sample / "runs")
    for folder in list(sample.rglob("retrieval_events*")):
        if folder.is_dir():
            shutil.rmtree(folder)
    run(groundtrace, sample)
    assert results(sample / "runs") == pruned


def test_only_leaves_other_outcomes_alone(groundtrace: Call, sample: Path) -> None:
    runs, tasks = sample / "runs/official", sample / "benchmarks"
    assert groundtrace("normalize", runs, "--tasks", tasks).code == 0
    outcomes = runs / RUN / "retrieval_events" / "outcomes.json"
    before = outcomes.read_bytes()
    assert groundtrace("normalize", runs, "--tasks", tasks, "--only", "QUAY-*", "--force").code == 0
    assert outcomes.read_bytes() == before


def test_all_trials_are_written_under_their_own_names(groundtrace: Call, sample: Path) -> None:
    """D32: the selected trial has the plain name, the others carry theirs."""
    run(groundtrace, sample, "--trials", "all")
    names = sorted(p.name for p in sample.rglob("baseline-local-direct/tide-table-008*events.json"))
    assert len(names) == 2
    assert names[1] == "tide-table-008.retrieval_events.json"
    assert names[0].startswith("tide-table-008.tide-table-008__")


def test_jobs_do_not_change_a_byte(groundtrace: Call, sample: Path, tmp_path: Path) -> None:
    run(groundtrace, sample, "--out", tmp_path / "one", "--jobs", "1")
    run(groundtrace, sample, "--out", tmp_path / "two", "--jobs", "2")
    assert results(tmp_path / "one") == results(tmp_path / "two")


def test_two_runs_at_once_the_second_says_who_holds_the_lock(
    groundtrace: Call, sample: Path
) -> None:
    import fcntl

    run(groundtrace, sample)
    lock = sample / "runs/official" / RUN / "retrieval_events" / ".lock"
    with lock.open("r+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        held.write(json.dumps({"pid": 4242, "host": "harbour"}))
        held.flush()
        ran = groundtrace("normalize", sample / "runs/official", "--force")
    assert ran.code == 2
    assert "in use by process 4242 on harbour" in ran.err
    run(groundtrace, sample)


def copies(sample: Path, n: int) -> None:
    """The sample's run again and again, so that a run takes a while."""
    runs = sample / "runs/official"
    for number in range(n):
        shutil.copytree(runs / RUN, runs / f"copy_{number:03}")


def start(sample: Path, *flags: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from groundtrace.cli.main import main; main()", "run"]
    command += [str(sample / "runs/official"), "--tasks", str(sample / "benchmarks")]
    environment = os.environ | {"SOURCE_DATE_EPOCH": FIXED_TIME}
    return subprocess.Popen(
        [*command, "--format", "md", *flags],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for_documents(sample: Path, n: int, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if sum(1 for _ in sample.rglob("*.retrieval_events.json")) >= n:
            return
        time.sleep(0.01)


@pytest.mark.parametrize("documents", [1, 30, 77])
def test_a_killed_run_leaves_whole_files_and_the_next_completes_it(
    documents: int, groundtrace: Call, sample: Path
) -> None:
    """D37: kill -9 at any moment; every file is valid, and the work is finished next time."""
    copies(sample, 6)
    process = start(sample)
    wait_for_documents(sample, documents, process)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    written = [
        p for p in sample.rglob("*.json") if "retrieval_events" in str(p) and p.name[0] != "."
    ]
    assert written
    assert groundtrace("validate", "-q", *written).code == 0
    run(groundtrace, sample)
    completed = results(sample / "runs")
    run(groundtrace, sample, "--force")
    assert results(sample / "runs") == completed


def test_ctrl_c_stops_cleanly(groundtrace: Call, sample: Path) -> None:
    copies(sample, 8)
    process = start(sample, "--jobs", "2")
    wait_for_documents(sample, 5, process)
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert not list(sample.rglob("*.tmp"))
    run(groundtrace, sample)
