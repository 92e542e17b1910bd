"""Small runs, each processed whole by a forked worker: same documents, and nothing is lost.

The test process has threads, and its workers are not forked; so each test starts a process.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import FIXED_TIME
from tests.whole_runs import RUN, TRIALS, copies, digests, shrink, start, wait_for_documents

RUNS = 3
"""Runs of the tests' folder."""

DEADLY_MODULE = """
import multiprocessing, os, signal
from groundtrace import pipeline

real = pipeline.process_trial

def deadly(work):
    if DEADLY in work.document_path and multiprocessing.parent_process() is not None:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(work)

pipeline.process_trial = deadly
"""
"""A module of workers, however they are started, in which one trial kills its process."""

SCRIPT = """
import json, sys
from groundtrace.runs.engine.local import LocalEngine
from groundtrace.errors import GroundtraceError
from groundtrace.runs.normalize import normalize
from groundtrace.runs.request import Request

whole = []

def noted(engine, function, items, **options):
    whole.append(function.__name__)
    return mapped(engine, function, items, **options)

mapped, LocalEngine.map = LocalEngine.map, noted
engine = LocalEngine(2, ("groundtrace.runs.preload", "deadly_module"), may_fork=True)
request = Request(runs=sys.argv[1], tasks=(sys.argv[2],), engine=engine)
try:
    done = normalize(request, with_metrics=True)
    print(json.dumps({
        "whole": whole,
        "outputs": [output.run_id for output in done.outputs],
        "written": done.written,
        "superseded": done.superseded,
        "failed": done.failed,
        "rows": {address: len(rows) for address, rows in done.rows.items()},
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


def written(runs: Path) -> dict[str, str]:
    """Digests of what is in the output folders, apart from times that every writing changes."""
    return {
        name: digest
        for name, digest in digests(runs / "runs").items()
        if "retrieval_events" in name and not Path(name).name.startswith(".")
    }


def test_workers_process_whole_runs_and_everything_of_them_comes_back(runs: Path) -> None:
    found = processed(runs)
    assert found["whole"][0] == "normalize_whole"
    assert found["outputs"] == ["copy_000", "copy_001", RUN]
    assert found["written"] == RUNS * TRIALS
    assert found["superseded"] == RUNS
    assert found["failed"] == []
    assert sorted(found["rows"].values()) == [TRIALS] * RUNS


def test_whole_runs_give_the_same_bytes_as_trial_by_trial(runs: Path, groundtrace: Any) -> None:
    processed(runs)
    whole = written(runs)
    assert len(whole) > RUNS * TRIALS
    official, tasks = runs / "runs/official", runs / "benchmarks"
    for name in whole:
        (runs / "runs" / name).unlink()
    ran = groundtrace("normalize", official, "--tasks", tasks, "--jobs", 1, "--force")
    assert ran.code == 0
    ran = groundtrace("evaluate", official, "--jobs", 1)
    assert ran.code == 0
    again = written(runs)
    assert {name: again[name] for name in whole} == whole


def test_a_trial_that_kills_its_worker_is_named_and_the_rest_of_its_run_is_done(
    runs: Path,
) -> None:
    """The run is processed again trial by trial, which shows the trial that is the cause."""
    found = processed(runs, deadly="mcp-remote-direct/rate-")
    assert len(found["failed"]) == RUNS
    assert all("worker process died" in line and "rate-limit" in line for line in found["failed"])
    assert found["written"] == RUNS * (TRIALS - 1)
    assert sorted(found["outputs"]) == ["copy_000", "copy_001", RUN]


def test_a_run_in_use_is_refused_with_its_holder(runs: Path) -> None:
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
