"""Permutations that are combined from two small sets (D138), and sums that are exact (D139)."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from groundtrace.impact import pooled, resample
from groundtrace.impact.association import associate
from groundtrace.impact.pooled import GRID_ABOVE, grid_shape, grid_sums, pooled_tests, two_sets
from groundtrace.impact.resample import Draws, midranks, on_grid, products

DRAWS = Draws(seed=0, draws=299)


def centred(values):
    return np.asarray(values, dtype=float)[:, None] - np.mean(values)


def ranks(values):
    return centred(midranks(np.asarray(values, dtype=float))) / len(values)


def test_the_default_of_2000_draws_is_exactly_two_sets_with_the_data():
    assert grid_shape(2000) == (29, 69)
    assert 29 * 69 == 2000 + 1


@given(st.integers(1, 200_000))
def test_there_are_as_many_draws_as_asked_for_and_few_more(draws):
    rows, columns = grid_shape(draws)
    assert math.isqrt(draws + 1) // 2 <= rows <= columns
    assert draws + 1 <= rows * columns <= draws + rows
    if draws >= 100:
        assert rows * columns <= 1.03 * (draws + 1)


def test_both_sets_stay_inside_strata_and_begin_with_the_data():
    left, right = two_sets([3, 1, 600], DRAWS)
    assert (len(left), len(right)) == grid_shape(299)
    for orders in (left, right):
        assert (orders[0] == np.arange(604)).all()
        assert (np.sort(orders[:, :3], axis=1) == np.arange(3)).all()
        assert (orders[:, 3] == 3).all()
        assert (np.sort(orders[:, 4:], axis=1) == np.arange(4, 604)).all()
        assert (orders[1:, 4:] != np.arange(4, 604)).any(axis=1).all()
    again, _ = two_sets([3, 1, 600], DRAWS)
    assert (again == left).all()
    other, _ = two_sets([3, 1, 600], Draws(1, 299))
    assert (other != left).any()


def naive_p(f, g, left, right):
    """One pair, one permutation after another: the metric by one set, the outcome by the other."""
    sums = [float(np.sum(f[a] * g[b])) for a in left for b in right]
    return sum(abs(s) >= abs(sums[0]) - 1e-9 for s in sums) / len(sums)


@pytest.mark.parametrize("columns", [1, 2])
def test_p_is_that_of_a_plain_loop_over_the_same_permutations(monkeypatch, columns):
    random = np.random.default_rng(columns)
    strata = [200, 330]
    fs = [np.round(random.normal(size=(530, columns))) for _ in range(3)]
    gs = [np.round(random.normal(size=(530, columns)) + 0.05 * fs[0]) for _ in range(2)]
    fs, gs = ([pooled._centred(x, strata) for x in side] for side in (fs, gs))
    pairs = [(i, j) for i in range(3) for j in range(2)]
    found = pooled_tests(fs, gs, strata, pairs, DRAWS)
    sets = two_sets(strata, DRAWS)
    assert [test.p for test in found] == [naive_p(fs[i], gs[j], *sets) for i, j in pairs]
    assert not any(test.exact for test in found)
    alone = [pooled_tests([fs[i]], [gs[j]], strata, [(0, 0)], DRAWS)[0] for i, j in pairs]
    assert alone == found
    monkeypatch.setattr(resample, "_SMALL", 1)
    assert pooled_tests(fs, gs, strata, pairs, DRAWS) == found


def test_up_to_500_tasks_draws_are_independent():
    random = np.random.default_rng(4)
    f, g = (ranks(random.normal(size=GRID_ABOVE)) for _ in range(2))
    (found,) = pooled_tests([f], [g], [GRID_ABOVE], [(0, 0)], DRAWS)
    blocks = np.concatenate(list(DRAWS.permutations([GRID_ABOVE])))
    seen = abs(float(np.sum(f * g))) - 1e-9
    reach = sum(abs(float(np.sum(f * g[order]))) >= seen for order in blocks)
    assert found.p == (reach + 1) / 300


@pytest.mark.parametrize(("strata", "sizes"), [([3], (2, 2)), ([3], (2, 3)), ([2, 2], (2, 3))])
def test_the_test_is_exact_over_all_data_and_all_sets(strata, sizes):
    """With exchangeable tasks, p <= k / (number of combinations) has at most that chance."""
    starts = np.cumsum([0, *strata])
    parts = [itertools.permutations(range(a, b)) for a, b in itertools.pairwise(starts)]
    orders = [sum(choice, ()) for choice in itertools.product(*parts)]
    n, total = sum(strata), math.prod(sizes)
    f = np.array([0.0, 1.0, 5.0, 7.5])[:n, None]
    g = np.array([0.0, 2.0, 3.0, 9.0])[:n, None]
    drawn = sum(sizes) - 2
    counts = []
    for data in orders:
        for chosen in itertools.product(orders, repeat=drawn):
            sets = ((orders[0], *chosen[: sizes[0] - 1]), (orders[0], *chosen[sizes[0] - 1 :]))
            left, right = (np.array(rows, dtype=np.int32) for rows in sets)
            (sums,) = grid_sums([f], [g[list(data)]], [(0, 0)], left, right)
            counts.append(int((sums >= sums[0, 0] - 1e-9).sum()))
    for k in range(1, total + 1):
        assert np.mean(np.array(counts) <= k) <= k / total + 1e-12
    assert min(counts) == 1


def test_each_two_combinations_are_independent_and_uniform():
    """So p has the variance of independent draws. The grid of sums tells the permutation."""
    orders = np.array(list(itertools.permutations(range(3))), dtype=np.int32)
    f, g = np.array([[1.0], [10.0], [100.0]]), np.array([[1.0], [2.0], [4.0]])
    places = [(0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    seen = {pair: [] for pair in itertools.combinations(places, 2)}
    for a, b, c in itertools.product(orders, repeat=3):
        left, right = np.stack([orders[0], a]), np.stack([orders[0], b, c])
        (sums,) = grid_sums([f], [g], [(0, 0)], left, right)
        for one, other in seen:
            seen[one, other].append((sums[one], sums[other]))
    for found in seen.values():
        assert [found.count(value) for value in sorted(set(found))] == [6] * 36


def test_p_is_spread_around_that_of_all_permutations_as_with_independent_draws(monkeypatch):
    monkeypatch.setattr(pooled, "GRID_ABOVE", 0)
    strata, draws = [8, 2], 200
    random = np.random.default_rng(3)
    x = random.normal(size=10)
    f, g = (
        pooled._centred(ranks(v), strata) for v in (np.round(x), x + 3 * random.normal(size=10))
    )
    first = np.array(list(itertools.permutations(range(8))))
    sums = np.concatenate(
        [
            (f[:8, 0] * g[first, 0]).sum(axis=1) + (f[8:, 0] * g[last, 0]).sum()
            for last in ([8, 9], [9, 8])
        ]
    )
    expected = float(np.mean(np.abs(sums) >= abs(np.sum(f * g)) - 1e-9))
    assert 0.02 < expected < 0.5
    ps = [pooled_tests([f], [g], strata, [(0, 0)], Draws(k, draws))[0].p for k in range(1500)]
    total = math.prod(grid_shape(draws))
    spread = math.sqrt(expected * (1 - expected) / total)
    # The data are one of the combinations and always reach their own sum.
    assert np.mean(ps) == pytest.approx(
        (1 + expected * (total - 1)) / total, abs=4 * spread / math.sqrt(1500)
    )
    assert np.std(ps) == pytest.approx(spread, rel=0.1)


def test_with_many_tasks_p_agrees_with_scipy():
    random = np.random.default_rng(8)
    for slope in (0.0, 0.03, 0.06):
        x = random.normal(size=900)
        y = slope * x + random.normal(size=900)
        present = np.ones((900, 1), dtype=bool)
        (found,) = associate([x[:, None]], [y[:, None]], present, [(0, 0)], Draws(0, 2000))
        expected = stats.spearmanr(x, y).pvalue
        assert found.p == pytest.approx(expected, abs=4 * math.sqrt(expected / 2000) + 1e-3)


def test_without_association_5_percent_are_below_5_percent():
    random = np.random.default_rng(12)
    n = GRID_ABOVE + 1
    found = []
    for k in range(600):
        f, g = (ranks(np.round(random.normal(size=n), 1)) for _ in range(2))
        found.append(pooled_tests([f], [g], [n], [(0, 0)], Draws(k, 199))[0].p <= 0.05)
    assert stats.binomtest(sum(found), 600, 0.05).pvalue > 0.01


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(-300, 300))
def test_sums_of_rounded_numbers_are_exact_in_any_order(seed, n, exponent):
    random = np.random.default_rng(seed)
    columns = random.standard_cauchy(size=(n, 3)) * 2.0**exponent
    columns[:, 2] = 0.0
    found = on_grid(columns, n)
    assert np.abs(found - columns).max() <= n * 2.0**-52 * np.abs(columns).max()
    picks = random.integers(0, n, size=(5, n))
    weights = np.stack([np.bincount(row, minlength=n) for row in picks]).astype(float)
    expected = [[math.fsum(found[row, c]) for c in range(3)] for row in picks]
    assert products(weights, found).tolist() == expected
    backwards = products(weights[:, ::-1].copy(), found[::-1].copy())
    assert backwards.tolist() == expected


def test_an_interval_does_not_depend_on_how_products_are_split(monkeypatch):
    random = np.random.default_rng(6)
    x = random.normal(size=(700, 1))
    y = x + random.normal(size=(700, 1))
    present = np.ones((700, 1), dtype=bool)
    (whole,) = associate([x], [y], present, [(0, 0)], DRAWS)
    monkeypatch.setattr(resample, "_SMALL", 1)
    assert associate([x], [y], present, [(0, 0)], DRAWS) == [whole]
    assert whole.ranks_once
