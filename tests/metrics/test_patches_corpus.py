"""The patch compared with the gold patch on real trials: counted again from raw patches by other
code."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Ran

Call = Callable[..., Ran]

NAMES = re.compile(r"^diff --git a/.*? b/(.*)$", re.MULTILINE)

RUNS = {
    "swebench": ("swebench/mini-swe-agent", "swebench/tasks.jsonl", 36),
    "contextbench": ("contextbench/mini-swe-agent", "contextbench/gold.jsonl", 24),
}


def files(patch: str | None) -> set[str]:
    """Files of a patch by their headers alone; none of these patches renames one."""
    assert "\nrename from " not in (patch or "")
    return set(NAMES.findall(patch or ""))


def old_names(patch: str | None) -> set[str]:
    """Files as SWE-PolyBench's program names them: the old side of the header. The parser that it
    uses takes the `diff` line instead where git's `index` line is missing, and where there is no
    `---` line, as in an empty new file."""
    found = set()
    for part in re.split(r"^(?=diff --git )", patch or "", flags=re.MULTILINE)[1:]:
        header = part.split("\n@@", 1)[0]
        name = NAMES.findall(header)[0]
        says_nothing = "\n--- /dev/null" in header or "\nBinary files /dev/null" in header
        found.add("/dev/null" if says_nothing and "\nindex " in header else name)
    return found


def metrics_in(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.rglob("*.retrieval_metrics.json")):
        yield json.loads(path.read_text())


@pytest.mark.parametrize("name", RUNS)
def test_real_patches_are_counted_as_their_headers_say(
    groundtrace: Call, corpus_next: Path, tmp_path: Path, name: str
) -> None:
    runs, tasks, trials = RUNS[name]
    ran = groundtrace(
        "run", corpus_next / runs, "--tasks", corpus_next / tasks, "--out", tmp_path, "--quiet"
    )
    assert ran.code == 0, ran.err
    rows = [json.loads(line) for line in (corpus_next / tasks).read_text().splitlines()]
    gold = {row.get("original_inst_id") or row["instance_id"]: row for row in rows}
    traces = {
        (path.parent.parent.name, path.parent.name): json.loads(path.read_text())
        for path in (corpus_next / runs).rglob("*.traj.json")
    }
    compared = 0
    made = list(metrics_in(tmp_path))
    assert len(made) == trials
    for document in made:
        task = document["provenance"]["task_name"]
        config = document["provenance"]["config_name"]
        known = [trace for (above, own), trace in traces.items() if own == task]
        trace = known[0] if len(known) == 1 else traces[config, task]
        text = trace["info"].get("submission") or ""
        if trace["info"]["exit_status"] != "Submitted" or (text.strip() and not NAMES.search(text)):
            assert document["patch_metrics"]["source"] != "trace"
            continue
        _compare(document, files(text), gold[task])
        _compare_published(document["published_metrics"], old_names(text), gold[task])
        compared += 1
    assert compared >= trials // 3


def _compare(document: dict[str, Any], handed_in: set[str], row: dict[str, Any]) -> None:
    wanted = files(row["patch"])
    tests = files(row["test_patch"]) - wanted
    right, rest = handed_in & wanted, handed_in - tests
    found, published = document["patch_metrics"], document["published_metrics"]
    assert published["source"] == "trace"
    assert found["source"] == "trace"
    assert found["recall"] == pytest.approx(len(right) / len(wanted))
    if rest:
        assert found["precision"] == pytest.approx(len(right) / len(rest))
    else:
        assert found["precision"] is None
    assert found["test_files_touched"] == len(handed_in & tests)
    assert published["correct_location"] == float(handed_in >= wanted)
    funnel = document["funnel"]["files"]
    assert {file for file, stage in funnel.items() if stage == "edited"} == handed_in & set(funnel)


def _compare_published(published: dict[str, Any], handed_in: set[str], row: dict[str, Any]) -> None:
    wanted = old_names(row["patch"])
    right = len(handed_in & wanted)
    assert published["polybench_file_recall"] == pytest.approx(right / len(wanted))
    assert published["polybench_file_precision"] == pytest.approx(
        right / len(handed_in) if handed_in else 0.0
    )
    assert published["polybench_file_f1"] == pytest.approx(
        2 * right / (len(handed_in) + len(wanted))
    )
