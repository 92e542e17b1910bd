"""Documents that are too large for memory are written in parts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from groundtrace.documents import codec
from groundtrace.documents.codec import encode, encode_in_parts
from groundtrace.documents.outcomes import SkippedFolder
from groundtrace.runs.write import write_in_parts
from groundtrace.storage import LocalFolder
from tests.documents.builders import outcome, outcomes

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
