"""Matched comparisons: the requirements, what is dropped, and what the deltas say (D33 to D36)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from groundtrace.errors import UsageError
from groundtrace.impact import ImpactOptions, analyse
from groundtrace.impact.deltas import differences
from groundtrace.impact.matched import choose_pairs
from groundtrace.impact.signflip import MIN_DIFFER
from groundtrace.metrics.catalogue import METRICS, OUTCOMES
from groundtrace.rows.means import difference
from tests.impact.trial_rows import copy_of, row

QUICK = ImpactOptions(draws=200)
BASE, OTHER = "baseline-local", "mcp-remote"


def compared(rows, options=QUICK, scope="run-1"):
    return analyse(rows, options, generated_at="now", scope=scope).matched_comparisons


def first(rows, **options):
    return compared(rows, ImpactOptions(**{"draws": 200, **options}))[0]


def deltas(comparison):
    return {delta.metric: delta for delta in comparison.deltas}


def both(task, base=None, other=None, *, metrics=({}, {}), **shared):
    """A task in both configurations; `base` and `other` set each side's outcome."""
    return [
        row(task, BASE, metrics[0], **{**shared, **(base or {})}),
        row(task, OTHER, metrics[1], **{**shared, **(other or {})}),
    ]


def many(n, base=0.0, other=1.0):
    return [r for i in range(n) for r in both(f"t{i:02}", {"reward": base}, {"reward": other})]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"model": "claude-y"}, "model_differs"),
        ({"model": None}, "model_unknown"),
        ({"harness_version": "2.1.51"}, "harness_version_differs"),
        ({"harness": "openhands"}, "harness_version_differs"),
        ({"harness_version": None}, "harness_version_unknown"),
        ({"harness_version": "unknown"}, "harness_version_unknown"),
        ({"reward": None}, "no_valid_reward"),
        ({"reward": float("nan")}, "no_valid_reward"),
        ({"reward": float("inf")}, "no_valid_reward"),
    ],
)
@pytest.mark.parametrize("side", ["base", "other"])
def test_a_task_that_fails_a_requirement_is_dropped_and_counted(change, reason, side):
    comparison = first(many(3) + both("odd", **{side: change}))
    assert comparison.n_matched_tasks == 3
    assert comparison.dropped == {reason: 1}
    assert [(d.task_name, d.reason) for d in comparison.dropped_tasks] == [("odd", reason)]
    assert "odd" not in {task.task_name for task in comparison.tasks}


def test_a_task_on_one_side_is_dropped_but_stays_in_the_aggregate():
    rows = [*many(3), row("only", OTHER, reward=5.0)]
    document = analyse(rows, QUICK, generated_at="now", scope="run-1")
    assert document.matched_comparisons[0].dropped == {"missing_side": 1}
    (aggregate,) = [a for a in document.config_aggregates if a.config_name == OTHER]
    reward = next(m for m in aggregate.metrics if m.metric == "reward")
    assert (aggregate.n_tasks, reward.n, reward.mean) == (4, 4, 2.0)


def test_matched_and_dropped_are_all_tasks():
    rows = many(4) + both("a", {"model": "x"}) + both("b", {"reward": None})
    rows.append(row("c", BASE))
    comparison = first(rows)
    assert comparison.n_matched_tasks + sum(comparison.dropped.values()) == 7


def test_the_provider_is_no_part_of_the_model():
    comparison = first(many(2) + both("p", {"model": "anthropic/claude-x"}))
    assert comparison.n_matched_tasks == 3


def test_unknown_versions_are_let_in_only_when_asked_and_said():
    rows = many(2) + both("u", {"harness_version": None}) + both("v", harness_version=None)
    rows += both("w", {"harness_version": None, "harness": "openhands"})
    assert first(rows).dropped == {"harness_version_differs": 1, "harness_version_unknown": 2}
    comparison = first(rows, allow_unknown_version=True)
    assert comparison.n_matched_tasks == 4
    assert comparison.n_unknown_version == 2
    assert comparison.dropped == {"harness_version_differs": 1}


def test_below_three_matched_tasks_nothing_is_computed_and_the_reason_says_why():
    comparison = first(many(2) + both("odd", {"model": "claude-y"}))
    assert (comparison.computable, comparison.deltas) == (False, [])
    assert "2 matched tasks" in comparison.reason
    assert "model_differs 1" in comparison.reason
    assert len(comparison.tasks) == 2


