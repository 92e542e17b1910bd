"""Where a file lies and how it is spelled (D8, D13, D14)."""

from __future__ import annotations

import pytest

from groundtrace.config import Settings
from tests.paths.worlds import World, ref

# --- spelling (D8) --------------------------------------------------------------------------


def test_the_tasks_only_repository_is_left_out_of_spellings() -> None:
    world = World(
        "github.com/sg-evals/flask--3.1.0::src/flask/app.py",
        "/workspace/flask/src/flask/app.py",
        "github.com/pallets/click::src/click/core.py",
        repos=("https://github.com/pallets/flask",),
        at={"flask": "https://github.com/pallets/flask"},
    )
    assert world.files() == ["src/flask/app.py", "src/flask/app.py", "click::src/click/core.py"]


def test_several_repositories_are_named_in_spellings() -> None:
    world = World(
        "/workspace/kafka--0753c489/clients/A.java",
        "github.com/sg-evals/kafka--0753c489::clients/A.java",
        "/workspace/flink/core/B.java",
        repos=("apache/kafka", "apache/flink"),
    )
    assert world.files() == ["kafka::clients/A.java"] * 2 + ["flink::core/B.java"]


def test_one_file_has_one_spelling_the_first_that_was_met() -> None:
    world = World("/workspace/src/App.TS", "src/app.ts", "/workspace/SRC/app.ts")
    assert world.files() == ["src/App.TS"] * 3


def test_files_outside_of_repositories_keep_their_place_and_are_no_hits() -> None:
    truth = ("package.json", "y/file.go", "answer.json", "a.py")
    world = World(
        "/tmp/package.json",
        "/go/pkg/mod/github.com/x/y@v1/file.go",
        "/home/agent/y/file.go",
        "/logs/agent/a.py",
        "~/package.json",
        "../package.json",
        truth=truth,
    )
    assert world.files() == [item.path for item in world.refs]
    assert world.hits() == [None] * 6


def test_a_file_beside_the_clones_is_not_the_one_in_them() -> None:
    world = World(
        "/workspace/envoy--v1.31.2/package.json",
        "/workspace/package.json",
        truth=("envoy::package.json",),
        repos=("sg-evals/envoy--v1.31.2",),
    )
    assert world.files() == ["package.json", "/workspace/package.json"]
    assert world.hits() == ["envoy::package.json", None]


def test_a_file_beside_the_clones_is_spelled_without_the_container() -> None:
    world = World(
        "/workspace/envoy--v1.31.2/source/a.cc",
        "/workspace/answer.json",
        "/workspace/out/answer.json",
        truth=("envoy::source/a.cc",),
        repos=("sg-evals/envoy--v1.31.2",),
    )
    assert world.files() == ["source/a.cc", "answer.json", "out/answer.json"]
    assert world.resolver.resolve(ref("/workspace/answer.json")).repo is None  # type: ignore[union-attr]


# --- container prefixes (D13) ------------------------------------------------------------------


@pytest.mark.parametrize("prefix", ["/workspace", "/repo_full", "/testbed"])
def test_container_prefixes_are_no_part_of_paths(prefix: str) -> None:
    world = World(f"{prefix}/src/a.py", truth=("src/a.py",), cwd=None)
    assert world.files() == ["src/a.py"]
    assert world.hits() == ["src/a.py"]


@pytest.mark.parametrize("prefix", ["/app", "/repo"])
def test_app_and_repo_are_roots_only_where_they_are_used(prefix: str) -> None:
    truth = ("a.py", "src/b.py")
    elsewhere = World(f"{prefix}/a.py", "/workspace/src/c.py", truth=truth)
    assert elsewhere.hits() == [None, None]
    assert elsewhere.files()[0] == f"{prefix}/a.py"
    assert World(f"{prefix}/a.py", truth=truth, cwd=prefix).hits() == ["a.py"]
    held = World(f"{prefix}/flipt/src/a.py", truth=("flipt::src/a.py",), repos=("flipt-io/flipt",))
    assert held.hits() == ["flipt::src/a.py"]


def test_app_holds_the_repository_where_the_workspace_is_empty() -> None:
    """Some tasks start in an empty /workspace and have the repository in /app."""
    only = World("/app/internal/x.go", "/app/go.mod", "/workspace/answer.json", repos=("a/flipt",))
    assert only.files() == ["internal/x.go", "go.mod", "answer.json"]
    found = World(
        "/app/internal/x.go",
        "/app/go.mod",
        "/workspace/notes/y.md",
        truth=("internal/x.go", "go.mod"),
        repos=("a/flipt",),
    )
    assert found.hits() == ["internal/x.go", "go.mod", None]


