"""A revision of the repository that is not the task's is noticed if names say so (D49)."""

from __future__ import annotations

import pytest

from groundtrace.model import FileRef, GroundTruth, Task, TruthFile
from groundtrace.paths import Resolver
from groundtrace.paths.repos import differ, revision_of


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
