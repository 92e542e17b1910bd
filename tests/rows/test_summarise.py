"""The run summary: every number with its n and what was left out (D19, D21, D32)."""

from __future__ import annotations

import math
import random
import statistics
from array import array

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, UnsetType, structs

from groundtrace.documents.base import MAX_INT
from groundtrace.documents.codec import decode, encode
from groundtrace.documents.outcomes import SkippedFolder
from groundtrace.documents.summary import Distribution, RunSummaryDocument
from groundtrace.impact.answer_look_at import elsewhere_in
from groundtrace.metrics.catalogue import METRICS, SPECIFIED
from groundtrace.rows.make import row_from
from groundtrace.rows.means import quantile
from groundtrace.rows.summarise import summarise
from groundtrace.rows.trial_row import TrialRow
from groundtrace.rows.value_columns import ValueTable, distribution
from tests.documents.builders import outcome, outcomes
from tests.metrics.builders import NOW, Seen, metrics_of, step, trial
from tests.rows.builders import A, B, row, task


def summary(*rows: TrialRow, **options) -> RunSummaryDocument:
    made = summarise(rows, scope="run", generated_at=NOW, **options)
    assert decode("run_retrieval_summary", encode(made), "x") == made
    return made


# --- statistics ----------------------------------------------------------------------------


VALUES = st.none() | st.sampled_from([0.0, -0.0, 1.0, 1e308, -1e308, math.inf]) | st.floats()


def test_statistics_worked_by_hand() -> None:
    """1, 2, 3, 10: mean 4, median 2.5; quartiles between the closest ranks, at 0.75 and 2.25."""
    made = distribution([10.0, 1.0, 3.0, 2.0], {})
    assert (made.n, made.mean, made.median) == (4, 4.0, 2.5)
    assert (made.q1, made.q3) == (1.75, 4.75)
    assert made.sd == pytest.approx(math.sqrt((9 + 4 + 1 + 36) / 3), rel=1e-12)
    assert (made.minimum, made.maximum) == (1.0, 10.0)


def test_a_single_value_is_its_own_mean_and_quartiles() -> None:
    made = distribution([2 / 3], {"no_ground_truth": 2})
    assert (made.n, made.sd, made.left_out) == (1, None, {"no_ground_truth": 2})
    values = (made.mean, made.median, made.q1, made.q3, made.minimum, made.maximum)
    assert values == (2 / 3,) * 6


def test_groups_of_the_same_rows_have_the_same_statistics() -> None:
    made = summary(task("a", A), task("b", A, B))
    assert made.by_config["baseline"] == made.overall
    apart = summary(task("a", A), task("b", A, B, config_name="mcp"))
    assert apart.by_config["baseline"].trials == apart.by_config["mcp"].trials == 1
    assert apart.by_config["baseline"] != apart.by_config["mcp"]


def test_totals_of_claimed_counts_stay_within_the_schema() -> None:
    """Documents that others wrote may claim any counts up to the schema's greatest."""
    rows = []
    for name in "ab":
        honest = task(name, A)
        claimed = structs.replace(honest.summary, events_by_category={"file_read": MAX_INT})
        rows.append(msgspec.structs.replace(honest, summary=claimed, accesses={"x": MAX_INT}))
    made = summary(*rows)
    assert made.overall.events_by_category == {"file_read": MAX_INT}
    assert made.overall.accesses == {"x": MAX_INT}


def test_statistics_of_few_values() -> None:
    """Nothing has no mean, and one value has no spread."""
    nothing = distribution([], {"no_trace": 2})
    assert nothing == Distribution(n=0, left_out={"no_trace": 2})
    assert nothing.mean is None
    one = distribution([0.5], {})
    assert (one.mean, one.median, one.q1, one.q3, one.sd) == (0.5, 0.5, 0.5, 0.5, None)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40))
def test_statistics_agree_with_the_standard_library(values: list[float]) -> None:
    ordered = sorted(values)
    expected = statistics.quantiles(ordered, n=4, method="inclusive")
    for share, value in zip((0.25, 0.5, 0.75), expected, strict=True):
        assert quantile(ordered, share) == pytest.approx(value, abs=1e-6)
    made = distribution(values, {})
    assert made.mean == pytest.approx(statistics.fmean(values), rel=1e-9, abs=1e-9)
    assert made.sd == pytest.approx(statistics.stdev(values), rel=1e-9, abs=1e-9)


