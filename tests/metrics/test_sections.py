"""Each rule of the four stages, on the smallest document that shows it (D18–D24)."""

from __future__ import annotations

import pytest
from msgspec import UNSET, structs

from groundtrace.documents.codec import decode, encode
from groundtrace.documents.metrics import MetricsDocument
from groundtrace.metrics.catalogue import METRICS
from tests.metrics.builders import Seen, metrics_of, plain, step, trial

A, B, C, OTHER = "src/a.py", "src/b.py", "lib/c.py", "docs/x.md"


# --- what is undefined (D19) ---------------------------------------------------------------


def _states(document: MetricsDocument) -> list[tuple[bool, str | None]]:
    probes, taxonomy = document.utilization_probes, document.error_taxonomy
    both = (document.file_level_metrics, document.file_level_metrics_shown)
    return [
        *((section.computable, section.reason) for section in both),
        (probes.probe_available, probes.reason),
        (taxonomy.computable, taxonomy.reason),
    ]


READ_A = step(Seen("read", A, A))


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (trial(step(Seen("read", A)), truth=()), "no_ground_truth"),
        (trial(truth=[A], source=None), "no_trace"),
        (trial(truth=[A], source="transcript"), "empty_trace"),
        (trial(truth=(), source=None), "no_ground_truth"),
        (trial(truth=(), source="trajectory"), "no_ground_truth"),
    ],
    ids=["no truth", "no trace", "no call readable", "neither", "no truth, no call readable"],
)
def test_what_cannot_be_computed_is_marked_and_never_zero(document, reason: str) -> None:
    """D19, and the specification: markers, not misleading zeroes."""
    metrics = metrics_of(document)
    assert _states(metrics) == [(False, reason)] * 4
    for section in (metrics.file_level_metrics, metrics.file_level_metrics_shown):
        values = structs.asdict(section)
        assert values.pop("basis") is UNSET
        assert {v for k, v in values.items() if k not in ("computable", "reason")} == {None}
    probes = structs.asdict(metrics.utilization_probes)
    assert {v for k, v in probes.items() if k.startswith(("util_", "files_"))} == {None}
    assert metrics.error_taxonomy.labels is None
    assert metrics.error_taxonomy.files is None


def test_an_agent_seen_working_that_retrieved_nothing_scores_zero() -> None:
    """D19: zero recall is a result; its context efficiency has no denominator."""
    found = metrics_of(trial(step(), truth=[A])).file_level_metrics
    assert (found.computable, found.file_recall, found.mrr, found.map_score) == (True, 0, 0, 0)
    assert found.recall == {"1": 0, "3": 0, "5": 0, "10": 0}
    assert (found.context_efficiency, found.n_retrieved, found.n_overlap) == (None, 0, 0)
    assert (found.first_gt_hit_step, found.ttfr_seconds, found.ttfr_tokens) == (None, None, None)


def test_the_coverage_flag_decides_not_the_list() -> None:
    """The specification: stages check coverage flags before they compute."""
    document = trial(READ_A, truth=[A])
    without = structs.replace(
        document, coverage=structs.replace(document.coverage, has_ground_truth=False)
    )
    assert metrics_of(without).file_level_metrics.reason == "no_ground_truth"


def test_one_of_several_files_found() -> None:
    found = metrics_of(trial(READ_A, truth=[A, B])).file_level_metrics
    assert (found.file_recall, found.n_ground_truth, found.n_overlap) == (0.5, 2, 1)


# --- stage 1 -------------------------------------------------------------------------------


def test_a_file_counts_once_where_it_was_first_seen() -> None:
    """D18: the second look at docs/x.md does not push src/a.py down."""
    document = trial(step(Seen("surfaced", OTHER)), step(Seen("read", OTHER)), READ_A, truth=[A])
    found = metrics_of(document).file_level_metrics
    assert (found.n_retrieved, found.mrr) == (2, 0.5)
    later = trial(step(Seen("surfaced", OTHER)), READ_A, step(Seen("read", OTHER)), truth=[A])
    assert metrics_of(later).file_level_metrics.mrr == 0.5, "a later look does not move a file"


def test_order_is_that_of_the_steps() -> None:
    """D1: `step_index` is the position, wherever the event stands in the file."""
    document = trial(step(Seen("read", OTHER)), READ_A, truth=[A])
    turned = structs.replace(document, events=document.events[::-1])
    assert metrics_of(turned).file_level_metrics.mrr == 0.5


