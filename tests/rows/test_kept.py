"""Rows are kept in a file, because a run may have too many for memory."""

from __future__ import annotations

import pickle
from typing import IO, Any

import pytest
from msgspec.structs import replace

from groundtrace.base import kept_bytes
from groundtrace.errors import OutputError
from groundtrace.rows import kept
from groundtrace.rows.kept import RowsByRun, packed, unpacked
from tests.rows.builders import A, B, task


@pytest.mark.parametrize("limit", [1, 1 << 20], ids=["on disk", "in memory"])
def test_kept_rows_come_back_as_they_were(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_bytes, "IN_MEMORY", limit)
    made = {f"c/task-{n}": task(f"task-{n}", A, B, seconds=n / 3) for n in range(4)}
    rows = RowsByRun()
    for number, (document, row) in enumerate(made.items()):
        rows[f"run-{number % 2}"].keep(document, row)
    rows["run-0"].keep("c/task-0", made["c/task-3"])
    assert dict(rows["run-0"]) == {"c/task-0": made["c/task-3"], "c/task-2": made["c/task-2"]}
    assert dict(rows["run-1"]) == {"c/task-1": made["c/task-1"], "c/task-3": made["c/task-3"]}
    assert "run-2" not in rows
    assert "c/task-1" not in rows["run-0"]


def test_no_room_for_rows_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """/dev/full refuses every write, as a full disk does."""

    def full() -> IO[bytes]:
        return open("/dev/full", "r+b", buffering=0)

    monkeypatch.setattr(kept_bytes.KeptBytes, "_opened", lambda _file: full())
    with pytest.raises(OutputError, match=r"No space left on device.*TMPDIR"):
        RowsByRun()["x"].keep("a.json", task("a", A))


@pytest.mark.parametrize(
    "changed",
    [
        {"document": "c/\udce9.json"},
        {"unknown_tools": {"Odd": 2**70}},
        {"not_applicable": ("over_editing",), "undefined": {"bpref": "no_judgements"}},
        {"finders": {("by_tool", "Read", "first_met"): 2}, "found_by": {"a": ("Read", "", "main")}},
        {"metrics": {"mrr": 1 / 3, "map": float("inf")}},
    ],
    ids=["half of a surrogate pair", "a huge count", "texts", "tuples", "numbers"],
)
def test_every_value_of_a_row_survives(changed: dict[str, Any]) -> None:
    row = replace(task("a", A, B, seconds=0.1), **changed)
    assert unpacked(packed(row)) == row
    assert unpacked(pickle.loads(pickle.dumps(packed(row)))) == row


def test_the_first_rows_stay_in_memory_if_they_may(monkeypatch: pytest.MonkeyPatch) -> None:
    """In all runs together; what is replaced is gone, and what another process packed is read."""
    monkeypatch.setattr(kept, "HELD", 2)
    rows, row, other = RowsByRun(), task("a", A, seconds=0.1), task("b", B)
    rows["x"].keep_packed("not.json", packed(row))
    rows["x"].keep_packed("sent.json", bytes(packed(row)), may_hold=True)
    rows["x"].keep_packed("first.json", packed(row), may_hold=True)
    rows["y"].keep_packed("second.json", packed(row), may_hold=True)
    rows["y"].keep_packed("third.json", packed(row), may_hold=True)
    held = {name: found is row for one in rows.values() for name, found in one.items()}
    assert held == {
        "not.json": False,
        "sent.json": False,
        "first.json": True,
        "second.json": True,
        "third.json": False,
    }
    assert all(found == row for one in rows.values() for found in one.values())
    rows["x"].keep_packed("first.json", packed(other), may_hold=True)
    assert rows["x"]["first.json"] == other
