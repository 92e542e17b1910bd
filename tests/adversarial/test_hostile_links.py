"""Folders that link to each other: every walk ends, and each trial is found once."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundtrace.runs.state import files_below
from groundtrace.storage import LocalFolder
from tests.adversarial.worlds import Call, World, assert_good_trial_was_evaluated, put, stream


def mesh(top: Path, size: int = 7) -> None:
    """Folders, each with links to all others: more paths than any walk could end."""
    folders = [top / f"m{number}" for number in range(size)]
    for folder in folders:
        folder.mkdir(parents=True)
    for folder in folders:
        for other in folders:
            if other != folder:
                (folder / f"to_{other.name}").symlink_to(other, target_is_directory=True)


@pytest.mark.parametrize("where", ["trial", "agent", "tasks", "runs", "run", "above"])
def test_a_mesh_of_links_ends_anywhere(where: str, world: World, groundtrace: Call) -> None:
    trial = next(world.run.glob("*/trial-*"))
    places = {
        "trial": trial / "more",
        "agent": trial / "agent" / "sessions",
        "tasks": world.tasks / "more",
        "runs": world.runs / "more",
        "run": world.run / "more",
        "above": world.runs,
    }
    mesh(places[where])
    for runs in (world.run, world.runs):
        ran = groundtrace(
            "run", runs, "--tasks", world.tasks, "--out", world.out, "--jobs", 1, "--format", "md"
        )
        assert ran.code == 0, ran.err
    assert_good_trial_was_evaluated(world)


def test_a_link_to_a_trial_is_followed_once(tmp_path: Path) -> None:
    mesh(tmp_path, 5)
    put(tmp_path / "m0" / "file.txt", "x")
    paths = [path for path, _ in files_below(LocalFolder(tmp_path))]
    through = [path for path in paths if path.endswith("file.txt")]
    assert through[0] == "m0/file.txt"
    assert len(through) == 2  # by itself, and by one of the links to it


def test_a_change_of_a_trace_deep_in_a_trial_is_noticed(world: World, groundtrace: Call) -> None:
    """A session's log twelve folders down was read, and its changes were not seen."""
    trial = world.trial("good-1", config="mcp", trace="")
    deep = trial / "agent/sessions/projects" / "/".join("abcdefghijk") / "s.jsonl"
    put(deep, stream("/workspace/src/a.py"))
    assert world.evaluate(groundtrace).code == 0
    before = len(world.documents()["mcp good-1"]["events"])
    put(deep, stream("/workspace/src/a.py", "/workspace/src/b.py"))
    assert world.evaluate(groundtrace).code == 0
    after = len(world.documents()["mcp good-1"]["events"])
    assert (before, after) == (1, 2)