@pytest.mark.parametrize(("n", "inferred"), [(3, False), (5, False), (6, True)])
def test_below_six_tasks_there_are_means_and_counts_alone(n, inferred):
    rows = [r for i in range(n) for r in both(f"t{i}", {"reward": 0.0}, {"reward": 1.0 + i})]
    delta = deltas(first(rows))["reward"]
    assert (delta.n, delta.n_better, delta.mean_baseline) == (n, n, 0.0)
    assert delta.mean_delta == pytest.approx(1 + (n - 1) / 2)
    for value in (delta.p, delta.p_adjusted, delta.ci_low, delta.ci_high, delta.effect_size):
        assert (value is not None) == inferred
    assert (delta.inference_reason is None) == inferred


def test_a_comparison_worked_by_hand():
    """Deltas 1, 2, 3, 4, -1, 0: mean 1.5, median 1.5, quartiles 0.25 and 2.75."""
    rows = [
        r
        for i, d in enumerate((1.0, 2.0, 3.0, 4.0, -1.0, 0.0))
        for r in both(f"t{i}", {"reward": 10.0}, {"reward": 10.0 + d})
    ]
    delta = deltas(first(rows))["reward"]
    assert (delta.mean_baseline, delta.mean_config, delta.mean_delta) == (10.0, 11.5, 1.5)
    assert (delta.median_delta, delta.q1, delta.q3) == (1.5, 0.25, 2.75)
    assert (delta.n_better, delta.n_worse, delta.n_same, delta.n) == (4, 1, 1, 6)
    # Of the 32 sign patterns of 1, 2, 3, 4, 1 three reach 9 or more each way.
    assert delta.p == pytest.approx(6 / 32)
    assert delta.p_exact
    assert delta.effect_size == pytest.approx(1.5 / 3.5**0.5, abs=1e-6)


def test_lower_cost_is_better_and_an_unchanged_value_is_neither():
    """D35: the direction is part of the metric."""
    rows = [
        r
        for i in range(4)
        for r in both(f"t{i}", {"cost_usd": 2.0}, {"cost_usd": (1.0, 1.0, 2.0, 3.0)[i]})
    ]
    cost = deltas(first(rows))["cost_usd"]
    assert (cost.direction, cost.n_better, cost.n_worse, cost.n_same) == ("lower", 2, 1, 1)
    assert cost.mean_delta == -0.25


def test_primaries_and_all_other_metrics_are_two_families():
    """D160: 49 kindred retrieval metrics do not drown the four that the comparison is about, and
    copies of one metric cost each other nothing."""
    rows = [
        r
        for i in range(8)
        for r in both(
            f"t{i}",
            {"reward": 0.0, "cost_usd": 1.0},
            {"reward": 1.0 + i if i else -2.0, "cost_usd": 2.0 + i % 3},
            metrics=(
                {"mrr": 0.1, "map": 0.1, "f1@5": 0.1},
                dict.fromkeys(("mrr", "map", "f1@5"), 0.2 + i / 10),
            ),
        )
    ]
    found = deltas(first(rows))
    assert {name for name, d in found.items() if d.table == "primary"} == {
        "reward",
        "cost_usd",
        "shown.file_recall",
        "util_read_overlap_with_relevant_files",
    }
    assert found["cost_usd"].p == 2 / 2**8
    assert (found["mrr"].p, found["mrr"].p_adjusted) == (2 / 2**8, None)
    # Reward and cost are tested together; recall has no pairs and is no test.
    assert found["reward"].p == 6 / 2**8  # as far: none, the -2, and -2 with +2 turned; each way
    for name in ("reward", "cost_usd"):
        assert found[name].p_adjusted == 2 * found[name].p
    chosen = deltas(first(rows, primaries=("mrr",)))
    assert [name for name, d in chosen.items() if d.table == "primary"] == ["mrr"]


def test_an_unknown_primary_names_the_nearest():
    with pytest.raises(UsageError, match=r"shown\.file_recall"):
        first(many(3), primaries=("shown.file_recal",))


def test_noise_of_averaging_is_no_change():
    rows = []
    for i in range(3):
        rows.append(row(f"t{i}", BASE, reward=0.2))
        rows += [
            row(f"t{i}", OTHER, reward=x, trial=f"{i}{x}", key=f"{i}{x}") for x in (0.1, 0.2, 0.3)
        ]
    reward = deltas(first(rows))["reward"]
    assert (reward.n_same, reward.mean_delta) == (3, 0.0)


def test_every_metric_and_outcome_is_compared_once():
    names = [delta.metric for delta in first(many(3)).deltas]
    assert names == [*OUTCOMES, *METRICS]


