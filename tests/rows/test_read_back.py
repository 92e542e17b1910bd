"""Reading a retrieval_events folder back: rows, and problems for what is broken."""

from __future__ import annotations

from pathlib import Path

from groundtrace.documents.codec import encode
from groundtrace.documents.events import EventsDocument
from groundtrace.model import Problem
from groundtrace.rows.make import row_from
from groundtrace.rows.trial_row import TrialRow
from groundtrace.runs.evaluated_trials import stored_trial_rows
from groundtrace.runs.read import read_metrics, read_outcomes
from groundtrace.storage import LocalFolder
from tests.documents.builders import outcome, outcomes
from tests.metrics.builders import Seen, metrics_of, step, trial

A, B = "src/a.py", "src/b.py"


def store(folder: Path, name: str, document: EventsDocument) -> None:
    """Write both documents of a trial."""
    config = folder / document.provenance.config_name
    config.mkdir(parents=True, exist_ok=True)
    (config / f"{name}.retrieval_events.json").write_bytes(encode(document))
    (config / f"{name}.retrieval_metrics.json").write_bytes(encode(metrics_of(document)))


def read(folder: Path) -> tuple[list[TrialRow], list[Problem]]:
    items = list(stored_trial_rows(LocalFolder(folder)))
    rows = [item for item in items if isinstance(item, TrialRow)]
    return rows, [item for item in items if isinstance(item, Problem)]


READ_A = step(Seen("read", A, A), tool="Read", seconds=2.0)


def test_rows_read_back_equal_rows_made_at_once(tmp_path: Path) -> None:
    """A report made next year from the files has the numbers of today."""
    document = trial(READ_A, step(Seen("written", B), tool="Odd"), truth=[A, B], edits=[A])
    store(tmp_path, "task", document)
    (tmp_path / "outcomes.json").write_bytes(encode(outcomes(outcome())))
    rows, problems = read(tmp_path)
    path = "baseline/task.retrieval_events.json"
    made = row_from(
        metrics_of(document), document, outcome(), path=path, is_known=lambda name: name != "Odd"
    )
    assert made.unknown_tools == {"Odd": 1}
    made = row_from(metrics_of(document), None, outcome(), path=path)
    assert (rows, problems) == ([made], [])
    assert made.accesses == {"file_read/read": 1, "file_write/written": 1}
    assert made.metrics["recall@10"] == 0.5
    assert made.hit is True
    assert made.trial_key == "key"
    assert made.volume["files_written"] == 1


def test_broken_files_are_problems_and_the_rest_is_read(tmp_path: Path) -> None:
    store(tmp_path, "good", trial(READ_A, truth=[A]))
    config = tmp_path / "baseline"
    (config / "cut.retrieval_metrics.json").write_bytes(b'{"schema_version": "1.1", ')
    (config / "list.retrieval_metrics.json").write_bytes(b"[]")
    later = encode(metrics_of(trial(READ_A, truth=[A]))).replace(b'"1.3"', b'"2.0"', 1)
    (config / "later.retrieval_metrics.json").write_bytes(later)
    (config / "other.json").write_bytes(b"nonsense")
    rows, problems = read(tmp_path)
    assert [row.document for row in rows] == ["baseline/good.retrieval_events.json"]
    assert [(p.file, p.kind) for p in problems] == [
        ("baseline/cut.retrieval_metrics.json", "broken_document"),
        ("baseline/later.retrieval_metrics.json", "unknown_version"),
        ("baseline/list.retrieval_metrics.json", "broken_document"),
    ]


def test_a_broken_events_document_costs_nothing_of_the_row(tmp_path: Path) -> None:
    """Accesses are counted in the metrics document, so that a row does not depend on the version
    in which events were written."""
    store(tmp_path, "task", trial(READ_A, truth=[A]))
    (tmp_path / "baseline" / "task.retrieval_events.json").write_bytes(b"{")
    rows, problems = read(tmp_path)
    assert [row.accesses for row in rows] == [{"file_read/read": 1}]
    assert problems == []


def test_broken_outcomes_are_a_problem(tmp_path: Path) -> None:
    store(tmp_path, "task", trial(READ_A, truth=[A]))
    assert read_outcomes(LocalFolder(tmp_path)).document is None
    assert read_outcomes(LocalFolder(tmp_path)).problem is None
    (tmp_path / "outcomes.json").write_bytes(b"\xff\xfe")
    rows, problems = read(tmp_path)
    assert rows[0].outcome is None
    assert [p.file for p in problems] == ["outcomes.json"]


def test_outcomes_are_joined_by_document_and_trial(tmp_path: Path) -> None:
    """D32: with all trials written, two documents of one task have each its own outcome."""
    for number in (1, 2):
        name = "task" if number == 1 else "task.task__2"
        store(tmp_path, name, trial(READ_A, truth=[A], trial_name=f"task__{number}"))
    second = outcome(
        trial_name="task__2",
        reward=0.0,
        state="superseded",
        document="baseline/task.task__2.retrieval_events.json",
    )
    first = outcome(document="baseline/task.retrieval_events.json")
    (tmp_path / "outcomes.json").write_bytes(encode(outcomes(second, first)))
    rows, _ = read(tmp_path)
    assert {row.trial_name: row.outcome.reward for row in rows} == {"task__1": 1.0, "task__2": 0.0}


def test_an_outcome_of_another_trial_is_not_taken_for_its_document(tmp_path: Path) -> None:
    """A document left by an earlier run under the plain name is not the trial selected now."""
    store(tmp_path, "task", trial(READ_A, truth=[A], trial_name="task__old"))
    (tmp_path / "outcomes.json").write_bytes(encode(outcomes(outcome())))
    assert read(tmp_path)[0][0].outcome is None
    old = trial(READ_A, truth=[A], trial_name="task__old")
    assert row_from(metrics_of(old), old, outcome()).outcome is None


def test_documents_are_read_one_at_a_time_in_order(tmp_path: Path) -> None:
    for config in ("mcp", "baseline"):
        for name in ("b", "a"):
            store(tmp_path, name, trial(READ_A, truth=[A], config_name=config, task_name=name))
    folder = LocalFolder(tmp_path)
    stems = [f"{config}/{name}" for config in ("baseline", "mcp") for name in ("a", "b")]
    assert [s.path for s in read_metrics(folder)] == [f"{s}.retrieval_metrics.json" for s in stems]
    assert list(read_metrics(LocalFolder(tmp_path / "missing"))) == []
