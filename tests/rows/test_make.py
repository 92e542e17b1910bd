"""Rows are made in one place, and a value that is missing says why (D19)."""

from __future__ import annotations

import ast
from pathlib import Path

import groundtrace
from groundtrace.rows.make import row_from
from tests.metrics.builders import Seen, metrics_of, step, trial

A, B = "src/a.py", "src/b.py"
READ_A = step(Seen("read", A, A), tool="Read", seconds=2.0)
PACKAGE = Path(groundtrace.__file__).parent


def test_an_undefined_metric_is_absent_and_says_why() -> None:
    """D19: each metric has its own reason."""
    row = row_from(metrics_of(trial(READ_A, truth=[A])))
    assert "ttfr_tokens" not in row.metrics
    reasons = {
        "ttfr_tokens": "no_tokens",
        "chunk_recall": "no_chunk_ground_truth",
        "util_read_before_write_ratio": "nothing_written",
        "util_write_overlap_with_expected_edit_files": "no_expected_edit_files",
    }
    assert {name: row.why_undefined(name) for name in reasons} == reasons
    never = row_from(metrics_of(trial(step(Seen("read", B)), truth=[A])))
    assert never.why_undefined("ttfr_seconds") == "never_hit"
    assert never.hit is False
    nothing = row_from(metrics_of(trial(step(), truth=[A])))
    assert nothing.why_undefined("context_efficiency") == "nothing_retrieved"


def test_no_trace_has_no_volume() -> None:
    """D19: zero events of a trial that nobody saw would be an invented zero."""
    row = row_from(metrics_of(trial(truth=[A], source=None)))
    assert (row.volume, row.hit, row.why_undefined("total_events")) == ({}, None, "no_trace")
    unseen = row_from(metrics_of(trial(truth=(), source=None)))
    assert unseen.why_undefined("total_events") == "no_trace"
    assert unseen.why_undefined("recall@10") == "no_ground_truth"


def test_documents_without_accesses_have_no_counts_of_kinds() -> None:
    """D190: their kinds are not known."""
    document = trial(step(Seen("surfaced", A), Seen("surfaced", B), accesses=False), truth=[A])
    assert row_from(metrics_of(document), document).accesses == {}


def calls_of(name: str) -> set[str]:
    """Modules of the package that call a function or class of this name."""
    return {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if name in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        if name in (getattr(node.func, "id", None), getattr(node.func, "attr", None))
    }


def test_rows_are_made_in_one_module_alone() -> None:
    """Rows made now and rows read back are equal only while one function makes both."""
    assert calls_of("TrialRow") == {"rows/make.py"}
    users = calls_of("row_from")
    assert "pipeline.py" in users
    assert {path.partition("/")[0] for path in users} == {"pipeline.py", "runs"}


FILES_ON_DISK = ("output_folders", "read", "state", "write")


def test_folders_of_documents_compute_no_statistics() -> None:
    """Statistics of rows belong to `rows` and `impact`; these modules read and write files."""
    imported = {
        name
        for path in (PACKAGE / "runs" / f"{name}.py" for name in FILES_ON_DISK)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert "groundtrace.documents" in imported
    statistics = ("statistics", "math", "numpy", "groundtrace.rows", "groundtrace.impact")
    assert [name for name in imported if name.startswith(statistics)] == []
