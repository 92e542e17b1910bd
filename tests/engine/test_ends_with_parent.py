"""Workers end when the process that started them ends, in whatever way; signals give exit codes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.adversarial.worlds import World, read_of, stream

PROGRAM = """
import os, sys, time
from groundtrace.engine.local import LocalEngine

def wait(number):
    print(os.getpid(), flush=True)
    time.sleep(60)

if __name__ == "__main__":
    list(LocalEngine(2).map(wait, range(8)))
"""


def is_there(process: int) -> bool:
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_no_worker_outlives_its_parent(number: signal.Signals, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    with subprocess.Popen([sys.executable, str(program)], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        workers = [int(parent.stdout.readline()) for _ in range(2)]
        assert all(map(is_there, workers))
        parent.send_signal(number)
        parent.wait(20)
        for _ in range(200):
            if not any(map(is_there, workers)):
                break
            time.sleep(0.05)
        assert not any(map(is_there, workers))


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_gives_its_code_and_whole_files(
    number: signal.Signals, code: int, tmp_path: Path
) -> None:
    world = World(tmp_path)
    world.good()
    reads = "".join(read_of(f"/workspace/src/{n}.py", n) for n in range(3_000))
    for config in range(12):
        world.trial("good-1", config=f"c{config}", trace=stream() + reads)
    where = [str(world.run), "--tasks", str(world.tasks), "--out", str(world.out), "--jobs", "2"]
    command = [sys.executable, "-m", "groundtrace", "run", *where, "--no-progress"]
    environment = {**os.environ, "PYTHONFAULTHANDLER": ""}
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment) as process:
        for _ in range(400):
            if list(world.out.rglob("*.retrieval_events.json")):
                break
            time.sleep(0.02)
        process.send_signal(number)
        _, said = process.communicate(timeout=30)
    assert b"Traceback" not in said, said
    assert process.returncode in (code, 0), said
    assert not list(world.out.rglob("*.tmp"))
    done = subprocess.run(command, capture_output=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert len(world.documents()) == 13
