"""Rules of resolving paths that are true for any input (D8, D13–D16)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from groundtrace.model import FileRef
from tests.paths.worlds import World

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
    voted = [root.path for root in world.resolver.roots if root.votes is not UNSET]
    assert len(voted) <= 1
    for item, hit in zip(world.refs, world.hits(), strict=True):
        if hit is not None and item.path.startswith("/tmp/"):
            (root,) = voted
            assert item.path.startswith(f"{root}/")
