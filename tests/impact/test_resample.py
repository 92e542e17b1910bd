"""Resampling statistics compared with scipy, which only the tests need (D36)."""

from __future__ import annotations

import itertools
import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from groundtrace.impact import association
from groundtrace.impact.association import associate
from groundtrace.impact.resample import (
    CONFIDENCE,
    Draws,
    Z,
    bca,
    holm,
    midranks,
    quantile_of,
    to_ten_digits,
)
from groundtrace.impact.signflip import mean_test

DRAWS = Draws(seed=0, draws=2000)


def column(values):
    return np.asarray(values, dtype=float).reshape(-1, 1)


def one(x, y, draws=DRAWS):
    """The association of two lists in a single column."""
    present = np.ones((len(x), 1), dtype=bool)
    return associate([column(x)], [column(y)], present, [(0, 0)], draws)[0]


def samples(seed, n, levels=None):
    """A pair of correlated samples, rounded to few levels when ties are wanted."""
    random = np.random.default_rng(seed)
    x = random.normal(size=n)
    y = 0.6 * x + random.normal(size=n)
    return (np.round(x * levels), np.round(y * levels)) if levels else (x, y)


@given(st.lists(st.integers(-3, 3) | st.floats(-1e6, 1e6), min_size=1, max_size=40))
def test_midranks_are_those_of_scipy(values):
    assert np.allclose(midranks(np.array(values, float)), stats.rankdata(values), atol=1e-12)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=30), st.floats(0, 1))
def test_quantiles_are_those_of_numpy_to_the_last_digit(values, share):
    assert quantile_of(np.sort(values), share) == np.quantile(values, share)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("levels", [None, 1, 2])
def test_spearman_agrees_with_scipy_to_1e_12(seed, levels):
    x, y = samples(seed, 5 + seed, levels)
    expected = stats.spearmanr(x, y).statistic
    assert one(x, y).r == pytest.approx(expected, abs=1e-12)


