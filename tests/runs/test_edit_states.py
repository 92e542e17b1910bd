"""Edit targets known, unknown, or none expected: the same three states everywhere (D58)."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

from tests.conftest import Ran
from tests.whole_runs import RUN, run, shrink

Call = Callable[..., Ran]
LABELS = ("wrong_evidence_used", "unused_correct_retrieval")


def test_the_report_and_the_tables_tell_the_three_states_of_edits(
    groundtrace: Call, sample: Path
) -> None:
    shrink(sample)
    truth = next((sample / "benchmarks").rglob("rate-limit-trace-004/tests/ground_truth.json"))
    truth.write_text(json.dumps(json.loads(truth.read_text()) | {"expected_edit_files": []}))
    run(groundtrace, sample)
    folder = sample / "runs/official" / RUN / "retrieval_events"
    documents = [json.loads(p.read_text()) for p in folder.rglob("*.retrieval_metrics.json")]
    states = {
        (d["provenance"]["config_name"], d["provenance"]["task_name"]): d["error_taxonomy"].get(
            "edit_targets"
        )
        for d in documents
    }
    assert set(states.values()) >= {"known", "unknown", "none_expected"}
    groundtrace("export", sample / "runs/official", "--to", "csv", sample / "tables")
    with (sample / "tables" / "trials.csv").open(newline="") as stream:
        table = {
            (row["config_name"], row["task_name"]): row["edit_targets"] or None
            for row in csv.DictReader(stream)
        }
    assert table == states

    summary = json.loads((folder / "run_retrieval_summary.json").read_text())["overall"]["taxonomy"]
    report = (folder / "retrieval_report.md").read_text()
    for label in LABELS:
        found = summary[label]
        counted = {
            state: [
                d["error_taxonomy"]["labels"][label]
                for d in documents
                if d["error_taxonomy"].get("edit_targets") == state
            ]
            for state in ("known", "unknown", "none_expected")
        }
        applies = counted["known"] + counted["unknown"]
        assert (found["n"], found["files"]) == (len(applies), sum(applies))
        assert found["edit_targets_unknown"] == len(counted["unknown"])
        assert found["files_edit_targets_unknown"] == sum(counted["unknown"])
        assert found["not_applicable"] == len(counted["none_expected"])
        assert found["files_not_applicable"] == sum(counted["none_expected"])
        (line,) = [ln for ln in report.splitlines() if ln.startswith("| all ") and label in ln]
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert cells[3:7] == [
            f"{sum(n > 0 for n in applies)} of {len(applies)}",
            str(sum(applies)),
            str(len(counted["unknown"])),
            str(sum(counted["unknown"])),
        ]
        assert "no edit expected" in cells[-1]
