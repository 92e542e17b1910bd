"""Adjusted p values over many metrics, compared with a separate enumeration (D36)."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from groundtrace.impact.adjusted import max_t
from groundtrace.impact.resample import Draws, holm
from groundtrace.impact.signflip import mean_test

FEW = Draws(seed=0, draws=1999)


def enumerated(table):
    """Step-down maxT by its definition: every flip, Student's t of each metric's own pairs."""

    def t(values):
        own = values[np.isfinite(values)]
        spread = own.std(ddof=1)
        if not own.any():
            return 0.0
        if spread < 1e-12:
            return math.inf
        return abs(own.mean()) / (spread / math.sqrt(len(own)))

    def row(signs):
        return [t(column * signs) for column in table.T]

    n = len(table)
    flips = np.array([row(np.array(s)) for s in itertools.product((1, -1), repeat=n)])
    seen = np.array(row(np.ones(n)))
    order = sorted(range(len(seen)), key=lambda i: -seen[i])
    adjusted, highest = [0.0] * len(seen), 0.0
    for place, i in enumerate(order):
        largest = flips[:, order[place:]].max(axis=1)
        highest = max(highest, float(np.mean(largest >= seen[i] * (1 - 1e-9))))
        adjusted[i] = highest
    return adjusted


def normal(n, metrics, shift=0.0, seed=0):
    return np.random.default_rng(seed).normal(shift, 1, (n, metrics))


@pytest.mark.parametrize("seed", range(6))
def test_adjusted_p_is_that_of_an_enumeration(seed):
    table = np.round(normal(8, 3, 0.4, seed), 1)
    table[:2, 1] = np.nan
    found = max_t(table)
    assert [a.p_adjusted for a in found] == pytest.approx(enumerated(table), abs=1e-12)
    assert [a.n for a in found] == [8, 6, 8]
    assert all(a.exact for a in found)


def test_the_raw_p_is_the_sign_flip_p_of_the_mean():
    table = np.round(normal(12, 5, 0.3), 1)
    expected = [mean_test(column).p for column in table.T]
    assert [a.p for a in max_t(table)] == pytest.approx(expected)


@given(st.integers(0, 10_000), st.sampled_from([8, 14, 30]), st.integers(1, 8), st.booleans())
@settings(max_examples=40, deadline=None)
def test_adjusting_never_lowers_p_and_keeps_the_order(seed, n, metrics, gaps):
    table = normal(n, metrics, 0.4, seed)
    if gaps:
        table[np.random.default_rng(seed).random(table.shape) < 0.2] = np.nan
    found = max_t(table, FEW)
    t = np.abs(stats.ttest_1samp(table, 0, nan_policy="omit").statistic)
    kept = [(t[i], a) for i, a in enumerate(found) if a.p is not None]
    found = [a for _, a in kept]
    assert all(a.p <= a.p_adjusted <= 1 for a in found)
    adjusted = [a.p_adjusted for _, a in sorted(kept, key=lambda pair: -pair[0])]
    assert adjusted == sorted(adjusted)
    if not gaps:
        # Equal sizes have almost one null distribution, so maxT is hardly above Bonferroni.
        noise = 4 * math.sqrt(metrics * 0.05 / 2000) + 0.01
        assert all(a.p_adjusted <= min(1, metrics * a.p) * 1.3 + noise for a in found)


def test_one_metric_alone_is_not_adjusted():
    (found,) = max_t(normal(25, 1, 0.4), FEW)
    assert found.p == found.p_adjusted


def test_copies_of_a_metric_cost_nothing_where_holm_multiplies():
    one = normal(20, 1, 0.6, 3)
    table = np.hstack([one] * 49)
    found = max_t(table, FEW)
    assert all(a.p_adjusted == a.p for a in found)
    assert max(holm([a.p for a in found])) == pytest.approx(min(1, 49 * found[0].p))


def test_independent_metrics_are_adjusted_as_sidak_would():
    table = normal(60, 10, 0.0, 1)
    table[:, 0] += 0.45
    found = max_t(table, Draws(0, 20_000))
    p = stats.ttest_1samp(table[:, 0], 0).pvalue
    assert found[0].p_adjusted == pytest.approx(1 - (1 - p) ** 10, abs=0.015)


def test_units_and_scale_of_a_metric_do_not_matter():
    table = normal(30, 4, 0.3, 2)
    plain = max_t(table, FEW)
    scaled = max_t(table * np.array([1e-9, 1e9, -3, 1e300]), FEW)
    assert scaled == plain


def test_metrics_with_few_pairs_are_no_tests_and_change_nothing():
    table = normal(12, 3, 0.5, 4)
    table[5:, 1] = np.nan
    found = max_t(table)
    assert (found[1].n, found[1].p, found[1].p_adjusted, found[1].exact) == (5, None, None, None)
    alone = max_t(table[:, [0, 2]])
    assert [found[0], found[2]] == alone
    assert max_t(np.zeros((3, 2)))[0].p is None


def test_a_mean_of_zero_has_p_one_whatever_its_last_digits_say():
    deltas = np.array([0.1, 0.2, -0.3, 0.7, -0.7, 0.3, -0.2, -0.1])
    (found,) = max_t(deltas[:, None])
    assert found.p == found.p_adjusted == 1.0


def test_a_metric_that_never_changes_has_p_one():
    table = normal(12, 2, 0.5, 4)
    table[:, 1] = 0
    found = max_t(table)
    assert found[1].p == found[1].p_adjusted == 1.0


def test_repositories_flip_whole():
    table = normal(12, 3, 0.5, 5)
    copied = max_t(np.repeat(table, 4, axis=0), FEW, np.repeat(np.arange(12), 4))
    alone = max_t(table, FEW)
    assert [(a.p, a.p_adjusted) for a in copied] == [(a.p, a.p_adjusted) for a in alone]


def test_the_family_wise_error_is_held_under_a_full_null():
    random = np.random.default_rng(0)
    wrong = 0
    for k in range(300):
        shared = random.normal(size=(20, 1))
        table = shared + random.normal(size=(20, 12))
        wrong += min(a.p_adjusted for a in max_t(table, Draws(k, 499))) <= 0.05
    assert wrong / 300 <= 0.09
