"""Intervals that invert the sign-flip test, compared with enumeration and scipy (D36)."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from groundtrace.impact import flips
from groundtrace.impact.flips import (
    MIN_CLUSTERS,
    every_subset,
    flip_units,
    random_subsets,
    unit_sums,
)
from groundtrace.impact.resample import Draws
from groundtrace.impact.signflip import mean_test, ratio_test, smallest_p, typical_ratio

FEW = Draws(seed=0, draws=999)
grid = st.integers(-6, 6).map(lambda k: k / 4)
"""Differences as recalls and rewards have them: many ties, many zeros."""


def enumerated_p(deltas, mean, units=None):
    """Two-sided p of a mean by its definition: all sign vectors, one after another."""
    units = list(range(len(deltas))) if units is None else list(units)
    names = sorted(set(units))
    shifted = [d - mean for d in deltas]
    seen, extreme, total = abs(math.fsum(shifted)), 0, 0
    for signs in itertools.product((1, -1), repeat=len(names)):
        by_name = dict(zip(names, signs, strict=True))
        value = abs(math.fsum(by_name[u] * d for u, d in zip(units, shifted, strict=True)))
        extreme += value >= seen - 1e-9
        total += 1
    return extreme / total


@given(st.lists(grid, min_size=6, max_size=9))
@settings(max_examples=60, deadline=None)
def test_p_is_the_share_of_all_flips(deltas):
    found = mean_test(np.array(deltas))
    assert found.exact
    assert found.p == pytest.approx(enumerated_p(deltas, 0.0), abs=1e-12)


@given(st.lists(st.floats(-3, 3).map(lambda v: round(v, 3)), min_size=6, max_size=9))
@settings(max_examples=40, deadline=None)
def test_the_interval_is_the_set_of_means_that_the_test_keeps(deltas):
    found = mean_test(np.array(deltas))
    low, high = found.interval.low, found.interval.high
    assume(low is not None and len(set(deltas)) > 1)
    for mean in (low, high, found.mean, (low + found.mean) / 2, (high + found.mean) / 2):
        assert enumerated_p(deltas, mean) >= 0.05
    step = 1e-6
    assert enumerated_p(deltas, low - step) < 0.05
    assert enumerated_p(deltas, high + step) < 0.05


@pytest.mark.parametrize("n", [6, 10, 13, 25, 60])
@pytest.mark.parametrize("shift", [0.0, 0.2, 0.5])
def test_p_agrees_with_scipys_permutation_test(n, shift):
    deltas = np.random.default_rng(n).normal(shift, 1, n)
    found = mean_test(deltas)
    expected = stats.permutation_test(
        (deltas,), lambda d, axis: d.mean(axis=axis), permutation_type="samples",
        vectorized=True, n_resamples=2**13 if n <= 13 else 20_000, rng=np.random.default_rng(1),
    ).pvalue  # fmt: skip
    assert found.exact == (n <= 16)
    assert found.p == pytest.approx(expected, abs=1e-9 if n <= 13 else 0.015)


@given(
    st.lists(grid, min_size=6, max_size=40),
    st.integers(0, 3),
    st.sampled_from([1.0, 1e-7, 1e9, 1 / 3]),
)
@settings(max_examples=300, deadline=None)
def test_the_interval_leaves_out_zero_exactly_when_p_is_below_5_percent(deltas, seed, scale):
    found = mean_test(np.array(deltas) * scale, Draws(seed, 999))
    low, high = found.interval.low, found.interval.high
    assume(low is not None)
    assert (not low <= 0 <= high) == (found.p < 0.05)
    assert low <= found.mean <= high


@given(st.lists(st.floats(-1e3, 1e3), min_size=17, max_size=60), st.integers(0, 20))
@settings(max_examples=100, deadline=None)
def test_interval_and_p_agree_for_random_flips_and_many_zeros(deltas, zeros):
    values = np.array(deltas + [0.0] * zeros)
    found = mean_test(values, FEW)
    low, high = found.interval.low, found.interval.high
    assume(low is not None)
    assert (not low <= 0 <= high) == (found.p < 0.05)
    assert low <= found.mean <= high


@given(
    st.lists(st.integers(-1000, 1000).filter(bool), min_size=6, max_size=30),
    st.sampled_from([-1.0, 1e-6, 0.1, 7.0, 1e6]),
)
@settings(max_examples=60, deadline=None)
def test_a_scale_scales_the_interval_and_keeps_p(deltas, factor):
    values = np.array(deltas, float)
    plain, scaled = mean_test(values, FEW), mean_test(values * factor, FEW)
    assume(plain.interval.low is not None)
    ends = sorted([plain.interval.low * factor, plain.interval.high * factor])
    wide = 1e-9 * abs(factor) * 1000
    assert scaled.p == plain.p
    assert [scaled.interval.low, scaled.interval.high] == pytest.approx(ends, abs=wide)


@given(st.lists(st.integers(-50, 50), min_size=6, max_size=30), st.integers(200, 300))
@settings(max_examples=60, deadline=None)
def test_a_shift_shifts_the_interval(deltas, shift):
    values = np.array(deltas, float)
    assume(np.count_nonzero(values) == len(values) and np.ptp(values) > 0)
    plain, moved = mean_test(values, FEW), mean_test(values + shift, FEW)
    assume(plain.interval.low is not None)
    assert moved.interval.low == pytest.approx(plain.interval.low + shift, abs=1e-6)
    assert moved.interval.high == pytest.approx(plain.interval.high + shift, abs=1e-6)


def test_six_tasks_by_hand():
    # 64 flips; 4 must be as extreme: none, all, and the smallest (or largest) alone and its rest.
    found = mean_test(np.array([1.0, 2, 3, 4, 5, 9]))
    assert (found.mean, found.p, found.p_smallest) == (4.0, 2 / 64, 2 / 64)
    assert (found.interval.low, found.interval.high) == (1.0, 9.0)


def test_zeros_beside_few_differences_keep_p_exact_and_pull_the_interval_to_zero():
    # 30 tasks, 5 differ, all upwards: 2 of 32 flips are as extreme, whatever the zeros do.
    deltas = np.array([0.5, 1, 1, 1, 0.25] + [0.0] * 25)
    found = mean_test(deltas)
    assert (found.n, found.moved, found.exact) == (30, 5, True)
    assert found.p == 2 / 32
    assert found.p_smallest == 2 / 32
    assert found.interval.low == 0.0
    assert 0.15 < found.interval.high < 0.4


def test_the_interval_nears_students_for_many_tasks():
    deltas = np.random.default_rng(5).normal(0.2, 1, 400)
    found = mean_test(deltas)
    exact = stats.ttest_1samp(deltas, 0)
    expected = exact.confidence_interval(0.95)
    assert found.p == pytest.approx(exact.pvalue, abs=0.005)
    assert found.interval.low == pytest.approx(expected.low, abs=0.006)
    assert found.interval.high == pytest.approx(expected.high, abs=0.006)


@pytest.mark.parametrize(
    ("deltas", "reason", "p"),
    [
        ([1.0, 2, 3, 4, 5], "fewer_than_6_pairs", None),
        ([], "fewer_than_6_pairs", None),
        ([1.0, 2, 3, 0, 0, 0, 0], "fewer_than_4_differ", 0.25),
        ([0.0] * 30, "no_task_differs", 1.0),
        ([1.0, 2, 3, 4, 5, math.inf], "not_finite", None),
    ],
)
def test_refusals_say_why(deltas, reason, p):
    found = mean_test(np.array(deltas, float))
    assert (found.interval.low, found.interval.high) == (None, None)
    assert found.interval.reason == reason
    assert found.p == p


def test_huge_values_do_not_overflow():
    found = mean_test(np.array([1e308, 1.2e308, 0.8e308, 1e308, 1.5e308, 1.1e308]))
    assert found.interval.low == pytest.approx(0.8e308)
    assert found.interval.high == pytest.approx(1.5e308)


def test_the_smallest_p_is_what_equal_signs_give():
    for n in range(6, 17):
        found = mean_test(np.arange(1.0, n + 1))
        assert found.p == found.p_smallest == smallest_p(n) == 2.0 ** (1 - n)
    assert smallest_p(40, FEW) == mean_test(np.arange(1.0, 41), FEW).p == 1 / 1000
    assert smallest_p(0) == 1.0


def test_the_seed_decides_and_the_same_seed_repeats():
    deltas = np.random.default_rng(0).normal(0.2, 1, 50)
    assert mean_test(deltas, Draws(1, 999)) == mean_test(deltas, Draws(1, 999))
    assert mean_test(deltas, Draws(1, 999)) != mean_test(deltas, Draws(2, 999))


# Flips


def test_subsets_are_all_of_them_and_random_ones_are_fair():
    values = np.array([[1.0, 2, 4], [1, 1, 1]])
    found = every_subset(values)
    assert found[:, 0].tolist() == [0, 0]
    assert sorted(found[0]) == list(range(8))
    assert [bin(int(s)).count("1") for s in found[0]] == found[1].tolist()

    powers = 2.0 ** np.arange(19)
    drawn = random_subsets(np.stack([powers, np.ones(19)]), Draws(0, 20_000))
    assert [int(s).bit_count() for s in drawn[0]] == drawn[1].astype(int).tolist()
    each = ((drawn[0].astype(int)[:, None] >> np.arange(19)) & 1).mean(axis=0)
    assert np.abs(each - 0.5).max() < 0.02


def test_kept_flips_are_those_that_are_drawn_again(monkeypatch):
    """Tests of the same tasks share their draws; what is kept gives the same digits as drawing."""
    columns = np.random.default_rng(3).normal(size=(3, 45))
    columns[1] = 1.0
    kept = random_subsets(columns, Draws(1, 500))
    alone = [random_subsets(row[None], Draws(1, 500))[0] for row in columns]
    monkeypatch.setattr(flips, "_KEPT_BYTES", 0)
    flips._subset_sizes.cache_clear()
    drawn = random_subsets(columns, Draws(1, 500))
    assert kept.tobytes() == drawn.tobytes() == np.stack(alone).tobytes()
    assert (random_subsets(columns, Draws(2, 500)) != kept).any()


# Clusters


def test_whole_repositories_flip_from_six_on():
    five = [f"r{i % 5}" for i in range(30)]
    six = [f"r{i % MIN_CLUSTERS}" for i in range(30)]
    assert len(set(flip_units(five))) == 30
    assert flip_units(six) == [i % 6 for i in range(30)]


def test_a_task_without_a_repository_is_a_unit_of_its_own():
    names = [None, "r0", None, *(f"r{i}" for i in range(10))]
    units = flip_units(names)
    assert units[1] == units[3]
    assert len(set(units)) == 12


@given(
    st.lists(st.tuples(grid, st.integers(0, 6)), min_size=8, max_size=14),
)
@settings(max_examples=60, deadline=None)
def test_flipping_units_together_is_enumeration_over_units(tasks):
    deltas = [d for d, _ in tasks]
    units = [u for _, u in tasks]
    assume(len(set(units)) >= 6)
    found = mean_test(np.array(deltas), FEW, np.array(units))
    assert found.units == len(set(units))
    assert found.mean == pytest.approx(math.fsum(deltas) / len(deltas), abs=1e-12)
    assert found.p == pytest.approx(enumerated_p(deltas, 0.0, units), abs=1e-12)
    low, high = found.interval.low, found.interval.high
    assume(low is not None and len(set(zip(deltas, units, strict=True))) > len(set(units)))
    assert (not low <= 0 <= high) == (found.p < 0.05)
    for mean, kept in ((low, True), (high, True), (low - 1e-6, False), (high + 1e-6, False)):
        assert (enumerated_p(deltas, mean, units) >= 0.05) == kept


def test_copies_of_tasks_in_a_repository_add_no_evidence():
    deltas = np.random.default_rng(3).normal(0.4, 1, 12)
    alone = mean_test(deltas)
    copied = mean_test(np.repeat(deltas, 5), units=np.repeat(np.arange(12), 5))
    assert copied.p == alone.p
    assert copied.interval.low == pytest.approx(alone.interval.low)
    assert copied.interval.high == pytest.approx(alone.interval.high)
    assert mean_test(np.repeat(deltas, 5)).p < alone.p


def test_differences_that_cancel_in_a_repository_do_not_move_it():
    found = mean_test(
        np.array([0.3, -0.1, -0.2, 1, 1, 1, 1, 2]), units=np.array([0, 0, 0, 1, 2, 3, 4, 5])
    )
    assert (found.units, found.moved) == (6, 5)
    assert found.p == 2 / 32


def test_too_few_units_give_no_p():
    found = mean_test(np.arange(1.0, 11), units=np.repeat([0, 1], 5))
    assert (found.p, found.reason, found.mean) == (None, "fewer_than_6_clusters", 5.5)


def test_sums_by_unit_follow_the_unit_numbers_that_occur():
    assert unit_sums(np.array([[1.0, 2, 4]]), np.array([7, 3, 7])).tolist() == [[2.0, 5.0]]


def test_clustered_differences_without_effect_are_rarely_found():
    # 15 repositories of 5 tasks, 40 % of the variance between repositories.
    random = np.random.default_rng(0)
    units = np.repeat(np.arange(15), 5)
    together = apart = 0
    for k in range(300):
        deltas = math.sqrt(0.4) * random.normal(size=15)[units]
        deltas = deltas + math.sqrt(0.6) * random.normal(size=75)
        together += mean_test(deltas, Draws(k, 999), units).p <= 0.05
        apart += mean_test(deltas, Draws(k, 999)).p <= 0.05
    assert together / 300 < 0.09
    assert apart / 300 > 0.15


# Levels, equal differences, ratios of sums


@given(
    st.lists(grid, min_size=8, max_size=30),
    st.sampled_from([0.05, 0.0125, 0.05 / 12]),
    st.integers(0, 2),
)
@settings(max_examples=200, deadline=None)
def test_at_every_level_the_interval_leaves_out_zero_exactly_when_p_is_below_it(
    deltas, level, seed
):
    found = mean_test(np.array(deltas), Draws(seed, 1999), None, level)
    low, high = found.interval.low, found.interval.high
    assume(low is not None)
    assert (not low <= 0 <= high) == (found.p < level)


def test_a_lower_level_gives_a_wider_interval():
    deltas = np.random.default_rng(2).normal(0.3, 1, 30)
    wide, narrow = (mean_test(deltas, level=level).interval for level in (0.0125, 0.05))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_equal_differences_allow_for_unchanged_tasks_that_were_not_drawn():
    """10 of 10 tasks rose by 0.5. If s of all tasks rise, s ** 10 is the chance of 10 of 10."""
    found = mean_test(np.full(10, 0.5))
    share = 0.025**0.1
    assert found.p == 2 / 1024
    assert (found.interval.low, found.interval.high) == pytest.approx(
        (0.5 * share, 0.5 * (2 - share))
    )
    few = mean_test(np.full(6, 0.5), level=0.0125)
    assert (few.interval.low, few.interval.reason) == (None, "too_few_flips")


def test_changes_that_cancel_in_every_repository_say_so():
    """“Fewer than 4 tasks differ” stood beside “10 better, 10 worse”."""
    found = mean_test(np.array([0.5, -0.5] * 10), units=np.repeat(np.arange(10), 2))
    assert (found.moved, found.interval.reason) == (0, "changes_cancel")


def test_a_ratio_of_sums_by_hand_and_as_a_mean():
    values = np.array([1.0, 4, 3, 8, 5, 12])
    sizes = np.array([1.0, 2, 1, 2, 1, 2])
    found = ratio_test(values, sizes)
    assert (found.mean, found.p) == (33 / 9, 2 / 64)
    # The lowest root is the smallest ratio of a subset, the highest the largest.
    assert (found.interval.low, found.interval.high) == (1.0, 6.0)
    deltas = np.random.default_rng(1).normal(size=14)
    assert ratio_test(deltas, np.ones(14)) == mean_test(deltas)


# Typical ratios


@given(st.lists(st.tuples(st.floats(0.01, 1e4), st.floats(0.01, 1e4)), min_size=6, max_size=20))
@settings(max_examples=60, deadline=None)
def test_the_ratio_is_the_ratio_of_scipys_geometric_means(pairs):
    baseline, config = np.array(pairs).T
    ratio, interval = typical_ratio(baseline, config, FEW)
    assert ratio == pytest.approx(stats.gmean(config) / stats.gmean(baseline), rel=1e-7)
    assume(interval.low is not None)
    assert interval.low * (1 - 1e-9) <= ratio <= interval.high * (1 + 1e-9)
    _, other = typical_ratio(config, baseline, FEW)
    assert other.low == pytest.approx(1 / interval.high)
    assert other.high == pytest.approx(1 / interval.low)


def test_one_dear_task_does_not_decide_the_typical_ratio():
    baseline = np.array([1.0, 1, 1, 1, 1, 1, 1, 1000])
    config = np.array([2.0, 2.2, 1.8, 2.1, 1.9, 2, 2.3, 900])
    assert 1.7 < typical_ratio(baseline, config)[0] < 2
    assert np.mean(config - baseline) < 0


def test_a_value_of_zero_leaves_no_typical_ratio():
    """Tasks with a cost of 0 left the ratio silently: 20 tasks were shown, 10 counted."""
    ratio, interval = typical_ratio(np.array([0.0, 1, 2]), np.array([1.0, 1, 2]))
    assert (ratio, interval.reason) == (None, "values_of_zero")
