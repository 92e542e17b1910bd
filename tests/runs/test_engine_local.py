"""Local processes: every item once, whatever happens to the workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from groundtrace.errors import UsageError
from groundtrace.runs.engine import ENGINES, make_engine
from groundtrace.runs.engine.base import chunked
from groundtrace.runs.engine.forked import ForkedWorkers
from groundtrace.runs.engine.local import LocalEngine


def square(number: int) -> int:
    return number * number


def square_but_not_seven(number: int) -> int:
    if number == 7:
        raise ValueError("seven is not for squaring")
    return number * number


def die_at_forty(number: int) -> int:
    if number == 40:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_every_item_is_done_once(jobs: int) -> None:
    done = list(LocalEngine(jobs).map(square, range(100)))
    assert sorted(one.item for one in done) == list(range(100))
    assert all(one.result == one.item**2 for one in done)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_item_that_raises_is_reported_and_the_rest_is_done(jobs: int) -> None:
    done = {one.item: one for one in LocalEngine(jobs).map(square_but_not_seven, range(20))}
    assert done[7].error == "ValueError: seven is not for squaring"
    assert [one.result for one in done.values() if one.error is None].count(None) == 0
    assert len(done) == 20


def test_a_worker_that_dies_costs_only_the_item_that_killed_it() -> None:
    done = list(LocalEngine(2).map(die_at_forty, range(200)))
    assert sorted(one.item for one in done) == list(range(200))
    failed = [one for one in done if one.error is not None]
    assert [one.item for one in failed] == [40]
    assert "worker process died" in (failed[0].error or "")


def test_nothing_to_do_starts_nothing() -> None:
    assert list(LocalEngine(2).map(square, [])) == []


def test_chunks_are_full_but_the_last() -> None:
    assert [len(chunk) for chunk in chunked(range(40), 16)] == [16, 16, 8]


def test_engines_are_a_table() -> None:
    assert list(ENGINES) == ["local", "dask"]
    with pytest.raises(UsageError, match="there are local and dask"):
        make_engine("ray")
    with pytest.raises(UsageError, match="needs --engine dask"):
        make_engine("local", scheduler="tcp://localhost:1")
    with pytest.raises(UsageError, match="needs --scheduler"):
        make_engine("dask")


def variable_of(name: str) -> str | None:
    return os.environ.get(name)


def test_workers_have_the_environment_that_the_parent_has_now(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The fork server is older than a variable that was set since it was started."""
    for value in ("before", "after"):
        monkeypatch.setenv("GROUNDTRACE_TEST_VARIABLE", value)
        engine = LocalEngine(2)
        done = list(engine.map(variable_of, ["GROUNDTRACE_TEST_VARIABLE"] * 40))
        engine.close()
        assert {one.result for one in done} == {value}


def test_forked_workers_do_the_work_of_this_process() -> None:
    """They have what this process has imported, and are other processes."""
    engine = LocalEngine(2, may_fork=True)
    try:
        found = {done.result for done in engine.map(where, range(8))}
    finally:
        engine.close()
    assert os.getpid() not in found
    assert None not in found


def where(_number: int) -> int:
    return os.getpid()


WORK = """
import os, signal
from groundtrace.errors import OutputError

class FullError(OutputError):
    def __init__(self, disk, size):
        super().__init__(f"{disk} is full at {size}")

def work(item):
    if item == "full":
        raise FullError("/dev/sda", 7)
    if item == "ignored":
        return [signal.getsignal(number).name for number in (signal.SIGHUP, signal.SIGTERM)]
    if item == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if item == "raise":
        raise ValueError("no")
    return os.getpid(), item[::-1]
"""

FORKED = """
import os, signal, sys
from groundtrace.errors import OutputError
from groundtrace.runs.engine.local import LocalEngine
from forked_work import work

def texts(*sizes):
    return ["".join(chr(97 + (at * at) % 26) for at in range(size)) for size in sizes]

engine = LocalEngine(3, may_fork=True)
assert engine.forks
PROGRAM
engine.close()
engine.close()
for _ in range(2):  # none is left, not even a dead one
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        print("none left")
"""