# --- what counts ---------------------------------------------------------------------------


@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=4), st.integers(1, 3))
def test_few_rows_have_the_statistics_of_their_columns(
    pairs: list[tuple[float | None, float | None]], rows: int
) -> None:
    """Tables of one or two rows are read by row; larger ones by column. Both give one result."""
    names = [f"m{n}" for n in range(len(pairs))]
    table = ValueTable({name: place for place, name in enumerate(names)})
    for place in range(rows):
        table.add([pair[place % 2] for pair in pairs], names, lambda name: f"no_{name}")
    table.finish()
    places = array("q", range(rows))
    found = table.statistics(places, None)
    for name, pair in zip(names, pairs, strict=True):
        values = [pair[place % 2] for place in range(rows)]
        known = [value for value in values if value is not None and math.isfinite(value)]
        infinite = sum(value is not None and not math.isfinite(value) for value in values)
        missing = {f"no_{name}": values.count(None), "not_finite": infinite}
        expected = distribution(known, {why: n for why, n in missing.items() if n})
        assert repr(found[name]) == repr(table[name].distribution(places, None)) == repr(expected)


def test_columns_that_are_alike_share_statistics_until_one_of_them_changes() -> None:
    names = ["one", "same", "minus zero"]
    table = ValueTable({name: place for place, name in enumerate(names)})
    for value, other in ((0.0, -0.0), (0.5, 0.5)):
        table.add([value, value, other], names, str)
    table.finish()
    rows = array("q", range(2))
    found = table.statistics(rows, None)
    assert found["one"] is found["same"]
    assert repr(found["minus zero"].minimum) == "-0.0" != repr(found["one"].minimum)
    table.drop("same", 1, "clock_differs")
    changed = table.statistics(rows, None)
    assert (changed["one"].n, changed["same"].n) == (2, 1)
    assert changed["same"].left_out == {"clock_differs": 1}
    assert table.statistics(array("q", [1]), None)["same"].left_out == {"clock_differs": 1}


def test_means_are_over_computable_tasks_and_say_what_was_left_out() -> None:
    """D19: three tasks have a recall, two have none, each for its own reason."""
    made = summary(
        task("both", A, B),
        task("one", A),
        task("none"),
        task("no-truth", A, truth=()),
        task("no-trace", source=None),
    ).overall
    assert (made.trials, made.tasks, made.computable) == (5, 5, 3)
    assert made.left_out == {"no_ground_truth": 1, "no_trace": 1}
    recall = made.metrics["file_recall"]
    assert (recall.n, recall.mean, recall.median) == (3, 0.5, 0.5)
    assert recall.left_out == {"no_ground_truth": 1, "no_trace": 1}
    assert {*made.metrics, *made.more_metrics} == set(METRICS)
    assert len(made.metrics) + len(made.more_metrics) == len(METRICS)
    assert {METRICS[name].section for name in made.metrics} == SPECIFIED


def test_every_metric_accounts_for_every_task() -> None:
    """n and what was left out always add up to the tasks."""
    made = summary(
        task("a", A, seconds=1.0), task("b"), task("c", truth=()), task("d", source=None)
    )
    groups = [made.overall, *made.by_config.values(), *made.by_evidence_type.values()]
    for group in groups:
        for table in (group.metrics, group.more_metrics, group.outcomes, group.volume):
            for name, values in table.items():
                assert values.n + sum(values.left_out.values()) == group.tasks, name


def test_ttfr_stands_beside_the_hit_rate() -> None:
    """D21: it is censored; the tasks that never hit are counted, not averaged."""
    made = summary(
        task("fast", A, seconds=10.0),
        task("slow", A, seconds=30.0),
        task("untimed", A),
        task("never"),
        task("unknown", truth=()),
    ).overall
    hit = made.first_hit
    assert (hit.n, hit.n_hit, hit.n_never_hit, hit.hit_rate) == (4, 3, 1, 0.75)
    assert (hit.ttfr_seconds.n, hit.ttfr_seconds.mean) == (2, 20.0)
    assert hit.ttfr_seconds.left_out == {"never_hit": 1, "no_ground_truth": 1, "no_time": 1}
    assert (hit.ttfr_tokens.n, hit.ttfr_tokens.mean) == (3, 100.0)
    assert made.metrics["ttfr_seconds"] == hit.ttfr_seconds


