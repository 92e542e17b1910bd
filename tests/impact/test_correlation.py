"""Correlations by scope, and when they are refused (D36)."""

from __future__ import annotations

import random

import pytest
from scipy import stats

from groundtrace.impact import ImpactOptions, analyse
from tests.impact.trial_rows import copy_of, row

QUICK = ImpactOptions(draws=200)


def correlations(rows, options=QUICK):
    """Entries by (scope, config, metric, outcome)."""
    found = analyse(rows, options, generated_at="now", scope="run-1").correlation_analysis
    return found, {
        (c.scope, c.config_name, c.retrieval_metric, c.outcome): c for c in found.correlations
    }


def recall_rows(values, config="mcp", outcome="reward", **more):
    return [
        row(f"task-{i:02}", config, {"file_recall": x}, **{outcome: y}, **more)
        for i, (x, y) in enumerate(values)
    ]


def test_every_metric_meets_every_outcome_in_every_scope():
    rows = recall_rows([(0.1, 1)], "a") + recall_rows([(0.1, 1)], "b")
    _, found = correlations(rows)
    assert len(found) == 4 * 9 * 4
    assert {(scope, config) for scope, config, _, _ in found} == {
        ("overall", None),
        ("config", "a"),
        ("config", "b"),
        ("within_config", None),
    }


def test_overall_is_spearman_of_the_means_of_each_task():
    random.seed(4)
    table = [[random.random() for _ in range(4)] for _ in range(12)]
    rows = [
        made
        for i, (x1, y1, x2, y2) in enumerate(table)
        for made in (
            row(f"t{i}", "a", {"mrr": x1}, reward=y1),
            row(f"t{i}", "b", {"mrr": x2}, reward=y2),
        )
    ]
    entry = correlations(rows)[1]["overall", None, "mrr", "reward"]
    expected = stats.spearmanr(
        [(x1 + x2) / 2 for x1, _, x2, _ in table], [(y1 + y2) / 2 for _, y1, _, y2 in table]
    ).statistic
    assert entry.spearman_r == pytest.approx(expected, abs=1e-6)
    assert entry.n == 12


def test_trials_of_a_task_and_config_count_as_one_before_configs_are_averaged():
    """Three trials in one configuration do not outweigh one in the other."""
    rows = [row(f"t{i}", "b", {"mrr": 0.1 * i}, reward=i) for i in range(6)]
    rows += [
        row("t0", "a", {"mrr": 1.0}, reward=9, trial=f"again-{i}", key=f"k{i}") for i in range(3)
    ]
    entry = correlations(rows)[1]["overall", None, "mrr", "reward"]
    means = [(0.0 + 1.0) / 2, *(0.1 * i for i in range(1, 6))]
    rewards = [(0 + 9) / 2, *range(1, 6)]
    assert entry.spearman_r == pytest.approx(stats.spearmanr(means, rewards).statistic, abs=1e-6)


def test_within_config_sees_what_pooling_hides():
    """Simpson's paradox: the configuration that costs more also finds more.

    Trials pooled over both would say that finding more costs more; inside each it costs less.
    """
    rows = recall_rows([(0.1 + i / 100, 1.0 - i / 10) for i in range(9)], "a", "cost_usd")
    rows += recall_rows([(0.8 + i / 100, 9.0 - i / 10) for i in range(9)], "b", "cost_usd")
    _, found = correlations(rows)
    assert found["within_config", None, "file_recall", "cost_usd"].spearman_r == -1
    assert found["config", "a", "file_recall", "cost_usd"].spearman_r == -1


def test_within_config_with_one_config_is_that_config():
    random.seed(2)
    rows = recall_rows([(random.random(), random.random()) for _ in range(11)])
    _, found = correlations(rows)
    entries = [
        found[scope, config, "file_recall", "reward"]
        for scope, config in (("overall", None), ("config", "mcp"), ("within_config", None))
    ]
    assert len({(e.spearman_r, e.p, e.ci_low, e.ci_high, e.n) for e in entries}) == 1


def test_a_task_in_many_configs_is_one_piece_of_evidence():
    """Ten configurations that repeat the same six tasks say no more than one of them."""
    random.seed(7)
    values = [(random.random(), random.random()) for _ in range(6)]
    rows = [made for c in range(10) for made in recall_rows(values, f"config-{c}")]
    _, found = correlations(rows)
    within = found["within_config", None, "file_recall", "reward"]
    alone = found["config", "config-0", "file_recall", "reward"]
    assert within.n == 6
    assert within.p == alone.p
    assert (within.ci_low, within.ci_high) == pytest.approx((alone.ci_low, alone.ci_high), rel=1e-9)


def test_below_five_pairs_there_is_no_coefficient():
    analysis, found = correlations(recall_rows([(i / 4, i) for i in range(4)]))
    entry = found["overall", None, "file_recall", "reward"]
    assert (entry.computable, entry.spearman_r, entry.n) == (False, None, 4)
    assert entry.reason == "fewer_than_5_pairs"
    assert not analysis.computable
    assert "fewer_than_5_pairs" in analysis.reason


def test_the_reason_for_no_coefficient_says_what_is_there():
    """One task with both values is not none: it has no rank, which is another reason."""
    alone, _ = correlations(recall_rows([(0.5, 1)]))
    assert alone.reason.startswith("1 task has both a retrieval metric and an outcome")
    assert "fewer_than_5_pairs" in alone.reason
    twice, _ = correlations(recall_rows([(0.5, 1)], "a") + recall_rows([(0.7, 0)], "b"))
    assert twice.reason.startswith("1 task has both")
    apart = [row("t0", "a", {"file_recall": 1.0}, reward=None), row("t1", "a", {}, reward=1.0)]
    assert correlations(apart)[0].reason == "no task has both a retrieval metric and an outcome"


