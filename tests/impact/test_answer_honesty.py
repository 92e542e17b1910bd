"""What the answer may not promise or leave out: impossible values, chance, repositories, losses."""

from __future__ import annotations

import re

import numpy as np
import pytest
from msgspec.structs import replace

from tests.impact.answers import BASE, OTHER, RECALL, answer, by_metric, document, kinds, pairs
from tests.impact.trial_rows import row

# Intervals (D400)


def sides(n, before, after, **shared):
    """Tasks with the same rewards and recalls on each side."""
    return [
        row(f"t{i:02}", config, {RECALL: value}, reward=value, **shared)
        for i in range(n)
        for config, value in ((BASE, before), (OTHER, after))
    ]


@pytest.mark.parametrize(("before", "after", "at"), [(0.0, 1.0, "ci_high"), (1.0, 0.0, "ci_low")])
def test_an_interval_ends_where_no_share_can_be(before, after, at):
    """20 of 20 tasks from 0 to 1 read “+100 points (+78 to +122)”."""
    whole = document(sides(20, before, after))
    for name in (RECALL, "reward"):
        delta = by_metric(whole.answer)[name]
        assert getattr(delta, at) == delta.delta == after - before
        assert abs(delta.ci_low) != abs(delta.ci_high)
    every = [d for d in whole.matched_comparisons[0].deltas if d.metric == "file_recall"]
    assert all(d.ci_high is None or d.ci_high <= 1 for d in every)


def test_points_of_another_scale_have_no_known_end():
    found = by_metric(answer(sides(20, 0.0, 50.0)))["reward"]
    assert found.ci_high > 50 and found.delta == 50


# Attempts (D401)


def test_one_repeated_attempt_says_nothing_about_noise():
    """A task with rewards 0 and 1 among 20 read “100 % of the noise is between attempts”."""
    random = np.random.default_rng(3)
    rows = pairs([float(random.choice([-0.5, 0.0, 0.5])) for _ in range(20)])
    again = [row("t00", OTHER, trial=f"again{k}", reward=1.0 - k) for k in range(2)]
    assert document([*rows, *again]).matched_comparisons[0].attempts_share is None


def test_models_that_disagree_are_no_noise_between_attempts():
    """One attempt by each of two models: there is no second attempt of either."""
    rows = [
        row(f"t{i:02}", config, trial=f"{config}{i}{model}", model=model, reward=reward)
        for i in range(12)
        for model, change in (("m-a", -0.4), ("m-b", 0.4))
        for config, reward in ((BASE, 0.5), (OTHER, 0.5 + change + i / 100))
    ]
    assert document(rows).matched_comparisons[0].attempts_share is None


@pytest.mark.parametrize(("between_tasks", "share"), [(0.1, 0.5), (0.3, 0.1)])
def test_the_share_of_noise_is_that_of_the_population(between_tasks, share):
    """A mean of two attempts varies by 0.01 / 2, a difference of two such means by 0.01."""
    random = np.random.default_rng(6)
    effects = between_tasks * random.normal(size=400)
    rewards = 0.5 + 0.1 * random.normal(size=(400, 2, 2))
    rewards[:, 1] += effects[:, None]
    rows = [
        row(f"t{i:03}", config, trial=f"{config}{i}{k}", reward=float(rewards[i, side, k]))
        for i in range(400)
        for side, config in enumerate((BASE, OTHER))
        for k in range(2)
    ]
    found = document(rows).matched_comparisons[0].attempts_share
    means = rewards.mean(axis=2)
    by_hand = rewards.var(axis=2, ddof=1).mean() / (means[:, 1] - means[:, 0]).var(ddof=1)
    assert found == pytest.approx(by_hand)
    assert found == pytest.approx(share, abs=0.06)


def test_new_tasks_are_never_said_to_help_less_than_attempts():
    """As many trials of new tasks halve all of the noise, attempts only their own part."""
    rows = [
        row(f"t{i}", config, trial=f"{config}{i}{k}", reward=float((i + k + (config == BASE)) % 2))
        for i in range(8)
        for config in (BASE, OTHER)
        for k in range(3)
    ]
    assert kinds(answer(rows))["attempts"].endswith("new tasks at least as much")


# Lost attempts (D402)


def test_lost_attempts_on_one_side_are_said_where_the_word_is_open():
    """2 of 3 tasks solved against 2 of 2 and one lost: the difference is that of the lost ones."""
    rows = []
    for i in range(12):
        for k, solved in enumerate((1.0, 1.0, 0.0)):
            rows.append(row(f"t{i:02}", BASE, trial=f"b{i}{k}", reward=solved))
            kept = None if (i < 4 and k == 2) else solved
            rows.append(row(f"t{i:02}", OTHER, trial=f"c{i}{k}", reward=kept))
    found = answer(rows)
    reward = by_metric(found)["reward"]
    assert reward.verdict == "open" and reward.delta == pytest.approx(1 / 9)
    assert kinds(found)["lost"] == (
        "4 attempts lost (0 in the baseline): counted as 0, reward is 0.67 → 0.67 (open)"
    )


