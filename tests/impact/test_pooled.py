"""Permutation tests pooled over configurations and suites, and correlations of differences."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from benchmarks.populations import different_tasks
from groundtrace.impact import association, resample
from groundtrace.impact.association import associate
from groundtrace.impact.beside import tandem
from groundtrace.impact.pooled import by_suite, movable, pooled_tests
from groundtrace.impact.resample import Draws

DRAWS = Draws(seed=0, draws=999)


def ranked(x, y, present):
    """A grid as `associate` arranges it: centred ranks of both sides, and the strata."""
    grid = association._arranged([x], [y], present)
    f = association._ridits(grid.xs[0], grid.present)
    g = association._ridits(grid.ys[0], grid.present)
    return f, g, grid.strata


def one(x, y, present, draws=DRAWS):
    f, g, strata = ranked(x, y, present)
    return pooled_tests([f], [g], strata, [(0, 0)], draws)[0]


def enumerated(f, g, strata):
    """All permutations inside strata; the distance is from the mean of all, not from 0."""
    starts = np.cumsum([0, *strata])
    parts = [list(itertools.permutations(range(a, b))) for a, b in itertools.pairwise(starts)]
    sums = []
    for choice in itertools.product(*parts):
        order = [i for part in choice for i in part]
        sums.append(float(np.sum(f * g[order])))
    middle = math.fsum(sums) / len(sums)
    seen = abs(float(np.sum(f * g)) - middle)
    return sum(abs(s - middle) >= seen - 1e-9 for s in sums) / len(sums)


@pytest.mark.parametrize("seed", range(8))
def test_p_counts_distances_from_what_permutations_give_on_average(seed):
    random = np.random.default_rng(seed)
    present = np.array([[1, 0]] * 3 + [[1, 1]] * 4 + [[0, 1]] * 2, dtype=bool)
    x, y = np.round(random.normal(size=(2, 9, 2)) * 2)
    f, g, strata = ranked(x, y, present)
    found = one(x, y, present)
    assert found.exact
    assert found.movable == 9
    assert found.p == pytest.approx(enumerated(f, g, strata), abs=1e-12)


def test_it_is_spearmans_permutation_test_where_all_ran_the_same_tasks():
    random = np.random.default_rng(1)
    x, y = random.normal(size=(2, 7, 1))
    found = one(x, y, np.ones((7, 1), dtype=bool))
    expected = stats.permutation_test(
        (x[:, 0],),
        lambda a: stats.spearmanr(a, y[:, 0]).statistic,
        permutation_type="pairings",
        n_resamples=math.factorial(7),
    ).pvalue
    assert found.p == pytest.approx(expected)


def test_power_is_the_same_in_both_directions_where_configs_ran_different_tasks():
    found = {}
    for rho in (-0.4, 0.0, 0.4):
        random = np.random.default_rng(1)
        hits = 0
        for k in range(200):
            x, y, present = different_tasks(random, 36, rho, 1.0)
            hits += one(x, y, present, Draws(k, 299)).p <= 0.05
        found[rho] = hits / 200
    assert found[0.0] <= 0.1
    assert min(found[-0.4], found[0.4]) > 0.45
    assert abs(found[-0.4] - found[0.4]) < 0.15


def test_tasks_without_another_of_their_kind_cannot_move():
    present = np.array([[1, 0]] * 6 + [[1, 1], [0, 1]], dtype=bool)
    random = np.random.default_rng(0)
    found = one(*random.normal(size=(2, 8, 2)), present)
    assert found.movable == movable([6, 1, 1]) == 6
    # A task that cannot move adds the same to every permutation, so it cannot change p.
    assert found.p is not None


def test_no_p_where_nothing_can_move():
    grids = [np.array([[0.4], [-0.2], [-0.2]])] * 2
    (found,) = pooled_tests(grids[:1], grids[1:], [1, 1, 1], [(0, 0)], DRAWS)
    assert (found.movable, found.p, found.exact, found.reason) == (0, None, None, "no_permutation")


def test_no_p_where_a_side_is_constant_in_every_group_that_could_move():
    f = np.array([[-0.3], [-0.3], [0.3], [0.3]])
    g = np.array([[-0.4], [-0.1], [0.1], [0.4]])
    (found,) = pooled_tests([f], [g], [2, 2], [(0, 0)], DRAWS)
    assert (found.p, found.reason) == (None, "no_permutation")


def test_several_pairs_share_their_draws_and_stay_what_they_are_alone():
    random = np.random.default_rng(2)
    fs, gs = random.normal(size=(2, 20, 1)), random.normal(size=(3, 20, 1))
    pairs = [(i, j) for i in range(2) for j in range(3)]
    together = pooled_tests(list(fs), list(gs), [20], pairs, DRAWS)
    alone = [pooled_tests([fs[i]], [gs[j]], [20], [(0, 0)], DRAWS)[0] for i, j in pairs]
    assert together == alone


# Suites


def test_a_suite_becomes_a_column_and_empty_ones_are_left_out():
    values = np.array([[1.0, 2], [3, 4], [5, 6]])
    present = np.array([[1, 0], [1, 1], [1, 0]], dtype=bool)
    wide, here = by_suite(values, present, ["b", "a", None])
    # Columns: no suite, then a with both columns, then b.
    assert here.tolist() == [
        [False, False, False, True],
        [False, True, True, False],
        [True, False, False, False],
    ]
    assert wide[here].tolist() == [1, 3, 4, 5]


def test_suites_that_differ_in_level_make_no_correlation():
    random = np.random.default_rng(0)
    inside = across = 0
    for k in range(200):
        suites = ["easy"] * 15 + ["hard"] * 15
        level = np.repeat([1.0, 0.0], 15)
        x, y = random.normal(size=(2, 30)) + level
        ones = np.ones((30, 1), dtype=bool)
        draws = Draws(k, 299)
        wide_x, here = by_suite(x[:, None], ones, suites)
        wide_y, _ = by_suite(y[:, None], ones, suites)
        inside += associate([wide_x], [wide_y], here, [(0, 0)], draws)[0].p <= 0.05
        across += associate([x[:, None]], [y[:, None]], ones, [(0, 0)], draws)[0].p <= 0.05
    assert inside / 200 <= 0.09
    assert across / 200 > 0.12


# Differences against differences


def test_differences_give_scipys_coefficient_and_a_permutation_p():
    random = np.random.default_rng(4)
    recall = np.round(random.normal(0.1, 0.3, 40), 1)
    reward = np.round(recall + random.normal(0, 0.4, 40), 1)
    found = tandem(recall, reward, Draws(0, 4999))
    expected = stats.spearmanr(recall, reward)
    assert found.association.r == pytest.approx(expected.statistic, abs=1e-12)
    assert found.association.p == pytest.approx(expected.pvalue, abs=0.003)
    low, high = found.association.interval.low, found.association.interval.high
    assert 0 < low < found.association.r < high < 1
    assert found.together + found.opposed + found.unchanged == 40


def test_small_differences_are_permuted_exactly():
    recall = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    found = tandem(recall, recall**2, DRAWS)
    assert (found.association.r, found.association.exact) == (1.0, True)
    assert found.association.p == pytest.approx(2 / math.factorial(6))
    assert (found.together, found.opposed, found.unchanged) == (6, 0, 0)


def test_a_missing_difference_leaves_the_task_out():
    recall = np.array([0.1, -0.2, 0.0, np.nan, 0.4, 0.5, -0.3])
    reward = np.array([1.0, 1.0, 1.0, 0.5, np.nan, 0.5, -1.0])
    found = tandem(recall, reward, DRAWS)
    assert found.association.n == 5
    assert (found.together, found.opposed, found.unchanged) == (3, 1, 1)


def test_noise_of_averaging_breaks_no_tie():
    exact = tandem(np.array([0.3, 0.3, 0.1, 0.5, 0.2, 0.0]), np.arange(6.0), DRAWS)
    noisy = tandem(np.array([0.1 + 0.2, 0.3, 0.1, 0.5, 0.2, 0.0]), np.arange(6.0), DRAWS)
    assert exact == noisy


def test_inside_suites_the_level_of_a_suite_drops_out():
    random = np.random.default_rng(7)
    recall, reward = random.normal(size=(2, 40))
    suites = ["a"] * 20 + ["b"] * 20
    raised = np.repeat([0.0, 50.0], 20)
    plain = tandem(recall, reward, DRAWS, suites)
    moved = tandem(recall + raised, reward + raised, DRAWS, suites)
    assert moved.association == plain.association
    assert tandem(recall + raised, reward + raised, DRAWS).association.r > 0.5


def test_too_few_tasks_give_no_coefficient():
    found = tandem(np.array([0.1, 0.2]), np.array([1.0, 0.0]), DRAWS)
    assert found.association.r is None
    assert found.association.reason == "fewer_than_5_pairs"
    assert tandem(np.array([]), np.array([]), DRAWS).association.n == 0


def test_the_size_of_a_product_does_not_change_p(monkeypatch):
    """Sums are made a few rows at a time (D126): the same p as row by row, ties included."""
    random = np.random.default_rng(11)
    fs = [np.round(random.normal(size=(60, 2)), 1) for _ in range(3)]
    gs = [np.round(random.normal(size=(60, 2)), 1) for _ in range(2)]
    pairs = [(i, j) for i in range(3) for j in range(2)]
    whole = pooled_tests(fs, gs, [25, 35], pairs, DRAWS)
    monkeypatch.setattr(resample, "_SMALL", 1)
    assert pooled_tests(fs, gs, [25, 35], pairs, DRAWS) == whole
    for (i, j), test in zip(pairs, whole, strict=True):
        alone = pooled_tests([fs[i]], [gs[j]], [25, 35], [(0, 0)], DRAWS)
        assert alone == [test]
