"""Helpers for tests that put whole runs through the command line."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.conftest import FIXED_TIME, Ran

Call = Callable[..., Ran]
RUN = "demo_harbour_20260504"
KEPT = ("quay-", "rate-limit", "event-schema", "tide-table", "naming-survey")
"""Tasks of the small sample: patches, lists, a trial that was repeated, one without truth."""
TRIALS = 10
"""Trials of the small sample that count; one more is superseded."""
DRAWS = ("--draws", "100")


def shrink(sample: Path) -> Path:
    """The sample with the trials of a few tasks only."""
    for result in list((sample / "runs").rglob("result.json")):
        if not any(name in result.parent.name for name in KEPT):
            shutil.rmtree(result.parent)
    return sample


def digests(folder: Path) -> dict[str, str]:
    """Every file below a folder with a digest of its bytes."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def results(folder: Path) -> dict[str, str]:
    """Digests of what groundtrace wrote; state and lock are not results."""
    return {
        name: digest
        for name, digest in digests(folder).items()
        if "retrieval_events" in f"{folder}/{name}" and not Path(name).name.startswith(".")
    }


def inputs(folder: Path) -> dict[str, str]:
    """Digests of what groundtrace reads."""
    return {n: d for n, d in digests(folder).items() if "retrieval_events" not in n}


def run(call: Call, sample: Path, *flags: object) -> Ran:
    """Every stage over the sample, in this process."""
    runs, tasks = sample / "runs/official", sample / "benchmarks"
    flags = (*DRAWS, "--format", "md", "--jobs", "1", *flags)
    ran = call("run", runs, "--tasks", tasks, *flags)
    assert ran.code == 0, ran.err
    return ran


WITH_WORKERS = """
import groundtrace.runs.engine
groundtrace.runs.engine.SMALL_BYTES = 0
from groundtrace.cli.main import main
main()
"""
"""The program, with workers for small work too."""


def start(sample: Path, *flags: str) -> subprocess.Popen[str]:
    """Every stage over the sample, in a process group of its own."""
    command = [sys.executable, "-c", WITH_WORKERS, "run"]
    command += [str(sample / "runs/official"), "--tasks", str(sample / "benchmarks")]
    return subprocess.Popen(
        [*command, *DRAWS, "--format", "md", "--jobs", "2", *flags],
        env=os.environ | {"SOURCE_DATE_EPOCH": FIXED_TIME},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def copies(sample: Path, n: int) -> None:
    """The sample's run again and again, so that a run takes a while."""
    runs = sample / "runs/official"
    for number in range(n):
        shutil.copytree(runs / RUN, runs / f"copy_{number:03}")


def wait_for_documents(folder: Path, n: int, process: subprocess.Popen[str]) -> None:
    """Until a process has written so many documents, or has ended."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if sum(1 for _ in folder.rglob("*.retrieval_events.json")) >= n:
            return
        time.sleep(0.005)