def test_a_metric_missing_on_one_side_is_left_out_not_zero():
    """D34: n says how many pairs there were."""
    rows = many(2)
    for i in range(3):
        rows += both(f"m{i}", metrics=({"mrr": 0.5}, {"mrr": 0.75}))
    rows += both("half", metrics=({"mrr": 1.0}, {}))
    delta = deltas(first(rows))["mrr"]
    assert (delta.n, delta.mean_baseline, delta.mean_config) == (3, 0.5, 0.75)
    assert delta.left_out == {"missing_in_config": 1, "missing_on_both_sides": 2}


def test_a_metric_with_fewer_than_three_pairs_has_no_mean():
    rows = many(3) + both("m", metrics=({"mrr": 0.5}, {"mrr": 0.75}))
    delta = deltas(first(rows))["mrr"]
    assert (delta.computable, delta.reason, delta.n) == (False, "fewer_than_3_pairs", 1)
    assert delta.mean_delta is None


def test_times_to_the_first_hit_say_how_many_only_one_side_hit():
    """D21: the times are censored, so the tasks that only one side hit are named beside them."""
    hit, miss = {"ttfr_seconds": 5.0, "file_recall": 0.5}, {"file_recall": 0.0}
    rows = [
        r
        for i, sides in enumerate([(hit, hit)] * 3 + [(hit, miss)] * 2 + [(miss, hit)])
        for r in both(f"t{i}", metrics=sides)
    ]
    found = deltas(first(rows))
    assert found["ttfr_seconds"].n == 3
    assert found["ttfr_seconds"].only_baseline_hit == 2
    assert found["ttfr_seconds"].only_config_hit == 1
    assert found["mrr"].only_baseline_hit is None
    document = analyse(rows, QUICK, generated_at="now", scope="run-1")
    aggregate = document.config_aggregates[0]
    ttfr = next(m for m in aggregate.metrics if m.metric == "ttfr_seconds")
    assert (ttfr.n, ttfr.left_out, ttfr.hit_rate) == (
        5,
        {"never_hit": 1},
        pytest.approx(5 / 6, abs=1e-6),
    )


def test_the_hit_rate_of_several_trials_is_their_share_as_in_summaries():
    """D21: a task of which one trial in four hit was counted as a whole hit here and as a quarter
    in the run summary."""
    values = [{"ttfr_seconds": 5.0, "file_recall": 1.0}, *[{"file_recall": 0.0}] * 3]
    rows = [row("t", "mcp", found, trial=f"t__{n}") for n, found in enumerate(values)]
    (aggregate,) = analyse(rows, QUICK, generated_at="now", scope="run-1").config_aggregates
    ttfr = next(m for m in aggregate.metrics if m.metric == "ttfr_seconds")
    assert (ttfr.n, ttfr.mean, ttfr.hit_rate) == (1, 5.0, 0.25)


def test_pairs_form_within_a_run_unless_widened():
    rows = [
        r
        for i in range(3)
        for r in (row(f"t{i}", BASE, run="run-1"), row(f"t{i}", OTHER, run="run-2"))
    ]
    apart = first(rows)
    assert apart.dropped == {"different_runs": 3}
    assert "--pair-across-runs" in apart.reason
    assert first(rows, pair_across_runs=True).n_matched_tasks == 3


def test_runs_of_one_task_are_averaged_so_that_n_counts_tasks():
    rows = many(2)
    rows += both("again", {"reward": 0.0}, {"reward": 1.0}, run="run-1")
    rows += both("again", {"reward": 0.0}, {"reward": 0.0}, run="run-2")
    comparison = first(rows)
    (task,) = [t for t in comparison.tasks if t.task_name == "again"]
    assert comparison.n_matched_tasks == 3
    assert (task.baseline["reward"], task.config["reward"]) == (0.0, 0.5)
    assert task.runs == ["run-1", "run-2"]


def test_a_task_matched_in_one_run_is_not_dropped_for_another():
    rows = [*many(3), row("t00", BASE, run="run-2")]
    assert first(rows).dropped == {}


def test_the_reason_is_of_the_attempt_that_came_furthest():
    rows = [*many(3), *both("x", {"reward": None}), row("x", BASE, run="run-2")]
    assert first(rows).dropped == {"no_valid_reward": 1}


def test_trials_of_a_task_are_averaged_before_anything_else():
    """D32: with all trials written, three tries at one task are still one task."""
    rows = many(2)
    rows.append(row("t", BASE, reward=0.0))
    rows += [row("t", OTHER, reward=x, trial=f"t{x}", key=f"k{x}") for x in (0.0, 1.0, 1.0 / 2)]
    comparison = first(rows)
    (task,) = [t for t in comparison.tasks if t.task_name == "t"]
    assert (task.n_trials_config, task.config["reward"]) == (3, 0.5)
    assert comparison.n_matched_tasks == 3