# Tasks that would be needed (D403)


def test_needed_tasks_are_those_of_more_repositories():
    """“25 tasks are too few; it takes about 77” sent readers to more tasks of the same eight."""
    random = np.random.default_rng(2)
    rows = [
        replace(row(f"t{i:02}", config, reward=float(random.random())), repo=f"r{i % 8}")
        for i in range(24)
        for config in (BASE, OTHER)
    ]
    found = answer(rows)
    told = re.search(
        r"24 tasks of 8 repositories are too few; .* takes about ([\d,]+) tasks of ([\d,]+) rep",
        found.headline,
    )
    tasks, repositories = (int(number.replace(",", "")) for number in told.groups())
    assert tasks == pytest.approx(found.enough.needed, rel=0.1)
    assert repositories == pytest.approx(tasks / 3, rel=0.1)


def test_repositories_are_counted_over_the_tasks_that_have_them():
    """18 of 24 tasks have a recall, in six of eight repositories. They were said to be of eight, and
    131 tasks of 58 repositories were needed where three of each are 44."""
    random = np.random.default_rng(2)
    rows = [
        replace(
            row(
                f"t{i:02}", config, {RECALL: float(random.random())} if i < 18 else {}, reward=None
            ),
            repo=f"r{i // 3}",
        )
        for i in range(24)
        for config in (BASE, OTHER)
    ]
    found = answer(rows)
    told = re.search(r"18 tasks are too few; .* about ([\d,]+) tasks of (\d+) rep", found.headline)
    tasks, repositories = (int(number.replace(",", "")) for number in told.groups())
    assert tasks == pytest.approx(found.enough.needed, rel=0.1)
    assert repositories == pytest.approx(found.enough.needed / 3, rel=0.1)


# Finding and solving (D404)


def found_and_solved(counts):
    """Trials by (every relevant file shown, solved)."""
    return [
        row(f"t{i:03}", config, {RECALL: shown}, reward=solved)
        for i, (shown, solved) in enumerate(
            pair for pair, count in counts.items() for _ in range(count)
        )
        for config in (BASE, OTHER)
    ]


@pytest.mark.parametrize(
    ("counts", "end"),
    [
        (
            {(1.0, 1.0): 1, (0.5, 1.0): 3, (0.5, 0.0): 2},
            "otherwise 6 of 10, so whether the two go together is open.",
        ),
        (
            {(1.0, 1.0): 20, (0.5, 1.0): 2, (0.5, 0.0): 18},
            "otherwise 4 of 40; that alone shows no cause.",
        ),
    ],
)
def test_a_link_that_could_be_chance_is_called_open(counts, end):
    """“2 of 2 trials were solved, otherwise 6 of 10; that alone shows no cause” told of a link."""
    found = answer(found_and_solved(counts))
    by = found.association.by_found
    assert found.headline.endswith(end)
    assert ("open." in end) == (by.ci_low <= 0 <= by.ci_high)


# Margins (D406)


@pytest.mark.parametrize(
    ("rewards", "margin", "said"),
    [
        ([0.3, -0.4] * 10, 0.1, True),
        ([0.0] * 6, 0.05, True),
        ([0.3, -0.4] * 10, None, False),
        ([0.4 + i / 100 for i in range(20)], 0.1, False),
        ([-0.4 - i / 1000 for i in range(20)], 0.1, True),
    ],
)
def test_a_loss_that_is_not_ruled_out_is_said(rewards, margin, said):
    """`--margin` asks whether a larger loss is ruled out, and nothing was said where it is not."""
    found = answer(pairs(rewards), margin=margin)
    text = f"A loss of {margin:g} or more in reward is not ruled out." if margin else "ruled out"
    assert (text in found.headline) == said
    assert not (said and by_metric(found)["reward"].within_margin)


# Rewards of another scale (D407)


def spreads(base, other):
    """The spread of attempts of two configurations with rewards up to these."""
    rows = [
        row(f"t{i}", config, trial=f"{config}{i}{k}", reward=scale * (0.3 + 0.07 * ((i + k) % 11)))
        for scale, config in ((base, BASE), (other, OTHER))
        for i in range(8)
        for k in range(2)
    ]
    return {one.config_name: one.trial_spread for one in document(rows).config_aggregates}


def test_nothing_passes_on_another_scale():
    """pass@1 of rewards up to 100 was 1: every attempt reaches 1."""
    assert spreads(1, 1)[BASE].pass_at[0].value < 0.5
    assert spreads(100, 100) == {BASE: None, OTHER: None}


def test_one_scale_is_that_of_all_configurations():
    """Rewards of 1 to 4 beside rewards up to 100 are low points: no attempt with them passed."""
    assert spreads(100, 4) == {BASE: None, OTHER: None}
