"""The results as the viewer knows them: listed at once, read, and read again when they change."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("duckdb")

from msgspec.structs import replace as replace_struct

from groundtrace.report.html import _surveyed
from groundtrace.rows.units import collect_distinct
from groundtrace.view.index import NOT_READ, UNREADABLE
from groundtrace.view.library import Library
from tests.view.worlds import library_of, story, write_results


def listed(library: Library) -> dict[str, tuple[str, str]]:
    """Trial to its id and what was found."""
    rows = library.current.index.ask(
        "SELECT run || '/' || trial, id, found FROM trials ORDER BY place"
    )
    return {name: (made, found) for name, made, found in rows}


def test_trials_are_listed_before_their_documents_are_read(tmp_path: Path) -> None:
    story(tmp_path / "run")
    library = library_of(tmp_path, load=False)
    before = listed(library)
    assert {found for _, found in before.values()} == {NOT_READ}
    assert library.current.index.ask("SELECT DISTINCT verdict FROM trials ORDER BY 1") == [
        ("not solved",),
        ("partly",),
        ("solved",),
    ]
    assert (library.current.total, library.current.read) == (6, 0)
    library.current.load()
    after = listed(library)
    assert {name: made for name, (made, _) in after.items()} == {
        name: made for name, (made, _) in before.items()
    }
    assert after["run/gamma__baseline"][1] == "none met"
    assert library.current.read == 6


def test_ids_last(tmp_path: Path) -> None:
    """Another run beside it, a document of another name, other results: the link stays."""
    details = story(tmp_path / "runs" / "run")
    first = listed(library_of(tmp_path / "runs"))
    story(tmp_path / "runs" / "other")
    both = listed(library_of(tmp_path / "runs"))
    assert len(both) == 12
    assert len({made for made, _ in both.values()}) == 12
    assert first.items() <= both.items()
    shutil.rmtree(tmp_path / "runs" / "run" / "retrieval_events")
    write_results(tmp_path / "runs" / "run", details[::-1])
    assert first.items() <= listed(library_of(tmp_path / "runs")).items()


def test_two_documents_of_one_name_have_two_ids(tmp_path: Path) -> None:
    details = story(tmp_path / "run")
    write_results(tmp_path / "run", [details[0], details[0]])
    library = library_of(tmp_path)
    ids = library.current.index.ask("SELECT id FROM trials")
    assert len(set(ids)) == 2


def test_copies_are_named_as_on_the_page(tmp_path: Path) -> None:
    """The same words for every trial as in the page's own table, copies with more values included."""
    details = story(tmp_path / "runs" / "b-run")
    outcomes = [found.row.outcome for found in details]
    shared = [
        replace(
            found,
            row=replace_struct(found.row, outcome=replace_struct(outcome, trial_key=f"key{n}")),
        )
        for n, (found, outcome) in enumerate(zip(details, outcomes, strict=True))
        if outcome is not None
    ]
    poor = []
    for found in shared:
        where = replace_struct(found.events.provenance, run_id="a-run")
        assert found.row.outcome is not None
        outcome = replace_struct(found.row.outcome, run_id="a-run", reward=None, cost_usd=None)
        poor.append(
            replace(
                found,
                events=replace_struct(found.events, provenance=where),
                metrics=replace_struct(found.metrics, provenance=where),
                row=replace_struct(found.row, run_id="a-run", outcome=outcome),
            )
        )
    write_results(tmp_path / "runs" / "a-run", poor)
    write_results(tmp_path / "runs" / "b-run", shared)
    library = library_of(tmp_path / "runs")
    from groundtrace.runs.evaluated_trials import evaluated_trials_in

    rows = [found.row for found in evaluated_trials_in(library.current.outputs)]
    table = collect_distinct(rows, _surveyed).table
    words = [table.lists()["found"][row[6]] for row in table.rows]
    found = library.current.index.ask("SELECT found FROM trials ORDER BY place")
    assert [text for (text,) in found] == words
    assert words.count("copy, counted in another run") == 6


def test_a_document_that_cannot_be_read_stays_in_the_list(tmp_path: Path) -> None:
    story(tmp_path / "run")
    file = next((tmp_path / "run" / "retrieval_events").glob("*/00000.retrieval_metrics.json"))
    file.write_text("{")
    library = library_of(tmp_path)
    assert listed(library)["run/alpha__baseline"][1] == UNREADABLE
    assert len(library.current.problems) == 1


def test_results_that_change_are_read_again(tmp_path: Path) -> None:
    details = story(tmp_path / "run")
    library = library_of(tmp_path)
    version = library.current.version
    assert library.look() is False
    write_results(tmp_path / "run", details[:3])
    assert library.look() is True
    assert library.current.version != version
    assert len(listed(library)) == 3
    # One document alone, replaced as groundtrace does.
    write_results(tmp_path / "run", details[:3])
    assert library.look() is True
    assert library.look() is False


def test_results_that_are_gone_keep_what_was_read(tmp_path: Path) -> None:
    story(tmp_path / "run")
    library = library_of(tmp_path)
    shutil.rmtree(tmp_path / "run" / "retrieval_events")
    assert library.look() is False
    assert len(listed(library)) == 6


def test_nothing_is_written_beside_the_results(tmp_path: Path) -> None:
    story(tmp_path / "run")
    before = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*"))
    library_of(tmp_path)
    assert sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*")) == before