def test_spearman_of_a_constant_side_is_undefined_not_zero():
    found = one(np.ones(5), np.arange(5.0))
    assert (found.r, found.reason) == (None, "metric_constant")


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("levels", [None, 1])
def test_exact_permutation_p_agrees_with_all_permutations(seed, levels):
    x, y = samples(seed, 6 + seed % 2, levels)
    if len(set(x)) == 1 or len(set(y)) == 1:
        pytest.skip("a side is constant")
    observed = abs(stats.spearmanr(x, y).statistic)
    a, b = stats.rankdata(x), stats.rankdata(y)
    every = [abs(np.corrcoef(a, p)[0, 1]) for p in itertools.permutations(b)]
    found = one(x, y)
    assert found.exact is True
    assert found.p == pytest.approx(np.mean(np.array(every) >= observed - 1e-9), abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_random_permutation_p_is_that_of_scipy_within_sampling_error(seed):
    x, y = samples(seed, 10 + 3 * seed, 1 if seed % 2 else None)
    observed = stats.rankdata(y)
    reference = stats.permutation_test(
        (stats.rankdata(x),),
        lambda a, axis: np.abs(((a - a.mean(axis=-1, keepdims=True)) * observed).sum(axis=axis)),
        permutation_type="pairings",
        n_resamples=4000,
        alternative="greater",
        vectorized=True,
        rng=np.random.default_rng(seed),
    ).pvalue
    found = one(x, y)
    assert found.exact is False
    error = math.sqrt(max(reference * (1 - reference), 1e-3) * (1 / 2000 + 1 / 4000))
    assert found.p == pytest.approx(reference, abs=5 * error)


def test_a_random_p_is_never_zero():
    x = np.arange(40.0)
    assert one(x, x).p == pytest.approx(1 / 2001)


@pytest.mark.parametrize("seed", range(10))
def test_exact_sign_flips_agree_with_scipy(seed):
    random = np.random.default_rng(seed)
    delta = np.round(random.normal(0.3, 1, size=6 + seed % 5), 1)
    reference = stats.permutation_test(
        (delta,),
        lambda d, axis: np.abs(d.mean(axis=axis)),
        permutation_type="samples",
        n_resamples=np.inf,
        alternative="greater",
        vectorized=True,
    ).pvalue
    found = mean_test(delta, DRAWS)
    assert found.exact
    assert found.p == pytest.approx(reference, abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_random_sign_flips_agree_with_scipy_within_sampling_error(seed):
    delta = np.random.default_rng(seed).normal(0.2, 1, size=25)
    reference = stats.permutation_test(
        (delta,),
        lambda d, axis: np.abs(d.mean(axis=axis)),
        permutation_type="samples",
        n_resamples=4000,
        alternative="greater",
        vectorized=True,
        rng=np.random.default_rng(seed),
    ).pvalue
    found = mean_test(delta, DRAWS)
    error = math.sqrt(max(reference * (1 - reference), 1e-3) * (1 / 2000 + 1 / 4000))
    assert not found.exact
    assert found.p == pytest.approx(reference, abs=5 * error)


def test_zero_deltas_have_no_sign_so_few_others_are_enumerated():
    delta = np.zeros(100)
    delta[:6] = [1, 1, 1, 1, 1, 1]
    for deltas, p in ((delta, 2 / 64), (np.zeros(9), 1.0)):
        found = mean_test(deltas, DRAWS)
        assert (found.p, found.exact) == (p, True)


@pytest.mark.parametrize("seed", range(20))
def test_bca_of_given_resamples_is_that_of_scipy_exactly(seed):
    """The same resamples leave no sampling error: bias, acceleration and ends must agree.

    From 12 on: in smaller samples a resample can be the sample itself, whose mean scipy takes
    for another when rounding says so.
    """
    delta = np.random.default_rng(seed).exponential(size=12 + seed) ** 2
    reference = stats.bootstrap(
        (delta,), np.mean, n_resamples=500, method="BCa", rng=np.random.default_rng(seed)
    )
    found = bca(delta.mean(), reference.bootstrap_distribution, delta - delta.mean())
    assert found.low == pytest.approx(reference.confidence_interval.low, rel=1e-9)
    assert found.high == pytest.approx(reference.confidence_interval.high, rel=1e-9)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("levels", [None, 2])
def test_bca_of_spearman_agrees_with_scipy_within_sampling_error(seed, levels):
    x, y = samples(seed, 15 + 5 * seed, levels)

    def statistic(a, b, axis):
        a, b = stats.rankdata(a, axis=axis), stats.rankdata(b, axis=axis)
        a, b = (v - v.mean(axis=axis, keepdims=True) for v in (a, b))
        return (a * b).sum(axis) / np.sqrt((a * a).sum(axis) * (b * b).sum(axis))

    reference = stats.bootstrap(
        (x, y),
        statistic,
        paired=True,
        n_resamples=4000,
        method="BCa",
        rng=np.random.default_rng(seed),
    )
    found = one(x, y).interval
    slack = 0.35 * reference.standard_error
    assert found.low == pytest.approx(reference.confidence_interval.low, abs=slack)
    assert found.high == pytest.approx(reference.confidence_interval.high, abs=slack)


@pytest.mark.parametrize("levels", [None, 1])
def test_influence_is_the_change_of_the_coefficient_with_ranks_made_again(levels):
    """Above the limit resamples add up influences: they must include the changes of rank."""
    x, y = samples(3, 400, levels)
    grid = association._arranged([column(x)], [column(y)], np.ones((400, 1), dtype=bool))
    f, g = (
        association._ridits(grid.xs[0], grid.present),
        association._ridits(grid.ys[0], grid.present),
    )
    (influence,) = association._influences(grid, [f], [g], [(0, 0)])
    weights = np.ones((3, 400))
    step = 0.01
    for k in range(3):
        weights[k, 100 * k] += step
    sides = association._sides(grid, [(0, 0)])
    changed = association._reranked(sides, [(0, 0)], weights)[:, 0]
    numeric = (changed - association._coefficient(f, g)) / step * 400
    assert numeric == pytest.approx(influence[[0, 100, 200]], abs=2e-3)
    assert influence.sum() == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize("columns", [1, 3])
def test_ranks_computed_once_give_nearly_the_interval_of_ranks_made_again(monkeypatch, columns):
    random = np.random.default_rng(5)
    x = random.normal(size=(450, columns))
    y = 0.7 * x + random.normal(size=(450, 1))
    present = random.random((450, columns)) < 0.8
    again = associate([x], [y], present, [(0, 0)], DRAWS)[0]
    monkeypatch.setattr(association, "RERANK_LIMIT", 10)
    once = associate([x], [y], present, [(0, 0)], DRAWS)[0]
    assert (again.ranks_once, once.ranks_once) == (False, True)
    width = again.interval.high - again.interval.low
    assert once.interval.low == pytest.approx(again.interval.low, abs=0.15 * width)
    assert once.interval.high == pytest.approx(again.interval.high, abs=0.15 * width)
    assert once.p == again.p


@pytest.mark.parametrize(
    ("replicates", "reason"),
    [
        (np.full(100, np.nan), "resamples_constant"),
        (np.r_[np.full(20, np.nan), np.arange(80.0)], "resamples_constant"),
        (np.full(100, 0.5), "resamples_all_equal"),
        (np.arange(100.0) + 1, "estimate_outside_resamples"),
        (np.array([]), "resamples_constant"),
    ],
)
def test_degenerate_resamples_give_no_interval_and_say_why(replicates, reason):
    found = bca(0.5, replicates, np.array([-1.0, 0.0, 1.0]))
    assert (found.low, found.high, found.reason) == (None, None, reason)


def test_a_perfect_correlation_has_no_interval_since_every_resample_is_perfect():
    found = one(np.arange(10.0), np.arange(10.0) ** 2)
    assert found.r == 1
    assert found.interval.reason == "resamples_all_equal"


def test_holm_by_hand():
    assert holm([0.01, None, 0.04, 0.03]) == [pytest.approx(0.03), None, 0.06, 0.06]
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_never_lowers_a_p_and_keeps_the_order(ps):
    adjusted = holm(ps)
    assert all(a >= p for a, p in zip(adjusted, ps, strict=True))
    order = np.argsort(ps, kind="stable")
    assert np.all(np.diff(np.array(adjusted, float)[order]) >= 0)


def test_averaging_noise_breaks_no_tie():
    assert 0.1 + 0.2 != 0.3
    a, b = to_ten_digits(np.array([0.1 + 0.2, 0.3]))
    assert a == b
    assert to_ten_digits(np.array([0.0, np.nan, 5e-324, 1e308, -7.0]))[[0, 4]].tolist() == [
        0.0,
        -7.0,
    ]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(6, 14))
def test_an_increasing_change_of_scale_changes_nothing(seed, n):
    x, y = samples(seed, n, 2)
    quick = Draws(0, 200)
    assert one(x, y, quick) == one(np.exp(x), 3 * y - 7, quick)


def test_draws_depend_on_seed_and_size_alone():
    first = [b.copy() for b in DRAWS.weights(7)]
    list(DRAWS.permutations([30]))
    assert all((a == b).all() for a, b in zip(first, DRAWS.weights(7), strict=True))
    assert not (next(Draws(1, 2000).weights(7)) == first[0]).all()
    assert sum(len(b) for b in DRAWS.weights(1_500_000 // 700)) == 2000


def test_permutations_stay_inside_their_stratum():
    for block in DRAWS.permutations([3, 20]):
        assert (np.sort(block[:, :3], axis=1) == np.arange(3)).all()
        assert (np.sort(block[:, 3:], axis=1) == np.arange(3, 23)).all()
    (every,) = DRAWS.permutations([2, 3])
    assert len({tuple(p) for p in every.tolist()}) == 12


def test_the_stored_quantile_is_that_of_the_confidence() -> None:
    assert NormalDist().inv_cdf((1 + CONFIDENCE) / 2) == Z