def test_a_truth_file_met_in_two_spellings_counts_once() -> None:
    """D15: both readings of an entry are one file."""
    entry = "hyper::hyper/Cargo.toml"
    document = trial(
        step(Seen("read", "hyper::Cargo.toml", entry)),
        step(Seen("read", "hyper/Cargo.toml", entry)),
        truth=[entry],
    )
    found = metrics_of(document).file_level_metrics
    assert (found.n_retrieved, found.n_overlap, found.file_recall) == (1, 1, 1)


def test_case_of_a_spelling_makes_no_second_file() -> None:
    """D8: only comparison is lower-case."""
    document = trial(step(Seen("read", "README.md")), step(Seen("read", "readme.md")), truth=[A])
    assert metrics_of(document).file_level_metrics.n_retrieved == 1


def test_a_listing_buys_recall_only_over_retrieved_files() -> None:
    """D18: that is why both lists stand in every table."""
    document = trial(step(*(Seen("surfaced", f, f) for f in (A, B))), truth=[A, B])
    metrics = metrics_of(document)
    assert metrics.file_level_metrics.file_recall == 1
    assert metrics.file_level_metrics_shown.file_recall == 0
    assert metrics.file_level_metrics_shown.context_efficiency is None


def test_a_shell_command_that_reads_one_file_and_writes_another_retrieves_only_the_first() -> None:
    """D18: what a command only wrote it did not retrieve."""
    both = step(Seen("read", B), Seen("written", A, A), category="other")
    found = metrics_of(trial(both, truth=[A])).file_level_metrics
    assert (found.n_retrieved, found.n_overlap) == (1, 0)


def test_ttfr_passes_over_a_write_and_stays_null_without_times() -> None:
    """D21: the first access that hits and is no write; D10: never estimated."""
    document = trial(
        step(Seen("written", A, A), seconds=1.0, tokens=10),
        step(Seen("surfaced", A, A), seconds=None, tokens=20),
        step(Seen("read", A, A), seconds=9.0, tokens=30),
        truth=[A],
    )
    metrics = metrics_of(document)
    found, shown = metrics.file_level_metrics, metrics.file_level_metrics_shown
    assert (found.first_gt_hit_step, found.ttfr_seconds, found.ttfr_tokens) == (1, None, 20)
    assert (shown.first_gt_hit_step, shown.ttfr_seconds, shown.ttfr_tokens) == (2, 9.0, 30)


def test_a_wrong_repository_is_irrelevant_however_alike_the_path() -> None:
    """D16: the events stage named no entry for it, and the same path does not make it one."""
    document = trial(step(Seen("read", f"fork::{A}", repo="fork")), truth=[A])
    assert metrics_of(document).file_level_metrics.n_overlap == 0


def test_documents_hold_exact_numbers() -> None:
    """D40: means of values that were rounded to four decimals were wrong in the last digit."""
    found = metrics_of(plain([OTHER, A, C], [A, B, "z.py"])).file_level_metrics
    assert (found.file_recall, found.context_efficiency) == (1 / 3, 1 / 3)


# --- stage 2 -------------------------------------------------------------------------------


def test_chunks_without_line_ranges_fall_back_to_files() -> None:
    chunk = metrics_of(trial(READ_A, truth=[A])).chunk_level_metrics
    assert (chunk.resolution, chunk.validity) == ("file_level_only", "unsupported")
    assert (chunk.chunk_recall, chunk.chunks_total, chunk.chunks_hit) == (None, 0, None)


def test_chunk_recall_counts_chunks_not_files_and_takes_every_kind() -> None:
    """D23: over all events, so a file that was only written covers its chunks."""
    document = trial(step(Seen("written", A, A)), truth=[A, B], chunks=[A, A, B])
    chunk = metrics_of(document).chunk_level_metrics
    assert (chunk.resolution, chunk.validity) == ("chunk_level", "file_match_only")
    assert (chunk.chunk_recall, chunk.chunks_total, chunk.chunks_hit) == (2 / 3, 3, 2)


def test_chunks_without_a_trace_have_no_recall() -> None:
    chunk = metrics_of(trial(truth=[A], chunks=[A], source=None)).chunk_level_metrics
    assert (chunk.chunk_recall, chunk.chunks_hit, chunk.reason) == (None, None, "no_trace")
    assert chunk.chunks_total == 1


