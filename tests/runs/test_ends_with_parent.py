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
from tests.whole_runs import DRAWS

PROGRAM = """
import os, signal, sys, time
from groundtrace.runs.engine.local import LocalEngine

def wait(number):
    os.write(1, b"%d\\n" % os.getpid())  # in one piece: two workers share the pipe
    time.sleep(60)

if __name__ == "__main__":
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup ignores it
    list(LocalEngine(2, may_fork=sys.argv[1] == "forked").map(wait, range(8)))
"""


def is_there(process: int) -> bool:
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("workers", ["forked", "served"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_no_worker_outlives_its_parent(
    number: signal.Signals, workers: str, tmp_path: Path
) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, str(program), workers]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        processes = [int(parent.stdout.readline()) for _ in range(2)]
        assert all(map(is_there, processes))
        parent.send_signal(number)
        parent.wait(20)
        for _ in range(200):
            if not any(map(is_there, processes)):
                break
            time.sleep(0.05)
        assert not any(map(is_there, processes))


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_gives_its_code_and_whole_files(
    number: signal.Signals, code: int, tmp_path: Path
) -> None:
    world = World(tmp_path)
    world.good()
    reads = "".join(read_of(f"/workspace/src/{n}.py", n) for n in range(3_000))
    for config in range(6):
        world.trial("good-1", config=f"c{config}", trace=stream() + reads)
    where = [str(world.run), "--tasks", str(world.tasks), "--out", str(world.out), "--jobs", "2"]
    where += [*DRAWS, "--format", "md"]
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
    assert len(world.documents()) == 7


SLOW_START = """
import os, pathlib, signal, sys
from groundtrace.runs.engine.local import LocalEngine

def stop(*_):
    raise KeyboardInterrupt

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, stop)
    try:
        list(LocalEngine(2, ["slow_module"]).map(abs, range(8)))
    except KeyboardInterrupt:
        sys.exit(143)
"""
SLOW_MODULE = """
import os, pathlib, time
pathlib.Path(__file__).with_name("server.pid").write_text(f"{os.getpid()} ")
time.sleep(3)
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_stopped_while_its_workers_start_leaves_nothing(
    number: signal.Signals, tmp_path: Path
) -> None:
    """The semaphores were gone when the fork server got to forking: each worker printed that."""
    program = tmp_path / "program.py"
    program.write_text(SLOW_START)
    (tmp_path / "slow_module.py").write_text(SLOW_MODULE)
    told = tmp_path / "server.pid"
    paths = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": paths}
    command = [sys.executable, str(program)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment) as parent:
        for _ in range(600):
            if told.exists() and told.read_text().endswith(" "):
                break
            time.sleep(0.05)
        server = int(told.read_text())
        time.sleep(0.3)
        assert is_there(server)
        parent.send_signal(number)
        _, said = parent.communicate(timeout=30)
    assert b"Traceback" not in said, said
    for _ in range(40):
        if not is_there(server):
            break
        time.sleep(0.05)
    assert not is_there(server)
    assert parent.returncode == (143 if number == signal.SIGTERM else -signal.SIGKILL)


def test_an_error_that_keeps_workers_from_starting_is_still_printed() -> None:
    """Only what the end of the parent leaves behind is not worth a word."""
    program = (
        "import groundtrace.runs.engine.fork_server, sys\n"
        "sys.excepthook(FileNotFoundError, FileNotFoundError('gone'), None)\n"
        "sys.excepthook(ValueError, ValueError('kept'), None)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.stderr.strip() == b"ValueError: kept"


def test_a_process_that_a_worker_forks_is_not_ended() -> None:
    program = (
        "import groundtrace.runs.engine.fork_server, os\n"
        "worker = os.fork()\n"
        "if worker:\n"
        "    os._exit(os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]))\n"
        "child = os.fork()\n"
        "if child:\n"
        "    os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
        "os._exit(7)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 7


def test_an_interrupt_while_the_program_loads_has_its_code(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt")
    paths = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", "groundtrace", "--version"],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (130, b"groundtrace: stopped\n")


LOSES_IT = """
import sys, time
import groundtrace.cli.main as program

def deaf(arguments):
    while True:
        try:
            print("ready", flush=True)
            time.sleep(60)
        except BaseException:
            pass

program.invoke = deaf
program.GRACE_SECONDS = 0.2
program.main([])
"""


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_the_program_even_if_its_exception_is_lost(
    number: signal.Signals, code: int
) -> None:
    """Loading numpy can lose the exception of a Ctrl-C: the run went on to its end."""
    with subprocess.Popen(
        [sys.executable, "-c", LOSES_IT],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        program.send_signal(number)
        _, said = program.communicate(timeout=30)
    assert (program.returncode, said) == (code, "groundtrace: stopped\n")
