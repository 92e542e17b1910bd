"""Where paths lie, according to the layout."""

from __future__ import annotations

import pytest

from groundtrace.model import FileRef, GroundTruth, Task, TruthFile
from groundtrace.paths import Resolver
from groundtrace.paths.layout import Layout
from groundtrace.paths.repos import RepoTable
from tests.paths.worlds import World


def layout(*paths: str, cwd: str | None = None) -> Layout:
    return Layout(
        RepoTable(["apache/kafka"]),
        prefixes=("/workspace",),
        repo_paths={},
        cwd=cwd,
        paths=[(path, False) for path in paths],
        in_repos={},
        truths={},
    )


def test_files_beside_a_root_are_outside_of_it_though_the_root_was_asked_for_first() -> None:
    paths = ("/home/agent/kafka", "/home/agent/notes.md", "/home/agent/kafka/core/Log.scala")
    found = layout(*paths, cwd="/home/agent/kafka")
    root, beside, inside = map(found.place, paths)
    assert not root.outside
    assert beside.outside
    assert (inside.outside, inside.path) == (False, "core/Log.scala")


def test_files_beside_a_root_are_outside_of_it_though_they_were_asked_for_first() -> None:
    found = layout(cwd="/home/agent/kafka")
    assert found.place("/home/agent/notes.md").outside
    assert not found.place("/home/agent/kafka").outside


def test_all_files_of_a_folder_lie_alike() -> None:
    found = layout(cwd="/workspace")
    first, second = found.place("/workspace/a/b.go"), found.place("/workspace/a/c.go")
    assert (first.repo, first.path) == (second.repo, "a/b.go")
    assert second.path == "a/c.go"


@pytest.mark.parametrize("cwd", [None, "/home/agent"])
def test_a_clone_below_its_owner_is_the_repository(cwd: str | None) -> None:
    """Eight solved tasks had a recall of 0: their files counted as outside of the repository."""
    path = "heron/nest/egg.py"
    entry = TruthFile(path, path, None)
    refs = [
        FileRef(f"/code/heron/heron/{path}", "read"),
        FileRef("/tmp/try.py", "written"),
    ]
    resolver = Resolver(
        truth=GroundTruth(files=(entry,)),
        task=Task("heron__heron-1", "suite", None, repos=("heron/heron",)),
        refs=refs,
        cwd=cwd,
    )
    found = [resolver.resolve(ref) for ref in refs]
    assert found[0] is not None and found[1] is not None
    assert (found[0].file, found[0].truth) == (path, entry)
    assert (found[1].file, found[1].truth) == ("/tmp/try.py", None)


def test_a_folder_in_a_home_whose_owner_is_masked_is_a_root() -> None:
    world = World("~/work/src/a.py", "~/b.py", truth=("src/a.py", "b.py"), cwd="~/work")
    assert world.hits() == ["src/a.py", None]
    assert World("~/b.py", truth=("b.py",), cwd="~").hits() == [None]
