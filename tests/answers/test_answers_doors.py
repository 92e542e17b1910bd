"""One text says the same through every door: files, kinds, lines and characters."""

from __future__ import annotations

import pytest

from tests.answers.doors import DOORS, GROUPS, Case, cases, rows, runs, seen, text_of
from tests.answers.doors import right as right_of

CASES = [pytest.param(case, id=case.name) for case in cases()]


@pytest.mark.parametrize("case", CASES)
def test_an_answer_shows_the_same_through_every_door(case: Case) -> None:
    assert seen(case) == right_of(case)


@pytest.mark.parametrize("case", CASES)
def test_a_last_newline_and_ends_of_lines_of_windows_show_nothing_more(case: Case) -> None:
    assert seen(case, ending="\n") == seen(case)
    assert seen(case, newline="\r\n") == seen(case)


def test_the_table_is_large_and_every_door_is_used() -> None:
    used = {case.door for case in cases()}
    assert len(rows()) >= 60
    assert used == {*DOORS, "bash"}


def test_every_row_is_well_formed() -> None:
    names = [row["says"] for row in rows()]
    assert len(set(names)) == len(names)
    keys = {"says", "text", "files", "doors", "bash", "path", "mode", "numbers", "without", "other"}
    for row in rows():
        assert not row.keys() - keys, row["says"]
        assert not set(row.get("doors", ())) - {*DOORS, *GROUPS}, row["says"]
        assert not row.get("without", {}).keys() - DOORS.keys(), row["says"]
        for door, other in row.get("other", {}).items():
            assert door in {*DOORS, "bash"}, row["says"]
            assert other["why"], row["says"]


def test_no_line_of_an_answer_shows_two_files() -> None:
    """The table itself is held to what it asks: characters of files add up to the text at most."""
    for case in cases():
        told = sum(shown.chars or 0 for shown in right_of(case).values())
        assert told <= len(text_of(case.row)) + 1, case.name
        for path, shown in right_of(case).items():
            assert shown.kind != "surfaced" or shown == ("surfaced", None, None), (case.name, path)


def test_runs_join_what_touches() -> None:
    assert runs({1, 2, 90, 91, 3}) == ((1, 3), (90, 91))