def test_a_chunk_that_leaves_out_its_repository_is_unknown_in_an_old_document() -> None:
    """Defect files write plain paths where the ground truth names the repository; since 1.2 the
    document spells both alike."""
    entry = f"kafka::{A}"
    document = trial(step(Seen("read", entry, entry, "kafka")), truth=[entry], chunks=[A])
    found = metrics_of(document).chunk_level_metrics
    assert (found.chunk_recall, found.reason) == (None, "older_document")


# --- stage 3 -------------------------------------------------------------------------------


def test_only_an_opened_file_is_read() -> None:
    """D22: lines shown by a search are no read."""
    document = trial(step(Seen("matched", A, A)), step(Seen("read", B, B)), truth=[A, B])
    probes = metrics_of(document).utilization_probes
    assert probes.util_read_overlap_with_relevant_files == 0.5
    assert (probes.files_read, probes.files_read_relevant) == (1, 1)


def test_write_probes_are_null_when_nothing_was_written() -> None:
    """D22: a read-only task still has its read probe."""
    probes = metrics_of(trial(READ_A, truth=[A], edits=[A])).utilization_probes
    assert probes.probe_available
    assert probes.util_read_overlap_with_relevant_files == 1
    assert probes.util_write_overlap_with_relevant_files_proxy is None
    assert probes.util_write_overlap_with_expected_edit_files is None
    assert probes.util_read_before_write_ratio is None
    assert (probes.expected_edit_probe_available, probes.expected_edit_probe_reason) == (
        True,
        "nothing_written",
    )
    assert (probes.files_written, probes.files_written_expected_edit) == (0, 0)


def test_the_edit_probe_is_unavailable_without_edit_targets() -> None:
    probes = metrics_of(trial(step(Seen("written", A, A)), truth=[A])).utilization_probes
    assert not probes.expected_edit_probe_available
    assert probes.expected_edit_probe_reason == "no_expected_edit_files"
    assert probes.util_write_overlap_with_expected_edit_files is None
    assert probes.files_written_expected_edit is None
    assert probes.util_write_overlap_with_relevant_files_proxy == 1


def test_a_new_file_is_an_edit_target_although_it_is_no_evidence() -> None:
    """D27: it is not in `ground_truth.files`, so only its place tells that it was written."""
    document = trial(step(Seen("written", "src/New.py")), truth=[A], edits=[A, "src/new.py"])
    probes = metrics_of(document).utilization_probes
    assert probes.util_write_overlap_with_expected_edit_files == 0.5
    assert probes.util_write_overlap_with_relevant_files_proxy == 0


def test_edits_can_be_known_where_no_file_is_to_be_retrieved() -> None:
    """D27: a patch that only adds files; the edit probe has its own flag."""
    document = trial(step(Seen("written", "src/new.py")), truth=(), edits=["src/new.py"])
    probes = metrics_of(document).utilization_probes
    assert (probes.probe_available, probes.reason) == (False, "no_ground_truth")
    assert probes.expected_edit_probe_available
    assert probes.util_write_overlap_with_expected_edit_files == 1


def test_read_before_write_needs_an_earlier_step() -> None:
    """D22: a read in the same call, or after the first write, is not before it."""
    same_call = step(Seen("read", A, A), Seen("written", A, A), category="other")
    assert (
        metrics_of(trial(same_call, truth=[A])).utilization_probes.util_read_before_write_ratio == 0
    )
    document = trial(
        step(Seen("read", A, A)),
        step(Seen("written", A, A)),
        step(Seen("written", B)),
        step(Seen("read", B)),
        step(Seen("written", B)),
        truth=[A],
    )
    assert metrics_of(document).utilization_probes.util_read_before_write_ratio == 0.5


# --- stage 4 -------------------------------------------------------------------------------


def test_the_files_behind_each_label() -> None:
    """D23: by the letter, with names, in order of appearance."""
    document = trial(
        step(Seen("read", OTHER)),
        step(Seen("read", A, A), Seen("surfaced", "src/z.py")),
        step(Seen("read", B, B)),
        step(Seen("written", A, A)),
        step(Seen("written", "/tmp/notes.txt")),
        truth=[A, B, C],
        edits=[A],
    )
    taxonomy = metrics_of(document).error_taxonomy
    assert taxonomy.files == {
        "irrelevant_retrieval": [OTHER, "src/z.py"],
        "missed_key_evidence": [C],
        "wrong_evidence_used": ["/tmp/notes.txt"],
        "unused_correct_retrieval": [B],
        "ambiguity_near_miss": ["src/z.py"],
    }
    assert taxonomy.labels == {label: len(files) for label, files in taxonomy.files.items()}
    assert taxonomy.not_applicable == []


