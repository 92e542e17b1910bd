"""What a touched file is to the task: one rule for evidence, edits, line ranges and neighbours."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.model import GroundTruth, Task, TruthChunk
from groundtrace.paths import Resolver
from tests.paths.worlds import World, entry, ref

HYPER = "hyper::hyper/Cargo.toml"


class Told:
    """What a resolver says of the files that a trial touched."""

    def __init__(
        self,
        *touched: str,
        files: tuple[str, ...] = (),
        edits: tuple[str, ...] = (),
        chunks: tuple[tuple[str, int, int], ...] = (),
        edit_chunks: tuple[tuple[str, int, int], ...] = (),
        repos: tuple[str, ...] = (),
    ) -> None:
        self.refs = [ref(text) for text in touched]
        self.resolver = Resolver(
            truth=GroundTruth(
                files=tuple(map(entry, files)),
                expected_edit_files=tuple(map(entry, edits)),
                chunks=tuple(TruthChunk(*chunk) for chunk in chunks),
                edit_chunks=tuple(TruthChunk(*chunk) for chunk in edit_chunks),
            ),
            task=Task("t", "suite", None, repos=repos) if repos else None,
            refs=self.refs,
            cwd="/workspace",
        )
        self.files = [file for one in self.refs if (file := self.resolver.resolve(one))]

    def hits(self) -> list[str | None]:
        return [None if file.truth is None else file.truth.spelling for file in self.files]

    def edits(self) -> list[str | None]:
        return [self.resolver.edit_target(file) for file in self.files]

    def near(self) -> list[bool]:
        return [self.resolver.is_near(file) for file in self.files]

    def chunks(self, first: int, last: int) -> list[list[int]]:
        return [
            sorted(
                chunk.index
                for chunk in self.resolver.chunks_of(file)
                if chunk.first <= last and first <= chunk.last
            )
            for file in self.files
        ]


@pytest.mark.parametrize("beside", ["/workspace/tokio/Cargo.toml", "/workspace/tokio/src/lib.rs"])
def test_a_clone_beside_another_clone_is_one_whatever_the_truth_repeats(beside: str) -> None:
    """Two configurations that opened the same file get the same number: `Cargo.toml` of hyper by
    the search server, `/workspace/hyper/Cargo.toml` in a workspace of clones."""
    truth = (HYPER, "tokio::tokio/Cargo.toml")
    local = World("/workspace/hyper/Cargo.toml", beside, truth=truth, repos=("hyperium/hyper",))
    remote = World("hyper::Cargo.toml", truth=truth, repos=("hyperium/hyper",))
    assert local.hits()[0] == remote.hits()[0] == HYPER
    assert local.files()[0] == remote.files()[0]


@pytest.mark.parametrize(
    "opened", ["/workspace/hyper/Cargo.toml", "hyper::Cargo.toml", "hyper::hyper/Cargo.toml"]
)
def test_both_readings_of_an_entry_hold_for_edits_and_lines_as_for_evidence(opened: str) -> None:
    """D15 is one rule, whatever the entry is for."""
    repos = ("hyperium/hyper", "tokio-rs/tokio")
    as_evidence = Told(opened, files=(HYPER,), repos=repos)
    as_edit = Told(opened, edits=(HYPER,), repos=repos)
    as_lines = Told(opened, chunks=(("hyper/Cargo.toml", 3, 9),), repos=repos)
    assert as_evidence.hits() == [HYPER]
    assert as_edit.edits() != [None]
    assert as_lines.chunks(1, 4) == [[0]]


def test_an_edit_target_of_another_repository_is_not_the_file() -> None:
    told = Told("flink::cmd/a.go", edits=("kafka::cmd/a.go",), repos=("o/kafka", "o/flink"))
    assert told.edits() == [None]


def test_an_edit_target_that_is_a_relevant_file_is_spelled_like_it() -> None:
    told = Told("/workspace/src/a.py", files=("src/a.py",), edits=("src/a.py",), repos=("o/r",))
    assert told.edits() == ["src/a.py"]


def test_the_folder_of_a_reading_that_the_trial_refutes_is_no_neighbourhood() -> None:
    """`gcc::gcc/a.c` was read, so that the folder gcc exists and its neighbours lie there; a file
    at the top is no near miss. 47 were counted in a real trial where 33 were."""
    told = Told(
        "gcc::README",
        "gcc::gcc/a.c",
        "gcc::gcc/other.c",
        files=("gcc::gcc/a.c", "gcc::gcc/b.c"),
    )
    assert told.hits() == [None, "gcc::gcc/a.c", None]
    assert told.near() == [False, False, True]


def test_neighbours_of_an_entry_never_met_lie_where_any_accepted_reading_is() -> None:
    told = Told("hyper::README.md", "hyper::src/lib.rs", files=(HYPER,), repos=("hyperium/hyper",))
    assert told.near() == [True, False]


def test_a_file_beside_the_clones_is_nobodys_neighbour() -> None:
    told = Told(
        "/workspace/instruction.md",
        "/workspace/kafka/README.md",
        files=("kafka::package.json",),
        repos=("o/kafka", "o/flink"),
    )
    assert told.near() == [False, True]


def test_a_relevant_file_is_never_its_own_neighbour() -> None:
    told = Told("/workspace/src/a.py", files=("src/a.py",), repos=("o/r",))
    assert told.near() == [False]


@given(
    st.integers(1, 40), st.integers(0, 20), st.integers(1, 40), st.integers(0, 20), st.booleans()
)
def test_lines_meet_a_chunk_when_they_share_one(
    start: int, length: int, first: int, more: int, shifted: bool
) -> None:
    """Against sets of lines."""
    chunk = ("src/a.py", start, start + length)
    told = Told(
        "/workspace/src/a.py",
        files=("src/a.py",) if shifted else (),
        chunks=(("src/b.py", 1, 100), chunk),
        repos=("o/r",),
    )
    share = set(range(start, start + length + 1)) & set(range(first, first + more + 1))
    assert told.chunks(first, first + more) == [[1] if share else []]