def forked(program: str, folder: Path) -> list[str]:
    """What a program prints that has no other thread, so that its workers are forked."""
    (folder / "forked_work.py").write_text(WORK)
    paths = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    ran = subprocess.run(
        [sys.executable, "-c", FORKED.replace("PROGRAM", program)],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout.splitlines()


NONE_LEFT = ["none left"] * 2


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
def test_messages_larger_than_a_pipe_go_both_ways(tmp_path: Path) -> None:
    """A pipe holds 64 kB: neither side may wait for the other to read first."""
    program = """
items = texts(*(7, 300_000, 0, 65_536, 65_535, 2_000_000) * 6)
done = list(engine.map(work, items))
assert sorted(one.item for one in done) == sorted(items)
assert [one.error for one in done] == [None] * len(items)
assert all(one.result[1] == one.item[::-1] for one in done)
assert os.getpid() not in {one.result[0] for one in done}
again = list(engine.map(work, items[:2]))
assert [one.error for one in again] == [None, None]
assert not engine.forks, "they are kept"
"""
    assert forked(program, tmp_path) == NONE_LEFT


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
def test_a_forked_worker_that_dies_costs_only_its_item(tmp_path: Path) -> None:
    program = """
items = texts(*range(50)) + ["die", "raise"] + texts(*range(100, 150))
done = {}
for one in engine.map(work, items):
    assert one.item not in done
    done[one.item] = one
assert set(done) == set(items)
print(done.pop("die").error, "|", done.pop("raise").error)
assert all(one.result[1] == item[::-1] for item, one in done.items())
"""
    # The fork server, which such items are given to, is left.
    said = forked(program, tmp_path)
    assert said == ["the worker process died (out of memory or killed) | ValueError: no"]


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
def test_work_that_is_given_up_leaves_no_worker(tmp_path: Path) -> None:
    program = """
for one in engine.map(work, texts(*range(200))):
    break
"""
    assert forked(program, tmp_path) == NONE_LEFT


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
def test_one_worker_does_small_work_while_modules_are_loaded(tmp_path: Path) -> None:
    program = """
assert "colorsys" not in sys.modules
engine.later = ["colorsys"]
found = {one.result[0] for one in engine.map(work, texts(*range(100)), is_small=True)}
assert len(found) == 1 and os.getpid() not in found
while engine.later:  # on a busy machine results may be there whenever this process looks
    list(engine.map(work, texts(*range(100)), is_small=True))
assert "colorsys" in sys.modules
"""
    assert forked(program, tmp_path) == NONE_LEFT


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
@pytest.mark.parametrize("which", ["[0:1]", "[1:2]", "[2:3]", "[:]"])
@pytest.mark.parametrize("closed", ["engine.close()", ""])
def test_workers_that_die_between_two_works_are_noticed(
    which: str, closed: str, tmp_path: Path
) -> None:
    """One of them waits for work and has the turn, which it takes along."""
    program = f"""
items = texts(*range(60))
assert all(one.error is None for one in engine.map(work, items))
for worker in list(engine._pool._workers.values()){which}:
    os.kill(worker.process, signal.SIGKILL)
{closed}
done = list(engine.map(work, items))
assert sorted(one.item for one in done) == sorted(items)
assert {{one.error for one in done}} == {{None}}
print("done")
"""
    assert forked(program, tmp_path)[0] == "done"


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
def test_dead_workers_may_leave_no_trace(tmp_path: Path) -> None:
    """Where a program ignores SIGCHLD, the kernel forgets its dead children at once."""
    program = """
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
items = texts(*range(60))
assert all(one.error is None for one in engine.map(work, items))
for worker in engine._pool._workers.values():
    os.kill(worker.process, signal.SIGKILL)
    while os.path.exists(f"/proc/{worker.process}"):
        pass
assert all(one.error is None for one in engine.map(work, items[:9]))
print("done")
"""
    assert forked(program, tmp_path)[0] == "done"


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
def test_an_error_whose_class_takes_more_than_a_message_is_that_error_here(tmp_path: Path) -> None:
    program = """
try:
    list(engine.map(work, texts(*range(50)) + ["full"] * 3))
except OutputError as error:
    print(error)
"""
    assert forked(program, tmp_path) == ["/dev/sda is full at 7", *NONE_LEFT]


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
def test_workers_ignore_what_their_parent_ignores(tmp_path: Path) -> None:
    """`nohup` asks that nothing ends when the terminal is closed."""
    program = """
signal.signal(signal.SIGHUP, signal.SIG_IGN)
signal.signal(signal.SIGTERM, print)
print(*{tuple(one.result) for one in engine.map(work, ["ignored"] * 9)})
"""
    assert forked(program, tmp_path) == ["('SIG_IGN', 'SIG_DFL')", *NONE_LEFT]


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
def test_fewer_workers_are_started_where_no_more_are_allowed(tmp_path: Path) -> None:
    program = """
fork, ends = os.fork, len(os.listdir("/proc/self/fd"))
forks = []
def few():
    forks.append(1)
    if len(forks) > 1:
        raise BlockingIOError(11, "no more processes")
    return fork()
os.fork = few
done = list(engine.map(work, texts(*range(90))))
assert len(done) == 90 and {one.error for one in done} == {None}
assert len({one.result[0] for one in done}) == 1
engine.close()
assert len(os.listdir("/proc/self/fd")) == ends, "every pipe is closed"
"""
    assert forked(program, tmp_path) == NONE_LEFT


def test_a_process_with_a_thread_is_not_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork copies locks that the thread may hold."""

    def forked(*_: object) -> int:
        raise AssertionError("this process was forked")

    monkeypatch.setattr(ForkedWorkers, "_fork", forked)
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    engine = LocalEngine(2, may_fork=True)
    try:
        assert [done.error for done in engine.map(abs, [1, 2])] == [None, None]
    finally:
        over.set()
        thread.join()
        engine.close()
