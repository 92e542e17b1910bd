"""One loop makes what is stale of many runs: a small run whole in one worker, nothing is lost.

The test process has threads, and its workers are not forked; so tests of forked workers start a
process.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from groundtrace.errors import LockedError
from groundtrace.runs import loop
from groundtrace.runs.engine import HereFirstEngine, make_engine
from groundtrace.runs.evaluate import evaluate
from groundtrace.runs.normalize import normalize
from groundtrace.runs.request import Request
from groundtrace.runs.tally import Did, Evaluated
from groundtrace.storage import FolderEntry, LocalFolder
from tests.conftest import FIXED_TIME
from tests.whole_runs import (
    RUN,
    TRIALS,
    copies,
    results,
    run,
    shrink,
    start,
    wait_for_documents,
)

RUNS = 3
"""Runs of the tests' folder."""

DEADLY_MODULE = """
import os, signal
from groundtrace import pipeline

real = pipeline.process_trial

def deadly(work):
    if DEADLY in work.document_path and os.getpid() != int(os.environ["NOT_A_WORKER"]):
        os.kill(os.getpid(), signal.SIGKILL)
    return real(work)

pipeline.process_trial = deadly
"""
"""A module of workers, however they are started, in which one trial kills its process."""

SCRIPT = """
import json, os, sys
os.environ["NOT_A_WORKER"] = str(os.getpid())
from groundtrace.runs.engine.local import LocalEngine
from groundtrace.errors import GroundtraceError
from groundtrace.runs.normalize import normalize
from groundtrace.runs.request import Request
from groundtrace.runs.tally import Did

whole = []

def noted(engine, function, items, **options):
    whole.append(function.__name__)
    return mapped(engine, function, items, **options)

mapped, LocalEngine.map = LocalEngine.map, noted
engine = LocalEngine(2, ("groundtrace.runs.preload", "deadly_module"), may_fork=True)
request = Request(runs=sys.argv[1], tasks=(sys.argv[2],), engine=engine)
try:
    did = Did()
    done = normalize(request, with_metrics=True, did=did)
    print(json.dumps({
        "whole": whole,
        "outputs": [output.run_id for output in done.outputs],
        "written": done.written,
        "superseded": done.superseded,
        "failed": done.failed,
        "rows": {address: len(rows) for address, rows in did.rows.items()},
    }))
except GroundtraceError as error:
    print(json.dumps({"error": str(error)}))
finally:
    engine.close()
"""


@pytest.fixture
def runs(sample: Path) -> Path:
    """A folder of three small runs, with the same trials in each."""
    copies(shrink(sample), RUNS - 1)
    return sample


