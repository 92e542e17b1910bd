"""Which file a path means, and which ground-truth entry it is (D8, D13–D17)."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.config import Settings
from groundtrace.model import FileRef, GroundTruth, Task, TruthChunk, TruthFile
from groundtrace.paths import Resolver


def entry(text: str) -> TruthFile:
    repo, found, path = text.partition("::")
    return TruthFile(text, path, repo) if found else TruthFile(text, text)


def ref(text: str, *, kind: str = "read", diff: bool = False) -> FileRef:
    """`repo::path` is what a call says that names a repository; else a path alone."""
    repo, found, path = text.partition("::")
    if found:
        return FileRef(path, kind, repo=repo, from_diff=diff)  # type: ignore[arg-type]
    return FileRef(text, kind, from_diff=diff)  # type: ignore[arg-type]


class World:
    """A trial: its task, its ground truth and the files that it touched."""

    def __init__(
        self,
        *touched: str | FileRef,
        truth: tuple[str, ...] = (),
        repos: tuple[str, ...] = (),
        at: Mapping[str, str] | None = None,
        named: tuple[str, ...] = (),
        cwd: str | None = "/workspace",
        settings: Settings | None = None,
    ) -> None:
        task = Task("t", "suite", None, repos=repos, repo_paths=at or {})
        self.refs = [ref(item) if isinstance(item, str) else item for item in touched]
        self.resolver = Resolver(
            truth=GroundTruth(files=tuple(map(entry, truth))),
            task=task if repos or at else None,
            refs=self.refs,
            repos=named,
            cwd=cwd,
            settings=settings,
        )

    def files(self) -> list[str | None]:
        found = [self.resolver.resolve(item) for item in self.refs]
        return [None if item is None else item.file for item in found]

    def hits(self) -> list[str | None]:
        found = [self.resolver.resolve(item) for item in self.refs]
        return [
            None if item is None or item.truth is None else item.truth.spelling for item in found
        ]


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
    assert world.files() == ["src/x.c", "src/x.c", "a/src/x.c", "r::src/x.c"]


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


# --- readings of the ground truth (D15, D16) -----------------------------------------------------


@pytest.mark.parametrize(
    "opened",
    ["/workspace/hyper/Cargo.toml", "github.com/sg-evals/hyper--v0.14.0::Cargo.toml"],
)
def test_an_entry_that_repeats_the_repository_is_hit_by_both_configs(opened: str) -> None:
    world = World(
        opened,
        truth=("hyper::hyper/Cargo.toml", "tokio::tokio/tokio/Cargo.toml"),
        repos=("hyperium/hyper", "tokio-rs/tokio"),
    )
    assert world.hits() == ["hyper::hyper/Cargo.toml"]
    assert world.files() == ["hyper::Cargo.toml"]


def test_only_one_name_is_left_out_of_an_entry() -> None:
    world = World(
        "tokio::tokio/Cargo.toml",
        "tokio::Cargo.toml",
        truth=("tokio::tokio/tokio/Cargo.toml",),
        repos=("tokio-rs/tokio",),
    )
    assert world.hits() == ["tokio::tokio/tokio/Cargo.toml", None]


def test_the_second_reading_falls_once_the_literal_folder_was_seen() -> None:
    """gcc has a folder gcc: its Makefile.in is not the one at the top."""
    truth = ("gcc::gcc/Makefile.in",)
    world = World("gcc::Makefile.in", "gcc::gcc/explow.cc", truth=truth)
    assert world.hits() == [None, None]
    assert World("gcc::gcc/Makefile.in", "gcc::Makefile.in", truth=truth).hits() == [truth[0], None]


def test_plain_entries_that_begin_with_a_repository() -> None:
    """`kafka/clients/…` of a task on kafka and flink."""
    world = World(
        "/workspace/kafka/clients/A.java",
        "github.com/sg-evals/kafka--1::clients/A.java",
        "github.com/sg-evals/flink--1::kafka/clients/A.java",
        "github.com/sg-evals/flink--1::clients/A.java",
        truth=("kafka/clients/A.java",),
        repos=("sg-evals/kafka--1", "sg-evals/flink--1"),
    )
    assert world.hits() == ["kafka/clients/A.java"] * 2 + [None] * 2


def test_entries_of_no_repository_belong_to_those_of_the_task() -> None:
    world = World(
        "github.com/sg-evals/teleport--abc::go.mod",
        "github.com/grpc/grpc-go::go.mod",
        truth=("go.mod",),
        repos=("gravitational/teleport",),
    )
    assert world.hits() == ["go.mod", None]


def test_only_where_the_task_names_no_repository_is_it_a_wildcard() -> None:
    world = World("github.com/sg-evals/firefox--8::netwerk/a.cpp", truth=("netwerk/a.cpp",))
    assert world.hits() == ["netwerk/a.cpp"]


def test_a_wildcard_entry_is_still_one_file() -> None:
    """A search over everything shows a go.mod in every repository; the truth means one."""
    world = World(
        "github.com/sg-evals/other--1::go.mod",
        "github.com/sg-evals/vuls--1::oval/util.go",
        "github.com/sg-evals/vuls--1::go.mod",
        "/workspace/go.mod",
        "github.com/sg-evals/third--1::go.sum",
        truth=("oval/util.go", "go.mod", "go.sum"),
    )
    assert world.hits() == [None, "oval/util.go", "go.mod", "go.mod", None]


def test_a_lone_repository_of_the_ground_truth_may_lie_at_the_root() -> None:
    """No task definition names it, and nothing names another: the paths are its own."""
    world = World("/workspace/source/a.cc", "/workspace/answer.json", truth=("envoy::source/a.cc",))
    assert world.hits() == ["envoy::source/a.cc", None]
    assert world.files() == ["source/a.cc", "answer.json"]
    other = World("/workspace/source/a.cc", truth=("envoy::source/a.cc",), named=("istio/istio",))
    assert other.hits() == [None]


def test_staging_copies_are_not_the_library() -> None:
    world = World(
        "github.com/sg-evals/kubernetes--v1.32.0::staging/src/k8s.io/client-go/dynamic/scheme.go",
        "github.com/sg-evals/kubernetes--v1.32.0::dynamic/scheme.go",
        "github.com/sg-evals/kubernetes-client-go::dynamic/scheme.go",
        "github.com/kubernetes/client-go::dynamic/scheme.go",
        "/workspace/client-go/dynamic/scheme.go",
        truth=("kubernetes-client-go::dynamic/scheme.go",),
        repos=("sg-evals/kubernetes--v1.32.0",),
    )
    found = "kubernetes-client-go::dynamic/scheme.go"
    assert world.hits() == [None, None, found, found, found]


def test_a_path_of_an_unknown_repository_is_no_hit_where_several_are_possible() -> None:
    world = World(
        "/workspace/package.json",
        "package.json",
        truth=("axios::package.json", "grafana::package.json"),
        repos=("axios/axios", "grafana/grafana"),
    )
    assert world.hits() == [None, None]


def test_entries_that_repeat_another_count_once() -> None:
    world = World(
        "/workspace/src/a.py",
        truth=("src/a.py", "./src/A.py", "flask::src/a.py", "docs/"),
        repos=("pallets/flask",),
    )
    assert [item.spelling for item in world.resolver.files] == ["src/a.py"]
    assert world.hits() == ["src/a.py"]


def test_absolute_entries_are_read_like_the_containers_paths() -> None:
    world = World("/workspace/src/a.py", truth=("/workspace/src/a.py",))
    assert world.hits() == ["/workspace/src/a.py"]


def test_other_parts_of_the_ground_truth_are_spelled_like_its_files_or_the_trials() -> None:
    resolver = Resolver(
        truth=GroundTruth(
            files=(entry("kafka::clients/A.java"),),
            expected_edit_files=(entry("flink/core/New.java"),),
            chunks=(TruthChunk("clients/A.java", 1, 2),),
        ),
        task=Task("t", "s", None, repos=("apache/kafka", "apache/flink")),
        refs=[ref("/workspace/flink/core/New.java", kind="written")],
    )
    assert resolver.spelling_of("clients/A.java") == "kafka::clients/A.java"
    assert resolver.spelling_of("flink/core/New.java") == "flink::core/New.java"
    assert resolver.spelling_of("x/y.java", "apache/kafka") == "kafka::x/y.java"


# --- laws ---------------------------------------------------------------------------------------

_PARTS = st.sampled_from(
    ["kafka", "flink", "src", "a", "b.py", "Kafka", "kafka--1", "B.PY", "core"]
)
_PATHS = st.lists(_PARTS, min_size=1, max_size=4).map("/".join)
_REFS = st.one_of(
    _PATHS,
    _PATHS.map("/workspace/{}".format),
    _PATHS.map("sg-evals/kafka--1::{}".format),
    _PATHS.map("apache/flink::{}".format),
    _PATHS.map("/tmp/{}".format),
)
_TRUTHS = st.one_of(_PATHS, _PATHS.map("kafka::{}".format), _PATHS.map("flink::{}".format))
_TASKS = st.sampled_from([(), ("apache/kafka",), ("apache/kafka", "apache/flink"), ("x/core",)])


@given(st.lists(_REFS, max_size=6), st.lists(_TRUTHS, max_size=4), _TASKS)
def test_law_spelling_is_one_per_file_and_is_read_back_as_itself(
    touched: list[str], truth: list[str], repos: tuple[str, ...]
) -> None:
    world = World(*touched, truth=tuple(truth), repos=repos)
    lower: dict[str, str] = {}
    for item in world.refs:
        found = world.resolver.resolve(item)
        assert found is not None
        assert lower.setdefault(found.file.lower(), found.file) == found.file
        if found.repo is not None:
            path = found.file.partition("::")[2] or found.file
            again = world.resolver.resolve(FileRef(path, "read", repo=found.repo))
            assert again == found


@given(st.lists(_REFS, max_size=6), st.lists(_TRUTHS, max_size=4), _TASKS)
def test_law_comparison_ignores_case_and_nothing_else(
    touched: list[str], truth: list[str], repos: tuple[str, ...]
) -> None:
    world = World(*touched, truth=tuple(truth), repos=repos)
    loud = World(*touched, truth=tuple(item.upper() for item in truth), repos=repos)
    assert [hit and hit.upper() for hit in world.hits()] == loud.hits()
    other = World(*touched, truth=tuple(f"{item}x" for item in truth), repos=repos)
    assert other.hits() == [None] * len(touched)


@given(st.lists(_REFS, max_size=6), st.lists(_TRUTHS, max_size=4), _TASKS)
def test_law_a_known_different_repository_never_hits(
    touched: list[str], truth: list[str], repos: tuple[str, ...]
) -> None:
    world = World(*touched, truth=tuple(truth), repos=repos)
    for item in world.refs:
        found = world.resolver.resolve(item)
        if found is None or found.truth is None:
            continue
        if found.truth.repo is not None:
            assert found.repo == found.truth.repo or (found.repo is None and not repos)
        elif repos and found.repo is not None:
            assert found.repo in {name.rpartition("/")[2] for name in repos}


@given(st.lists(_REFS, max_size=5), st.lists(_REFS, max_size=5), st.lists(_TRUTHS, max_size=3))
def test_law_a_trial_depends_on_no_other(
    touched: list[str], others: list[str], truth: list[str]
) -> None:
    alone = World(*touched, truth=tuple(truth))
    files, hits = alone.files(), alone.hits()
    World(*others, truth=tuple(truth)).hits()
    again = World(*touched, truth=tuple(truth))
    assert (again.files(), again.hits()) == (files, hits)


@given(st.lists(_REFS, min_size=1, max_size=6), st.lists(_TRUTHS, max_size=4), _TASKS)
def test_law_nothing_outside_the_container_roots_hits(
    touched: list[str], truth: list[str], repos: tuple[str, ...]
) -> None:
    world = World(*touched, truth=tuple(truth), repos=repos)
    for item, hit in zip(world.refs, world.hits(), strict=True):
        assert hit is None or not item.path.startswith("/tmp/")
