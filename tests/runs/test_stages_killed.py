"""Files are complete or not there (D37): after a kill, an interrupt, a lock, a full disk."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import signal
import time
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import Any

import pytest

from groundtrace.pipeline import process_trial
from groundtrace.runs.engine import Done
from groundtrace.runs.engine.local import LocalEngine
from groundtrace.runs.normalize import normalize
from groundtrace.runs.plan import TrialWork
from groundtrace.runs.request import Request
from groundtrace.runs.trial_results import TrialDone
from groundtrace.storage import local
from tests.conftest import Ran
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

Call = Callable[..., Ran]


@pytest.fixture
def small(sample: Path) -> Path:
    return shrink(sample)


def documents(folder: Path) -> list[Path]:
    found = [p for p in folder.rglob("*.json") if not p.name.startswith(".")]
    return sorted(p for p in found if "retrieval_events" in str(p))


def leftovers(folder: Path) -> list[Path]:
    return [p for p in folder.rglob("*") if p.name.endswith(".tmp")]


@pytest.mark.parametrize("after", [1, 25, 45])
def test_a_killed_run_leaves_whole_files_and_the_next_completes_it(
    after: int, groundtrace: Call, small: Path
) -> None:
    """kill -9 of everything at any moment: every file is valid, and the work is finished next."""
    copies(small, 4)
    process = start(small)
    wait_for_documents(small, after, process)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert documents(small)
    assert groundtrace("validate", "-q", *documents(small)).code == 0
    run(groundtrace, small)
    completed = results(small)
    assert not leftovers(small)
    run(groundtrace, small, "--force")
    assert results(small) == completed


KILLS = int(os.environ.get("GROUNDTRACE_KILLS", "3"))
"""Random kills to try; a hundred take ten minutes."""


@pytest.mark.parametrize("seed", range(KILLS))
def test_killed_at_random_and_run_again_it_has_the_bytes_of_an_undisturbed_run(
    seed: int, groundtrace: Call, small: Path, tmp_path: Path
) -> None:
    """New results, results of other settings, results of which some were removed: in each of these
    states, and with one process or two, the command may be killed twice before it can finish."""
    chance = random.Random(seed)
    copies(small, 2)
    out, undisturbed = tmp_path / "retrieval_events_out", tmp_path / "retrieval_events_whole"
    run(groundtrace, small, "--out", undisturbed)
    started = time.monotonic()
    assert start(small, "--out", str(out)).wait(120) == 0
    whole = time.monotonic() - started
    for _ in range(2):
        kind = chance.choice(["new", "other settings", "some removed"])
        if kind == "new":
            shutil.rmtree(out, ignore_errors=True)
        elif kind == "some removed":
            for path in chance.sample(documents(out), min(5, len(documents(out)))):
                path.unlink()
        flags = ("--shell", "ignore") if kind == "other settings" else ()
        process = start(small, "--out", str(out), "--jobs", chance.choice("12"), *flags)
        time.sleep(chance.uniform(0.2, 1.0) * whole)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    run(groundtrace, small, "--out", out)
    assert results(out) == results(undisturbed)
    assert not leftovers(out)


def test_a_run_killed_under_other_settings_leaves_nothing_that_passes_for_ours(
    groundtrace: Call, small: Path
) -> None:
    """Documents of the killed run lie under the same names; the state must not vouch for them."""
    run(groundtrace, small)
    before = results(small)
    process = start(small, "--shell", "ignore")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None and results(small) == before:
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert results(small) != before, "killed before it wrote anything: this test tests nothing"
    run(groundtrace, small)
    assert results(small) == before


def test_what_a_killed_process_left_half_written_is_cleared_away(
    groundtrace: Call, small: Path
) -> None:
    folder = small / "runs/official" / RUN / "retrieval_events"
    config = folder / "baseline-local-direct"
    config.mkdir(parents=True)
    half = [config / ".quay.retrieval_events.json.0badc0de.tmp", folder / ".x.json.0badc0de.tmp"]
    mine = [config / "notes.tmp", folder / ".keep.tmp"]
    for path in (*half, *mine):
        path.write_text("{")
    run(groundtrace, small)
    assert not any(path.exists() for path in half)
    assert all(path.exists() for path in mine), "only names that groundtrace gives are its own"


def test_ctrl_c_stops_within_a_second_and_keeps_what_was_done(
    groundtrace: Call, small: Path
) -> None:
    copies(small, 8)
    process = start(small)
    wait_for_documents(small, 45, process)
    assert process.poll() is None, "it ended before it could be interrupted"
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "stopped" in err
    assert "Traceback" not in err
    assert not leftovers(small)
    assert groundtrace("validate", "-q", *documents(small)).code == 0
    ran = run(groundtrace, small)
    assert " 0 unchanged" not in ran.err, "what was done before is not done again"
    completed = results(small)
    run(groundtrace, small, "--force")
    assert results(small) == completed


def test_two_runs_at_once_the_second_says_who_holds_the_lock(
    groundtrace: Call, small: Path
) -> None:
    import fcntl

    run(groundtrace, small)
    lock = small / "runs/official" / RUN / "retrieval_events" / ".lock"
    with lock.open("r+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        held.write(json.dumps({"pid": 4242, "host": "harbour"}))
        held.flush()
        for command in ("normalize", "evaluate", "impact", "report"):
            ran = groundtrace(command, small / "runs/official")
            assert ran.code == 2
            assert "in use by process 4242 on harbour" in ran.err
    run(groundtrace, small)


def die_in_a_worker(work: TrialWork) -> TrialDone:
    """Work that takes its process along, for one trial."""
    if work.document_path.startswith("mcp-remote-direct/rate-"):
        os.kill(os.getpid(), signal.SIGKILL)
    return process_trial(work)


class Deadly:
    """An engine of real processes, one of whose trials kills its worker."""

    def __init__(self) -> None:
        self.inner = LocalEngine(2)
        self.workers = 2
        self.forks = False

    def map(
        self, function: Any, items: Iterable[Any], *, chunk: int | None = None
    ) -> Generator[Done[Any, Any], None, None]:
        return self.inner.map(die_in_a_worker, items, chunk=chunk)

    def close(self) -> None:
        self.inner.close()


def test_a_trial_that_kills_its_worker_is_reported_and_the_others_are_done(small: Path) -> None:
    engine = Deadly()
    runs, tasks = str(small / "runs/official"), str(small / "benchmarks")
    done = normalize(Request(runs=runs, tasks=(tasks,), engine=engine))
    engine.close()
    assert done.written == TRIALS - 1
    (failure,) = done.failed
    assert "mcp_rate-limit" in failure
    assert "worker process died" in failure
    outcomes = json.loads((next((small / "runs").rglob(f"{RUN}/*/outcomes.json"))).read_text())
    (failed,) = [trial for trial in outcomes["trials"] if trial["state"] == "failed"]
    assert failed["task_name"] == "rate-limit-trace-004"
    assert "worker process died" in failed["state_reason"]
    assert not leftovers(small)


def test_a_trial_that_fails_keeps_no_document_of_earlier_inputs(
    groundtrace: Call, small: Path
) -> None:
    """A number from before a change would stand for the trial as it is now."""
    run(groundtrace, small)
    engine = Deadly()
    runs, tasks = str(small / "runs/official"), str(small / "benchmarks")
    normalize(Request(runs=runs, tasks=(tasks,), engine=engine, force=True))
    engine.close()
    assert not list(small.rglob("mcp-remote-direct/rate-*"))


@pytest.mark.parametrize("writes", [0, 3, 24, 30])
def test_a_full_disk_is_one_line_and_nothing_half_written(
    writes: int, groundtrace: Call, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [writes]
    put = local._put

    def full(path: str, parts: Iterable[bytes]) -> None:
        left[0] -= 1
        data = b"".join(parts)
        put(path, (data if left[0] >= 0 else data[: len(data) // 2],))
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    monkeypatch.setattr(local, "_put", full)
    runs, tasks = small / "runs/official", small / "benchmarks"
    ran = groundtrace("run", runs, "--tasks", tasks, "--format", "md", "--jobs", 1)
    assert ran.code == 2, ran.err
    assert "No space left on device" in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    assert not leftovers(small)
    if documents(small):
        assert groundtrace("validate", "-q", *documents(small)).code == 0
    monkeypatch.setattr(local, "_put", put)
    run(groundtrace, small)
    completed = results(small)
    run(groundtrace, small, "--force")
    assert results(small) == completed


@pytest.mark.usefixtures("workers_for_small_work")
def test_an_output_that_cannot_be_written_is_one_line(
    groundtrace: Call, small: Path, tmp_path: Path
) -> None:
    """From worker processes too: it concerns every trial, so it is said once."""
    file = tmp_path / "a file"
    file.write_text("in the way")
    for jobs in (1, 2):
        flags = ("--tasks", small / "benchmarks", "--out", file, "--jobs", jobs)
        ran = groundtrace("normalize", small / "runs/official", *flags)
        assert ran.code == 2
        assert len(ran.err.strip().splitlines()) == 1
        assert "cannot be written" in ran.err
    folder = tmp_path / "out" / RUN / "retrieval_events"
    folder.mkdir(parents=True)
    (folder / "mcp-remote-direct").write_text("a file where a folder is needed")
    flags = ("--tasks", small / "benchmarks", "--out", tmp_path / "out", "--jobs", 2)
    ran = groundtrace("normalize", small / "runs/official", *flags)
    assert ran.code == 2
    assert len(ran.err.strip().splitlines()) == 1
    assert "cannot be written" in ran.err
