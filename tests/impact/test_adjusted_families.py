"""Primaries over several configurations: at most one false finding in twenty reports (D64)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.impact.adjusted import over_configurations
from groundtrace.impact.resample import holm

levels = st.integers(1, 40).map(lambda k: k / 40)


def rejected(tables, level):
    """The procedure in its own words: divide the level by the comparisons that are left, and be
    done with a comparison when all of its primaries are found."""
    left = {i for i, table in enumerate(tables) if table}
    found = set()
    while True:
        now = {
            (i, j)
            for i in left
            for j, p in enumerate(tables[i])
            if p * len(left) <= level * (1 + 1e-12)
        }
        done = {i for i in left if all((i, j) in now | found for j in range(len(tables[i])))}
        found |= now
        if not done:
            return found
        left -= done
        if not left:
            return found


@given(st.lists(st.lists(levels, max_size=3), max_size=4))
def test_an_adjusted_p_is_the_smallest_level_that_finds_it(tables):
    adjusted = over_configurations(tables)
    assert [len(table) for table in adjusted] == [len(table) for table in tables]
    for level in {p for table in adjusted for p in table if p < 1}:
        expected = rejected(tables, level)
        for i, table in enumerate(adjusted):
            for j, p in enumerate(table):
                assert (p <= level * (1 + 1e-12)) == ((i, j) in expected)


@given(st.lists(levels, max_size=6))
def test_with_one_primary_it_is_holm(ps):
    assert [p for (p,) in over_configurations([[p] for p in ps])] == pytest.approx(holm(ps))


def test_one_comparison_needs_no_adjustment():
    assert over_configurations([[0.01, 0.2, 0.04]]) == [[0.01, 0.2, 0.04]]


def test_two_comparisons_worked_by_hand():
    """The first is done with at 2 * 0.02, so the second then counts alone."""
    assert over_configurations([[0.01, 0.02], [0.03, 0.5]]) == [[0.02, 0.04], [0.04, 0.5]]


def test_errors_stay_below_the_level_beside_true_differences():
    random = np.random.default_rng(3)
    wrong = 0
    sets = 4000
    for _ in range(sets):
        ps = random.random((3, 2))
        ps[0] = 0.0  # one comparison with two true differences, and one with one
        ps[1, 0] = 0.0
        within = [[min(1.0, 2 * p) for p in row] for row in ps]
        adjusted = over_configurations(within)
        nulls = [(1, 1), (2, 0), (2, 1)]
        wrong += any(adjusted[i][j] <= 0.05 for i, j in nulls)
    assert wrong / sets < 0.05 + 4 * (0.05 * 0.95 / sets) ** 0.5
    assert len(list(itertools.chain(*adjusted))) == 6
