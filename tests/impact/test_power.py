"""Student's t, the smallest detectable difference and the tasks needed, compared with scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from groundtrace.impact.power import (
    binary_power,
    detectable,
    enough,
    gauss_legendre,
    t_quantile,
)


@pytest.mark.parametrize("df", [*range(1, 41), 63, 99, 100, 101, 499, 5000, 10**6, 10**9])
@pytest.mark.parametrize("q", [0.025, 0.2, 0.5, 0.6, 0.8, 0.9, 0.975, 0.995, 0.9999])
def test_quantiles_are_scipys_to_1e_9(q, df):
    assert t_quantile(q, df) == pytest.approx(stats.t.ppf(q, df), rel=1e-9, abs=1e-12)


def test_the_stored_points_are_numpys():
    for own, numpys in zip(gauss_legendre(), np.polynomial.legendre.leggauss(64), strict=True):
        np.testing.assert_allclose(own, numpys, rtol=1e-11, atol=1e-15)


@given(st.floats(0.001, 0.999), st.integers(1, 3000))
@settings(max_examples=100, deadline=None)
def test_the_quantile_inverts_scipys_distribution(q, df):
    assert stats.t.cdf(t_quantile(q, df), df) == pytest.approx(q, abs=1e-11)


@pytest.mark.parametrize(("q", "df"), [(0.0, 3), (1.0, 3), (math.nan, 3), (0.5, 0)])
def test_what_has_no_quantile_is_refused(q, df):
    with pytest.raises(ValueError, match="no quantile"):
        t_quantile(q, df)


@pytest.mark.parametrize("n", [10, 24, 100])
@pytest.mark.parametrize("level", [0.05, 0.0125])
def test_the_detectable_difference_is_found_in_about_80_percent_by_the_t_test(n, level):
    difference = detectable(2.0, n, level)
    tails = stats.t.ppf(1 - level / 2, n - 1) + stats.t.ppf(0.8, n - 1)
    assert difference == pytest.approx(tails * 2 / math.sqrt(n), rel=1e-9)
    samples = np.random.default_rng(n).normal(difference, 2, (4000, n))
    power = np.mean(stats.ttest_1samp(samples, 0, axis=1).pvalue <= level)
    assert power == pytest.approx(0.8, abs=0.05)


def test_what_could_never_be_significant_detects_nothing():
    """p of 6 tasks is at least 2 / 64."""
    assert detectable(1.0, 6, 0.0125) == math.inf
    assert detectable(1.0, 6, 0.05) < math.inf


@pytest.mark.parametrize(("n", "differ", "difference"), [(20, 0.3, 0.3), (60, 0.2, 0.15)])
def test_the_power_of_binary_rewards_is_that_of_scipys_sign_test(n, differ, difference):
    """Drawn data sets, each tested by scipy: the exact sum must agree."""
    level = 0.0125
    random = np.random.default_rng(n)
    share = differ + difference
    moved = random.binomial(n, share, 3000)
    up = random.binomial(moved, (share + difference) / (2 * share))
    found = [
        k > 0 and stats.binomtest(int(u), int(k), 0.5).pvalue < level and 2 * u > k
        for u, k in zip(up, moved, strict=True)
    ]
    power = binary_power(n, differ, difference, level)
    assert power == pytest.approx(np.mean(found), abs=0.03)


def test_enough_by_hand():
    deltas = np.array([0.0, 0.5, 0.5, -0.5, 0.9, 0, 0, 0.5, 0, 0.8])
    found = enough(deltas, None, 0.05, 0.0125, 0.1)
    sd = np.std(deltas, ddof=1)
    assert found.detectable == pytest.approx(detectable(sd, 10, 0.05))
    assert detectable(sd, found.needed, 0.0125) <= 0.1 < detectable(sd, found.needed - 1, 0.0125)


def test_repositories_count_as_units():
    """Five equal tasks in a repository show no more than one."""
    deltas = np.random.default_rng(3).normal(0.2, 0.5, 12)
    alone = enough(deltas, None, 0.05, 0.05, 0.2)
    five = enough(np.repeat(deltas, 5), np.repeat(np.arange(12), 5), 0.05, 0.05, 0.2)
    assert five.detectable == pytest.approx(alone.detectable)
    assert five.needed == pytest.approx(5 * alone.needed, abs=5)


def test_ties_say_how_many_gains_would_be_seen():
    """40 ties at 0.05: 6 gains and no loss are needed, so 80 % need about 0.19."""
    found = enough(np.zeros(40), None, 0.05, 0.05, 0.1, binary=True)
    chance = 1 - stats.binom.cdf(5, 40, found.detectable)
    assert chance == pytest.approx(0.8, abs=0.01)
    assert stats.binom.sf(5, found.needed, 0.1) >= 0.8 > stats.binom.sf(5, found.needed - 1, 0.1)


@pytest.mark.parametrize(
    ("deltas", "reason"),
    [
        ([1.0], "fewer_than_6_pairs"),
        ([], "fewer_than_6_pairs"),
        ([0.0] * 8, "deltas_all_equal"),
        ([0.3] * 8, "deltas_all_equal"),
        ([1.0, 2, 3, 4, 5, math.inf], "not_finite"),
    ],
)
def test_without_a_spread_nothing_is_promised(deltas, reason):
    found = enough(np.array(deltas, float), None, 0.05, 0.05, 0.1)
    assert (found.detectable, found.needed, found.reason) == (None, None, reason)


def test_the_formula_is_near_statsmodels_power_of_the_t_test():
    power = pytest.importorskip("statsmodels.stats.power")
    for n in (10, 20, 50):
        found = power.TTestPower().power(detectable(1.0, n, 0.0125), n, 0.0125)
        assert found == pytest.approx(0.8, abs=0.05)
