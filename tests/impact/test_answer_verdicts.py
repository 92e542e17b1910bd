"""The answer's verdicts: lost attempts, margins, money, repositories, how many tasks are enough."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from msgspec import UNSET

from groundtrace.impact.answer import cost_per_solved
from groundtrace.report.answer_text import analysis_text
from tests.impact.answers import (
    BASE,
    OTHER,
    answer,
    by_metric,
    costs,
    document,
    kinds,
    pairs,
)
from tests.impact.trial_rows import row

# Attempts and lost ones


def attempts(baseline, other, tasks=12):
    return [
        row(f"t{i:02}", config, trial=f"{config}-{i}-{k}", reward=reward)
        for i in range(tasks)
        for config, rewards in ((BASE, baseline), (OTHER, other))
        for k, reward in enumerate(rewards)
    ]


def test_lost_attempts_that_change_the_word_leave_it_open():
    """Baseline 1, 1, 0; other 1, lost, lost: 0.67 → 1.00, but 0.67 → 0.33 with lost ones as 0."""
    whole = document(attempts((1.0, 1.0, 0.0), (1.0, None, None)))
    found = whole.answer
    reward = by_metric(found)["reward"]
    assert (reward.baseline, reward.config) == (pytest.approx(2 / 3), 1.0)
    assert reward.ci_low > 0 and reward.verdict == "open"
    assert (found.trials[BASE].lost, found.trials[OTHER].lost) == (0, 24)
    lost = whole.matched_comparisons[0].lost_as_zero
    assert (lost.mean_baseline, lost.mean_config) == pytest.approx((2 / 3, 1 / 3))
    assert lost.verdict == "lower"
    assert "24 lost attempts decide (0 in the baseline)" in kinds(found)["lost"]
    assert "it hangs on the lost attempts" in found.headline


def test_lost_attempts_that_change_nothing_are_only_counted():
    found = answer(attempts((0.0, 0.0, 0.0, 0.0), (1.0, 1.0, 1.0, None)))
    assert by_metric(found)["reward"].verdict == "higher"
    assert "lost" not in kinds(found)
    assert found.trials[OTHER].lost == 12


def test_a_task_that_lost_every_attempt_of_a_side_counts_as_zero_too():
    rows = [*pairs([0.3 + i / 100 for i in range(8)])]
    rows += [
        made
        for i in range(12)
        for made in (row(f"x{i}", BASE, reward=0.5), row(f"x{i}", OTHER, reward=None))
    ]
    found = answer(rows)
    assert (found.n, by_metric(found)["reward"].verdict) == (8, "open")
    assert "12 lost attempts decide (0 in the baseline)" in kinds(found)["lost"]


def test_the_spread_between_attempts_says_what_would_help():
    noisy = document(attempts((1.0, 0.0), (0.0, 1.0, 1.0)) + pairs([0.5, -0.5])).answer
    assert "more attempts" in kinds(noisy)["attempts"]
    random = np.random.default_rng(1)
    rows = [
        row(f"t{i}", config, trial=f"{config}{i}{k}", reward=value + 0.001 * k)
        for i in range(12)
        for config, value in ((BASE, 0.5), (OTHER, float(random.random())))
        for k in range(2)
    ]
    assert "more tasks, not more attempts" in kinds(answer(rows))["attempts"]
    assert "attempts" not in kinds(answer(pairs([0.1, 0.2, 0.3])))


# Margins


def binary(gained, lost, n, **options):
    rewards = [1.0] * gained + [-1.0] * lost + [0.0] * (n - gained - lost)
    rows = [
        made
        for i, d in enumerate(rewards)
        for made in (
            row(f"t{i:03}", BASE, reward=float(d < 0)),
            row(f"t{i:03}", OTHER, reward=float(d > 0)),
        )
    ]
    return by_metric(answer(rows, **options))["reward"]


def test_six_ties_are_not_equivalent():
    """“Equivalent within 0.001”, p .0156, in a row that refused an interval."""
    found = binary(0, 0, 6, margin=0.001)
    assert (found.verdict, found.within_margin) == ("open", False)


def test_near_ties_of_200_tasks_are_equivalent_within_a_tenth():
    assert binary(2, 2, 200).verdict == "open"
    assert binary(2, 2, 200).within_margin is UNSET
    found = binary(2, 2, 200, margin=0.1)
    assert (found.verdict, found.within_margin) == ("equivalent", True)
    assert binary(10, 4, 200, margin=0.04).verdict == "not_worse"
    assert binary(0, 30, 200, margin=0.1).verdict == "lower"


def test_higher_and_within_the_margin_are_both_said():
    found = binary(15, 0, 400, margin=0.1)
    assert (found.verdict, found.within_margin) == ("higher", True)


def test_graded_rewards_go_by_the_interval_and_claim_nothing_without_one():
    near = [0.0, 0.01, -0.01] * 8
    found = by_metric(answer(pairs(near), margin=0.1))["reward"]
    assert found.verdict == "equivalent" and -0.1 < found.ci_low < found.ci_high < 0.1
    few = by_metric(answer(pairs([0.01, -0.01] + [0.0] * 40), margin=0.1))["reward"]
    assert (few.verdict, few.within_margin, few.ci_low) == ("open", False, None)
    wide = by_metric(answer(pairs([0.5, -0.5] * 6), margin=0.1))["reward"]
    assert (wide.verdict, wide.within_margin) == ("open", False)


# Money


def test_one_dear_task_does_not_read_as_cheaper():
    """39 tasks at half the cost and one of $40 read “cost lower … cheaper”; more was spent."""
    found = answer(costs([1.0] * 40, [40.0] + [0.5] * 39))
    cost = by_metric(found)["cost_usd"]
    assert cost.delta == pytest.approx(0.4875)
    assert cost.verdict == "open"
    assert cost.typical_ratio == pytest.approx(40 ** (1 / 40) * 0.5 ** (39 / 40))
    said = kinds(found)
    assert (
        "a typical task takes less (× 0.56" in said["typical"]
        and "together take more" in said["typical"]
    )
    assert "1 task of 40 makes up more than half" in said["dominated"]
    assert next(i.tasks for i in found.look_at if i.kind == "dominated") == ["t00"]


def test_costs_of_zero_count_in_the_total_and_leave_no_typical_ratio():
    cost = by_metric(answer(costs([1.0, 1.0] * 10, [0.0, 1.19] * 10)))["cost_usd"]
    assert (cost.n, cost.delta) == (20, pytest.approx(-0.405))
    assert cost.typical_ratio is UNSET


def test_the_price_falls_back_to_time():
    rows = [
        row(f"t{i}", c, agent_seconds=10.0 + 5 * k + i / 10)
        for i in range(8)
        for k, c in enumerate((BASE, OTHER))
    ]
    found = answer(rows)
    assert found.rows[-1].metric == "agent_seconds" and found.rows[-1].verdict == "higher"
    assert "took 5.0 s a task longer" in found.headline


def test_the_cost_of_a_solved_task_by_fieller():
    """Equal costs and all solved: exactly the cost. Otherwise the roots of Fieller's equation."""
    same = cost_per_solved(np.full(8, 2.0), np.ones(8), 8)
    assert (same.value, same.ci_low, same.ci_high) == pytest.approx((2.0, 2.0, 2.0))
    random = np.random.default_rng(0)
    cost, solved = 1 + random.random(40), (random.random(40) < 0.6) * 1.0
    found = cost_per_solved(cost, solved, 40)
    assert found.value == pytest.approx(cost.sum() / solved.sum())
    t = 2.0226909  # .975 with 39 degrees of freedom, from a printed table
    for end in (found.ci_low, found.ci_high):
        rest = cost - end * solved
        assert abs(rest.mean()) / (rest.std(ddof=1) / math.sqrt(40)) == pytest.approx(t, rel=1e-6)
    none = cost_per_solved(cost, np.zeros(40), 40)
    assert (none.value, none.reason) == (None, "nothing_solved")
    rare = cost_per_solved(cost, np.array([1.0] + [0.0] * 39), 40)
    assert (rare.ci_low, rare.reason) == (None, "too_few_solved")


