"""Documents of versions 1.0 and 1.1: what they tell is counted, what they do not tell is null."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from groundtrace.documents.events import EventsDocument
from groundtrace.documents.metrics import MetricsDocument
from groundtrace.documents.versions import ADDED, events_as
from groundtrace.metrics import evaluate
from groundtrace.metrics.catalogue import METRICS
from groundtrace.metrics.evidence import EvidenceView
from groundtrace.model import Category
from tests.metrics.builders import NOW, Seen, metrics_of, step, trial

A = "src/a.py"


def of_1_0(*steps: object, truth: list[str], edits: list[str] | None = None) -> MetricsDocument:
    return metrics_of(trial(*steps, truth=truth, edits=edits, version="1.0"))  # type: ignore[arg-type]


def test_a_document_of_this_version_is_taken_as_it_is() -> None:
    """Nothing is matched again: an access that names no entry hits none, however alike (D43)."""
    document = trial(step(Seen("read", A)), truth=[A], version="1.3")
    evidence = EvidenceView(document)
    assert evidence.basis == "accesses"
    assert evidence.document is document
    assert metrics_of(document).file_level_metrics.file_recall == 0


def test_a_document_without_accesses_is_evaluated_by_category_and_says_so() -> None:
    """D12: `file_read` is a read, whatever the call was."""
    metrics = of_1_0(
        step(Seen("read", A, A), accesses=False),
        step(Seen("written", "src/b.py"), accesses=False),
        truth=[A],
        edits=["src/b.py"],
    )
    assert metrics.basis == "categories"
    assert metrics.file_level_metrics.file_recall == 1
    probes = metrics.utilization_probes
    assert probes.util_read_overlap_with_relevant_files == 1
    assert probes.util_write_overlap_with_expected_edit_files == 1
    assert metrics.access_counts == {}


def test_what_needs_accesses_is_null_with_the_reason() -> None:
    """Shown recall was 0.0 for 11 of 28 real trials, where 0.2 to 1.0 was true (D190)."""
    metrics = of_1_0(step(Seen("read", A, A), accesses=False), truth=[A])
    shown = metrics.file_level_metrics_shown
    assert (shown.computable, shown.reason, shown.file_recall) == (False, "older_document", None)
    sections = {
        "discovery": metrics.discovery,
        "subagent_metrics": metrics.subagent_metrics,
        "context_metrics": metrics.context_metrics,
        "funnel": metrics.funnel,
    }
    reasons = {name: getattr(section, "reason", "") for name, section in sections.items()}
    assert reasons == dict.fromkeys(sections, "older_document")
    for name in ("shown.file_recall", "shown.mrr", "found_first_by_mcp", "funnel_shown"):
        assert METRICS[name].getter(metrics) is None
        assert METRICS[name].why_undefined(metrics) == "older_document"


def test_targets_of_shell_commands_leave_reads_and_writes_unknown() -> None:
    """`cat a.py` and `sed -i a.py` are the same event of version 1.0: `other`, with a target."""
    shell = step(Seen("read", A, A), category="other", accesses=False)
    metrics = of_1_0(shell, truth=[A], edits=[A])
    assert metrics.file_level_metrics.file_recall == 1
    probes = metrics.utilization_probes
    assert (probes.probe_available, probes.reason) == (False, "older_document")
    assert probes.util_read_overlap_with_relevant_files is None
    assert probes.expected_edit_probe_reason == "older_document"
    labels = metrics.error_taxonomy.labels
    assert labels is not None
    assert sorted(labels) == ["ambiguity_near_miss", "irrelevant_retrieval", "missed_key_evidence"]


@pytest.mark.parametrize("category", ["code_search", "file_search", "symbol_navigation"])
def test_categories_that_show_or_name_files_retrieve_them(category: Category) -> None:
    metrics = of_1_0(step(Seen("matched", A, A), category=category, accesses=False), truth=[A])
    assert metrics.file_level_metrics.file_recall == 1
    assert metrics.utilization_probes.util_read_overlap_with_relevant_files == 0


def test_a_target_in_another_spelling_is_the_entry_that_its_call_matched() -> None:
    """Its call says which entry it matched; the longest target that ends alike is the file."""
    old = events_as(
        trial(
            step(Seen("surfaced", "main.go"), Seen("surfaced", "kafka/cmd/main.go", "cmd/main.go")),
            truth=["cmd/main.go"],
            version="1.3",
        ),
        "1.0",
        generated_at=NOW,
    )
    found = metrics_of(old).file_level_metrics
    assert (found.n_retrieved, found.n_overlap, found.first_gt_hit_step) == (2, 1, 0)
    assert found.mrr == 0.5


def test_the_first_version_of_a_document_loses_kinds_and_says_so() -> None:
    """A file only written by a shell command becomes a hit by category; the mark tells that."""
    whole = trial(
        step(Seen("written", A, A), category="other"),
        truth=[A],
        version="1.3",
    )
    assert evaluate(whole, generated_at=NOW).file_level_metrics.file_recall == 0
    old = evaluate(events_as(whole, "1.0", generated_at=NOW), generated_at=NOW)
    assert old.file_level_metrics.file_recall == 1
    assert old.basis == "categories"


def document_of_1_1() -> EventsDocument:
    return trial(
        step(Seen("read", A, A), Seen("surfaced", "src/c.py")),
        step(Seen("written", "src/b.py")),
        truth=[A],
        edits=["src/b.py"],
        version="1.1",
    )


def test_a_document_of_1_1_gets_edit_targets_and_neighbours_by_text() -> None:
    metrics = metrics_of(document_of_1_1())
    assert metrics.basis == "accesses"
    assert metrics.file_level_metrics_shown.file_recall == 1
    assert metrics.utilization_probes.files_written_expected_edit == 1
    assert metrics.error_taxonomy.files is not None
    assert metrics.error_taxonomy.files["ambiguity_near_miss"] == ["src/c.py"]


SECTIONS_OF_1_2 = ADDED["1.2"]["MetricsDocument"]


def numbers(value: object, place: str) -> Iterator[str]:
    """Where numbers stand in a section."""
    if isinstance(value, bool | str) or value is None:
        return
    if isinstance(value, int | float):
        yield f"{place} = {value}"
    for name, item in value.items() if isinstance(value, dict) else ():
        yield from numbers(item, f"{place}.{name}")


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_sections_of_version_1_2_have_no_number_from_an_earlier_document(version: str) -> None:
    """Answers, sizes, lines and the patch are not in it. Characters shown were 0 where 78,332 were
    true, and files that were written stood for a patch that was empty."""
    whole = trial(
        step(Seen("matched", A, A)),
        step(Seen("written", A, A)),
        truth=[A],
        edits=[A],
        chunks=[A],
        version="1.3",
    )
    metrics = metrics_of(events_as(whole, version, generated_at=NOW))
    assert metrics.file_level_metrics.file_recall == 1
    for name in SECTIONS_OF_1_2:
        section = to_builtins(getattr(metrics, name))
        assert section.get("reason", "older_document") == "older_document", name
        known = [found for found in numbers(section, name) if not found.startswith(TRUTH)]
        assert known == []
    assert len(SECTIONS_OF_1_2) == 8


TRUTH = "patch_metrics.files_gold"


@pytest.mark.parametrize("version", ["1.0", "1.1", "1.2"])
def test_unseen_subagents_of_an_older_document_are_counted_from_its_calls(version: str) -> None:
    """Five calls of `Task` and none of a subagent: recall was 0.0, with every file missed."""
    tasks = [step(tool="Task") for _ in range(5)]
    other = [step(Seen("read", A, A), tool="Read") for _ in range(5)]

    def found(*calls: object) -> tuple[float | None, str | None]:
        made = metrics_of(trial(*calls, truth=[A], version=version)).file_level_metrics  # type: ignore[arg-type]
        return made.file_recall, made.reason

    assert found(*tasks) == (None, "subagents_unseen")
    assert found(*tasks, *other[1:]) == (None, "subagents_unseen")
    assert found(*tasks, *other) == (1, None), "half of the calls are not most of them"
    seen = {**other[0], "is_subagent": True}
    assert found(*tasks, seen) == (1, None), "it may be the work of all of them"


def test_an_incomplete_older_document_without_files_is_no_zero() -> None:
    """Whether the agent found nothing or its answers are lost, only later versions tell."""
    document = trial(step(tool="Grep", accesses=False), truth=[A], version="1.0")
    lost = replace(document.coverage, degraded_reason="the end of the file is missing")
    found = metrics_of(replace(document, coverage=lost)).file_level_metrics
    assert (found.computable, found.reason, found.file_recall) == (False, "older_document", None)
    assert metrics_of(document).file_level_metrics.file_recall == 0


def test_a_trace_source_of_null_is_no_trace_whatever_events_there_are() -> None:
    """The flags of coverage are checked before anything is computed."""
    document = trial(step(Seen("read", A, A)), truth=[A], version="1.3")
    document = replace(document, coverage=replace(document.coverage, trace_source=None))
    found = metrics_of(document).file_level_metrics
    assert (found.computable, found.reason) == (False, "no_trace")