def test_prefixes_can_be_configured() -> None:
    settings = Settings(container_prefixes=("/code/",))
    assert World("/code/a/b.py", truth=("a/b.py",), settings=settings).hits() == ["a/b.py"]


def test_truth_written_below_a_configured_prefix_is_found() -> None:
    """D13: the prefix was taken off the trace's paths and not off the truth's, so a task that
    spells its files as the container does scored 0."""
    settings = Settings(container_prefixes=("/code/",))
    world = World(
        "/code/a/b.py", "a/c.py", truth=("/code/a/b.py", "/code/a/c.py"), settings=settings
    )
    assert world.hits() == ["/code/a/b.py", "/code/a/c.py"]
    usual = World("/code/a/b.py", truth=("/workspace/a/b.py",), settings=settings)
    assert usual.hits() == ["/workspace/a/b.py"]


def test_the_harness_start_is_a_root_unless_it_is_a_home_or_temporary_folder() -> None:
    assert World("/build/src/a.py", truth=("src/a.py",), cwd="/build").hits() == ["src/a.py"]
    for cwd in ("/home/agent", "/tmp", "/root", "/"):
        assert World(f"{cwd}/src/a.py", truth=("src/a.py",), cwd=cwd).hits() == [None]


def test_diff_prefixes_are_stripped_only_from_diffs() -> None:
    world = World(
        ref("a/src/x.c", diff=True),
        ref("/workspace/b/src/x.c", diff=True),
        ref("a/src/x.c"),
        ref("github.com/o/r::b/src/x.c", diff=True),
        truth=("src/x.c",),
    )
    assert world.files() == ["src/x.c", "src/x.c", "a/src/x.c", "src/x.c"]


# --- repositories in paths (D14) ------------------------------------------------------------------


def test_a_package_named_like_the_repository_is_read_as_the_ground_truth_has_it() -> None:
    """numpy cloned into /workspace: removing the name would lose the file."""
    world = World(
        "/workspace/numpy/core/overrides.py",
        "/workspace/numpy/core/setup.py",
        "/workspace/doc/source/index.rst",
        truth=("numpy/core/overrides.py",),
        repos=("numpy/numpy",),
    )
    assert world.files() == [
        "numpy/core/overrides.py",
        "numpy/core/setup.py",
        "doc/source/index.rst",
    ]
    assert world.hits()[0] == "numpy/core/overrides.py"


def test_a_clone_below_the_workspace_is_read_as_the_ground_truth_has_it() -> None:
    world = World(
        "/workspace/flask/src/flask/app.py",
        "/workspace/flask/setup.py",
        "/workspace/answer.json",
        truth=("src/flask/app.py",),
        repos=("pallets/flask",),
    )
    assert world.files() == ["src/flask/app.py", "setup.py", "answer.json"]


@pytest.mark.parametrize("layout", ["/workspace/django/", "/workspace/"])
def test_both_layouts_of_a_package_named_like_its_repository_hit(layout: str) -> None:
    world = World(
        f"{layout}django/db/models/query.py",
        f"{layout}tests/queries/tests.py",
        truth=("django/db/models/query.py", "tests/queries/tests.py"),
        repos=("django/django",),
    )
    assert world.hits() == ["django/db/models/query.py", "tests/queries/tests.py"]
    assert world.files() == ["django/db/models/query.py", "tests/queries/tests.py"]


def test_without_a_hit_folders_of_the_ground_truth_or_siblings_tell_the_layout() -> None:
    beside = World(
        "/workspace/nomad/client/fs.go", "/workspace/api/jobs.go", repos=("hashicorp/nomad",)
    )
    assert beside.files() == ["nomad/client/fs.go", "api/jobs.go"]
    near = World(
        "/workspace/nomad/structs/job.go", truth=("nomad/structs/node.go",), repos=("x/nomad",)
    )
    assert near.files() == ["nomad/structs/job.go"]


def test_paths_from_code_search_tell_the_layout() -> None:
    world = World(
        "/workspace/hyper/src/lib.rs",
        "github.com/hyperium/hyper::src/client/mod.rs",
        "/workspace/notes/x.md",
        repos=("hyperium/hyper",),
    )
    assert world.files()[:2] == ["src/lib.rs", "src/client/mod.rs"]


def test_mirror_folders_and_folders_of_owners() -> None:
    world = World(
        "/workspace/sg-evals/envoy--v1.31.2/source/a.cc",
        "/workspace/envoy--v1.31.2/source/b.cc",
        "/workspace/github.com/envoyproxy/envoy/source/c.cc",
        truth=("envoy::source/a.cc", "envoy::source/b.cc", "envoy::source/c.cc"),
        repos=("sg-evals/envoy--v1.31.2",),
    )
    assert world.hits() == ["envoy::source/a.cc", "envoy::source/b.cc", "envoy::source/c.cc"]


