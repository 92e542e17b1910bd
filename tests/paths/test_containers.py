"""Where containers usually keep clones, and working directories that are not a project."""

from __future__ import annotations

import pytest

from groundtrace.config import Settings
from groundtrace.paths.containers import Clone, clone_of, joined_name
from tests.paths.worlds import World


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/testbed/a/b.py", Clone("/testbed", None)),
        ("/heron__heron/a.py", Clone("/heron__heron", "heron/heron")),
        ("/workspace/heron__egret__1.2/a.py", Clone("/workspace/heron__egret__1.2", "heron/egret")),
        ("/code/heron/egret/a.py", Clone("/code/heron/egret", "heron/egret")),
        ("/code/heron/a.py", None),
        ("/workspace/src/heron__egret/a.py", None),
        ("/workspace/__pycache__/a.py", None),
        ("/home/heron__egret/a.py", None),
        ("/heron__heron", None),
    ],
)
def test_clones_by_convention(path: str, expected: Clone | None) -> None:
    assert clone_of(path) == expected


def test_joined_names() -> None:
    assert joined_name("scikit-learn__scikit-learn__0.20") == "scikit-learn/scikit-learn"
    assert joined_name("plain") is None


@pytest.mark.parametrize(
    "folder",
    ["/testbed", "/heron__heron", "/workspace/heron__heron__1.2", "/code/heron/heron"],
)
def test_files_of_a_clone_are_those_of_the_repository(folder: str) -> None:
    world = World(
        f"{folder}/heron/nest.py",
        f"{folder}/README.md",
        truth=("heron/nest.py",),
        repos=("heron/heron",),
        cwd=folder,
    )
    assert world.hits() == ["heron/nest.py", None]
    assert world.files() == ["heron/nest.py", "README.md"]


def test_a_prefix_of_the_settings_is_a_root_as_it_is() -> None:
    settings = Settings(container_prefixes=("/code/",))
    world = World("/code/heron/src/a.py", truth=("heron/src/a.py",), settings=settings)
    assert world.hits() == ["heron/src/a.py"]


def test_a_working_directory_above_the_clone() -> None:
    """`/home` is no project; the clone in it is named like the repository, or holds the truth."""
    named = World(
        "/home/heron/lib/nest.py", "/home/fix.sh",
        truth=("lib/nest.py",), repos=("heron/heron",), cwd="/home",
    )  # fmt: skip
    assert named.hits() == ["lib/nest.py", None]
    other = World(
        "/home/box/lib/nest.py", "/home/box/lib/egg.py",
        truth=("lib/nest.py",), repos=("heron/heron",), cwd="/home",
    )  # fmt: skip
    assert other.hits() == ["lib/nest.py", None]
    assert other.files() == ["lib/nest.py", "lib/egg.py"]


def test_a_home_without_a_clone_stays_outside() -> None:
    world = World(
        "/home/agent/notes/nest.py", truth=("lib/nest.py",), repos=("heron/heron",), cwd="/home"
    )
    assert world.hits() == [None]


def test_a_relative_working_directory_that_paths_name_again_is_left_off() -> None:
    world = World(
        "repo/lib/nest.py", "lib/egg.py",
        truth=("lib/nest.py", "lib/egg.py"), repos=("heron/heron",), cwd="repo",
    )  # fmt: skip
    assert world.hits() == ["lib/nest.py", "lib/egg.py"]


def test_a_package_of_the_name_of_a_relative_working_directory_stays() -> None:
    world = World(
        "heron/nest.py", "heron/heron/egg.py",
        truth=("heron/nest.py", "heron/egg.py"), repos=("bird/heron",), cwd="heron",
    )  # fmt: skip
    assert world.hits() == ["heron/nest.py", "heron/egg.py"]
