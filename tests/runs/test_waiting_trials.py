"""Trials of a large run wait in a file: the documents stay the same, and memory stays small."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest

from groundtrace import pipeline
from groundtrace.base import kept_bytes
from groundtrace.errors import OutputError
from groundtrace.model import Outcome, Task, Trial
from groundtrace.runs import plan
from groundtrace.runs.plan import TrialWork, WaitingTrials
from groundtrace.runs.trial_results import TrialDone
from groundtrace.storage import LocalFolder
from groundtrace.storage.listed import listed
from tests.conftest import Ran
from tests.whole_runs import RUN, TRIALS, results, run, shrink

Call = Callable[..., Ran]


def a_trial(folder: Path, name: str, task: Task | None) -> Trial:
    (folder / name).mkdir()
    (folder / name / "result.json").write_text(name)
    return Trial(
        folder=listed(LocalFolder(folder / name)),
        path=f"mcp/{name}",
        run_id="r1",
        config_name="mcp",
        task_name="a-1",
        trial_name=name,
        task=task,
        outcome=Outcome(reward=0.5, found_in={"reward": "result.json"}),
        records={f"{folder}/{name}/result.json": "5:1"},
    )


def test_trials_come_back_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With their files as listed, and with the very task that other trials have too."""
    monkeypatch.setattr(plan, "IN_MEMORY", 1)
    task = Task(name="a-1", benchmark="suite", folder=None)
    trials = [a_trial(tmp_path, f"t{n}", task if n % 2 else None) for n in range(4)]
    waiting = WaitingTrials()
    assert [waiting.add(trial) for trial in trials] == [0, 1, 2, 3]
    for number in (3, 0, 2, 1, 3):
        found, trial = waiting.get(number), trials[number]
        assert found.task is trial.task
        assert (found.path, found.outcome, found.records) == (
            trial.path,
            trial.outcome,
            trial.records,
        )
        assert found.folder.url == trial.folder.url
        assert list(found.folder.entries()) == list(trial.folder.entries())


def test_no_room_for_trials_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """/dev/full refuses every write, as a full disk does."""

    def full(_file: object) -> IO[bytes]:
        return open("/dev/full", "r+b", buffering=0)

    monkeypatch.setattr(plan, "IN_MEMORY", 0)
    monkeypatch.setattr(kept_bytes.KeptBytes, "_opened", full)
    with pytest.raises(OutputError, match=r"No space left on device.*TMPDIR"):
        WaitingTrials().add(a_trial(tmp_path, "t", None))


@pytest.mark.parametrize("flags", [(), ("--trials", "all")], ids=["selected", "all"])
def test_documents_are_the_same_wherever_trials_wait(
    groundtrace: Call, sample: Path, flags: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One trial of the sample is superseded, one fails here; both are in outcomes.json."""
    small = shrink(sample)
    real = pipeline.process_trial

    def fails_once(work: TrialWork) -> TrialDone:
        if work.trial.task_name.startswith("tide-table"):
            raise ValueError("made to fail")
        return real(work)

    monkeypatch.setattr(pipeline, "process_trial", fails_once)
    out = small / "retrieval_events_x"
    command = ("normalize", small / "runs/official", "--tasks", small / "benchmarks")
    command = (*command, "--jobs", 1, "--force", "--out", out, *flags)
    in_memory = groundtrace(*command)
    before = results(out)
    assert before
    assert "made to fail" in in_memory.err
    monkeypatch.setattr(plan, "IN_MEMORY", 2)
    in_file = groundtrace(*command)
    assert results(out) == before
    assert in_file.err == in_memory.err


def test_only_a_few_trials_are_in_memory_while_a_run_is_processed(
    groundtrace: Call, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The trial that is being processed, and those that stay in memory."""
    small = shrink(sample)
    alive: list[int] = []
    real = pipeline.process_trial

    def trials() -> int:
        gc.collect()
        return sum(type(one) is Trial for one in gc.get_objects())

    def counting(work: TrialWork) -> TrialDone:
        alive.append(trials() - of_other_tests)
        return real(work)

    def most(in_memory: int) -> int:
        alive.clear()
        monkeypatch.setattr(plan, "IN_MEMORY", in_memory)
        run(groundtrace, small, "--force")
        assert len(alive) == TRIALS
        return max(alive)

    of_other_tests = trials()
    monkeypatch.setattr(pipeline, "process_trial", counting)
    assert (small / "runs/official" / RUN).is_dir()
    assert most(100) >= TRIALS
    assert most(2) <= 2 + 2
