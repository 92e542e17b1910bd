"""What is too large to be held: documents that come in parts, rows that wait in a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest
from msgspec import structs

from groundtrace.artifacts.write import write_in_parts
from groundtrace.documents import codec
from groundtrace.documents.codec import encode, encode_in_parts
from groundtrace.documents.outcomes import SkippedFolder
from groundtrace.errors import OutputError
from groundtrace.rows import kept
from groundtrace.rows.kept import RowsByRun
from groundtrace.storage import LocalFolder
from tests.artifacts.test_rows_reading import outcome, outcomes
from tests.artifacts.test_summary import A, B, task

TRIALS = [outcome(task_name=f"task-{number}", exception='\n "trials": []') for number in range(5)]


@pytest.mark.parametrize("length", range(6))
def test_a_document_in_parts_has_the_bytes_of_the_whole(
    length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codec, "PART", 2)
    skipped = [SkippedFolder(path="x", reason='\n "trials": []')]
    whole = outcomes(*TRIALS[:length], skipped=skipped, problems={"broken_json": 2})
    parts = list(encode_in_parts(structs.replace(whole, trials=[]), "trials", whole.trials))
    assert b"".join(parts) == encode(whole)
    assert len(parts) == 1 + 2 * ((length + 1) // 2)


def test_a_document_in_parts_stays_when_only_the_time_is_new(tmp_path: Path) -> None:
    folder = LocalFolder(tmp_path)

    def parts(made: str | None) -> Iterator[bytes]:
        empty = outcomes(generated_at=made or now)
        return encode_in_parts(empty, "trials", TRIALS[:shown])

    now, shown = "2026-01-01T00:00:00Z", 4
    first = write_in_parts(folder, "outcomes.json", parts)
    now = "2026-01-02T00:00:00Z"
    assert write_in_parts(folder, "outcomes.json", parts).mark == first.mark
    for shown in (5, 3):  # noqa: B007 - `parts` reads it
        write_in_parts(folder, "outcomes.json", parts)
        assert folder.read("outcomes.json") == b"".join(parts(now))


@pytest.mark.parametrize("limit", [1, 1 << 20], ids=["on disk", "in memory"])
def test_kept_rows_come_back_as_they_were(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "IN_MEMORY", limit)
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

    monkeypatch.setattr(kept.RowFile, "_opened", lambda _file: full())
    with pytest.raises(OutputError, match=r"No space left on device.*TMPDIR"):
        RowsByRun()["x"].keep("a.json", task("a", A))