def test_costs_that_are_alike_promise_no_reward_for_a_dollar():
    """Costs equal to $0.0001 read “+2e+03 reward for each extra dollar”."""
    rows = [
        row(f"t{i:02}", c, reward=0.5 + 0.2 * k * (i % 2), cost_usd=1.0 + 1e-4 * k * (i % 3 - 1))
        for i in range(12)
        for k, c in enumerate((BASE, OTHER))
    ]
    found = answer(rows)
    assert "dollar" not in analysis_text(document(rows))
    assert "A solved task cost" not in found.headline


# Repositories


def in_repositories(count, tasks=24, effect=lambda i: 0.3):
    return [
        msgspec.structs.replace(made, repo=f"r{i % count}")
        for i in range(tasks)
        for made in (
            row(f"t{i:02}", BASE, reward=0.5),
            row(f"t{i:02}", OTHER, reward=0.5 + effect(i) + i / 1000),
        )
    ]


def test_below_six_repositories_the_verdict_is_about_these():
    found = answer(in_repositories(3))
    assert {r.scope for r in found.rows} == {"these_repositories"}
    assert (
        "The verdicts hold for tasks of these 3 repositories; others may differ." in found.headline
    )


def test_from_six_repositories_on_whole_repositories_flip():
    whole = document(in_repositories(8))
    assert (whole.matched_comparisons[0].flipped, whole.matched_comparisons[0].n_flipped) == (
        "repositories",
        8,
    )
    reward = by_metric(whole.answer)["reward"]
    assert (reward.scope, reward.p, reward.verdict) == (UNSET, 2 / 256, "higher")


