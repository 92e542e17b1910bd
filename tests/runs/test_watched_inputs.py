"""The files opened while a result was made decide whether the result counts as current."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from groundtrace.config import Settings
from groundtrace.discover import discover
from groundtrace.model import Trial
from groundtrace.storage import LocalFolder, local, place_at
from groundtrace.storage.watch import WatchedFile, watched
from tests.adversarial.worlds import Call, World, put, read_of, stream

FILES = ["claude-code.txt", "result.json", "config.json", "ground_truth.json", "task.toml"]


class Faulty(WatchedFile):
    """A file whose name is in `broken` gives an error of the disk, at once or in the middle."""

    broken = ""
    in_the_middle = False

    def readall(self) -> bytes:
        self._fail()
        return super().readall()

    def readinto(self, buffer: Any) -> int:
        self._fail()
        return super().readinto(buffer)

    def _fail(self) -> None:
        if self.broken and str(self.name).endswith(self.broken):
            from groundtrace.storage.watch import note_error

            note_error(str(self.name))
            raise OSError(5, "Input/output error")


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path)
    made.good()
    return made


@pytest.mark.parametrize("file", FILES)
def test_an_error_of_the_disk_in_any_input_is_no_result(
    file: str, world: World, groundtrace: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next run, with files that look the same, gives what a run without the error gives."""
    with monkeypatch.context() as patched:
        patched.setattr(Faulty, "broken", file)
        patched.setattr(local, "WatchedFile", Faulty)
        assert world.evaluate(groundtrace).code == 0
    assert world.evaluate(groundtrace).code == 0
    after = world.summary()
    outcomes = world.outcomes()
    world.out = world.top / "fresh"
    assert world.evaluate(groundtrace).code == 0
    assert after["by_config"] == world.summary()["by_config"]
    assert outcomes == world.outcomes()


@pytest.mark.parametrize("file", ["claude-code.txt", "result.json", "ground_truth.json"])
def test_an_input_that_changes_after_it_was_read_is_read_again(
    file: str, world: World, groundtrace: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records are read before a trial's files are listed: what is read is checked afterwards."""
    changes: dict[str, Callable[[Path], object]] = {
        "claude-code.txt": lambda path: put(path, path.read_text() + read_of("/workspace/q.py", 7)),
        "result.json": lambda path: put(path, path.read_text().replace("0.5", "0.75")),
        "ground_truth.json": lambda path: put(path, {"files": ["src/q.py"]}),
    }
    changed: list[Path] = []

    class Changes(WatchedFile):
        def close(self) -> None:
            path = Path(str(self.name))
            super().close()
            if path.name == file and path not in changed:
                changed.append(path)
                changes[file](path)

    with monkeypatch.context() as patched:
        patched.setattr(local, "WatchedFile", Changes)
        assert world.evaluate(groundtrace).code == 0
    assert changed
    assert world.evaluate(groundtrace).code == 0
    after, outcomes = world.summary()["by_config"], world.outcomes()
    world.out = world.top / "fresh"
    assert world.evaluate(groundtrace).code == 0
    assert (after, outcomes) == (world.summary()["by_config"], world.outcomes())


def test_a_watch_sees_files_and_errors_of_its_block_alone(tmp_path: Path) -> None:
    put(tmp_path / "a.txt", "a")
    put(tmp_path / "b.txt", "b")
    folder = LocalFolder(tmp_path)
    with watched() as outer:
        folder.read("a.txt")
        with watched() as inner, folder.open("b.txt") as opened:
            opened.read()
        with pytest.raises(OSError):
            folder.read("none.txt")
    assert list(outer.files) == [str(tmp_path / "a.txt")]
    assert list(inner.files) == [str(tmp_path / "b.txt")]
    assert outer.errors == inner.errors == [], "a file that is not there is no error of the disk"


# --- traces without a trial's folder --------------------------------------------------------


def inputs_of(path: Path) -> dict[str, str]:
    return {
        item.path: item.loose.inputs
        for item in discover(place_at(path), settings=Settings())
        if isinstance(item, Trial) and item.loose is not None
    }


def session(path: Path, session_id: str, *files: str) -> Path:
    lines = [json.loads(text) for text in stream(*files).splitlines()]
    return put(path, "".join(json.dumps(line | {"sessionId": session_id}) + "\n" for line in lines))


@pytest.mark.parametrize("alone", [True, False])
def test_the_log_of_a_subagent_is_an_input_of_its_session(tmp_path: Path, alone: bool) -> None:
    """It is read with the session, and could be added or change unnoticed."""
    main = session(tmp_path / "s-1.jsonl", "s-1", "/workspace/a.py")
    given = main if alone else tmp_path
    seen = [inputs_of(given)]
    assert len(seen[0]) == 1
    agent = session(tmp_path / "agent-7.jsonl", "s-1", "/workspace/b.py")
    seen.append(inputs_of(given))
    session(agent, "s-1", "/workspace/b.py", "/workspace/c.py")
    seen.append(inputs_of(given))
    first, second, third = (next(iter(inputs.values())) for inputs in seen)
    assert len({first, second, third}) == 3
    assert inputs_of(given) == seen[-1], "the same files have the same fingerprint"


def test_a_single_session_is_evaluated_again_when_a_log_beside_it_changes(
    tmp_path: Path, groundtrace: Call
) -> None:
    main = session(tmp_path / "in/s-1.jsonl", "s-1", "/workspace/a.py")
    agent = session(tmp_path / "in/agent-7.jsonl", "s-1", "/workspace/b.py")

    def events() -> int:
        assert groundtrace("normalize", main, "--out", tmp_path / "out", "--jobs", 1).code == 0
        (path,) = (tmp_path / "out").rglob("*.retrieval_events.json")
        return len(json.loads(path.read_text())["events"])

    before = events()
    session(agent, "s-1", "/workspace/b.py", "/workspace/c.py")
    assert events() == before + 1


def test_a_trajectory_that_another_names_is_an_input_of_it(tmp_path: Path) -> None:
    def trajectory(**more: Any) -> dict[str, Any]:
        return {
            "schema_version": "ATIF-v1.2",
            "agent": {"name": "claude-code"},
            "steps": [],
            **more,
        }

    put(tmp_path / "one.json", trajectory(continued_trajectory_ref="two.json"))
    put(tmp_path / "two.json", trajectory())
    before = inputs_of(tmp_path / "one.json")
    put(tmp_path / "two.json", trajectory(final_metrics={"total_cost_usd": 1}))
    assert before and inputs_of(tmp_path / "one.json") != before
