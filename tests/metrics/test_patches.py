"""The patch compared with the gold patch, published definitions and the funnel (D94, D95, D96).

First computed by hand; then compared, over trials that hypothesis makes, with small implementations
that were written only from the words of each definition.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, json, structs

from groundtrace.documents.events import Chunk, EventsDocument, StatedContext, Submission
from groundtrace.documents.metrics import MetricsDocument
from groundtrace.documents.patches import FunnelMetrics, PatchMetrics, PublishedMetrics
from groundtrace.metrics.catalogue import METRICS
from tests.metrics.builders import Seen, metrics_of, step, trial

A, B, C, NEW = "src/a.py", "src/b.py", "src/c.py", "src/new.py"
TEST = "tests/test_a.py"


def document(
    *calls: tuple[str, str],
    gold: Sequence[str] | None = (A, B),
    relevant: Sequence[str] = (A, B),
    patch: Sequence[str] | None = None,
    new: Sequence[str] = (),
    tests: Sequence[str] | None = (TEST,),
    source: str = "trace: info.submission",
    changed: Sequence[str] = (),
) -> EventsDocument:
    """A trial of calls `(kind, file)`, with a patch or without one."""
    made = trial(
        *(step(Seen(kind, file, file if file in relevant else None)) for kind, file in calls),
        truth=relevant,
        edits=gold,
        version="1.2",
    )
    chunks = [Chunk(file=f, line_start=1, line_end=1, annotation=None) for f in changed]
    truth = structs.replace(
        made.ground_truth,
        test_files=UNSET if tests is None else list(tests),
        edit_chunks=chunks or UNSET,
        old_names=UNSET if gold is None else list(gold),
    )
    marked = [
        structs.replace(
            event,
            accesses=[
                structs.replace(access, expected_edit_file=access.file)
                if access.file in (gold or ())
                else access
                for access in event.accesses or ()
            ],
        )
        for event in made.events
    ]
    made = structs.replace(made, ground_truth=truth, events=marked)
    if patch is None:
        return made
    created = list(new) or UNSET
    olds = dict.fromkeys("/dev/null" if file in new else file for file in patch)
    handed_in = Submission(
        files=list(patch), new_files=created, source=source, old_names=list(olds)
    )
    return structs.replace(made, submission=handed_in)


def patch_of(made: EventsDocument) -> PatchMetrics:
    section = metrics_of(made).patch_metrics
    assert section is not UNSET
    return section


def published_of(made: EventsDocument) -> PublishedMetrics:
    section = metrics_of(made).published_metrics
    assert section is not UNSET
    return section


def funnel_of(made: EventsDocument) -> FunnelMetrics:
    section = metrics_of(made).funnel
    assert section is not UNSET
    return section


# --- the patch, worked by hand --------------------------------------------------------------


def test_one_right_file_one_wrong_one_and_a_test() -> None:
    """The test file is told apart: it lowers no precision and is counted by itself."""
    found = patch_of(document(("read", A), ("read", B), patch=[A, C, TEST]))
    assert (found.source, found.recall, found.precision, found.f1) == ("trace", 0.5, 0.5, 0.5)
    assert (found.test_files_touched, found.test_files) == (1, [TEST])
    assert (found.seen_not_edited, found.seen_not_edited_files) == (1, [B])
    assert (found.edited_unseen, found.edited_unseen_files) == (1, [C])
    assert (found.files_gold, found.files_submitted, found.files_right) == (2, 2, 1)


def test_a_file_that_the_patch_creates_could_not_be_seen() -> None:
    found = patch_of(document(("read", A), patch=[A, NEW], new=[NEW]))
    assert found.edited_unseen == 0
    assert found.precision == 0.5


def test_a_test_file_that_the_gold_patch_edits_is_gold() -> None:
    found = patch_of(document(("read", TEST), gold=[TEST], relevant=[TEST], patch=[TEST]))
    assert (found.recall, found.precision, found.test_files_touched) == (1.0, 1.0, 0)


def test_an_empty_patch_is_no_missing_patch() -> None:
    """Nothing was handed in: recall is 0, and precision has nothing to be a share of."""
    found = patch_of(document(("read", A), ("written", A), patch=[]))
    assert (found.recall, found.precision, found.f1) == (0.0, None, 0.0)
    assert found.undefined == {"patch_precision": "nothing_submitted"}
    assert found.source == "trace"


def test_a_predictions_file_says_so() -> None:
    found = patch_of(document(("read", A), patch=[A, B], source="trajs/preds.json"))
    assert (found.source, found.recall) == ("predictions", 1.0)


def test_writes_stand_in_for_a_patch_that_is_not_known() -> None:
    """A scratch file outside of the repository can be in no patch; one inside counts."""
    made = document(
        ("read", A), ("written", A), ("written", "/tmp/try.py"), ("written", "repro.py")
    )
    found = patch_of(made)
    assert (found.source, found.recall, found.precision) == ("writes", 0.5, 0.5)
    assert found.edited_unseen is None
    assert found.undefined["edited_unseen"] == "new_files_unknown"


def test_no_patch_and_no_write_is_not_an_empty_patch() -> None:
    found = patch_of(document(("read", A), gold=[A]))
    assert (found.recall, found.f1, found.seen_not_edited) == (None, None, None)
    assert found.undefined["patch_recall"] == "nothing_written"
    assert (found.files_submitted, found.seen_not_edited_files) == (None, [])


def test_what_was_seen_counts_also_where_nothing_was_edited() -> None:
    """Runs that ended early wrote nothing: a mean of acc@k without them would be too good."""
    assert patch_of(document(("read", A), gold=[A])).acc_at_1 == 1.0
    assert patch_of(document(("read", C), gold=[A])).acc_at_5 == 0.0


@pytest.mark.parametrize(
    ("gold", "reason"), [(None, "no_expected_edit_files"), ((), "no_edit_expected")]
)
def test_without_a_gold_patch_there_is_nothing_to_compare(gold: Any, reason: str) -> None:
    made = document(("read", A), gold=gold, patch=[A])
    assert patch_of(made).reason == reason
    assert published_of(made).undefined["correct_location"] == reason


def test_a_task_without_test_files_has_no_number_of_them() -> None:
    found = patch_of(document(("read", A), patch=[A], tests=None))
    assert found.test_files_touched is None
    assert found.undefined == {"test_files_touched": "no_test_files"}


def test_a_patch_without_a_trace_tells_files_but_not_what_was_seen() -> None:
    made = structs.replace(document(patch=[A]), events=[])
    found = patch_of(made)
    assert (found.recall, found.precision) == (0.5, 1.0)
    assert (found.seen_not_edited, found.acc_at_1) == (None, None)
    assert found.undefined["acc@1"] == "empty_trace"


def test_acc_asks_for_all_gold_files_among_the_first_shown() -> None:
    """A name that a listing shows is no sight of the file."""
    made = document(("surfaced", B), ("read", A), ("matched", C), ("read", B), patch=[])
    found = patch_of(made)
    assert (found.acc_at_1, found.acc_at_3, found.acc_at_5) == (0.0, 1.0, 1.0)


def test_acc_leaves_out_what_the_gold_patch_creates() -> None:
    """The gold patch changes lines of A alone; NEW is in no list of files that were there."""
    calls = ("read", A)
    assert patch_of(document(calls, gold=[A, NEW], relevant=[A], patch=[], changed=[A])).acc_at_1
    only_new = patch_of(document(calls, gold=[NEW], relevant=[], patch=[NEW], new=[NEW]))
    assert (only_new.recall, only_new.acc_at_1) == (1.0, None)
    assert only_new.undefined["acc@3"] == "only_new_files"


def test_case_does_not_make_two_files() -> None:
    found = patch_of(document(("read", A), gold=["SRC/A.py"], relevant=[A], patch=["src/A.PY"]))
    assert (found.recall, found.precision) == (1.0, 1.0)


def test_documents_hold_the_names_of_published_tables() -> None:
    """`acc@1` is no name of a Python field, but it is the one that readers look for."""
    made = json.decode(json.encode(metrics_of(document(("read", A), patch=[A]))))
    assert {"acc@1", "acc@3", "acc@5", "recall", "precision", "f1"} <= made["patch_metrics"].keys()
    assert not [name for name in made["patch_metrics"] if name.startswith("acc_at")]


def test_a_document_of_version_1_0_has_none_of_it() -> None:
    made = trial(step(Seen("read", A, A), accesses=False), truth=[A], edits=[A], version="1.0")
    assert patch_of(made).reason == "older_document"
    assert funnel_of(made).reason == "older_document"
    assert set(published_of(made).undefined.values()) <= {
        "older_document",
        "no_chunk_ground_truth",
        "no_repository",
        "no_gold_patch",
        "no_final_context",
    }


# --- published definitions ------------------------------------------------------------------


def test_published_and_own_numbers_differ_where_definitions_do() -> None:
    made = document(("read", A), patch=[A, B, TEST])
    own, theirs = patch_of(made), published_of(made)
    assert (own.precision, theirs.polybench_file_precision) == (1.0, pytest.approx(2 / 3))
    assert theirs.correct_location == 1.0
    empty = document(("read", A), patch=[])
    assert (patch_of(empty).precision, published_of(empty).polybench_file_precision) == (None, 0.0)


def test_the_mean_of_f1_is_not_the_f1_of_means() -> None:
    """Two tasks: one patch right, one wrong with many files."""
    tasks = [
        document(("read", A), gold=[A, B, C, NEW], patch=[A]),
        document(("read", A), gold=[A], patch=[A, B, C, NEW]),
    ]
    found = [published_of(task) for task in tasks]
    recall = sum(one.polybench_file_recall or 0 for one in found) / 2
    precision = sum(one.polybench_file_precision or 0 for one in found) / 2
    mean_of_f1 = sum(one.polybench_file_f1 or 0 for one in found) / 2
    assert (recall, precision, mean_of_f1) == (0.625, 0.625, 0.4)
    assert 2 * recall * precision / (recall + precision) == 0.625


def test_usage_drop_needs_a_stated_context() -> None:
    made = document(("read", A), ("read", B), patch=[A])
    assert published_of(made).undefined["contextbench_file_usage_drop"] == "no_final_context"
    stated = [StatedContext(file=A, line_start=1, line_end=5)]
    found = published_of(structs.replace(made, final_context=stated))
    assert found.contextbench_file_usage_drop == 0.5
    unseen = structs.replace(document(("read", C), patch=[A]), final_context=stated)
    assert published_of(unseen).undefined["contextbench_file_usage_drop"] == "never_hit"


# --- the funnel -----------------------------------------------------------------------------


def test_every_relevant_file_stops_at_one_stage() -> None:
    made = document(
        ("surfaced", A),
        ("surfaced", B),
        ("read", B),
        ("matched", C),
        relevant=[A, B, C, NEW],
        patch=[C],
    )
    found = funnel_of(made)
    assert found.files == {A: "met", B: "shown", C: "edited", NEW: "never_met"}
    assert {found.funnel_never_met, found.funnel_met, found.funnel_shown, found.funnel_edited} == {
        0.25
    }


def test_edited_without_being_met_is_edited() -> None:
    assert funnel_of(document(("read", A), patch=[A, B])).funnel_edited == 1.0


# --- against small implementations, from the words of each definition ------------------------

FILES = [A, B, C, "lib/d.py", "lib/e.py", TEST]
names = st.lists(st.sampled_from(FILES), unique=True, max_size=5)
calls = st.lists(
    st.tuples(st.sampled_from(["read", "matched", "surfaced", "written"]), st.sampled_from(FILES)),
    min_size=1,
    max_size=9,
)


@given(calls, names.filter(bool), names, names.filter(bool))
def test_against_small_implementations(
    made_calls: list[tuple[str, str]], gold: list[str], patch: list[str], relevant: list[str]
) -> None:
    metrics = metrics_of(document(*made_calls, gold=gold, relevant=relevant, patch=patch))
    values = {name: metric.getter(metrics) for name, metric in METRICS.items()}
    tests = {TEST} - set(gold)
    expected = {
        **_localisation(gold, patch),
        **_acc_at(gold, made_calls),
        **_context_files(relevant, made_calls),
        **_own(gold, [file for file in patch if file not in tests], made_calls),
        "test_files_touched": len(tests & set(patch)),
    }
    for name, value in expected.items():
        assert values[name] == (None if value is None else pytest.approx(value)), name
    _check_funnel(metrics, relevant, patch, made_calls)


def _localisation(gold: list[str], patch: list[str]) -> dict[str, float]:
    """Agentless, and file scores as a metrics library computes them from two sets of labels. No
    file is new here, so names before and after the patch are the same."""
    labels = sorted({*gold, *patch})
    true = [label in gold for label in labels]
    predicted = [label in patch for label in labels]
    hits = sum(a and b for a, b in zip(true, predicted, strict=True))
    recall = hits / sum(true)
    precision = hits / sum(predicted) if any(predicted) else 0.0
    both = recall + precision
    return {
        "correct_location": float(set(patch) >= set(gold)),
        "polybench_file_recall": recall,
        "polybench_file_precision": precision,
        "polybench_file_f1": 2 * recall * precision / both if both else 0.0,
    }


def _sights(made_calls: list[tuple[str, str]]) -> list[str]:
    return [file for kind, file in made_calls if kind in ("read", "matched")]


def _acc_at(gold: list[str], made_calls: list[tuple[str, str]]) -> dict[str, float]:
    ranked = list(dict.fromkeys(_sights(made_calls)))
    ours = {f"acc@{k}": float(all(file in ranked[:k] for file in gold)) for k in (1, 3, 5)}
    return {**ours, **{f"locagent_file_acc@{k}": _locagent(gold, ranked, k) for k in (1, 3, 5)}}


def _locagent(gold: list[str], ranked: list[str], k: int) -> float:
    """LocAgent's own evaluation: a row of ones and zeros for the list, one for the ideal list (all
    gold files first), both cut at k; the number of ones must be the same."""
    width = 20
    found = ([int(file in gold) for file in ranked] + [0] * width)[:width][:k]
    ideal = ([1] * len(gold) + [0] * width)[:width][:k]
    return float(sum(found) == sum(ideal))


def _context_files(
    relevant: list[str], made_calls: list[tuple[str, str]]
) -> dict[str, float | None]:
    explored: set[str] = set()
    repeated = views = 0
    for file in _sights(made_calls):
        repeated += file in explored
        views += 1
        explored.add(file)
    found = explored & set(relevant)
    so_far = [
        len({file for kind, file in made_calls[:end] if kind in ("read", "matched")} & {*relevant})
        for end in range(1, len(made_calls) + 1)
        if made_calls[end - 1][0] in ("read", "matched")
    ]
    return {
        "contextbench_file_auc": sum(so_far) / len(relevant) / len(so_far) if so_far else None,
        "contextbench_file_coverage": len(found) / len(relevant),
        "contextbench_file_precision": len(found) / len(explored) if explored else None,
        "contextbench_file_redundancy": repeated / views if views else None,
    }


def _own(
    gold: list[str], patch: list[str], made_calls: list[tuple[str, str]]
) -> dict[str, float | None]:
    shown = set(_sights(made_calls))
    right = [file for file in patch if file in gold]
    return {
        "patch_recall": len(right) / len(gold),
        "patch_precision": len(right) / len(patch) if patch else None,
        "seen_not_edited": len([f for f in gold if f in shown and f not in patch]),
        "edited_unseen": len([f for f in patch if f not in shown]),
    }


def _check_funnel(
    metrics: MetricsDocument,
    relevant: list[str],
    patch: list[str],
    made_calls: list[tuple[str, str]],
) -> None:
    stages = [
        set(relevant),
        {file for kind, file in made_calls if kind != "written"},
        set(_sights(made_calls)),
        set(patch),
    ]
    section = metrics.funnel
    assert section is not UNSET
    for file, stage in section.files.items():
        furthest = max(number for number, reached in enumerate(stages) if file in reached)
        assert stage == ("never_met", "met", "shown", "edited")[furthest]
    shares = [
        METRICS[f"funnel_{s}"].getter(metrics) for s in ("never_met", "met", "shown", "edited")
    ]
    assert sum(share or 0.0 for share in shares) == pytest.approx(1)


Lines = tuple[str, int, int]
ranges = st.tuples(st.sampled_from([A, B]), st.integers(1, 12), st.integers(0, 6)).map(
    lambda made: (made[0], made[1], made[1] + made[2])
)


@given(
    st.lists(ranges, min_size=1, max_size=6),
    st.lists(ranges, min_size=1, max_size=4),
    st.lists(ranges, min_size=1, max_size=4),
)
def test_lines_against_sets_counted_one_by_one(
    shown: list[Lines], gold: list[Lines], stated: list[Lines]
) -> None:
    made = trial(*(step(Seen("read", f, f)) for f, _, _ in shown), truth=[A, B], version="1.2")
    events = [
        structs.replace(
            event,
            accesses=[
                structs.replace(access, line_start=first, line_end=last)
                for access in event.accesses or ()
            ],
        )
        for event, (_, first, last) in zip(made.events, shown, strict=True)
    ]
    chunks = [Chunk(file=f, line_start=a, line_end=b, annotation=None) for f, a, b in gold]
    made = structs.replace(
        made,
        events=events,
        ground_truth=structs.replace(made.ground_truth, chunks=chunks),
        final_context=[StatedContext(file=f, line_start=a, line_end=b) for f, a, b in stated],
    )
    found = published_of(made)
    explored: set[tuple[str, int]] = set()
    repeated = views = 0
    for one in shown:
        lines = _lines([one])
        repeated += len(lines & explored)
        views += len(lines)
        explored |= lines
    wanted = _lines(gold)
    seen = wanted & explored
    assert found.contextbench_line_coverage == pytest.approx(len(seen) / len(wanted))
    assert found.contextbench_line_precision == pytest.approx(len(seen) / len(explored))
    assert found.contextbench_line_redundancy == pytest.approx(repeated / views)
    named = _lines(stated)
    drop = 1 - len(named & wanted) / len(seen) if seen else None
    assert found.contextbench_line_usage_drop == (None if drop is None else pytest.approx(drop))
    assert found.contextbench_final_line_recall == pytest.approx(len(named & wanted) / len(wanted))
    assert found.contextbench_final_line_precision == pytest.approx(
        len(named & wanted) / len(named)
    )
    blocks, ranges_named = set(gold), set(stated)
    assert found.contextbench_final_block_recall == pytest.approx(
        sum(bool(_lines([one]) & named) for one in blocks) / len(blocks)
    )
    assert found.contextbench_final_block_precision == pytest.approx(
        sum(bool(_lines([one]) & wanted) for one in ranges_named) / len(ranges_named)
    )
    so_far = [len(wanted & _lines(shown[:end])) for end in range(1, len(shown) + 1)]
    assert found.contextbench_line_auc == pytest.approx(sum(so_far) / len(wanted) / len(shown))


def _lines(made: list[Lines]) -> set[tuple[str, int]]:
    return {(file, line) for file, first, last in made for line in range(first, last + 1)}


@given(calls, names.filter(bool))
def test_acc_never_falls_with_k(made_calls: list[tuple[str, str]], gold: list[str]) -> None:
    found = patch_of(document(*made_calls, gold=gold, relevant=gold, patch=[]))
    values = [found.acc_at_1 or 0, found.acc_at_3 or 0, found.acc_at_5 or 0]
    assert all(less <= more for less, more in pairwise(values))