def test_five_pairs_give_a_coefficient_without_p_or_interval():
    entry = correlations(recall_rows([(i / 5, -i) for i in range(5)]))[1][
        "overall", None, "file_recall", "reward"
    ]
    assert (entry.spearman_r, entry.p, entry.p_holm, entry.ci_low) == (-1, None, None, None)
    assert entry.inference_reason == "fewer_than_6_pairs"


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([(0.5, i) for i in range(8)], "metric_constant"),
        ([(i / 8, 1) for i in range(8)], "outcome_constant"),
    ],
)
def test_a_constant_side_is_refused_not_zero(values, reason):
    entry = correlations(recall_rows(values))[1]["overall", None, "file_recall", "reward"]
    assert (entry.computable, entry.spearman_r, entry.reason, entry.n) == (False, None, reason, 8)


def test_a_side_constant_but_for_the_noise_of_averaging_is_constant():
    rows = []
    for i in range(6):
        parts = [0.1, 0.2, 0.3] if i % 2 else [0.3, 0.2, 0.1]
        rows += [
            row(f"t{i}", "a", {"mrr": x}, reward=i, trial=f"{i}-{j}", key=f"{i}-{j}")
            for j, x in enumerate(parts)
        ]
    assert correlations(rows)[1]["overall", None, "mrr", "reward"].reason == "metric_constant"


def test_where_one_side_is_constant_in_each_config_nothing_varies_together():
    rows = recall_rows([(0.5, i) for i in range(6)], "a")
    rows += recall_rows([(i / 6, 1) for i in range(6)], "b")
    entry = correlations(rows)[1]["within_config", None, "file_recall", "reward"]
    assert (entry.computable, entry.reason) == (False, "constant_in_every_config")


def test_missing_values_are_left_out_and_counted_by_reason():
    """Missing is missing (D34), and a task never hit has no time to its first hit (D21)."""
    rows = [row(f"t{i}", "a", {"ttfr_seconds": i, "file_recall": 1}, reward=i) for i in range(6)]
    rows += [
        row("never", "a", {"file_recall": 0.0}, reward=1),
        row("timeless", "a", {"file_recall": 0.5}, reward=1),
        row("unrewarded", "a", {"ttfr_seconds": 3, "file_recall": 1}, reward=None),
        row("truthless", "a", computable=False, reason="no_ground_truth"),
        row("nan", "a", {"ttfr_seconds": float("nan"), "file_recall": 1}, reward=1),
    ]
    entry = correlations(rows)[1]["overall", None, "ttfr_seconds", "reward"]
    assert entry.n == 6
    assert entry.left_out == {
        "missing": 2,
        "never_hit": 1,
        "no_ground_truth": 1,
        "no_valid_reward": 1,
    }


def test_values_that_never_meet_in_one_trial_are_not_a_pair():
    rows = [row(f"t{i}", "a", {"mrr": i / 9}, reward=i) for i in range(6)]
    rows += [
        row("split", "a", {"mrr": 1}, reward=None, trial="one", key="one"),
        row("split", "a", {}, reward=5, trial="two", key="two"),
    ]
    entry = correlations(rows)[1]["overall", None, "mrr", "reward"]
    assert entry.n == 6
    assert sum(entry.left_out.values()) == 1


def test_a_task_alone_in_its_config_has_no_rank_within_it():
    rows = recall_rows([(i / 7, i) for i in range(7)], "a")
    rows.append(row("lonely", "b", {"file_recall": 1}, reward=0))
    entry = correlations(rows)[1]["within_config", None, "file_recall", "reward"]
    assert (entry.n, entry.left_out) == (7, {"alone_in_config": 1})


def test_copies_of_a_trial_in_two_runs_count_once():
    """D32: the same trial copied into a second run is no second piece of evidence."""
    rows = recall_rows([(i / 7, (i * 3) % 7) for i in range(7)], "a")
    twice = rows + [copy_of(r) for r in rows]
    once = analyse(rows, QUICK, generated_at="now", scope="*")
    copied = analyse(twice, QUICK, generated_at="now", scope="*")
    assert copied.correlation_analysis == once.correlation_analysis
    assert (copied.n_trials, copied.n_copies) == (7, 7)
    assert copied.config_aggregates[0].n_copies == 7
    assert copied.config_aggregates[0].metrics == once.config_aggregates[0].metrics


def test_holm_is_over_the_scope():
    random.seed(3)
    rows = [
        row(
            f"t{i}",
            "a",
            {name: random.random() for name in ("mrr", "map", "file_recall")},
            reward=random.random(),
            cost_usd=random.random(),
        )
        for i in range(8)
    ]
    found, _ = correlations(rows)
    overall = [c for c in found.correlations if c.scope == "overall" and c.p is not None]
    assert len(overall) == 6
    lowest = min(overall, key=lambda c: c.p)
    assert lowest.p_holm == pytest.approx(min(1, 6 * lowest.p), abs=1e-5)


def test_one_outlier_does_not_make_a_correlation():
    values = [
        (0.5 + d, r) for d, r in zip((0, 1, 2, 3, 4, 5, 6), (4, 1, 6, 2, 7, 3, 5), strict=True)
    ]
    tame = correlations(recall_rows(values))[1]["overall", None, "file_recall", "reward"]
    values[4] = (values[4][0], 1e9)
    wild = correlations(recall_rows(values))[1]["overall", None, "file_recall", "reward"]
    assert wild == tame