def test_trials_of_two_models_are_compared_model_by_model():
    """Unequal numbers of trials of a strong and a weak model are no difference of configs."""
    rows = many(2)
    for config, strong, weak in ((BASE, 3, 1), (OTHER, 1, 3)):
        for model, reward, n in (("strong", 1.0, strong), ("weak", 0.0, weak)):
            rows += [
                row("t", config, model=model, reward=reward, trial=f"{model}{i}") for i in range(n)
            ]
    (task,) = [t for t in first(rows).tasks if t.task_name == "t"]
    assert task.baseline["reward"] == task.config["reward"] == 0.5


def test_copies_of_trials_in_two_runs_are_one_pair():
    rows = many(3)
    comparison = first(rows + [copy_of(r) for r in rows])
    assert deltas(comparison) == deltas(first(rows))
    assert {t.n_trials_baseline for t in comparison.tasks} == {1}


def test_a_baseline_copied_into_a_second_run_pairs_there_without_counting_twice():
    rows = [*many(2), row("c", BASE, run="run-1", trial="b", key="b", reward=1.0)]
    rows += [
        row("c", BASE, run="run-2", trial="b", key="b", reward=1.0),
        row("c", OTHER, run="run-2", reward=3.0),
    ]
    comparison = first(rows)
    (task,) = [t for t in comparison.tasks if t.task_name == "c"]
    assert (task.n_trials_baseline, task.config["reward"]) == (1, 3.0)


def test_one_trial_filed_under_two_configs_is_not_compared_with_itself():
    rows = [*many(3), row("s", BASE, key="same"), row("s", OTHER, key="same")]
    assert first(rows).dropped == {"same_trial": 1}


def test_by_suite_as_well():
    rows = [r for i in range(4) for r in both(f"a{i}", benchmark="suite_a")]
    rows += [r for i in range(2) for r in both(f"b{i}", benchmark="suite_b")]
    rows.append(row("c", BASE, benchmark="suite_c"))  # the other never ran this suite
    found = compared(rows)
    assert [(c.suite, c.n_matched_tasks, c.computable) for c in found] == [
        (None, 6, True),
        ("suite_a", 4, True),
        ("suite_b", 2, False),
    ]
    assert found[0].dropped == {"missing_side": 1}
    assert found[1].tasks is None
    assert {t.benchmark for t in found[0].tasks} == {"suite_a", "suite_b"}


def test_one_name_in_two_suites_is_two_tasks():
    rows = many(3) + both("t00", benchmark="suite_b")
    assert first(rows).n_matched_tasks == 4


def test_a_suite_unknown_on_one_side_does_not_part_a_pair():
    rows = [*many(2), row("n", BASE, benchmark=None), row("n", OTHER)]
    assert first(rows).n_matched_tasks == 3


@pytest.mark.parametrize(
    ("configs", "options", "expected"),
    [
        (["mcp", "baseline"], {}, [("baseline", "mcp")]),
        (["mcp", "Baseline-X", "zoo"], {}, [("Baseline-X", "mcp"), ("Baseline-X", "zoo")]),
        (
            ["baseline", "baseline2", "mcp"],
            {"baseline": "baseline"},
            [("baseline", "baseline2"), ("baseline", "mcp")],
        ),
        (["baseline-a", "baseline-b", "mcp"], {}, [("baseline-a", "mcp"), ("baseline-b", "mcp")]),
        (["baseline-a", "baseline-b"], {}, [("baseline-a", "baseline-b")]),
        (["b", "a"], {}, [("a", "b")]),
        (["a", "b", "c"], {}, []),
        (["a", "b"], {"baseline": "x*"}, []),
        ([], {}, []),
        (["baseline"], {}, []),
        (["a", "b", "c"], {"baseline": "c", "against": "a"}, [("c", "a")]),
        (["a", "b"], {"baseline": "a", "against": "z"}, [("a", "z")]),
        (["a", "b"], {"baseline": "a", "against": "a"}, []),
    ],
)
def test_the_baseline_is_chosen_by_name_or_pattern(configs, options, expected):
    assert choose_pairs(configs, ImpactOptions(**options)) == expected


def test_a_named_config_that_is_absent_is_said():
    comparison = first(many(3), baseline=BASE, against="nothing")
    assert not comparison.computable
    assert "'nothing'" in comparison.reason


def test_without_a_baseline_the_document_says_so():
    rows = [row("t", name) for name in "abc"]
    document = analyse(rows, QUICK, generated_at="now", scope="run-1")
    assert document.matched_comparisons == []
    assert "'baseline*'" in document.matched_reason
    assert "a, b, c" in document.matched_reason


