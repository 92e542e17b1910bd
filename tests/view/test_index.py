"""Filters, words and order of the viewer's list, with results found by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("duckdb")

from groundtrace.view.index import FILTERS, SCOPES, TrialIndex, choices, list_page, question_of
from tests.view.worlds import hostile, library_of, story


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrialIndex]:
    runs = tmp_path_factory.mktemp("search")
    story(runs / "run")
    found = library_of(runs).current.index
    yield found
    found.close()


def trials(index: TrialIndex, **given: str) -> list[str]:
    return [line["trial"] for line in list_page(index, question_of(given))["trials"]]


ALL = [
    "alpha__baseline",
    "beta__baseline",
    "gamma__baseline",
    "alpha__mcp",
    "beta__mcp",
    "gamma__mcp",
]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, ALL),
        ({"config": "mcp"}, ALL[3:]),
        ({"suite": "second"}, ["gamma__baseline", "gamma__mcp"]),
        ({"verdict": "partly"}, ["beta__baseline", "beta__mcp"]),
        ({"verdict": "solved", "config": "mcp"}, ["gamma__mcp"]),
        ({"found": "none met"}, ["gamma__baseline"]),
        ({"tool": "Edit"}, ALL),
        ({"tool": "edit"}, []),
        ({"label": "missed_key_evidence"}, ALL),
        ({"run": "run", "suite": "first", "config": "baseline"}, ALL[:2]),
        ({"config": "no such"}, []),
        ({"unknown": "x"}, ALL),
    ],
)
def test_filters(index: TrialIndex, given: dict[str, str], expected: list[str]) -> None:
    assert trials(index, **given) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"q": "needle_beta"}, ["beta__baseline", "beta__mcp"]),
        ({"q": "NEEDLE_Beta"}, ["beta__baseline", "beta__mcp"]),
        ({"q": "needle_beta mcp"}, ["beta__mcp"]),
        ({"q": "grep needle_alpha", "in": "commands"}, ["alpha__baseline", "alpha__mcp"]),
        ({"q": '"grep needle_alpha"', "in": "commands"}, []),
        ({"q": "\"grep -rn 'needle_alpha'\"", "in": "commands"}, ["alpha__baseline", "alpha__mcp"]),
        ({"q": "docs/other.md", "in": "files"}, ["gamma__baseline"]),
        ({"q": "docs/other.md", "in": "tools"}, []),
        ({"q": "docs/other.md", "in": "text"}, ["gamma__baseline"]),
        ({"q": "src/alpha_missed", "in": "files"}, ["alpha__baseline", "alpha__mcp"]),
        ({"q": "bash", "in": "tools"}, ALL),
        ({"q": "gamma__b", "in": "names"}, ["gamma__baseline"]),
        ({"q": "needle_beta", "in": "no such"}, ["beta__baseline", "beta__mcp"]),
        ({"q": "nothing like it"}, []),
        ({"q": "%"}, []),
        ({"q": "_"}, ALL),
    ],
)
def test_words(index: TrialIndex, given: dict[str, str], expected: list[str]) -> None:
    """All words have to be found, anywhere in the trial; `%` is a character like any other."""
    assert trials(index, **given) == expected


def test_the_list_names_the_calls_that_match(index: TrialIndex) -> None:
    lines = list_page(index, question_of({"q": "src/new.py"}))["trials"]
    assert len(lines) == 6
    assert [match["step"] for match in lines[0]["matches"]] == [2]
    missed = list_page(index, question_of({"q": "alpha_missed", "in": "files"}))["trials"]
    assert missed[0]["matches"] == [{"step": None, "text": "src/alpha_missed.py"}]


HOSTILE_TEXTS = (
    "'",
    "' OR 1=1 --",
    "'; DROP TABLE trials; --",
    '"',
    "\\",
    "x' UNION SELECT content FROM read_text('/etc/passwd') --",
    "\0",
    "\ud83d\ude00",
    "a" * 5_000,
    "?",
    "$1",
)


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_no_text_is_part_of_a_statement(index: TrialIndex, text: str) -> None:
    """Whatever is asked, the answer is a page of the list, and the list is whole afterwards."""
    for name in (*FILTERS, "q", "sort", "page", "in"):
        for scope in SCOPES:
            found = list_page(index, question_of({name: text, "in": scope} | {name: text}))
            assert found["total"] in (0, 6)
    assert trials(index) == ALL


def test_the_database_reads_nothing_outside(index: TrialIndex, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a\n1\n")
    for query in (
        f"SELECT * FROM read_csv('{tmp_path / 'x.csv'}')",
        "SET enable_external_access=true",
    ):
        with pytest.raises(Exception, match=r"(?i)disabled|locked|permission|cannot"):
            index.ask(query)


def test_a_trial_without_a_value_is_last_both_ways(tmp_path: Path) -> None:
    """D19: it is neither the best nor the worst."""
    from dataclasses import replace

    from tests.view.worlds import write_results

    details = story(tmp_path / "runs" / "run")
    outcome = details[0].row.outcome
    assert outcome is not None
    from msgspec.structs import replace as replace_struct

    row = replace_struct(details[0].row, outcome=replace_struct(outcome, reward=None))
    write_results(tmp_path / "runs" / "run", [replace(details[0], row=row), *details[1:]])
    index = library_of(tmp_path / "runs").current.index
    for sort in ("reward", "-reward"):
        found = list_page(index, question_of({"sort": sort}))["trials"]
        assert found[-1]["trial"] == "alpha__baseline"
        assert found[-1]["verdict"] == "lost (no reward)"
    rewards = [
        line["verdict"] for line in list_page(index, question_of({"sort": "-reward"}))["trials"]
    ]
    assert rewards[:2] == ["solved", "solved"]
    assert trials(index, sort="-task")[0].startswith("gamma")
    index.close()


def test_pages(index: TrialIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("groundtrace.view.index.PAGE", 4)
    pages: list[dict[str, Any]] = [
        list_page(index, question_of({"page": n})) for n in ("0", "1", "2")
    ]
    assert [line["trial"] for page in pages for line in page["trials"]] == ALL
    assert [page["total"] for page in pages] == [6, 6, 6]


def test_filters_offer_what_there_is(index: TrialIndex) -> None:
    offered = choices(index)
    assert offered["config"] == [("baseline", 3), ("mcp", 3)]
    assert offered["found"] == [("none met", 1), ("some met", 5)]
    assert offered["tool"] == [("Bash", 6), ("Edit", 6), ("Read", 6)]
    assert ("missed_key_evidence", 6) in offered["label"]


def test_hostile_names_can_be_filtered_by(tmp_path: Path) -> None:
    """Every name that a filter offers finds the trials that it counts."""
    hostile(tmp_path / "runs" / "run")
    index = library_of(tmp_path / "runs").current.index
    for name, offered in choices(index).items():
        for text, count in offered:
            assert list_page(index, question_of({name: text}))["total"] == count, (name, text)
    index.close()
