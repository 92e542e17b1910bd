"""Numbers under published names: the rules of their authors, by hand and by small programs that were
written only from the description of each rule."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, structs

from groundtrace.documents.events import Chunk, EventsDocument, Ranking, StatedContext
from groundtrace.documents.patches import PublishedMetrics
from groundtrace.metrics.catalogue import METRICS
from groundtrace.rows.make import row_from
from groundtrace.rows.summarise import summarise
from groundtrace.truth.patches import read_patch
from tests.metrics.builders import NOW, Seen, metrics_of, step, trial
from tests.metrics.test_patches import NEW, A, B, C, document, patch_of, published_of

# --- SWE-PolyBench: names before the patch ---------------------------------------------------

CHANGED = "diff --git a/x.py b/x.py\nindex 1a2b3c4..5d6e7f8 100644\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n"
CREATED = "diff --git a/n.py b/n.py\nnew file mode 100644\n{index}--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+b\n"
INDEX = "index 0000000..5d6e7f8\n"


@pytest.mark.parametrize(
    ("patch", "names"),
    [
        (CHANGED, ("x.py",)),
        (CREATED.format(index=INDEX), ("/dev/null",)),
        (CREATED.format(index=""), ("n.py",)),
        (CREATED.format(index=INDEX) + CREATED.format(index=INDEX).replace("n.py", "m.py"), ("/dev/null",)),
        ("diff --git a/i.png b/i.png\nnew file mode 100644\nindex 0000000000..63ecf6a312\nBinary files /dev/null and b/i.png differ\n", ("/dev/null",)),
        ("diff --git a/e.py b/e.py\nnew file mode 100644\nindex 0000000000..e69de29bb2\n", ("e.py",)),
        ("diff --git a/e.py b/e.py\nnew file mode 100644\nindex 0000000..e69de29\n", ("/dev/null",)),
        ("diff --git a/o.py b/p.py\nsimilarity index 90%\nrename from o.py\nrename to p.py\nindex 1a2b3c4..5d6e7f8 100644\n--- a/o.py\n+++ b/p.py\n@@ -1 +1 @@\n-a\n+b\n", ("o.py",)),
        (CHANGED.replace("+++ b/x.py", "+++ /dev/null"), ("x.py",)),
        ("--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+b\n", ("/dev/null",)),
        ("# No patch generated\n", ()),
    ],
    ids=["changed", "created", "created, no index line", "two created", "binary", "empty file", "empty file, short index", "renamed", "deleted", "plain", "no patch"],
)  # fmt: skip
def test_names_before_the_patch(patch: str, names: tuple[str, ...]) -> None:
    """D232; each row is what the parser that SWE-PolyBench uses gives as the old path."""
    assert read_patch(patch).old_names == names


def test_created_files_are_one_file_for_polybench_and_many_for_us() -> None:
    made = document(("read", A), gold=[A], patch=[A, NEW, "src/more.py"], new=[NEW, "src/more.py"])
    theirs, ours = published_of(made), patch_of(made)
    assert theirs.polybench_file_precision == pytest.approx(1 / 2)
    assert theirs.polybench_file_f1 == pytest.approx(2 / 3)
    assert ours.precision == pytest.approx(1 / 3)


# --- where the patch is from -----------------------------------------------------------------


def test_what_calls_wrote_is_never_a_patch_under_a_published_name() -> None:
    made = document(("read", A), ("written", A), ("written", B))
    assert (patch_of(made).source, patch_of(made).recall) == ("writes", 1.0)
    found = published_of(made)
    assert (found.source, found.polybench_file_recall, found.correct_location) == (None, None, None)
    assert found.undefined["polybench_file_recall"] == "no_patch"


@pytest.mark.parametrize(
    ("source", "said"), [("trace: info.submission", "trace"), ("preds.json", "predictions")]
)
def test_the_source_is_said_beside_the_number(source: str, said: str) -> None:
    assert published_of(document(("read", A), patch=[A], source=source)).source == said


def test_edit_files_without_a_gold_patch_are_no_gold_patch() -> None:
    made = document(("read", A), patch=[A])
    listed = structs.replace(made, ground_truth=structs.replace(made.ground_truth, old_names=UNSET))
    assert patch_of(listed).recall == 0.5
    assert published_of(listed).undefined["correct_location"] == "no_gold_patch"


# --- LocAgent ---------------------------------------------------------------------------------


def ranked(
    files: Sequence[str], gold: Sequence[str], relevant: Sequence[str] = ()
) -> EventsDocument:
    made = document(gold=gold, relevant=relevant or gold)
    coverage = structs.replace(made.coverage, trace_source=None)
    return structs.replace(made, coverage=coverage, ranking=Ranking(files=list(files)))


def test_the_gold_list_is_cut_at_k() -> None:
    """Two gold files, one of them first: LocAgent's Acc@1 is 1, ours is 0."""
    made = ranked([A, C, B], gold=[A, B])
    assert (published_of(made).locagent_file_acc_at_1, patch_of(made).acc_at_1) == (1.0, 0.0)
    assert (published_of(made).locagent_file_acc_at_3, patch_of(made).acc_at_3) == (1.0, 1.0)


def test_a_file_that_a_ranked_list_names_twice_counts_once() -> None:
    """A list of another program: its recall was 2."""
    twice, once = (
        metrics_of(ranked(files, gold=[A, B])) for files in ([A, A.upper(), C, A], [A, C])
    )
    assert twice.file_level_metrics == once.file_level_metrics
    assert twice.published_metrics == once.published_metrics