def test_changes_that_cancel_inside_repositories_say_so():
    found = answer(
        [
            msgspec.structs.replace(made, repo=f"r{i // 2}")
            for i in range(20)
            for made in (
                row(f"t{i:02}", BASE, reward=0.5),
                row(f"t{i:02}", OTHER, reward=0.5 + (0.3 if i % 2 else -0.3)),
            )
        ]
    )
    assert by_metric(found)["reward"].verdict == "open"
    assert by_metric(found)["reward"].reason == "changes_cancel"
    assert "changes cancel inside each repository" in found.headline


# Enough


def test_enough_is_about_the_margin_or_a_tenth_and_never_the_difference_seen():
    random = np.random.default_rng(0)
    deltas = 0.3 + 0.3 * random.normal(size=12)
    found, other = answer(pairs(deltas)).enough, answer(pairs(deltas), margin=0.2).enough
    assert (found.at, other.at, found.metric, found.n) == (0.1, 0.2, "reward", 12)
    assert found.needed > 12 >= other.needed
    assert found.detectable == other.detectable
    moved = answer(pairs(deltas + 0.4)).enough
    assert (moved.detectable, moved.needed) == pytest.approx((found.detectable, found.needed))


def test_more_rows_and_configurations_need_more_tasks():
    random = np.random.default_rng(1)
    deltas = 0.3 * random.normal(size=20)
    one = answer(pairs(deltas)).enough
    cost = {"cost_usd": 1.0}, {"cost_usd": 1.0}
    rows = pairs(deltas, *cost) + [
        row(
            f"t{i:02}",
            "third",
            reward=0.5 + float(random.normal()),
            cost_usd=float(random.random()),
        )
        for i in range(20)
    ]
    two = next(a for a in document(rows).answers if a.config == OTHER).enough
    assert two.detectable > one.detectable
    assert two.needed > one.needed
