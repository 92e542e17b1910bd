"""When two names mean one repository (D14)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.model import FileRef, GroundTruth, Task, TruthFile
from groundtrace.paths import Resolver, repo_names, short_repo
from groundtrace.paths.repos import RepoTable, differ, parse_repo, revision_of


@pytest.mark.parametrize(
    ("written", "short"),
    [
        ("github.com/sg-evals/kafka--0753c489", "kafka"),
        ("sg-evals/x--v1.2", "x"),
        ("https://github.com/tokio-rs/tokio", "tokio"),
        ("https://github.com/tokio-rs/tokio.git", "tokio"),
        ("git@github.com:tokio-rs/tokio.git", "tokio"),
        ("ssh://git@github.com/a/b.git", "b"),
        ("https://github.com/owner/name/tree/main/docs", "name"),
        ("^github\\.com/kubernetes/kubernetes$", "kubernetes"),
        ("github.com/apache/druid@abc123", "druid"),
        ("druid--druid-26.0.0", "druid"),
        ("a--b--c", "a"),
        ("NodeBB/NodeBB", "NodeBB"),
        ("kafka/", "kafka"),
        ("", ""),
    ],
)
def test_short_name_of_every_way_to_write_a_repository(written: str, short: str) -> None:
    assert short_repo(written) == short


@given(st.text(max_size=40))
def test_short_name_is_idempotent(text: str) -> None:
    assert short_repo(short_repo(text)) == short_repo(text)


def test_names_that_a_name_itself_supports() -> None:
    assert repo_names("etcd-io-etcd") == {"etcd-io-etcd", "etcd"}
    assert repo_names("github.com/kubernetes/client-go") == {"client-go", "kubernetes-client-go"}
    assert repo_names("grafana-loki") == {"grafana-loki"}
    assert repo_names("sg-evals/grafana--v9") == {"grafana"}


def test_placeholders_of_task_files_name_no_repository() -> None:
    assert parse_repo("org/repo") is None
    assert RepoTable(["org/repo"]).task == ()


def _same(first: str, second: str, *, task: str = "x/y", trace: tuple[str, ...] = ()) -> bool:
    table = RepoTable([task], [first], [second, *trace])
    return table.find(first) is table.find(second)


def test_owner_and_name_joined_is_the_same_where_the_other_name_carries_the_owner() -> None:
    assert _same("kubernetes-client-go", "github.com/kubernetes/client-go")
    assert _same("kubernetes-client-go", "github.com/sg-evals/kubernetes-client-go")


def test_owner_and_name_joined_is_the_same_where_the_trial_knows_the_project() -> None:
    kubernetes = "sg-evals/kubernetes--v1.32.0"
    assert _same("client-go", "github.com/sg-benchmarks/kubernetes-client-go", task=kubernetes)
    assert not _same("client-go", "github.com/sg-benchmarks/kubernetes-client-go")


def test_a_project_is_not_the_repositories_named_after_it() -> None:
    assert not _same("grafana", "github.com/sg-benchmarks/grafana-loki")
    assert not _same("kubernetes", "github.com/sg-benchmarks/kubernetes-client-go")


def test_ports_of_a_project_are_not_the_language() -> None:
    assert not _same("go", "sg-evals/grpc-go", task="sg-evals/grpc--v1")


def test_two_owners_of_one_name_are_two_repositories() -> None:
    table = RepoTable(["kubernetes/api"], [], ["github.com/istio/api", "sg-evals/istio-api"])
    kubernetes, istio = table.find("kubernetes/api"), table.find("istio/api")
    assert kubernetes is not istio
    assert table.find("sg-evals/istio-api") is istio
    assert kubernetes is not None
    assert istio is not None
    assert kubernetes.label != istio.label


def test_a_common_name_needs_an_owner_that_the_task_knows() -> None:
    kubernetes = "sg-evals/kubernetes--v1.32.0"
    assert _same("api", "github.com/kubernetes/api", task=kubernetes)
    assert not _same("api", "github.com/istio/api", task=kubernetes)
    assert not _same("api", "sg-evals/istio-api", task=kubernetes, trace=("istio/istio",))


def test_among_several_owners_none_is_the_mirror_of_the_task() -> None:
    table = RepoTable(
        ["sg-evals/envoy--v1.31.2"],
        ["envoy"],
        ["github.com/envoyproxy/envoy", "github.com/someone/envoy"],
    )
    envoy = table.find("envoy")
    assert table.find("sg-evals/envoy--v1.31.2") is envoy
    assert table.find("github.com/someone/envoy") is not envoy
    assert table.find("github.com/envoyproxy/envoy") is not envoy


def test_one_owner_is_the_upstream_of_the_mirror() -> None:
    table = RepoTable(["sg-evals/grafana--v9.5.0"], ["grafana"], ["github.com/grafana/grafana"])
    assert table.find("github.com/grafana/grafana") is table.task[0]


def test_a_copy_on_another_host_is_not_the_mirrored_repository() -> None:
    """A search over everything showed `bitbucket.org/linea-supply-demo/envoy`."""
    table = RepoTable(["sg-evals/envoy--v1"], [], ["bitbucket.org/linea-supply-demo/envoy"])
    assert table.find("bitbucket.org/linea-supply-demo/envoy") is not table.task[0]
    assert table.find("sg-evals/envoy--v1") is table.task[0]


_NAMES = st.sampled_from(
    ["kafka", "a/kafka", "b/kafka", "sg-evals/kafka--1", "a-kafka", "github.com/b/kafka", "a", "b"]
)


@given(st.lists(_NAMES, max_size=3), st.lists(_NAMES, max_size=3), st.lists(_NAMES, max_size=4))
def test_repositories_with_different_owners_are_never_one(
    task: list[str], truth: list[str], trace: list[str]
) -> None:
    table = RepoTable(task, truth, trace)
    for repo in (*table.task, *table.truth, *table.trace):
        assert len(repo.owners) <= 1
    labels = {repo.label.lower() for repo in (*table.task, *table.truth, *table.trace)}
    assert len(labels) == len({id(r) for r in (*table.task, *table.truth, *table.trace)})


@pytest.mark.parametrize(
    ("name", "revision"),
    [
        ("github.com/sg-evals/kafka--0753c489", "0753c489"),
        ("grpc/grpc-go@v1.62", "v1.62"),
        ("sg-evals/grpc-go--v1.4.0", "v1.4.0"),
        ("apache/kafka", None),
    ],
)
def test_the_revision_in_a_name(name: str, revision: str | None) -> None:
    assert revision_of(name) == revision


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("v1.62", "v1.4.0", True),
        ("v1.4.0", "1.4.0", False),
        ("0753c489", "0753c489aa11", False),
        ("0753c489", "1111111", True),
        ("main", "v1.4.0", False),
        ("0753c489", "v1.4.0", False),
    ],
)
def test_only_what_certainly_differs_is_another_revision(
    one: str, other: str, expected: bool
) -> None:
    assert differ(one, other) is expected
    assert differ(other, one) is expected


def test_a_hit_in_another_revision_stays_a_hit_and_is_marked() -> None:
    task = Task("t", "suite", None, repos=("sg-evals/grpc-go--v1.4.0",))
    truth = GroundTruth(files=(TruthFile("server.go", "server.go"),))
    other = FileRef("server.go", "read", repo="github.com/grpc/grpc-go", revision="v1.62.0")
    same = FileRef("server.go", "read", repo="github.com/sg-evals/grpc-go--v1.4.0")
    silent = FileRef("server.go", "read", repo="github.com/grpc/grpc-go")
    resolver = Resolver(truth=truth, task=task, refs=(other, same, silent))
    assert [resolver.is_other_revision(ref) for ref in (other, same, silent)] == [
        True,
        False,
        False,
    ]
    resolved = resolver.resolve(other)
    assert resolved is not None
    assert resolved.truth is not None
