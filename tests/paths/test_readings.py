"""Which ground-truth entry a file is: readings of entries, repositories and wildcards (D15–D17)."""

from __future__ import annotations

import pytest

from groundtrace.model import GroundTruth, Task, TruthChunk
from groundtrace.paths import Resolver
from tests.paths.worlds import World, entry, ref


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