def test_cross_repository_containers() -> None:
    """`/ccb_crossrepo/src/etcd/…`, where the ground truth has `src/etcd/…`."""
    world = World(
        "/ccb_crossrepo/src/etcd/client/v3/client.go",
        "/ccb_crossrepo/src/kubernetes/pkg/a.go",
        "github.com/sg-evals/etcd-io-etcd::client/v3/client.go",
        truth=("src/etcd/client/v3/client.go", "src/kubernetes/pkg/a.go"),
        repos=("etcd-io/etcd", "kubernetes/kubernetes"),
    )
    first, second = "src/etcd/client/v3/client.go", "src/kubernetes/pkg/a.go"
    assert world.hits() == [first, second, first]


def test_an_ordinary_folder_is_not_magic() -> None:
    world = World(
        "/workspace/original/sklearn/base.py",
        "/workspace/sklearn/base.py",
        truth=("sklearn/base.py",),
        repos=("scikit-learn/scikit-learn",),
    )
    assert world.hits() == [None, "sklearn/base.py"]


def test_nothing_known_one_folder_looked_into_the_ground_truth_decides() -> None:
    """D14: both readings are candidates where it is open."""
    world = World("/workspace/kafka/clients/A.java", truth=("clients/A.java",))
    assert world.hits() == ["clients/A.java"]
    workspace = World("/workspace/cli/src/main.rs", "/workspace/core/x.rs", truth=("src/main.rs",))
    assert workspace.hits() == [None, None]
    top = World("/workspace/frontend/package.json", truth=("package.json",))
    assert top.hits() == [None]


@pytest.mark.parametrize(
    ("stated", "file"),
    [
        ("./clap/src/help.rs", "src/help.rs"),
        ("clap/src/help.rs", "src/help.rs"),
        ("/home/clap/src/help.rs", "src/help.rs"),
        ("src/help.rs", "src/help.rs"),
        ("clap/src/met.rs", "src/met.rs"),
        ("src/met.rs", "src/met.rs"),
        ("clap/src/never.rs", "src/never.rs"),
    ],
)
def test_a_file_named_in_words_is_the_one_that_commands_name(stated: str, file: str) -> None:
    world = World(
        "/home/clap/src/met.rs",
        "/home/clap/src/x/y.rs",
        truth=("src/help.rs", "src/x/y.rs"),
        repos=("clap-rs/clap",),
        cwd="/home",
    )
    found = world.resolver.stated(stated)
    assert found is not None
    assert found.file == file


def test_a_file_named_in_words_without_a_working_directory() -> None:
    world = World("src/a.py", truth=("src/a.py",), cwd=None)
    assert world.resolver.stated("./src/a.py") == world.resolver.resolve(world.refs[0])
    assert world.resolver.stated("src/*.py") is None


def test_a_file_met_locally_and_by_a_call_that_names_the_repository_is_one() -> None:
    """The task names no repository; the call does, and both show the same path."""
    world = World(
        "/workspace/src/a.py",
        "github.com/o/r::src/a.py",
        "github.com/o/r::src/b.py",
        "/workspace/src/B.py",
        truth=("src/t.py",),
    )
    assert world.files() == ["src/a.py", "src/a.py", "src/b.py", "src/b.py"]


def test_files_of_other_repositories_stay_apart() -> None:
    two = World("/workspace/src/a.py", "o/r::src/a.py", "o/s::src/a.py", truth=("lib/t.py",))
    assert two.files() == ["src/a.py", "r::src/a.py", "s::src/a.py"]
    alone = World("/workspace/a.py", "o/r::a.py", truth=("lib/t.py",))
    assert alone.files() == ["a.py", "r::a.py"], "a bare name is in every repository"
    known = World("/workspace/src/a.py", "o/r::src/a.py", truth=("src/t.py",), repos=("o/home",))
    assert known.files() == ["src/a.py", "r::src/a.py"]


def test_relevant_files_that_lie_elsewhere_are_counted() -> None:
    world = World(
        "/tmp/x/src/deep/a.py",
        "/tmp/y/src/deep/a.py",
        "/tmp/x/setup.py",
        ref("/tmp/x/src/deep/b.py", kind="written"),
        "o/other::src/deep/c.py",
        "/workspace/src/d.py",
        truth=("src/deep/a.py", "src/deep/b.py", "src/deep/c.py", "src/d.py", "setup.py"),
        repos=("o/home",),
    )
    assert world.hits()[-1] == "src/d.py"
    assert world.resolver.unmatched_suffixes() == 1