def test_hits_of_shown_files_are_their_own() -> None:
    """D18: a listing that names a relevant file is a hit of one list and not of the other."""
    listed = row(trial(step(Seen("surfaced", A, A)), truth=[A]))
    made = summary(listed).overall
    assert (made.first_hit.hit_rate, made.first_hit_shown.hit_rate) == (1.0, 0.0)


def test_a_summary_of_nothing_invents_nothing() -> None:
    made = summary()
    assert (made.overall.trials, made.runs, made.by_config) == (0, [], {})
    assert made.overall.first_hit.hit_rate is None
    assert {made.overall.value(name).mean for name in METRICS} == {None}
    assert made.trials_found is None


def test_groups() -> None:
    made = summary(
        task("a", A, B, config_name="baseline", benchmark="fix", model="haiku"),
        task("b", A, config_name="mcp", benchmark="fix", model=None),
        task("c", config_name="mcp", benchmark=None, model="haiku"),
        task("d", config_name="mcp", source=None, model="haiku"),
    )
    means = {name: g.metrics["file_recall"].mean for name, g in made.by_config.items()}
    assert means == {"baseline": 1.0, "mcp": 0.25}
    assert {name: g.trials for name, g in made.by_suite.items()} == {
        "fix": 2,
        "suite": 1,
        "unknown": 1,
    }
    assert {name: g.trials for name, g in made.by_model.items()} == {"haiku": 3, "unknown": 1}
    assert {name: g.trials for name, g in made.by_candidate_set_size.items()} == {"small": 3}
    assert {name: g.trials for name, g in made.by_evidence_type.items()} == {"local": 3}


def test_several_trials_of_a_task_are_averaged_first() -> None:
    """D32: three good trials of one task and one bad task give 0.5, not 0.75."""
    rows = [task("often", A, B, trial_name=f"often__{n}") for n in range(3)]
    made = summary(*rows, task("once")).overall
    assert (made.trials, made.tasks) == (4, 2)
    recall = made.metrics["file_recall"]
    assert (recall.n, recall.mean) == (2, 0.5)
    assert (made.first_hit.n, made.first_hit.n_hit, made.first_hit.hit_rate) == (2, 1, 0.5)


def test_a_task_with_one_computable_trial_is_not_left_out() -> None:
    """Its other trial without a trace neither counts as zero nor hides it."""
    made = summary(
        task("t", A, trial_name="t__1", source="transcript"),
        task("t", trial_name="t__2", source=None),
        task("u", source=None),
    ).overall
    recall = made.metrics["file_recall"]
    assert (recall.n, recall.mean, recall.left_out) == (1, 0.5, {"no_trace": 1})
    assert made.left_out == {"no_trace": 2}


def test_a_task_counts_once_in_each_configuration_whatever_the_runs() -> None:
    """D42: the unit is the task within its configuration; its trials in both runs are averaged."""
    made = summary(
        task("t", A, run_id="r1"),
        task("t", A, B, run_id="r2"),
        task("u", run_id="r2"),
        task("t", A, run_id="r2", config_name="mcp"),
    )
    assert (made.overall.trials, made.overall.tasks, made.runs) == (4, 3, ["r1", "r2"])
    recall = made.by_config["baseline"].metrics["file_recall"]
    assert (recall.n, recall.mean) == (2, (0.75 + 0) / 2)


def test_copies_in_several_runs_count_once() -> None:
    """D41: the copy is named, with the run that was counted."""
    first = task("t", A, run_id="r1", outcome=outcome(run_id="r1", trial_key="same"))
    copy = task("t", A, run_id="r2", outcome=outcome(run_id="r2", trial_key="same"))
    other = task("t", run_id="r2", outcome=outcome(run_id="r2", trial_key="own"))
    made = summary(first, copy, other)
    assert (made.overall.trials, made.overall.metrics["file_recall"].mean) == (2, 0.25)
    assert [(d.run_id, d.counted_in) for d in made.duplicated] == [("r2", "r1")]


def test_a_copy_inside_its_own_run_counts_once_too() -> None:
    """D41, with `--trials all`: a trial that lies in two batches of a run would weigh twice in
    its task's mean, and the summary would contradict the comparisons."""
    found = [task("t", A, B, outcome=outcome(trial_key="same")) for _ in range(2)]
    other = task("t", trial_name="t__2", outcome=outcome(trial_key="own"))
    made = summary(*found, other)
    assert (made.overall.trials, made.overall.metrics["file_recall"].mean) == (2, 0.5)
    assert [(d.run_id, d.counted_in) for d in made.duplicated] == [("run", "run")]


