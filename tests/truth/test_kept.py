"""Ground truth that a long-lived process keeps: what it read, never that there was nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundtrace import truth
from groundtrace.model import Task
from groundtrace.storage import LocalFolder
from groundtrace.truth import kept_ground_truth


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(truth, "_truths", {})
    return


def task_at(folder: Path, *files: str) -> Task:
    if files:
        (folder / "tests").mkdir(parents=True)
        (folder / "tests/ground_truth.json").write_text(json.dumps({"files": list(files)}))
    return Task(name="quay", benchmark="harbour", folder=LocalFolder(folder))


def files_of(task: Task) -> list[str]:
    return [file.path for file in kept_ground_truth(task, None, "same mark").truth.files]


def test_an_absence_is_read_again(tmp_path: Path) -> None:
    """A folder that was not mounted is there the next time, with the same fingerprint."""
    task = task_at(tmp_path / "quay")
    assert files_of(task) == []
    task_at(tmp_path / "quay", "src/crane.go")
    assert files_of(task) == ["src/crane.go"]


def test_two_folders_with_one_fingerprint_are_two_truths(tmp_path: Path) -> None:
    assert files_of(task_at(tmp_path / "one", "a.go")) == ["a.go"]
    assert files_of(task_at(tmp_path / "two", "b.go")) == ["b.go"]


def test_what_was_read_is_kept(tmp_path: Path) -> None:
    task = task_at(tmp_path / "quay", "src/crane.go")
    assert files_of(task) == ["src/crane.go"]
    (tmp_path / "quay/tests/ground_truth.json").unlink()
    assert files_of(task) == ["src/crane.go"]
