"""Small runs, each evaluated whole by a worker: same documents, and nothing is lost."""

from __future__ import annotations

import fcntl
import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from groundtrace.errors import LockedError
from groundtrace.rows.kept import RowsByRun
from groundtrace.runs import small_evaluations
from groundtrace.runs.engine import make_engine
from groundtrace.runs.engine.here import HereFirstEngine
from groundtrace.runs.evaluate import evaluate
from groundtrace.runs.evaluated import Evaluated
from groundtrace.runs.normalize import normalize
from groundtrace.runs.request import Request
from tests.whole_runs import RUN, TRIALS, copies, results, shrink

RUNS = 3


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
    monkeypatch.setattr(small_evaluations, "FEW_DOCUMENTS", 1)
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


def evaluated(sample: Path, jobs: int, rows: RowsByRun | None = None) -> Evaluated:
    request = request_for(sample, jobs)
    try:
        return evaluate(request, rows)
    finally:
        request.engine.close()


def test_whole_runs_give_the_same_bytes_and_rows_as_one_process(
    sample_of_runs: Path, noted: Noted
) -> None:
    done = evaluated(sample_of_runs, 2)
    assert noted.functions == ["evaluate_whole"]
    assert (done.evaluated, done.unchanged, done.failed) == (RUNS * TRIALS, 0, [])
    assert [len(rows) for rows in done.rows.values()] == [TRIALS] * RUNS
    whole = results(sample_of_runs)
    made = [name for name in whole if name.endswith(("_metrics.json", "_summary.json"))]
    assert len(made) == RUNS * TRIALS + RUNS + 1
    for name in made:
        (sample_of_runs / name).unlink()
    alone = evaluated(sample_of_runs, 1)
    assert results(sample_of_runs) == whole
    assert {address: dict(rows) for address, rows in alone.rows.items()} == {
        address: dict(rows) for address, rows in done.rows.items()
    }


def test_a_second_time_nothing_is_left_to_do(sample_of_runs: Path, noted: Noted) -> None:
    evaluated(sample_of_runs, 2)
    noted.functions.clear()
    again = evaluated(sample_of_runs, 2)
    assert noted.functions == []
    assert (again.evaluated, again.unchanged) == (0, RUNS * TRIALS)


def test_rows_that_are_made_already_are_sent_and_kept(sample_of_runs: Path, noted: Noted) -> None:
    """In `run`, trials are evaluated while they are read; a worker only writes the summary."""
    request = request_for(sample_of_runs, 1)
    normalized = normalize(
        Request(runs=request.runs, tasks=request.tasks, engine=request.engine, force=True),
        with_metrics=True,
    )
    done = evaluated(sample_of_runs, 2, normalized.rows)
    assert noted.functions == ["evaluate_whole"]
    assert done.evaluated == RUNS * TRIALS
    assert [len(rows) for rows in done.rows.values()] == [TRIALS] * RUNS
    summary = sample_of_runs / "runs/official" / RUN / "retrieval_events/run_retrieval_summary.json"
    assert json.loads(summary.read_text())["overall"]["trials"] == TRIALS


def test_a_document_that_cannot_be_read_is_refused_by_name(
    sample_of_runs: Path, noted: Noted
) -> None:
    broken = next((sample_of_runs / "runs/official/copy_001").rglob("*.retrieval_events.json"))
    broken.write_text("{")
    done = evaluated(sample_of_runs, 2)
    assert noted.functions == ["evaluate_whole"]
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
    assert noted.functions[0] == "evaluate_whole"