def processed(runs: Path, deadly: str = "no such trial") -> dict[str, Any]:
    """What normalizing says, in a process of its own that forks two workers."""
    (runs / "deadly_module.py").write_text(DEADLY_MODULE.replace("DEADLY", repr(deadly)))
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(runs / "runs/official"), str(runs / "benchmarks")],
        env=os.environ
        | {
            "SOURCE_DATE_EPOCH": FIXED_TIME,
            "PYTHONPATH": os.pathsep.join([str(runs), os.environ.get("PYTHONPATH", "")]),
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return found


def test_workers_process_whole_runs_and_everything_of_them_comes_back(runs: Path) -> None:
    found = processed(runs)
    assert found["whole"][0] == "do_slice"
    assert found["outputs"] == ["copy_000", "copy_001", RUN]
    assert found["written"] == RUNS * TRIALS
    assert found["superseded"] == RUNS
    assert found["failed"] == []
    assert sorted(found["rows"].values()) == [TRIALS] * RUNS


def test_a_trial_that_kills_its_worker_is_named_and_the_rest_of_its_run_is_done(
    runs: Path,
) -> None:
    """The run is processed again trial by trial, which shows the trial that is the cause."""
    found = processed(runs, deadly="mcp-remote-direct/rate-")
    assert len(found["failed"]) == RUNS
    assert all("worker process died" in line and "rate-limit" in line for line in found["failed"])
    assert found["written"] == RUNS * (TRIALS - 1)
    assert sorted(found["outputs"]) == ["copy_000", "copy_001", RUN]


def test_a_run_in_use_by_others_is_refused_with_its_holder(runs: Path) -> None:
    folder = runs / "runs/official/copy_001/retrieval_events"
    folder.mkdir()
    with (folder / ".lock").open("w+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        held.write(json.dumps({"pid": 4242, "host": "harbour"}))
        held.flush()
        assert "in use by process 4242 on harbour" in processed(runs)["error"]


@pytest.mark.parametrize("after", [1, 12])
def test_an_interrupted_command_leaves_nothing_half_written_and_no_lock_held(
    runs: Path, after: int
) -> None:
    process = start(runs)
    wait_for_documents(runs, after, process)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert not list(runs.rglob("*.tmp"))
    locks = list(runs.rglob(".lock"))
    assert locks
    assert [lock.read_text() for lock in locks] == [""] * len(locks)


def test_each_folder_is_locked_once_and_its_state_saved_once(
    sample: Path, groundtrace: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of four stages took the lock and wrote the state of each run."""
    copies(shrink(sample), RUNS - 1)
    locked: Counter[str] = Counter()
    saved: Counter[str] = Counter()
    sweep, write = LocalFolder.sweep, LocalFolder.write

    def noted_sweep(folder: LocalFolder) -> None:  # when the lock is given back
        locked[folder.url] += 1
        sweep(folder)

    def noted_write(folder: LocalFolder, name: str, data: bytes) -> FolderEntry:
        saved[folder.url] += name == ".state.json"
        return write(folder, name, data)

    monkeypatch.setattr(LocalFolder, "sweep", noted_sweep)
    monkeypatch.setattr(LocalFolder, "write", noted_write)
    run(groundtrace, sample)
    of_runs = [url for url in locked if url.endswith("/retrieval_events")]
    assert len(of_runs) == RUNS
    assert {url: (locked[url], saved[url]) for url in of_runs} == dict.fromkeys(of_runs, (1, 1))


@pytest.mark.parametrize("flags", [(), ("--baseline", "baseline*"), ("--force",)])
def test_forked_workers_give_the_bytes_of_one_process(
    runs: Path, groundtrace: Any, tmp_path: Path, flags: tuple[str, ...]
) -> None:
    far, here = tmp_path / "retrieval_events_far", tmp_path / "retrieval_events_here"
    process = start(runs, "--out", str(far), *flags)
    assert process.wait(120) == 0
    run(groundtrace, runs, "--out", here, *flags)
    assert results(far) == results(here)
    ran = run(groundtrace, runs, "--out", far)
    assert f"0 documents written, {RUNS * TRIALS} unchanged" in ran.err


def test_an_analysis_that_is_refused_is_written_for_no_run(runs: Path, groundtrace: Any) -> None:
    """The check needs all runs; the analyses of single runs wait for it."""
    official, tasks = runs / "runs/official", runs / "benchmarks"
    for command in ("run", "impact"):
        flags = ("--tasks", tasks, "--jobs", 1) if command == "run" else ()
        ran = groundtrace(command, official, *flags, "--baseline", "no such configuration")
        assert ran.code == 2
        assert "no such configuration" in ran.err
        assert not list(runs.rglob("impact_analysis.json"))
        assert not list(runs.rglob("retrieval_report.*"))
    assert len(list(runs.rglob("run_retrieval_summary.json"))) == RUNS + 1


# documents in workers that are not forked


@dataclass
class Noted:
    """What the workers were asked to do."""

    functions: list[str] = field(default_factory=list)


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> Noted:
    """Workers are used for a few documents too, and it is noted for what."""
    found = Noted()
    real = HereFirstEngine.map

    def mapped(engine, function, items, *, chunk=None):  # type: ignore[no-untyped-def]
        if engine.jobs > 1:
            found.functions.append(function.__name__)
        return real(engine, function, items, chunk=chunk)

    monkeypatch.setattr(HereFirstEngine, "map", mapped)
    monkeypatch.setattr(loop, "FEW", 1)
    return found


@pytest.fixture
def sample_of_runs(sample: Path) -> Path:
    """Three small runs, normalized."""
    copies(shrink(sample), RUNS - 1)
    normalize(request_for(sample, jobs=1))
    return sample


def request_for(sample: Path, jobs: int) -> Request:
    return Request(
        runs=str(sample / "runs/official"),
        tasks=(str(sample / "benchmarks"),),
        engine=make_engine("local", jobs=jobs, preload=("groundtrace.runs.preload",)),
    )


def evaluated(sample: Path, jobs: int, did: Did | None = None) -> Evaluated:
    request = request_for(sample, jobs)
    try:
        return evaluate(request, did)
    finally:
        request.engine.close()


def test_workers_do_slice_runs_and_their_rows_come_back(sample_of_runs: Path, noted: Noted) -> None:
    did = Did()
    done = evaluated(sample_of_runs, 2, did)
    assert noted.functions == ["do_slice"]
    assert (done.evaluated, done.unchanged, done.failed) == (RUNS * TRIALS, 0, [])
    assert [len(rows) for rows in did.rows.values()] == [TRIALS] * RUNS


def test_a_second_time_nothing_is_left_to_do(sample_of_runs: Path, noted: Noted) -> None:
    evaluated(sample_of_runs, 2)
    noted.functions.clear()
    again = evaluated(sample_of_runs, 2)
    assert noted.functions == []
    assert (again.evaluated, again.unchanged) == (0, RUNS * TRIALS)


def test_rows_that_are_made_already_are_sent_and_kept(sample_of_runs: Path, noted: Noted) -> None:
    """In `run`, trials are evaluated while they are read; a worker only writes the summary."""
    request = request_for(sample_of_runs, 1)
    made = Did()
    normalize(
        Request(runs=request.runs, tasks=request.tasks, engine=request.engine, force=True),
        with_metrics=True,
        did=made,
    )
    did = Did(made.rows)
    done = evaluated(sample_of_runs, 2, did)
    assert noted.functions == ["do_slice"]
    assert done.evaluated == RUNS * TRIALS
    assert [len(rows) for rows in did.rows.values()] == [TRIALS] * RUNS
    summary = sample_of_runs / "runs/official" / RUN / "retrieval_events/run_retrieval_summary.json"
    assert json.loads(summary.read_text())["overall"]["trials"] == TRIALS


def test_a_document_that_cannot_be_read_is_refused_by_name(
    sample_of_runs: Path, noted: Noted
) -> None:
    broken = next((sample_of_runs / "runs/official/copy_001").rglob("*.retrieval_events.json"))
    broken.write_text("{")
    done = evaluated(sample_of_runs, 2)
    assert noted.functions == ["do_slice"]
    assert done.evaluated == RUNS * TRIALS - 1
    (refused,) = done.refused
    assert refused.run_id == "copy_001"
    assert broken.name in refused.path
    (failed,) = done.failed
    assert str(broken) in failed


def test_a_run_in_use_is_refused_with_its_holder(sample_of_runs: Path, noted: Noted) -> None:
    lock = sample_of_runs / "runs/official/copy_001/retrieval_events/.lock"
    with lock.open("w+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        held.write(json.dumps({"pid": 4242, "host": "harbour"}))
        held.flush()
        with pytest.raises(LockedError, match="in use by process 4242 on harbour"):
            evaluated(sample_of_runs, 2)
    assert noted.functions[0] == "do_slice"