def test_a_ranked_list_has_the_metrics_of_a_ranking_and_nothing_that_needs_calls() -> None:
    """D234: the one list that is computed without a trace."""
    metrics = metrics_of(ranked([C, A, "lib/x.py", B], gold=[A, B]))
    files = metrics.file_level_metrics
    assert (metrics.basis, files.basis, files.computable) == ("ranking", "ranking", True)
    assert (files.mrr, files.map_score, files.file_recall) == (0.5, (1 / 2 + 2 / 4) / 2, 1.0)
    assert (files.precision or {})["3"] == pytest.approx(1 / 3)
    assert (files.first_gt_hit_step, files.ttfr_seconds) == (None, None)
    assert METRICS["ttfr_seconds"].why_undefined(metrics) == "no_trace"
    assert not metrics.file_level_metrics_shown.computable
    computed = {name for name, one in METRICS.items() if one.getter(metrics) is not None}
    assert {METRICS[name].section for name in computed} == {
        "file_level_metrics",
        "patch_metrics",
        "published_metrics",
    }
    assert row_from(metrics).hit is True


def test_a_ranked_list_without_a_hit_is_a_miss_and_not_unknown() -> None:
    metrics = metrics_of(ranked([C], gold=[A]))
    assert (metrics.file_level_metrics.mrr, row_from(metrics).hit) == (0.0, False)


# --- edited lines ------------------------------------------------------------------------------

Lines = tuple[str, int, int]
ranges = st.lists(
    st.tuples(st.sampled_from([A, B]), st.integers(1, 9), st.integers(0, 4)).map(
        lambda made: (made[0], made[1], made[1] + made[2])
    ),
    max_size=4,
)


def _chunks(made: Sequence[Lines]) -> list[Chunk]:
    return [Chunk(file=file, line_start=first, line_end=last) for file, first, last in made]


def _lines(made: Sequence[Lines]) -> set[tuple[str, int]]:
    return {(file, line) for file, first, last in made for line in range(first, last + 1)}


@given(ranges, ranges)
def test_edited_lines_against_sets_of_lines(gold: list[Lines], patch: list[Lines]) -> None:
    made = document(("read", A), patch=[A, B])
    assert made.submission is not UNSET
    made = structs.replace(
        made,
        ground_truth=structs.replace(made.ground_truth, edit_chunks=_chunks(gold) or UNSET),
        submission=structs.replace(made.submission, edit_chunks=_chunks(patch) or UNSET),
    )
    found = published_of(made)
    wanted, edited = _lines(gold), _lines(patch)
    if not wanted:
        assert found.undefined["correct_location_line"] == "only_new_files"
        return
    assert found.correct_location_line == float(edited >= wanted)
    assert found.contextbench_editloc_recall == pytest.approx(len(edited & wanted) / len(wanted))
    if edited:
        assert found.contextbench_editloc_precision == pytest.approx(
            len(edited & wanted) / len(edited)
        )
    else:
        assert found.undefined["contextbench_editloc_precision"] == "nothing_submitted"


# --- the final context -------------------------------------------------------------------------


def final(task: str, gold: Sequence[Lines], named: Sequence[Lines]) -> EventsDocument:
    files = list(dict.fromkeys(file for file, _, _ in gold))
    made = trial(step(Seen("read", A, A if A in files else None)), truth=files, version="1.2")
    stated = [StatedContext(file=file, line_start=a, line_end=b) for file, a, b in named]
    return structs.replace(
        made,
        provenance=structs.replace(made.provenance, task_name=task, trial_name=task),
        ground_truth=structs.replace(made.ground_truth, chunks=_chunks(gold)),
        final_context=stated or UNSET,
    )


TASKS = (
    final("one", [(A, 1, 10)], [(A, 6, 25)]),  # 5 of 10 gold lines, 5 of 20 named lines
    final("two", [(A, 1, 2), (B, 1, 88)], [(A, 1, 1), (C, 1, 4)]),  # 1 of 90, 1 of 5
    final("three", [(A, 1, 3)], []),  # names nothing
)


def section(made: EventsDocument) -> PublishedMetrics:
    found = metrics_of(made).published_metrics
    assert found is not UNSET
    return found


def test_the_final_context_by_hand() -> None:
    one, two, three = map(section, TASKS)
    assert (one.contextbench_final_file_recall, one.contextbench_final_line_recall) == (1.0, 0.5)
    assert one.contextbench_final_line_precision == 0.25
    assert (two.contextbench_final_file_recall, two.contextbench_final_file_precision) == (0.5, 0.5)
    assert (two.contextbench_final_block_recall, two.contextbench_final_block_precision) == (
        0.5,
        0.5,
    )
    assert three.undefined["contextbench_final_line_recall"] == "no_final_context"
    assert one.parts["contextbench_final_line_recall"].part == 5


def test_micro_sums_over_tasks_and_macro_means_them() -> None:
    """As ContextBench averages; the trial without a declaration is left out of both, and counted."""
    rows = [row_from(metrics_of(made)) for made in TASKS]
    group = summarise(rows, scope="all", generated_at=NOW).overall
    recall = group.more_metrics["contextbench_final_line_recall"]
    assert recall.mean == pytest.approx((5 / 10 + 1 / 90) / 2)
    assert recall.micro == pytest.approx((5 + 1) / (10 + 90))
    assert (recall.n, recall.left_out) == (2, {"no_final_context": 1})
    precision = group.more_metrics["contextbench_final_line_precision"]
    assert precision.micro == pytest.approx((5 + 1) / (20 + 5))
    assert group.more_metrics["polybench_file_recall"].micro is UNSET


def test_usage_drop_is_below_0_if_the_agent_names_gold_that_no_call_showed() -> None:
    made = final("x", [(A, 1, 2), (B, 1, 2)], [(A, 1, 2), (B, 1, 2)])
    found = section(made)
    assert found.contextbench_file_usage_drop == 1 - 2 / 1
