"""A Dask cluster on loopback: a real scheduler, two workers, one of which is killed."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from groundtrace import __version__
from groundtrace.errors import InputError, OutputError, UsageError
from groundtrace.runs.engine import dask as dask_engine
from groundtrace.runs.engine import make_engine
from groundtrace.runs.engine.dask import DaskEngine
from groundtrace.storage import LocalFolder
from tests.conftest import FIXED_TIME, Ran
from tests.whole_runs import DRAWS, copies, results, run, shrink

pytestmark = pytest.mark.cluster
Call = Callable[..., Ran]

NODE = """
import asyncio, sys
from distributed import Scheduler, Worker
{before}
async def main():
    {start} as node:
        print(node.address, flush=True)
        await node.finished()
asyncio.run(main())
"""
SCHEDULER = "async with Scheduler(host='127.0.0.1', port=0, dashboard=False)"
WORKER = "async with Worker(sys.argv[1], host='127.0.0.1', nthreads=1, dashboard=False)"


ROOT = str(Path(__file__).parents[2])
FOLDERS = os.pathsep.join(filter(None, (ROOT, os.environ.get("PYTHONPATH"))))
"""Where a worker finds the functions of these tests, and the package that is tested."""


class Node:
    """A scheduler or a worker in a process of its own."""

    def __init__(
        self, start: str, *arguments: str, before: str = "", folder: Path | None = None
    ) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", NODE.format(start=start, before=before), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=folder,
            env=os.environ | {"SOURCE_DATE_EPOCH": FIXED_TIME, "PYTHONPATH": FOLDERS},
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        assert self.address.startswith("tcp://"), "it did not start"

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


@pytest.fixture
def nodes() -> Iterator[list[Node]]:
    started: list[Node] = []
    yield started
    for node in reversed(started):
        node.kill()


@pytest.fixture
def scheduler(nodes: list[Node]) -> str:
    nodes.append(Node(SCHEDULER))
    return nodes[0].address


@pytest.fixture
def cluster(scheduler: str, nodes: list[Node]) -> str:
    """A scheduler with two workers; returns its address."""
    nodes.append(Node(WORKER, scheduler))
    nodes.append(Node(WORKER, scheduler))
    return scheduler


def test_a_run_that_loses_a_worker_has_the_bytes_of_a_local_one(
    groundtrace: Call, sample: Path, cluster: str, nodes: list[Node], tmp_path: Path
) -> None:
    shrink(sample)
    copies(sample, 5)
    out = tmp_path / "retrieval_events_far"
    killed = threading.Event()

    def kill_one() -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if sum(1 for _ in out.rglob("*.retrieval_events.json")) >= 10:
                nodes[1].kill()
                killed.set()
                return
            time.sleep(0.005)

    killer = threading.Thread(target=kill_one)
    killer.start()
    runs, tasks = sample / "runs/official", sample / "benchmarks"
    flags = ("--engine", "dask", "--scheduler", cluster, "--out", out, "--format", "md", *DRAWS)
    ran = groundtrace("run", runs, "--tasks", tasks, *flags)
    killer.join()
    assert killed.is_set(), "the worker was not killed in the middle: this test tests nothing"
    assert ran.code == 0, ran.err
    assert "60 documents written" in ran.err
    here = tmp_path / "retrieval_events_here"
    run(groundtrace, sample, "--out", here)
    assert results(out) == results(here)
    ran = groundtrace("run", runs, "--tasks", tasks, *flags)
    assert "0 documents written, 60 unchanged" in ran.err


def die_at_seven(number: int) -> int:
    if number == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def square_but_not_three(number: int) -> int:
    if number == 3:
        raise ValueError("three is not for squaring")
    return number * number


def no_room(number: int) -> int:
    raise OutputError(f"disk of item {number} is full")


def test_an_item_that_raises_is_reported_and_the_rest_is_done(cluster: str) -> None:
    engine = make_engine("dask", scheduler=cluster)
    for _ in range(2):
        done = {one.item: one for one in engine.map(square_but_not_three, range(100))}
        assert sorted(done) == list(range(100))
        assert done[3].error == "ValueError: three is not for squaring"
        assert all(one.result == n * n for n, one in done.items() if n != 3)
    with pytest.raises(OutputError, match="is full"):
        list(engine.map(no_room, range(10)))
    engine.close()


def test_an_item_that_kills_every_worker_is_found_and_reported(nodes: list[Node]) -> None:
    """As with local processes: the chunk is done again trial by trial, and one is to blame."""
    no_patience = "import dask; dask.config.set({'distributed.scheduler.allowed-failures': 0})"
    nodes.append(Node(SCHEDULER, before=no_patience))
    nodes.extend(Node(WORKER, nodes[0].address) for _ in range(3))
    engine = DaskEngine(nodes[0].address)
    done = {one.item: one for one in engine.map(die_at_seven, iter(range(16)))}
    engine.close()
    assert sorted(done) == list(range(16))
    assert [n for n, one in done.items() if one.error is not None] == [7]
    assert "on the cluster: KilledWorker" in (done[7].error or "")


def test_workers_of_another_version_are_refused(scheduler: str, nodes: list[Node]) -> None:
    other = "import groundtrace; groundtrace.__version__ = '0.0.9'"
    nodes.append(Node(WORKER, scheduler, before=other))
    engine = DaskEngine(scheduler)
    with pytest.raises(
        UsageError, match=r"has groundtrace 0\.0\.9, this machine has .*same version"
    ):
        list(engine.map(square_but_not_three, range(5)))


def test_workers_without_groundtrace_are_refused(scheduler: str, nodes: list[Node]) -> None:
    nodes.append(Node(WORKER, scheduler, before="sys.modules['groundtrace'] = None"))
    engine = DaskEngine(scheduler)
    with pytest.raises(UsageError, match="has no groundtrace"):
        list(engine.map(square_but_not_three, range(5)))


def test_a_worker_of_another_version_that_joins_later_is_refused() -> None:
    sent = dask_engine.with_absolute_paths([2])
    with pytest.raises(UsageError, match="a worker has groundtrace"):
        dask_engine.do_sent("0.0.9", square_but_not_three, sent, True)
    assert dask_engine.do_sent(__version__, square_but_not_three, sent, True) == [(4, None)]


def test_no_scheduler_and_no_workers_are_said(
    groundtrace: Call, sample: Path, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_engine, "CONNECT_SECONDS", 1)
    for address, reason in {
        "tcp://127.0.0.1:1": "no Dask scheduler answers there",
        "nonsense": "no Dask scheduler answers there",
        scheduler: "the scheduler has no workers",
    }.items():
        flags: tuple[Any, ...] = ("--engine", "dask", "--scheduler", address)
        ran = groundtrace("normalize", sample / "runs/official", *flags)
        assert ran.code == 2
        assert ran.err == f"groundtrace: {address}: {reason}\n"


def test_a_cluster_that_loses_all_workers_is_not_waited_for_for_ever(
    scheduler: str, nodes: list[Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_engine, "ALONE_SECONDS", 1)
    nodes.append(Node(WORKER, scheduler))
    engine = DaskEngine(scheduler)
    done = engine.map(die_at_seven, iter(range(8)))
    with pytest.raises(InputError, match="lost all its workers"):
        list(done)
    engine.close()


def test_a_client_that_did_not_connect_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """If it closes itself later, while the next client starts, both wait for ever."""
    import distributed

    monkeypatch.setattr(dask_engine, "CONNECT_SECONDS", 1)
    gc.collect()  # clients of other tests
    closed: list[bool] = []
    real = distributed.Client.__del__
    monkeypatch.setattr(
        distributed.Client, "__del__", lambda client: (closed.append(True), real(client))[1]
    )
    gc.disable()
    try:
        with pytest.raises(InputError, match="no Dask scheduler answers"):
            list(DaskEngine("tcp://127.0.0.1:1").map(square_but_not_three, [1]))
    finally:
        gc.enable()
    assert closed == [True]


def test_relative_paths_mean_the_folder_of_the_command_not_of_the_workers(
    groundtrace: Call,
    sample: Path,
    scheduler: str,
    nodes: list[Node],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Workers wrote "no usable trace" into their own folder, and the command said it had worked."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    nodes.append(Node(WORKER, scheduler, folder=elsewhere))
    small = shrink(sample)
    monkeypatch.chdir(small)
    flags = ("--tasks", "benchmarks", "--format", "md", *DRAWS)
    cluster = ("--engine", "dask", "--scheduler", scheduler)
    far, here = "retrieval_events_far", "retrieval_events_here"
    ran = groundtrace("run", "runs/official", *flags, *cluster, "--out", far)
    assert ran.code == 0, ran.err
    assert "report: retrieval_events_far/" in ran.out
    assert not list(elsewhere.iterdir())
    assert groundtrace("run", "runs/official", *flags, "--out", here, "--jobs", 1).code == 0
    assert results(small / far) == results(small / here)


NEAR_SIGHTED = """
import pathlib
is_dir = pathlib.Path.is_dir
pathlib.Path.is_dir = lambda path: "{hidden}" not in str(path) and is_dir(path)
"""
"""A worker on a machine where a folder is not mounted."""


@pytest.mark.parametrize("hidden", ["runs/official", "benchmarks", "far"])
def test_a_worker_that_cannot_see_a_folder_is_named_with_the_folder(
    groundtrace: Call, sample: Path, scheduler: str, nodes: list[Node], tmp_path: Path, hidden: str
) -> None:
    """Trials, tasks and results: without one of them the documents would be wrong or nowhere."""
    nodes.append(Node(WORKER, scheduler, before=NEAR_SIGHTED.format(hidden=hidden)))
    small = shrink(sample)
    flags = ("--tasks", small / "benchmarks", "--out", tmp_path / "far")
    cluster = ("--engine", "dask", "--scheduler", scheduler)
    ran = groundtrace("normalize", small / "runs/official", *flags, *cluster)
    assert ran.code == 2
    assert f"worker {nodes[1].address} cannot see /" in ran.err
    assert hidden in ran.err
    assert not list((tmp_path / "far").rglob("*.retrieval_events.json"))


def test_a_trial_that_is_gone_here_too_is_not_the_workers_fault(cluster: str) -> None:
    engine = DaskEngine(cluster)
    (done,) = engine.map(name_of, [Gone(LocalFolder(Path("/no/such/folder")))])
    engine.close()
    assert (done.result, done.error) == ("/no/such/folder", None)


@dataclass(frozen=True)
class Gone:
    folder: LocalFolder

    def folders(self) -> tuple[LocalFolder]:
        return (self.folder,)


def name_of(item: Gone) -> str:
    return item.folder.url
