"""The sample with every answer removed: no metric is 0 only because answers are missing (D47)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from groundtrace.demo import write_sample
from tests.conftest import Ran

Call = Callable[..., Ran]


def without_answers(folder: Path) -> int:
    """Remove the lines that hold results; returns how many there were."""
    removed = 0
    for file in (folder / "runs").rglob("*.txt"):
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        kept = [line for line in lines if '"tool_result"' not in line]
        removed += len(lines) - len(kept)
        file.write_text("".join(kept), encoding="utf-8")
    for file in (folder / "runs").rglob("trajectory.json"):
        document = json.loads(file.read_text(encoding="utf-8"))
        for step in document["steps"]:
            removed += step.pop("observation", None) is not None
        file.write_text(json.dumps(document), encoding="utf-8")
    return removed


def test_trials_without_answers_are_not_computable_and_keep_reads_and_writes(
    groundtrace: Call, tmp_path: Path
) -> None:
    write_sample(tmp_path)
    assert without_answers(tmp_path) > 50
    ran = groundtrace("run", tmp_path / "runs/official", "--tasks", tmp_path / "benchmarks")
    assert ran.code == 0, ran.err
    aggregate = tmp_path / "runs/official/retrieval_events_aggregate"
    summary = json.loads((aggregate / "run_retrieval_summary.json").read_text(encoding="utf-8"))
    assert summary["overall"]["left_out"]["answers_missing"] > 0
    read = written = unanswered = 0
    for file in tmp_path.rglob("*.retrieval_events.json"):
        document: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        coverage = document["coverage"]
        for event in document["events"]:
            if event["answered"]:
                continue
            unanswered += 1
            assert event["failed"] is None
            assert event["result_chars"] is None
            kinds = {access["kind"] for access in event["accesses"]}
            assert kinds <= {"read", "written"}
            read += "read" in kinds
            written += "written" in kinds
        metrics = json.loads(
            Path(str(file).replace("retrieval_events.json", "retrieval_metrics.json")).read_text(
                encoding="utf-8"
            )
        )
        found = metrics["file_level_metrics"]
        if 2 * coverage["lookups_unanswered"] > coverage["lookups"] and document["events"]:
            assert found["computable"] is False
            assert found["file_recall"] is None
            assert "no result" in coverage["degraded_reason"]
    assert unanswered > 50
    assert read
    assert written
