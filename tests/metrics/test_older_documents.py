"""Documents of versions 1.0 and 1.1 are completed by comparing text (D14–D16), and only they."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.documents.versions import events_as
from groundtrace.metrics import evaluate
from groundtrace.metrics.older_documents import (
    SpellingReading,
    TouchedFiles,
    as_entry,
    as_touched,
    completed,
)
from tests.metrics.builders import NOW, Seen, metrics_of, step, trial

REPOS = st.sampled_from([None, "kafka", "Flink", "apache/kafka", "kafka--0753c489"])
PATHS = st.sampled_from(["a.go", "cmd/a.go", "kafka/a.go", "kafka/cmd/a.go", "flink/A.go"])


@st.composite
def spelled(draw: st.DrawFn) -> str:
    repo, path = draw(REPOS), draw(PATHS)
    return path if repo is None else f"{repo}::{path}"


TOUCHED = st.lists(st.tuples(spelled(), st.sampled_from([None, "kafka", "flink"])), max_size=6)
HOME = st.frozensets(st.sampled_from(["kafka", "flink"]))


def lies_there(
    entry: SpellingReading, touched: SpellingReading, home: frozenset[str], anywhere: bool
) -> bool:
    """The rule, asked of one reading of an entry and one of a file."""
    if entry.path != touched.path:
        return False
    if touched.repo is None:
        return entry.primary if anywhere else entry.repo is None
    return touched.repo == entry.repo or (entry.repo is None and touched.repo in home)


@given(TOUCHED, spelled(), HOME, st.booleans())
def test_files_indexed_once_answer_as_asking_each_of_them(
    touched: list[tuple[str, str | None]], entry: str, home: frozenset[str], anywhere: bool
) -> None:
    """2,000 edit targets beside 20,000 files took 48 seconds when each was asked of each; the
    index must give the same answers."""
    files = TouchedFiles(touched, home, unknown_anywhere=anywhere)
    asked = any(
        lies_there(wanted, reading, home, anywhere)
        for wanted in as_entry(entry)
        for file, repo in touched
        for reading in as_touched(file, repo)
    )
    assert bool(files.files_of(entry)) == asked


def test_a_file_of_another_repository_is_not_the_entry() -> None:
    """D16."""
    files = TouchedFiles([("flink::cmd/a.go", "flink"), ("b.go", None)], frozenset({"flink"}))
    assert not files.files_of("kafka::cmd/a.go")
    assert files.files_of("cmd/a.go")
    assert files.files_of("b.go") and not files.files_of("kafka::b.go")


def test_a_document_of_this_version_is_taken_as_it_is() -> None:
    """Nothing is matched again: an access that names no entry hits none, however alike (D43)."""
    document = trial(step(Seen("read", "src/a.py")), truth=["src/a.py"], version="1.2")
    basis, same = completed(document)
    assert basis == "accesses"
    assert same is document
    assert metrics_of(document).file_level_metrics.file_recall == 0


def test_a_document_without_accesses_is_evaluated_by_category_and_says_so() -> None:
    """D12: `file_read` is a read, whatever the call was."""
    document = trial(
        step(Seen("read", "src/a.py", "src/a.py"), accesses=False),
        step(Seen("written", "src/b.py"), accesses=False),
        truth=["src/a.py"],
        edits=["src/b.py"],
        version="1.0",
    )
    metrics = metrics_of(document)
    assert metrics.basis == "categories"
    assert metrics.file_level_metrics.file_recall == 1
    assert metrics.utilization_probes.util_write_overlap_with_expected_edit_files == 1
    assert metrics.access_counts == {"file_read/read": 1, "file_write/written": 1}


def test_the_first_version_of_a_document_loses_kinds_and_says_so() -> None:
    """A file only written by a shell command becomes a hit by category; the mark tells that."""
    whole = trial(
        step(Seen("written", "src/a.py", "src/a.py"), category="other"),
        truth=["src/a.py"],
        version="1.2",
    )
    assert evaluate(whole, generated_at=NOW).file_level_metrics.file_recall == 0
    old = evaluate(events_as(whole, "1.0", generated_at=NOW), generated_at=NOW)
    assert old.file_level_metrics.file_recall == 1
    assert old.basis == "categories"


def test_a_document_of_1_1_gets_edit_targets_and_neighbours_by_text() -> None:
    document = trial(
        step(Seen("read", "src/a.py", "src/a.py"), Seen("surfaced", "src/c.py")),
        step(Seen("written", "src/b.py")),
        truth=["src/a.py"],
        edits=["src/b.py"],
        version="1.1",
    )
    metrics = metrics_of(document)
    assert metrics.basis == "accesses"
    assert metrics.utilization_probes.files_written_expected_edit == 1
    assert metrics.error_taxonomy.files is not None
    assert metrics.error_taxonomy.files["ambiguity_near_miss"] == ["src/c.py"]


def test_completing_twice_changes_nothing() -> None:
    document = trial(step(Seen("read", "src/a.py", "src/a.py")), truth=["src/a.py"], version="1.1")
    _, once = completed(document)
    assert completed(once) == ("accesses", once)
    assert msgspec.structs.asdict(once)["schema_version"] == "1.3"