def test_all_ties_are_a_result_without_an_interval():
    reward = deltas(first(many(8, 1.0, 1.0)))["reward"]
    assert (reward.mean_delta, reward.n_same, reward.p) == (0.0, 8, 1.0)
    assert (reward.ci_low, reward.effect_size) == (None, None)
    assert reward.inference_reason == "no_task_differs"


def test_equal_deltas_have_a_p_but_no_spread():
    reward = deltas(first(many(8)))["reward"]
    assert reward.p == pytest.approx(2 / 2**8, abs=1e-6)
    assert (reward.ci_low, reward.effect_size) == (pytest.approx(0.025 ** (1 / 8)), None)


def test_one_outlier_moves_the_mean_not_the_median_and_is_not_significant():
    rows = [r for i in range(9) for r in both(f"t{i}", {"cost_usd": 1.0}, {"cost_usd": 1.01})]
    rows += both("wild", {"cost_usd": 1.0}, {"cost_usd": 1000.0})
    cost = deltas(first(rows))["cost_usd"]
    assert cost.median_delta == pytest.approx(0.01)
    assert cost.mean_delta > 99
    assert cost.effect_size < 0.4


def test_values_too_large_to_add_give_no_infinity():
    rows = [
        r for i in range(7) for r in both(f"t{i}", {"cost_usd": -1.7e308}, {"cost_usd": 1.7e308})
    ]
    cost = deltas(first(rows))["cost_usd"]
    assert (cost.computable, cost.mean_delta, cost.reason) == (False, None, "not_finite")


@st.composite
def paired(draw):
    n = draw(st.integers(6, 12))
    value = st.integers(-20, 20).map(lambda v: v / 4)
    return draw(st.lists(st.tuples(value, value), min_size=n, max_size=n))


def reward_delta(pairs, base=BASE, other=OTHER):
    rows = [
        r
        for i, (b, c) in enumerate(pairs)
        for r in (row(f"t{i:02}", BASE, reward=b), row(f"t{i:02}", OTHER, reward=c))
    ]
    return deltas(first(rows, baseline=base, against=other))["reward"]


@settings(max_examples=25, deadline=None)
@given(paired())
def test_swapping_the_configs_flips_the_signs(pairs):
    ours, swapped = reward_delta(pairs), reward_delta(pairs, OTHER, BASE)
    for name in ("mean_delta", "median_delta", "effect_size"):
        a, b = getattr(ours, name), getattr(swapped, name)
        assert a == (None if b is None else pytest.approx(-b, abs=2e-6))
    assert (ours.p, ours.n_better, ours.n_worse) == (swapped.p, swapped.n_worse, swapped.n_better)
    if ours.ci_low is not None:
        assert (ours.ci_low, ours.ci_high) == pytest.approx(
            (-swapped.ci_high, -swapped.ci_low), abs=1e-5
        )


@settings(max_examples=25, deadline=None)
@given(paired(), st.integers(-8, 8))
@example([(0.0, 0.0)] * 5 + [(0.0, 0.25)], 1)
def test_a_constant_shift_of_one_side_shifts_the_delta(pairs, shift):
    ours = reward_delta(pairs)
    moved = reward_delta([(b, c + shift) for b, c in pairs])
    # An interval needs tasks that differ, and a shift can make tasks differ or stop differing.
    enough = [sum(b != c + by for b, c in pairs) >= MIN_DIFFER for by in (0, shift)]
    for delta, has_enough in zip((ours, moved), enough, strict=True):
        assert has_enough or (delta.ci_low, delta.ci_high) == (None, None)
    names = ["mean_delta", "median_delta", "q1", "q3"]
    spread = len({c - b for b, c in pairs}) > 1 and None not in (ours.ci_low, moved.ci_low)
    for name in names + ["ci_low", "ci_high"] * (all(enough) and spread):
        a, b = getattr(ours, name), getattr(moved, name)
        assert b == (None if a is None else pytest.approx(a + shift, abs=1e-5))
    both_shifted = reward_delta([(b + shift, c + shift) for b, c in pairs])
    assert both_shifted.p == ours.p
    assert both_shifted.mean_delta == ours.mean_delta


@given(
    st.lists(st.tuples(*[st.floats(-1e300, 1e300) | st.sampled_from([0.1, 0.3, 0.1 + 0.2])] * 2))
)
def test_differences_of_arrays_follow_the_rule_of_one_difference(pairs):
    """D40: one rule says when two means are the same."""
    left, right = (np.array([pair[i] for pair in pairs], dtype=np.float64) for i in (0, 1))
    assert differences(left, right).tolist() == [difference(b, c) for b, c in pairs]
