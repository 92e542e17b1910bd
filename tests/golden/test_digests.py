"""Documents of real trials are those that were frozen, however they are made."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.golden.digests import RUNS, command, digests, environment, folders, kept, made

pytestmark = pytest.mark.corpus


def skip_without(name: str) -> None:
    if RUNS[name][0] not in folders():
        pytest.skip(f"{RUNS[name][0]} names no folder of real trials")


@pytest.mark.parametrize("name", RUNS)
def test_documents_are_the_frozen_ones(name: str, tmp_path: Path) -> None:
    """After a change that is meant to move numbers: `make golden`, and say so in the changelog."""
    skip_without(name)
    assert made(name, tmp_path) == kept(name)
    assert kept(name)


@pytest.mark.parametrize("name", ["corpus", "swebench"])
def test_two_processes_give_the_frozen_documents(name: str, tmp_path: Path) -> None:
    skip_without(name)
    assert made(name, tmp_path, jobs=2) == kept(name)


@pytest.mark.parametrize("seconds", [0.6, 1.2, 2.0])
def test_a_killed_run_that_is_resumed_gives_the_frozen_documents(
    seconds: float, tmp_path: Path
) -> None:
    skip_without("corpus")
    process = subprocess.Popen(
        command("corpus", tmp_path, 2),
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    time.sleep(seconds)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    made("corpus", tmp_path, jobs=2)
    assert [f"corpus {line}" for line in digests(tmp_path)] == kept("corpus")
