"""The examples in the docstrings of the package's modules."""

from __future__ import annotations

from tests.paths.worlds import World


def test_the_example_of_the_package() -> None:
    """Three spellings of one file, whose repository the task names."""
    world = World(
        "/workspace/clients/A.java",
        "github.com/sg-evals/kafka--0753c489::clients/A.java",
        truth=("kafka::clients/A.java",),
        repos=("apache/kafka",),
    )
    assert set(world.files()) == {"clients/A.java"}
    assert set(world.hits()) == {"kafka::clients/A.java"}


def test_the_example_of_the_layout() -> None:
    """Two clones below the workspace, and a note beside them."""
    world = World(
        "/workspace/kafka/A.java",
        "/workspace/flink/B.java",
        "/workspace/notes.md",
        truth=("kafka::A.java", "notes.md"),
        repos=("apache/kafka", "apache/flink"),
    )
    assert world.files()[:2] == ["kafka::A.java", "flink::B.java"]
    assert world.hits() == ["kafka::A.java", None, None]
