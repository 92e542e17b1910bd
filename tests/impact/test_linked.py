"""Finding and solving: slopes against plain least squares, shares against printed tables."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from msgspec import UNSET
from scipy import stats

from groundtrace.impact.linked import (
    RECALL,
    association_of,
    mantel_haenszel,
    newcombe,
    wilson,
)
from groundtrace.impact.observations import distinct_trials, observe
from tests.impact.trial_rows import row


def trials_of(values, repos=None):
    """Trials from (task, config, recall, reward)."""
    rows = [
        row(f"t{task:03}", config, {RECALL: x}, trial=f"{task}-{config}-{k}", reward=y)
        for k, (task, config, x, y) in enumerate(values)
    ]
    if repos is not None:
        rows = [
            msgspec.structs.replace(r, repo=repos(v[0])) for r, v in zip(rows, values, strict=True)
        ]
    return distinct_trials(observe(rows))


def dummies(values):
    """Ordinary least squares with a dummy for every task and configuration."""
    tasks = sorted({v[0] for v in values})
    configs = sorted({v[1] for v in values})
    design = np.array(
        [[v[2], *(v[0] == t for t in tasks), *(v[1] == c for c in configs[1:])] for v in values],
        dtype=float,
    )
    return np.linalg.lstsq(design, np.array([v[3] for v in values]), rcond=None)[0][0]


def world(seed, n=30, configs=("a", "b"), attempts=2, slope=0.3):
    random = np.random.default_rng(seed)
    hard = random.random(n)
    return [
        (t, c, x, slope * x - hard[t] + 0.2 * random.normal())
        for t in range(n)
        for c in configs
        for _ in range(attempts)
        for x in [float(np.clip(1 - hard[t] + 0.2 * random.normal(), 0, 1))]
    ]


@pytest.mark.parametrize("seed", range(3))
def test_within_is_least_squares_with_a_dummy_for_each_task_and_configuration(seed):
    values = world(seed)
    values = [v for i, v in enumerate(values) if i % 7]  # not every task has every trial
    found = association_of(trials_of(values), 0)
    assert found.within.slope == pytest.approx(dummies(values), abs=1e-8)
    assert found.within.ci_low < 0.3 < found.within.ci_high


def test_across_is_least_squares_over_the_means_of_tasks():
    values = world(1)
    x, y = ([np.mean([v[k] for v in values if v[0] == t]) for t in range(30)] for k in (2, 3))
    found = association_of(trials_of(values), 0).across
    expected = stats.linregress(x, y)
    assert (found.slope, found.r) == pytest.approx((expected.slope, expected.rvalue))
    assert (found.n, found.trials) == (30, 120)


def test_difficulty_alone_is_seen_across_and_not_within():
    found = association_of(trials_of(world(2, n=60, slope=0.0)), 0)
    assert found.across.r > 0.8
    assert found.across.p < 0.001
    assert found.within.ci_low < 0 < found.within.ci_high


def test_one_trial_for_each_task_has_no_within_and_says_why():
    values = world(3, configs=("a",), attempts=1)
    found = association_of(trials_of(values), 0)
    assert (found.within.slope, found.within.reason) == (None, "one_trial_per_task")


def test_repositories_are_the_units_from_six_up():
    """Copies of a task in its repository add nothing."""
    few = world(4, n=8, attempts=1)
    many = [(8 * k + t, c, x, y) for k in range(4) for t, c, x, y in few]
    copied = association_of(trials_of(many, repos=lambda t: f"r{t % 8}"), 0).across
    alone = association_of(trials_of(few), 0).across
    assert copied.p == alone.p
    assert copied.ci_low == pytest.approx(alone.ci_low)


def test_newcombe_by_the_published_example_and_wilson_by_scipy():
    """56 of 70 against 48 of 80: .0524 to .3339 (Newcombe 1998, method 10)."""
    assert newcombe(56 / 70, 70, 48 / 80, 80) == pytest.approx((0.0524, 0.3339), abs=1e-4)
    expected = stats.binomtest(13, 45).proportion_ci(method="wilson")
    assert wilson(13 / 45, 45) == pytest.approx((expected.low, expected.high))


def test_by_found_counts_trials():
    values = [(i, "a", 1.0, 1.0 if i < 30 else 0.0) for i in range(40)]
    values += [(40 + i, "a", 0.5, 1.0 if i < 5 else 0.4) for i in range(20)]
    by = association_of(trials_of(values), 0).by_found
    assert (by.shown_all.n, by.shown_all.solved) == (40, 30)
    assert (by.otherwise.n, by.otherwise.solved) == (20, 5), "0.4 is not solved"
    assert by.difference == 0.5
    assert (by.ci_low, by.ci_high) == pytest.approx(newcombe(0.75, 40, 0.25, 20))


def test_copies_of_a_trial_do_not_narrow_the_interval():
    once = [(i, "a", 1.0 if i % 2 else 0.5, float(i % 3 > 0)) for i in range(40)]
    four = [value for value in once for _ in range(4)]
    one, many = (association_of(trials_of(v), 0).by_found for v in (once, four))
    assert many.ci_low == pytest.approx(one.ci_low, abs=0.01)


def test_mantel_and_haenszel_by_scipy():
    tables = [(12, 5, 6, 9), (20, 10, 8, 15), (3, 4, 2, 6)]
    ratio, error = mantel_haenszel(tables)
    # scipy has the conditional estimate of one table; of one table this one is the plain odds ratio
    assert mantel_haenszel(tables[:1])[0] == pytest.approx(
        stats.contingency.odds_ratio(np.array(tables[0]).reshape(2, 2), kind="sample").statistic
    )
    log_error = math.sqrt(sum(1 / count for count in tables[0]))
    assert mantel_haenszel(tables[:1])[1] == pytest.approx(log_error)
    right = 12 * 9 / 32 + 20 * 15 / 53 + 3 * 6 / 15
    left = 5 * 6 / 32 + 10 * 8 / 53 + 4 * 2 / 15
    assert ratio == pytest.approx(right / left)
    assert 0.2 < error < 0.6
    assert mantel_haenszel([(3, 0, 2, 0)]) is None


def test_strata_need_a_known_number_of_files():
    values = [(i, "a", 1.0 if i % 2 else 0.5, float(i % 3 > 0)) for i in range(40)]
    assert association_of(trials_of(values), 0).by_found.strata is UNSET
    rows = [
        msgspec.structs.replace(
            row(f"t{t:02}", c, {RECALL: x}, reward=float(t % 5 > 1)),
            found_by=dict.fromkeys([f"f{k}" for k in range(1 + t % 3)]),
        )
        for t, c, x, _ in values
    ]
    strata = association_of(distinct_trials(observe(rows)), 0).by_found.strata
    assert (strata.by, strata.n) == (["relevant_files"], 3)
    assert strata.ci_low < strata.odds_ratio < strata.ci_high


def test_strata_are_by_difficulty_too_where_every_trial_has_one():
    rows = []
    for t in range(48):
        made = row(f"t{t:02}", "a", {RECALL: 1.0 if t % 2 else 0.5}, reward=float(t % 5 > 1))
        hard = {"difficulty": "hard" if t % 4 < 2 else "easy"}
        rows.append(
            msgspec.structs.replace(
                made,
                found_by=dict.fromkeys([f"f{k}" for k in range(1 + t % 3)]),
                outcome=msgspec.structs.replace(made.outcome, groups=hard),
            )
        )
    strata = association_of(distinct_trials(observe(rows)), 0).by_found.strata
    assert (strata.by, strata.n) == (["difficulty", "relevant_files"], 6)
    last = rows[-1]
    rows[-1] = msgspec.structs.replace(
        last, outcome=msgspec.structs.replace(last.outcome, groups=UNSET)
    )
    strata = association_of(distinct_trials(observe(rows)), 0).by_found.strata
    assert strata.by == ["relevant_files"]


def test_strata_and_shares_are_those_of_statsmodels():
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    shares = pytest.importorskip("statsmodels.stats.proportion")
    counts = [(12, 5, 6, 9), (20, 10, 8, 15), (3, 4, 2, 6)]
    found = tables.StratifiedTable([np.array(t).reshape(2, 2) for t in counts])
    ratio, error = mantel_haenszel(counts)
    assert ratio == pytest.approx(found.oddsratio_pooled)
    low, high = found.oddsratio_pooled_confint()
    ends = [ratio * math.exp(sign * 1.959964 * error) for sign in (-1, 1)]
    assert ends == pytest.approx([low, high], rel=1e-6)
    expected = shares.confint_proportions_2indep(358, 455, 13, 45, method="newcomb")
    assert newcombe(358 / 455, 455, 13 / 45, 45) == pytest.approx(expected, abs=1e-9)


def test_within_is_the_fixed_effects_slope_of_statsmodels():
    api = pytest.importorskip("statsmodels.api")
    values = world(5, n=12)
    design = np.array(
        [[v[2], *(v[0] == t for t in range(12)), v[1] == "b"] for v in values], dtype=float
    )
    expected = api.OLS([v[3] for v in values], design).fit().params[0]
    assert association_of(trials_of(values), 0).within.slope == pytest.approx(expected, abs=1e-8)