def test_trials_of_one_name_without_outcomes_are_no_copies() -> None:
    """Nothing but a record of the trial can tell that two documents are one trial."""
    made = summary(task("t", A), task("t", A))
    assert (made.overall.trials, made.duplicated) == (2, [])


# --- the other tables ----------------------------------------------------------------------


def test_volume_outcomes_and_accesses() -> None:
    good = task("a", A, B, outcome=outcome(reward=1.0, cost_usd=0.2))
    poor = task("b", outcome=outcome(reward=None, cost_usd=0.4, trial_key="b"))
    made = summary(good, poor, task("c")).overall
    assert (made.volume["total_events"].n, made.volume["total_events"].mean) == (3, 5 / 3)
    assert made.volume["files_read"].maximum == 3
    assert made.outcomes["reward"].left_out == {"no_outcome": 1, "not_recorded": 1}
    assert made.outcomes["reward"].n == 1
    assert made.outcomes["cost_usd"].mean == pytest.approx(0.3, rel=1e-12)
    assert made.events_by_category == {"file_read": 5}
    assert made.accesses == {"file_read/read": 5}


def test_taxonomy_counts_labels_only_where_they_apply() -> None:
    """D23: where no edit was expected, files are counted apart."""
    fix = task("fix", A, B, edits=[A])
    look = task("look", A, edits=[])
    made = summary(fix, look, task("dark", source=None)).overall.taxonomy
    unused = made["unused_correct_retrieval"]
    assert (unused.n, unused.n_with, unused.files) == (1, 1, 2)
    assert (unused.not_applicable, unused.files_not_applicable) == (1, 1)
    assert (unused.edit_targets_unknown, unused.files_edit_targets_unknown) == (0, 0)
    assert (unused.per_task.n, unused.per_task.mean) == (1, 2.0)
    assert unused.per_task.left_out == {"no_edit_expected": 1, "no_trace": 1}
    missed = made["missed_key_evidence"]
    assert (missed.n, missed.n_with, missed.files, missed.per_task.mean) == (2, 1, 1, 0.5)


def test_labels_count_where_edit_targets_are_unknown() -> None:
    """D58: they are defined there; how many such trials and files there are is said beside."""
    made = summary(task("fix", A, B, edits=[A]), task("open", A)).overall.taxonomy
    unused = made["unused_correct_retrieval"]
    assert (unused.n, unused.n_with, unused.files, unused.not_applicable) == (2, 2, 3, 0)
    assert (unused.edit_targets_unknown, unused.files_edit_targets_unknown) == (1, 1)
    assert (unused.per_task.n, unused.per_task.mean) == (2, 1.5)
    assert made["missed_key_evidence"].edit_targets_unknown == 0


def test_slices_and_coverage() -> None:
    many = [f"f{n}.py" for n in range(6)]
    made = summary(task("a", *many), task("b", A), task("c", source=None, truth=())).overall
    assert made.slices.candidate_set_size == {"small": 1, "medium": 1, "large": 0}
    assert made.slices.evidence_type == {"local": 2, "mcp": 0}
    assert made.slices.none == 1
    coverage = made.coverage
    assert coverage.trace_sources == {"none": 1, "transcript": 2}
    assert (coverage.has_transcript, coverage.has_trajectory, coverage.degraded) == (2, 0, 1)
    assert (coverage.has_ground_truth, coverage.has_chunk_ground_truth) == (2, 0)
    assert coverage.ground_truth_sources == {"none": 1, "tests/ground_truth.json": 2}
    assert coverage.ground_truth_confidences == {"high": 2, "none": 1}


def test_problems_and_unknown_tools_are_summed() -> None:
    document = trial(step(tool="Odd"), step(tool="Odd"), step(tool="Read"), truth=[A])
    coverage = structs.replace(document.coverage, problems={"broken_json": 2})
    lossy = row(structs.replace(document, coverage=coverage), is_known=lambda name: name == "Read")
    found = outcomes(problems={"no_result": 1})
    made = summary(lossy, outcomes=[found], problems={"broken_json": 1, "unknown_version": 1})
    assert made.unknown_tools == {"Odd": 2}
    assert made.problems == {"broken_json": 3, "no_result": 1, "unknown_version": 1}


