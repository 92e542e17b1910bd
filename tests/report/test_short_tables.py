"""A section of the Markdown holds a short table of what its heading says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from groundtrace.metrics.catalogue import METRICS
from groundtrace.report.sections.quality import SHORT
from tests.conftest import Ran


def test_sections_of_the_markdown_hold_what_their_heading_says(
    groundtrace: Callable[..., Ran], sample: Path
) -> None:
    """P@K, MAP, slices and correlations were only in the page, under the same headings."""
    runs = sample / "runs/official"
    ran = groundtrace("run", runs, "--tasks", sample / "benchmarks", "--jobs", 1)
    assert ran.code == 0, ran.err
    text = (runs / "retrieval_events_aggregate/retrieval_report.md").read_text()
    parts = re.split(r"^## (.*)$", text, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    found = sections["Finding the relevant files"]
    heading = next(line for line in found.splitlines() if line.startswith("| config"))
    columns = [cell.strip(" ↑") for cell in heading.strip("|").split("|")]
    assert columns[:3] == ["config", "met", "shown"]
    assert {"P@5", "R@5", "MRR", "MAP", "nDCG@10", "chunk recall"} <= set(columns)
    first = next(line for line in found.splitlines() if line.startswith("| all "))
    cells = dict(zip(columns, [cell.strip() for cell in first.strip("|").split("|")], strict=True))
    summary = json.loads(
        (runs / "retrieval_events_aggregate/run_retrieval_summary.json").read_text()
    )
    means = summary["overall"]["metrics"]
    for name, column in {
        "map": "MAP",
        "mrr": "MRR",
        "precision@5": "P@5",
        "file_recall": "met",
    }.items():
        assert cells[column].split()[0] == f"{means[name]['mean']:.3f}", column
    assert set(dict(SHORT)) <= set(METRICS), "a name that no metric has would be a column of dashes"
    assert "### Trials by calibration slice" in sections["What went wrong"]
    comparisons = sections["Comparisons and correlations"]
    assert "### Rank correlations with outcomes, over tasks" in comparisons
    assert re.search(r"\| `file_recall` +\|", comparisons)


def test_results_over_all_runs_can_be_elsewhere(
    groundtrace: Callable[..., Ran], sample: Path, tmp_path: Path
) -> None:
    """Scripts that list the folders of RUNS take each for a run."""
    runs = sample / "runs/official"
    before = {path.name for path in runs.iterdir()}
    given = ("--tasks", sample / "benchmarks", "--aggregate", tmp_path / "over", "--jobs", 1)
    assert groundtrace("run", runs, *given).code == 0
    assert {path.name for path in runs.iterdir()} == before
    over = tmp_path / "over" / "retrieval_events_aggregate"
    assert (over / "run_retrieval_summary.json").is_file()
    assert groundtrace("report", runs, "--aggregate", tmp_path / "over").code == 0
