"""The list of edits that make rows of the conformance table untrue is complete and fits the code."""

from __future__ import annotations

from tests.conformance.break_rows import PACKAGE, breaks, held_by, places
from tests.conformance.test_conformance import rows


def test_every_row_has_an_edit_that_makes_it_untrue() -> None:
    """One edit a row; `break_rows` tries them."""
    starts = [edit.row for edit in breaks()]
    without = [row[0] for row in rows() if not any(row[0].startswith(start) for start in starts)]
    assert without == []


def test_every_edit_fits_the_code_in_one_place() -> None:
    wrong = []
    for edit in breaks():
        count = (PACKAGE / edit.file).read_text(encoding="utf-8").count(edit.old)
        if count != 1 or edit.old == edit.new or len(places(held_by(edit.row))) == 0:
            wrong.append((edit.row, count))
    assert wrong == []
