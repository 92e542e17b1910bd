"""The Python API: what `__all__` says, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pandas
import polars
import pytest

import groundtrace as package
from groundtrace.errors import InputError, UsageError
from tests.conftest import Ran

Call = Callable[..., Ran]

SURFACE = [
    "Evaluation",
    "GroundtraceError",
    "Impact",
    "RunResult",
    "Settings",
    "Summary",
    "__version__",
    "compare",
    "evaluate_trial",
    "iterate_documents",
    "load",
    "load_impact",
    "load_metrics",
    "load_summary",
    "load_table",
    "load_trials",
    "read_trace",
    "run",
]


def test_the_surface_is_this_list() -> None:
    assert package.__all__ == SURFACE
    assert dir(package) == sorted(SURFACE)
    for name in SURFACE:
        assert getattr(package, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = package.nothing


def trial_of(sample: Path, pattern: str) -> Path:
    return next((sample / "runs").rglob(pattern))


def test_reading_a_trace(sample: Path) -> None:
    trace, problems = package.read_trace(trial_of(sample, "mcp_rate*"))
    assert not problems
    assert [call.name for call in trace.calls][:2] == [
        "mcp__sourcegraph__nls_search",
        "mcp__sourcegraph__keyword_search",
    ]


def test_evaluating_one_trial_equals_the_documents_of_a_run(
    sample: Path, groundtrace: Call
) -> None:
    evaluation = package.evaluate_trial(trial_of(sample, "mcp_rate*"), tasks=sample / "benchmarks")
    runs = sample / "runs/official"
    assert groundtrace("normalize", runs, "--tasks", sample / "benchmarks").code == 0
    assert groundtrace("evaluate", runs).code == 0
    details = list(package.iterate_documents(runs))
    assert len(details) == 24
    name = evaluation.events.provenance.trial_name
    same = next(d for d in details if d.events.provenance.trial_name == name)
    # Relative to RUNS, which a trial that is given alone does not know.
    place = same.events.provenance.source_file
    provenance = msgspec.structs.replace(evaluation.events.provenance, source_file=place)
    made = {"provenance": provenance, "generated_at": same.events.generated_at}
    assert same.events == msgspec.structs.replace(evaluation.events, **made)
    assert same.metrics.file_level_metrics == evaluation.metrics.file_level_metrics

    rows = package.load_metrics(runs)
    frame = pandas.DataFrame(rows)
    assert set(frame.metric) >= {"recall@10", "mrr", "chunk_recall"}
    assert polars.DataFrame(rows, infer_schema_length=None).height == len(frame)
    assert len(list(package.load_table("trials", runs))) == 24
    with pytest.raises(UsageError, match="unknown table 'trial'; nearest is 'trials'"):
        package.load_table("trial", runs)

    summary = package.load_summary(runs)
    assert {row["config_name"] for row in summary.rows()} == {
        "baseline-local-direct",
        "mcp-remote-direct",
    }
    assert "file_recall" in str(summary)
    assert summary._repr_html_().startswith("<table>")


def test_a_folder_without_a_trial_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no trial in it"):
        package.evaluate_trial(tmp_path)