def test_a_truth_file_that_was_only_written_is_missed() -> None:
    """D23: never retrieved; a write retrieves nothing."""
    taxonomy = metrics_of(trial(step(Seen("written", A, A)), truth=[A])).error_taxonomy
    assert taxonomy.files["missed_key_evidence"] == [A]


def test_labels_about_writes_do_not_apply_where_no_edit_was_expected() -> None:
    """D23, D58: counted all the same, and named. An empty list says that none is expected."""
    made = metrics_of(trial(READ_A, truth=[A], edits=[]))
    taxonomy, probes = made.error_taxonomy, made.utilization_probes
    assert taxonomy.labels["unused_correct_retrieval"] == 1
    assert taxonomy.not_applicable == ["wrong_evidence_used", "unused_correct_retrieval"]
    assert taxonomy.edit_targets == "none_expected"
    assert probes.expected_edit_probe_reason == "no_edit_expected"
    assert not probes.expected_edit_probe_available


def test_unknown_edit_targets_are_not_the_same_as_none() -> None:
    """D58: the labels compare writes with relevant files, which are known, so they apply."""
    made = metrics_of(trial(READ_A, step(Seen("written", OTHER)), truth=[A]))
    taxonomy, probes = made.error_taxonomy, made.utilization_probes
    assert taxonomy.labels["unused_correct_retrieval"] == 1
    assert taxonomy.labels["wrong_evidence_used"] == 1
    assert (taxonomy.not_applicable, taxonomy.edit_targets) == ([], "unknown")
    assert probes.expected_edit_probe_reason == "no_expected_edit_files"
    known = metrics_of(trial(READ_A, truth=[A], edits=[A])).error_taxonomy
    assert (known.not_applicable, known.edit_targets) == ([], "known")


@pytest.mark.parametrize(
    ("truth", "touched", "repo", "near"),
    [
        ("src/a.py", "src/z.py", None, True),
        ("src/a.py", "src/deep/z.py", None, False),
        ("src/a.py", "z.py", None, False),
        ("setup.py", "z.py", None, True),
        ("src/a.py", "SRC/z.py", None, True),
        ("src/a.py", "README.md", None, False),
        ("kafka::src/a.py", "kafka::src/z.py", "kafka", None),
        ("kafka::src/a.py", "src/z.py", "kafka", None),
        ("src/a.py", "fork::src/z.py", "fork", None),
        ("hyper::hyper/Cargo.toml", "hyper::README.md", "hyper", None),
    ],
)
def test_near_misses_of_an_old_document_share_the_directory(
    truth: str, touched: str, repo: str | None, near: bool | None
) -> None:
    """D23, root included; where names have repositories, text does not tell (D190)."""
    document = trial(step(Seen("read", touched, repo=repo)), truth=[truth])
    labels = metrics_of(document).error_taxonomy.labels
    assert labels.get("ambiguity_near_miss") == (None if near is None else int(near))


@pytest.mark.parametrize(
    ("size", "name"), [(0, "small"), (5, "small"), (6, "medium"), (20, "medium"), (21, "large")]
)
def test_candidate_sets_are_the_retrieved_files(size: int, name: str) -> None:
    """The specification: small up to 5, medium 6 to 20, large over 20; written files are none."""
    files = [Seen("surfaced", f"f{n}.py") for n in range(size)]
    calls = [step(*files, category="file_search"), step(Seen("written", "w.py"))]
    slices = metrics_of(trial(*calls, truth=[A])).error_taxonomy.slices
    assert slices.candidate_set_size == name


def test_one_mcp_call_makes_the_evidence_mcp() -> None:
    """The specification: at least one, whether or not it gave files."""
    slices = metrics_of(trial(step(), step(mcp=True), truth=[A])).error_taxonomy.slices
    assert slices.evidence_type == "mcp"
    assert metrics_of(trial(step(), truth=[A])).error_taxonomy.slices.evidence_type == "local"


