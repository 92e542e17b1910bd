"""Where paths lie, according to the layout."""

from __future__ import annotations

from groundtrace.paths.layout import Layout
from groundtrace.paths.repos import RepoTable


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
