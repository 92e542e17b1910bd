"""Documents that cannot be read: named with the reason, never counted, never used (D62)."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from groundtrace.storage import local
from tests.conftest import Ran, fixed
from tests.whole_runs import DRAWS, RUN, TRIALS, run, shrink

Call = Callable[..., Ran]


@pytest.fixture(scope="module")
def whole_run(
    sample_source: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, Path]]:
    """A run that went through every stage, made once: where it was made, and a copy of it.

    A copy has other times of change than its original, so these do not count here: the state of the
    run says of the copies too that they are as they were written.
    """
    folder = tmp_path_factory.mktemp("whole")
    made, kept = folder / "sample", folder / "kept"
    shutil.copytree(sample_source, made)

    def stamp_of(info: os.stat_result) -> str:
        return f"{info.st_mtime_ns}.{info.st_mode:o}"

    with pytest.MonkeyPatch.context() as patch, fixed() as call:
        patch.setattr(local, "stamp_of", stamp_of)
        run(call, shrink(made))
        shutil.copytree(made, kept)
        yield made, kept


@pytest.fixture
def evaluated(whole_run: tuple[Path, Path]) -> Path:
    """The output folder of the run, to be changed at will."""
    made, kept = whole_run
    shutil.rmtree(made)
    shutil.copytree(kept, made)
    return made / "runs/official" / RUN / "retrieval_events"


def events_of(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*.retrieval_events.json"))


def metrics_of(events: Path) -> Path:
    return events.with_name(events.name.replace("_events.json", "_metrics.json"))


def change(path: Path, **fields: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def spoil(folder: Path) -> list[Path]:
    """Three documents refused in three ways."""
    version, cut, wrong = events_of(folder)[:3]
    change(version, schema_version="2.0")
    cut.write_text(cut.read_text()[:200])
    change(wrong, events=[3])
    return [version, cut, wrong]


def refused_in(document: Path) -> set[str]:
    return {one["path"] for one in json.loads(document.read_text())["refused"]}


def names(folder: Path, paths: list[Path]) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in paths}


def test_refused_documents_are_not_counted_as_evaluated(groundtrace: Call, evaluated: Path) -> None:
    """Six refused of eight were "8 documents evaluated"."""
    refused = spoil(evaluated)
    ran = groundtrace("evaluate", evaluated.parents[1], "--jobs", 1)
    assert ran.code == 1
    assert f"0 documents evaluated, {TRIALS - 3} unchanged, 3 refused" in ran.out
    for path in refused:
        assert f"failed: {path}" in ran.err
    assert "schema version 2.0" in ran.err
    again = groundtrace("evaluate", evaluated.parents[1], "--jobs", 1, "--json")
    assert len(json.loads(again.out)["refused"]) == 3, "said again as long as it is so"


def test_refused_documents_are_named_with_the_reason_everywhere(
    groundtrace: Call, evaluated: Path
) -> None:
    runs = evaluated.parents[1]
    refused = spoil(evaluated)
    for command in (
        ("evaluate", runs, "--jobs", 1),
        ("impact", runs, *DRAWS),
        ("report", runs, "--format", "md"),
    ):
        ran = groundtrace(*command)
        assert ran.code == 1, command
        assert all(path.name in ran.err for path in refused), command
    aggregate = runs / "retrieval_events_aggregate"
    for folder in (evaluated, aggregate):
        for name in ("run_retrieval_summary.json", "impact_analysis.json"):
            assert refused_in(folder / name) == names(evaluated, refused), name
        text = (folder / "retrieval_report.md").read_text()
        assert "3 documents could not be read and do not count" in text
        assert all(name in text for name in names(evaluated, refused))
    summary = json.loads((evaluated / "run_retrieval_summary.json").read_text())
    assert {one["problem"] for one in summary["refused"]} == {"unknown_version", "broken_document"}
    assert summary["problems"]["unknown_version"] == 1
    assert summary["problems"]["broken_document"] == 2
    assert summary["overall"]["trials"] == TRIALS - 3


def test_what_was_computed_from_a_refused_document_is_set_aside(
    groundtrace: Call, evaluated: Path
) -> None:
    refused = spoil(evaluated)
    assert all(metrics_of(path).exists() for path in refused)
    groundtrace("evaluate", evaluated.parents[1], "--jobs", 1)
    assert not any(metrics_of(path).exists() for path in refused)
    assert len(list(evaluated.glob("*/*.retrieval_metrics.json"))) == TRIALS - 3


def test_the_analysis_uses_no_metrics_of_a_refused_document(
    groundtrace: Call, evaluated: Path
) -> None:
    """Also when nobody evaluated since: the metrics beside it are still on disk."""
    runs = evaluated.parents[1]
    refused = spoil(evaluated)
    groundtrace("impact", runs, *DRAWS)
    assert all(metrics_of(path).exists() for path in refused)
    impact = json.loads((evaluated / "impact_analysis.json").read_text())
    assert impact["n_trials"] == TRIALS - 3


def test_metrics_of_another_major_version_do_not_vanish_silently(
    groundtrace: Call, evaluated: Path
) -> None:
    runs = evaluated.parents[1]
    metrics = metrics_of(events_of(evaluated)[0])
    change(metrics, schema_version="2.0")
    ran = groundtrace("impact", runs, *DRAWS)
    assert ran.code == 1
    assert metrics.name in ran.err and "schema version 2.0" in ran.err
    assert refused_in(evaluated / "impact_analysis.json") == names(evaluated, [metrics])


def test_metrics_of_another_major_version_are_not_removed(
    groundtrace: Call, evaluated: Path
) -> None:
    """Another groundtrace wrote both documents; they are not ours to delete."""
    events = events_of(evaluated)[0]
    change(events, schema_version="2.0")
    change(metrics_of(events), schema_version="2.0")
    groundtrace("evaluate", evaluated.parents[1], "--jobs", 1)
    assert metrics_of(events).exists()


def test_metrics_of_another_major_version_are_not_overwritten(
    groundtrace: Call, evaluated: Path
) -> None:
    """Their events document changed and would give new metrics: still not ours to replace."""
    events = events_of(evaluated)[0]
    events.write_text(events.read_text() + "\n")
    change(metrics_of(events), schema_version="2.0")
    theirs = metrics_of(events).read_bytes()
    ran = groundtrace("evaluate", evaluated.parents[1], "--jobs", 1)
    assert ran.code == 1
    assert metrics_of(events).name in ran.err and "schema version 2.0" in ran.err
    assert metrics_of(events).read_bytes() == theirs


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_whole_run_does_not_overwrite_metrics_of_another_major_version(
    groundtrace: Call, evaluated: Path, jobs: int
) -> None:
    """Neither when the trial is processed again, nor when everything is."""
    runs = evaluated.parents[1]
    target = metrics_of(events_of(evaluated)[0])
    change(target, schema_version="2.0")
    theirs = target.read_bytes()
    tasks = runs.parents[1] / "benchmarks"
    for more in ((), ("--force",)):
        events_of(evaluated)[0].unlink()
        ran = groundtrace("run", runs, "--tasks", tasks, "--jobs", jobs, *more, *DRAWS)
        assert ran.code == 1
        assert target.name in ran.err and "schema version 2.0" in ran.err
        assert target.read_bytes() == theirs
        summary = json.loads((evaluated / "run_retrieval_summary.json").read_text())
        assert summary["overall"]["trials"] == TRIALS - 1


def test_a_refused_document_is_not_a_task_that_was_not_run(
    groundtrace: Call, evaluated: Path
) -> None:
    """Its trial was run; only nobody can read what it did."""
    matched = "matched_comparisons"
    before = json.loads((evaluated / "impact_analysis.json").read_text())[matched][0]
    task = before["tasks"][0]["task_name"]
    events = next(evaluated.glob(f"{before['baseline_config']}/{task}.retrieval_events.json"))
    change(events, schema_version="2.0")
    groundtrace("impact", evaluated.parents[1], *DRAWS)
    after = json.loads((evaluated / "impact_analysis.json").read_text())[matched][0]
    assert after["dropped"]["document_refused"] == 1
    assert after["dropped_sides"]["document_refused"] == {"baseline": 1}
    assert after["dropped"].get("missing_side") == before["dropped"].get("missing_side")


def test_refused_outcomes_are_the_reason_that_nothing_can_be_compared(
    groundtrace: Call, evaluated: Path
) -> None:
    """A false reason, such as an unknown harness version, sends people looking elsewhere."""
    runs = evaluated.parents[1]
    change(evaluated / "outcomes.json", schema_version="2.0")
    for command in (("evaluate", runs, "--jobs", 1), ("impact", runs, *DRAWS)):
        ran = groundtrace(*command)
        assert ran.code == 1
        assert "outcomes.json: schema version 2.0" in ran.err
    impact = json.loads((evaluated / "impact_analysis.json").read_text())
    assert refused_in(evaluated / "impact_analysis.json") == {"outcomes.json"}
    assert {reason for c in impact["matched_comparisons"] for reason in c["dropped"]} == {
        "outcomes_refused"
    }
    summary = json.loads((evaluated / "run_retrieval_summary.json").read_text())
    assert set(summary["overall"]["outcomes"]["reward"]["left_out"]) == {"outcomes_refused"}


def test_a_run_in_which_nothing_is_refused_says_so(evaluated: Path) -> None:
    for name in ("run_retrieval_summary.json", "impact_analysis.json"):
        assert json.loads((evaluated / name).read_text())["refused"] == []
    assert "Documents that could not" not in (evaluated / "retrieval_report.md").read_text()


def test_a_document_that_is_mended_counts_again(groundtrace: Call, evaluated: Path) -> None:
    runs = evaluated.parents[1]
    path = events_of(evaluated)[0]
    whole = path.read_text()
    path.write_text(whole[:100])
    assert groundtrace("evaluate", runs, "--jobs", 1).code == 1
    path.write_text(whole)
    ran = groundtrace("evaluate", runs, "--jobs", 1)
    assert f"1 document evaluated, {TRIALS - 1} unchanged" in ran.out
    assert metrics_of(path).exists()