def test_superseded_failed_and_skipped_are_named() -> None:
    """D32: the others are counted and named."""
    found = outcomes(
        outcome(),
        outcome(trial_name="task__0", state="superseded", state_reason="earlier", document=None),
        outcome(trial_name="task__9", state="failed", state_reason="boom", document=None),
        skipped=[SkippedFolder(path="archived", reason="matches archived*")],
    )
    made = summary(task("task", A), outcomes=[found])
    assert made.trials_found == 3
    assert [(t.trial_name, t.reason) for t in made.superseded] == [("task__0", "earlier")]
    assert [(t.trial_name, t.reason) for t in made.failed] == [("task__9", "boom")]
    assert [(s.run_id, s.path) for s in made.skipped] == [("run", "archived")]


def test_the_order_of_rows_changes_no_number() -> None:
    rows = [task(f"t{n}", *([A, B][: n % 3]), seconds=float(n)) for n in range(12)]
    shuffled = random.Random(3).sample(rows, len(rows))
    assert summary(*rows) == summary(*shuffled)


def test_a_value_that_is_not_a_number_is_left_out() -> None:
    """JSON can smuggle Infinity in; no mean may become it."""
    made = summary(task("a", outcome=outcome(reward=float("inf"))))
    assert made.overall.outcomes["reward"].left_out == {"not_finite": 1}


def test_a_task_is_left_out_for_the_reason_that_most_of_its_trials_give() -> None:
    """And not for that of the trial that happens to be read first."""
    rows = [
        task("t", trial_name="t__1", source=None),
        task("t", A, trial_name="t__2", truth=()),
        task("t", A, trial_name="t__3", truth=()),
    ]
    for order in (rows, rows[::-1]):
        assert summary(*order).overall.metrics["file_recall"].left_out == {"no_ground_truth": 1}


def test_times_by_another_clock_stay_in_the_row_of_their_configuration() -> None:
    """D121: side by side only one clock counts; alone a configuration keeps its own, marked."""
    made = summary(*(clocked(config, n) for config in ("baseline", "mcp", "other") for n in (1, 2)))
    own = made.by_config["other"].first_hit
    assert (own.ttfr_seconds.n, own.ttfr_seconds.mean, own.clock) == (2, 1.5, "first_timestamp")
    assert made.by_config["other"].metrics["ttfr_seconds"] == own.ttfr_seconds
    overall = made.overall.first_hit
    assert (overall.ttfr_seconds.n, overall.clock) == (4, "agent_execution")
    assert overall.ttfr_seconds.left_out == {"clock_differs": 2}
    alone = summary(*(clocked("other", n) for n in (1, 2)))
    assert alone.overall.first_hit.clock is UNSET


def clocked(config: str, n: int) -> TrialRow:
    """A hit after n seconds; only `other` counts from the first time of the trace."""
    document = trial(
        step(Seen("read", A, A), seconds=float(n)),
        truth=[A],
        task_name=f"task{n}",
        trial_name=f"{config}{n}",
        config_name=config,
    )
    origin = "first_timestamp" if config == "other" else "agent_execution"
    coverage = msgspec.structs.replace(document.coverage, elapsed_origin=origin)
    return row_from(metrics_of(msgspec.structs.replace(document, coverage=coverage)))


def test_trials_whose_files_lie_elsewhere_are_counted_and_said() -> None:
    """D182."""

    def elsewhere(name: str, files: int | UnsetType) -> TrialRow:
        made = task(name)
        return structs.replace(
            made, coverage=structs.replace(made.coverage, unmatched_suffixes=files)
        )

    rows = [elsewhere("b", 2), elsewhere("a", 1), elsewhere("c", 0), elsewhere("d", UNSET)]
    two, one = elsewhere_in(["b", "a"]), elsewhere_in(["a"])
    assert two is not None and two.tasks == ["a", "b"]
    assert two.text == "2 trials accessed files that end like relevant files but lie elsewhere"
    assert one is not None and one.tasks == ["a"]
    assert one.text == "1 trial accessed files that end like relevant files but lie elsewhere"
    assert elsewhere_in([]) is None
    made = summary(*rows)
    assert made.overall.coverage.unmatched_suffixes == 2
