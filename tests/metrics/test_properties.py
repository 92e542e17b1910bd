"""Properties that hold for every document, whatever the agent did."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from groundtrace.documents.codec import decode, encode
from groundtrace.documents.events import EventsDocument
from groundtrace.metrics.catalogue import METRICS
from tests.metrics.builders import Seen, metrics_of, step, trial

FILES = [f"{folder}/{name}.py" for folder in ("src", "lib") for name in "abcdef"] + ["setup.py"]
TRUTH = st.lists(st.sampled_from(FILES), unique=True, min_size=1, max_size=5)
KINDS = st.sampled_from(["read", "matched", "surfaced", "written"])


@st.composite
def documents(draw: st.DrawFn, accesses: bool | None = None) -> EventsDocument:
    """Documents with ground truth and at least one call, with or without accesses."""
    truth = draw(TRUTH)
    with_accesses = draw(st.booleans()) if accesses is None else accesses
    calls = draw(
        st.lists(
            st.lists(st.tuples(KINDS, st.sampled_from(FILES)), max_size=5), min_size=1, max_size=8
        )
    )
    steps = [
        step(
            *(Seen(kind, file, file if file in truth else None) for kind, file in call),
            seconds=draw(st.none() | st.floats(0, 1000)),
            tokens=draw(st.none() | st.integers(0, 10**6)),
            accesses=with_accesses,
        )
        for call in calls
    ]
    edits = draw(st.none() | st.lists(st.sampled_from(FILES), max_size=3))
    return trial(*steps, truth=truth, edits=edits)


def _scores(document: EventsDocument) -> dict[str, Any]:
    metrics = metrics_of(document)
    return {name: info.getter(metrics) for name, info in METRICS.items()}


@given(documents())
def test_every_value_lies_in_its_declared_range(document: EventsDocument) -> None:
    for name, value in _scores(document).items():
        if value is not None:
            upper = METRICS[name].upper
            assert 0 <= value <= (upper if upper is not None else float("inf"))


@given(documents())
def test_labels_add_up(document: EventsDocument) -> None:
    """Retrieved files are relevant or not, ground-truth files retrieved or missed."""
    metrics = metrics_of(document)
    found, taxonomy = metrics.file_level_metrics, metrics.error_taxonomy
    assert taxonomy.labels["irrelevant_retrieval"] == found.n_retrieved - found.n_overlap
    assert taxonomy.labels["missed_key_evidence"] == found.n_ground_truth - found.n_overlap
    assert taxonomy.labels.get("unused_correct_retrieval", 0) <= found.n_overlap
    irrelevant = set(taxonomy.files["irrelevant_retrieval"])
    assert set(taxonomy.files.get("ambiguity_near_miss", ())) <= irrelevant
    shown = metrics.file_level_metrics_shown
    if shown.computable:
        assert (shown.n_retrieved, shown.n_overlap) <= (found.n_retrieved, found.n_overlap)
    else:
        assert (shown.reason, metrics.basis) == ("older_document", "categories")


@given(documents())
def test_metrics_equal_those_of_the_document_read_back(document: EventsDocument) -> None:
    again = decode("retrieval_events", encode(document), "x")
    assert metrics_of(again) == metrics_of(document)


@given(documents(accesses=True), st.sampled_from(FILES))
def test_a_write_adds_nothing_to_retrieved_files(document: EventsDocument, file: str) -> None:
    """D18: the file-level metrics stay as they are, byte for byte."""
    truth = document.ground_truth.files
    more = _with_call(document, step(Seen("written", file, file if file in truth else None)))
    before, after = metrics_of(document), metrics_of(more)
    assert after.file_level_metrics == before.file_level_metrics
    assert after.file_level_metrics_shown == before.file_level_metrics_shown


@given(documents(accesses=True), st.sampled_from(FILES))
def test_a_file_of_a_wrong_repository_is_irrelevant(document: EventsDocument, file: str) -> None:
    """D16: it adds to the retrieved files and to nothing else."""
    more = _with_call(document, step(Seen("read", f"fork::{file}", repo="fork")))
    before, after = metrics_of(document), metrics_of(more)
    assert after.file_level_metrics.n_overlap == before.file_level_metrics.n_overlap
    assert after.file_level_metrics.n_retrieved == before.file_level_metrics.n_retrieved + 1
    assert after.file_level_metrics.recall == before.file_level_metrics.recall
    assert "ambiguity_near_miss" not in after.error_taxonomy.labels  # text does not tell (D190)


@given(documents(accesses=True))
def test_one_more_relevant_file_never_lowers_recall(document: EventsDocument) -> None:
    for entry in document.ground_truth.files:
        before = metrics_of(document).file_level_metrics
        after = metrics_of(
            _with_call(document, step(Seen("read", entry, entry)))
        ).file_level_metrics
        assert after.file_recall >= before.file_recall
        assert all(after.recall[k] >= before.recall[k] for k in before.recall)


@given(st.lists(st.sampled_from(FILES), unique=True), TRUTH, st.integers(0, 2**32))
def test_the_order_of_irrelevant_files_after_the_last_hit_changes_no_metric(
    files: list[str], truth: list[str], seed: int
) -> None:
    hits = [file for file in files if file in truth]
    tail = [file for file in files if file not in truth]
    shuffled = random.Random(seed).sample(tail, len(tail))
    assert _scores(_reads([*hits, *tail], truth)) == _scores(_reads([*hits, *shuffled], truth))


def _reads(files: list[str], truth: list[str]) -> EventsDocument:
    calls = [step(Seen("read", file, file if file in truth else None)) for file in files]
    return trial(*(calls or [step()]), truth=truth)


def _with_call(document: EventsDocument, call: dict[str, Any]) -> EventsDocument:
    """The document with one more call at its end."""
    last = trial(call, truth=document.ground_truth.files).events[0]
    position = len(document.events)
    return structs.replace(
        document, events=[*document.events, structs.replace(last, step_index=position)]
    )