def test_slices_need_a_trace_but_no_ground_truth() -> None:
    assert metrics_of(trial(step(Seen("read", A)), truth=())).error_taxonomy.slices is not None
    assert metrics_of(trial(truth=[A], source=None)).error_taxonomy.slices is None


# --- documents without accesses (D12, D22) -------------------------------------------------


def test_a_document_of_version_1_0_is_evaluated_by_category() -> None:
    document = trial(
        step(Seen("surfaced", OTHER), category="file_search", accesses=False),
        step(Seen("read", A, A), category="file_read", accesses=False, seconds=3.0),
        step(Seen("matched", B, B), category="code_search", accesses=False),
        step(Seen("written", A, A), category="file_write", accesses=False),
        truth=[A, B],
        version="1.0",
    )
    metrics = metrics_of(document)
    assert metrics.file_level_metrics.n_retrieved == 3
    assert metrics.file_level_metrics.ttfr_seconds == 3.0
    assert metrics.file_level_metrics_shown.reason == "older_document"
    probes = metrics.utilization_probes
    assert (probes.files_read, probes.files_written) == (1, 1)
    assert probes.util_read_before_write_ratio == 1


def test_a_write_category_alone_retrieves_nothing_in_1_0() -> None:
    write = step(Seen("written", A, A), category="file_write", accesses=False)
    assert metrics_of(trial(write, truth=[A], version="1.0")).file_level_metrics.n_overlap == 0


def test_without_accesses_the_matched_entries_tell_which_target_is_which() -> None:
    """D15 and D17: the entry is spelled otherwise than the target; rank must not be lost."""
    entry = "hyper::hyper/Cargo.toml"
    call = step(
        Seen("surfaced", "hyper::src/lib.rs"),
        Seen("surfaced", "hyper::Cargo.toml", entry),
        accesses=False,
    )
    found = metrics_of(trial(call, truth=[entry], version="1.0")).file_level_metrics
    assert (found.n_retrieved, found.n_overlap, found.mrr) == (2, 1, 0.5)


def test_without_accesses_the_target_that_shares_most_with_the_entry_is_meant() -> None:
    """D12: `main.go` at the top also ends `cmd/main.go`; taken for it, it gave rank 1 for rank 2
    and left the file itself among the irrelevant ones."""
    entry = "etcd::cmd/main.go"
    call = step(
        Seen("surfaced", "main.go"), Seen("surfaced", "server/cmd/main.go", entry), accesses=False
    )
    made = metrics_of(trial(call, truth=[entry], version="1.0"))
    assert (made.file_level_metrics.n_overlap, made.file_level_metrics.mrr) == (1, 0.5)
    assert made.error_taxonomy.files is not None
    assert made.error_taxonomy.files["irrelevant_retrieval"] == ["main.go"]


def test_a_matched_entry_that_no_target_resembles_was_still_touched() -> None:
    call = step(Seen("read", "elsewhere.txt", A), accesses=False)
    found = metrics_of(trial(call, truth=[A], version="1.0")).file_level_metrics
    assert (found.n_retrieved, found.n_overlap) == (2, 1)


def test_spelling_alone_matches_in_1_0_but_not_beside_accesses() -> None:
    """Accesses say which entry a file is; where they are silent it is none."""
    by_spelling = step(Seen("read", "SRC/A.py"), accesses=False)
    assert metrics_of(trial(by_spelling, truth=[A])).file_level_metrics.n_overlap == 1
    stated = step(Seen("read", A))
    assert metrics_of(trial(stated, truth=[A])).file_level_metrics.n_overlap == 0


# --- the document --------------------------------------------------------------------------


def test_counts_are_made_where_the_document_has_none() -> None:
    """D23: over all events, writes too."""
    document = trial(
        step(mcp=True), step(Seen("written", A, A)), step(Seen("read", OTHER)), truth=[A, B]
    )
    assert document.summary is UNSET
    summary = metrics_of(document).event_summary
    assert (summary.total_events, summary.mcp_events, summary.local_events) == (3, 1, 2)
    assert (summary.unique_files_accessed, summary.ground_truth_files_hit) == (2, 1)
    assert (summary.ground_truth_files_total, summary.first_ground_truth_hit_step) == (2, 1)
    assert summary.events_by_category == {"other": 1, "file_write": 1, "file_read": 1}


