"""Links at outputs, locks and temporaries: nothing outside is made, emptied or removed (D37)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from groundtrace.errors import OutputError
from groundtrace.storage import LocalFolder
from tests.adversarial.worlds import Call, World, assert_said, put


def victim(top: Path) -> tuple[Path, dict[str, bytes]]:
    """A folder with files that an output folder would replace, empty or remove."""
    folder = top / "victim"
    for name in (".lock", ".x.0123abcd.tmp", "outcomes.json", "baseline/y.retrieval_events.json"):
        put(folder / name, f"mine: {name}")
    return folder, contents(folder)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("inside", [True, False])
def test_a_linked_output_folder_is_refused_before_anything_happens(
    inside: bool, world: World, groundtrace: Call
) -> None:
    folder, before = victim(world.run / "other" if inside else world.top / "far")
    (world.run / "retrieval_events").symlink_to(folder, target_is_directory=True)
    for command in ("run", "normalize"):
        ran = groundtrace(command, world.run, "--tasks", world.tasks, "--prune", "--jobs", 1)
        assert_said(ran, "link")
        assert ran.code == 2
    assert contents(folder) == before


def test_a_linked_configuration_folder_is_refused(world: World, groundtrace: Call) -> None:
    folder, before = victim(world.out / "run_one")
    world.results.mkdir(parents=True)
    (world.results / "baseline").symlink_to(folder / "baseline", target_is_directory=True)
    ran = world.evaluate(groundtrace, "--prune")
    assert_said(ran, "link")
    assert ran.code == 2
    assert contents(folder) == before


@pytest.mark.parametrize("kind", ["hard", "symbolic"])
def test_a_linked_lock_empties_no_other_file(kind: str, world: World, groundtrace: Call) -> None:
    other = put(world.top / "precious.txt", "precious")
    world.results.mkdir(parents=True)
    lock = world.results / ".lock"
    if kind == "hard":
        os.link(other, lock)
    else:
        lock.symlink_to(other)
    ran = world.evaluate(groundtrace)
    assert_said(ran, ".lock")
    assert ran.code == 2
    assert other.read_text() == "precious"


def test_nothing_is_removed_behind_a_link(tmp_path: Path) -> None:
    folder, before = victim(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "baseline").symlink_to(folder / "baseline")
    output = LocalFolder(tmp_path / "out", tmp_path)
    for act in (
        lambda: output.remove("baseline/y.retrieval_events.json"),
        lambda: output.write("baseline/y.retrieval_events.json", b"new"),
    ):
        with pytest.raises(OutputError, match="link"):
            act()
    assert contents(folder) == before


@pytest.mark.parametrize("target", ["csv", "parquet"])
def test_export_writes_through_no_planted_link(
    target: str, world: World, groundtrace: Call
) -> None:
    pytest.importorskip("duckdb")
    assert world.evaluate(groundtrace).code == 0
    other = put(world.top / "precious.txt", "precious")
    tables = world.top / "tables"
    tables.mkdir()
    for name in ("trials", "events", "metrics"):
        (tables / f".{name}.{target}.tmp").symlink_to(other)
        (tables / f"{name}.{target}").symlink_to(other)
    ran = groundtrace("export", world.run, "--out", world.out, "--to", target, tables)
    assert ran.code == 0, ran.err
    assert other.read_text() == "precious"
    assert (tables / f"trials.{target}").stat().st_size > 0
    assert not [p for p in tables.iterdir() if p.name.startswith(".groundtrace")]


@pytest.mark.parametrize("target", ["s3://bucket/x", "gs://bucket/x", "https://host/x"])
def test_export_to_a_store_is_refused(
    target: str, world: World, groundtrace: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(world.top)
    ran = groundtrace("export", world.run, "--out", world.out, "--to", "csv", target)
    assert_said(ran, "not to a store")
    assert ran.code == 2
    assert not [path.name for path in world.top.iterdir() if ":" in path.name]


@pytest.mark.parametrize("query", ["", "  ", ";", "-- nothing"])
def test_an_empty_query_is_an_error_in_words(query: str, world: World, groundtrace: Call) -> None:
    pytest.importorskip("duckdb")
    assert world.evaluate(groundtrace).code == 0
    ran = groundtrace("sql", world.run, query, "--out", world.out)
    assert_said(ran)


def test_no_cell_of_a_query_is_a_formula(world: World, groundtrace: Call) -> None:
    pytest.importorskip("duckdb")
    assert world.evaluate(groundtrace).code == 0
    ran = groundtrace("sql", world.run, "SELECT '=1+1' AS a", "--out", world.out, "--csv")
    assert ran.out.splitlines() == ["a", "'=1+1"]