def test_names_follow_the_public_pipeline() -> None:
    """D24: consumers of its documents can read ours."""
    fields = {
        "file_level_metrics": "computable reason precision recall f1 ndcg mrr map_score file_recall"
        " context_efficiency n_retrieved n_ground_truth n_overlap first_gt_hit_step ttfr_seconds"
        " ttfr_tokens",
        "chunk_level_metrics": "resolution chunk_recall chunks_total chunks_hit validity",
        "utilization_probes": "probe_available reason util_read_overlap_with_relevant_files"
        " util_write_overlap_with_relevant_files_proxy util_write_overlap_with_expected_edit_files"
        " util_read_before_write_ratio expected_edit_probe_available expected_edit_probe_reason"
        " files_read files_read_relevant files_written files_written_relevant"
        " files_written_expected_edit",
        "error_taxonomy": "computable labels files slices not_applicable",
    }
    document = metrics_of(trial(READ_A, truth=[A]))
    top = set(document.__struct_encode_fields__)
    assert top >= {*fields, "schema_version", "generated_at", "provenance", "coverage"}
    assert top >= {"event_summary", "file_level_metrics_shown"}
    for section, names in fields.items():
        assert set(getattr(document, section).__struct_encode_fields__) >= set(names.split())
    assert list(document.file_level_metrics.precision) == ["1", "3", "5", "10"]


def test_metrics_documents_read_back_as_written() -> None:
    document = metrics_of(trial(READ_A, truth=[A, B], edits=[A], chunks=[A]))
    assert decode("retrieval_metrics", encode(document), "x") == document


@pytest.mark.parametrize(
    ("calls", "without", "lookups", "computable"),
    [
        (11, 1, 1, True),  # ten reads and a test run that a timeout stopped
        (6, 4, 4, True),
        (9, 5, 5, False),
        (10, 5, 5, True),
        (12, 8, 4, True),  # reads without an answer are known from their arguments
        (12, 8, 5, False),
        (3, 3, 1, False),  # nothing was answered
        (3, 3, 0, True),
    ],
)
def test_more_than_half_of_the_answers_missing_is_not_computable(
    calls: int, without: int, lookups: int, computable: bool
) -> None:
    """D191: a search without an answer found something unknown, not nothing."""
    document = trial(*(step() for _ in range(calls)), truth=[A])
    coverage = structs.replace(
        document.coverage, lookups=lookups, lookups_unanswered=lookups, calls_unanswered=without
    )
    metrics = metrics_of(structs.replace(document, coverage=coverage))
    reason = None if computable else "answers_missing"
    assert _states(metrics) == [(computable, reason)] * 4
    assert metrics.file_level_metrics.file_recall == (0 if computable else None)


@pytest.mark.parametrize(
    ("calls", "unseen", "computable"), [(5, 5, False), (1, 1, False), (2, 1, True), (11, 5, True)]
)
def test_work_of_subagents_that_nobody_saw_is_not_computable(
    calls: int, unseen: int, computable: bool
) -> None:
    """D191: five `Task` calls and nothing of what they did were three missed files."""
    document = trial(*(step() for _ in range(calls)), truth=[A])
    coverage = structs.replace(document.coverage, subagents_unseen=unseen)
    metrics = metrics_of(structs.replace(document, coverage=coverage))
    assert _states(metrics) == [(computable, None if computable else "subagents_unseen")] * 4
    assert metrics.file_level_metrics.file_recall == (0 if computable else None)


def test_writes_do_not_count_where_the_task_wants_no_edit() -> None:
    """D193: an answer that is written to a file is no relevant file that was edited."""
    written = [step(Seen("read", A, A)), step(Seen("written", "answer.json"))]
    probes = metrics_of(trial(*written, truth=[A], edits=[])).utilization_probes
    assert probes.probe_available and probes.util_read_overlap_with_relevant_files == 1
    assert probes.util_write_overlap_with_relevant_files_proxy is None
    assert probes.util_read_before_write_ratio is None
    unknown = metrics_of(trial(*written, truth=[A])).utilization_probes
    assert unknown.util_write_overlap_with_relevant_files_proxy == 0
    assert unknown.util_read_before_write_ratio == 0
    for name in ("util_write_overlap_with_relevant_files_proxy", "util_read_before_write_ratio"):
        none_expected = metrics_of(trial(*written, truth=[A], edits=[]))
        assert METRICS[name].why_undefined(none_expected) == "no_edit_expected"
