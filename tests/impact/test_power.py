"""Student's t, the smallest detectable difference and equivalence, compared with scipy (D36)."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from groundtrace.impact.equivalence import above_zero, equivalence
from groundtrace.impact.power import detectable, enough, round_effect, t_quantile, tasks_needed
from groundtrace.impact.resample import Draws

FEW = Draws(seed=0, draws=999)


@pytest.mark.parametrize("df", [*range(1, 41), 63, 99, 100, 101, 499, 5000, 10**6, 10**9])
@pytest.mark.parametrize("q", [0.025, 0.2, 0.5, 0.6, 0.8, 0.9, 0.975, 0.995, 0.9999])
def test_quantiles_are_scipys_to_1e_9(q, df):
    assert t_quantile(q, df) == pytest.approx(stats.t.ppf(q, df), rel=1e-9, abs=1e-12)


@given(st.floats(0.001, 0.999), st.integers(1, 3000))
@settings(max_examples=100, deadline=None)
def test_the_quantile_inverts_scipys_distribution(q, df):
    assert stats.t.cdf(t_quantile(q, df), df) == pytest.approx(q, abs=1e-11)


@pytest.mark.parametrize(("q", "df"), [(0.0, 3), (1.0, 3), (math.nan, 3), (0.5, 0)])
def test_what_has_no_quantile_is_refused(q, df):
    with pytest.raises(ValueError, match="no quantile"):
        t_quantile(q, df)


@pytest.mark.parametrize("n", [6, 10, 24, 100])
def test_the_detectable_difference_is_found_in_about_80_percent_by_the_t_test(n):
    difference = detectable(2.0, n)
    expected = (stats.t.ppf(0.975, n - 1) + stats.t.ppf(0.8, n - 1)) * 2 / math.sqrt(n)
    assert difference == pytest.approx(expected, rel=1e-9)
    samples = np.random.default_rng(n).normal(difference, 2, (4000, n))
    power = np.mean(stats.ttest_1samp(samples, 0, axis=1).pvalue <= 0.05)
    assert power == pytest.approx(0.8, abs=0.04)


@given(st.floats(0.001, 10), st.floats(0.01, 10))
@settings(max_examples=60, deadline=None)
def test_the_tasks_needed_are_the_fewest_that_do(effect, sd):
    needed = tasks_needed(effect, sd)
    if needed is None:
        assert detectable(sd, 1_000_000) > effect
        return
    assert detectable(sd, needed) <= effect
    assert needed == 6 or detectable(sd, needed - 1) > effect


def test_nearly_a_million_tasks_are_a_number_too():
    """Between the last doubling of 6 and a million there was none."""
    needed = tasks_needed(0.0215, 7.0)
    assert 800_000 < needed < 900_000
    assert detectable(7.0, needed) <= 0.0215 < detectable(7.0, needed - 1)


def test_what_no_number_of_tasks_shows():
    assert tasks_needed(0.0, 1.0) is None
    assert tasks_needed(1e-6, 1.0) is None


@given(st.floats(1e-6, 1e6))
def test_the_suggested_effect_is_round_and_finer(smallest):
    effect = round_effect(smallest)
    # Two round numbers next to each other lie at most a factor of 2 apart.
    assert smallest / 3.01 <= effect <= smallest * 0.67
    assert len(f"{effect:.10g}".strip("0.").replace(".", "").split("e")[0].strip("0")) <= 2


def test_a_suggestion_by_hand():
    assert [round_effect(d) for d in (0.28, 0.15, 1.5, 45, 0.0999)] == [0.15, 0.1, 1.0, 30, 0.05]


def test_enough_says_what_would_go_unseen():
    deltas = np.array([0.0, 0.5, 0.5, -0.5, 1, 0, 0, 0.5, 0, 1])
    found = enough(deltas)
    assert found.n == 10
    assert found.sd == pytest.approx(np.std(deltas, ddof=1))
    assert found.detectable == pytest.approx(detectable(found.sd, 10))
    assert found.effect == 0.3
    assert found.needed == tasks_needed(0.3, found.sd)
    assert found.needed > 10


@pytest.mark.parametrize(
    ("deltas", "reason"),
    [
        ([1.0] * 5, "fewer_than_6_pairs"),
        ([], "fewer_than_6_pairs"),
        ([0.0] * 8, "deltas_all_equal"),
        ([0.3] * 8, "deltas_all_equal"),
        ([1.0, 2, 3, 4, 5, math.inf], "not_finite"),
    ],
)
def test_without_a_spread_nothing_is_promised(deltas, reason):
    found = enough(np.array(deltas, float))
    assert (found.detectable, found.effect, found.needed) == (None, None, None)
    assert found.reason == reason


# Equivalence


def one_sided(values):
    """Share of all flips with a sum as large, one after another."""
    seen = math.fsum(values)
    sums = [
        math.fsum(s * v for s, v in zip(signs, values, strict=True))
        for signs in itertools.product((1, -1), repeat=len(values))
    ]
    return sum(s >= seen - 1e-9 for s in sums) / len(sums)


@given(st.lists(st.integers(-8, 8).map(lambda k: k / 8), min_size=6, max_size=9))
@settings(max_examples=60, deadline=None)
def test_equivalence_is_two_one_sided_flip_tests(deltas):
    found = equivalence(np.array(deltas), 0.25)
    assert found.p_not_worse == pytest.approx(one_sided([d + 0.25 for d in deltas]))
    assert found.p_not_better == pytest.approx(one_sided([0.25 - d for d in deltas]))
    assert found.p_equivalent == max(found.p_not_worse, found.p_not_better)
    assert found.exact
    lower = equivalence(np.array(deltas), 0.25, better="lower")
    assert lower.p_not_worse == pytest.approx(found.p_not_better)


@given(st.lists(st.floats(-1, 1), min_size=6, max_size=25), st.floats(0.01, 0.5))
@settings(max_examples=60, deadline=None)
def test_a_wider_margin_is_never_harder(deltas, margin):
    values = np.array(deltas)
    near, far = equivalence(values, margin, FEW), equivalence(values, 2 * margin, FEW)
    # Values that become 0 leave the flips, so random flips of two margins may differ by noise.
    noise = 0 if near.exact and far.exact else 0.08
    assert far.p_equivalent <= near.p_equivalent + noise
    assert far.p_not_worse <= near.p_not_worse + noise


@pytest.mark.parametrize("n", [12, 40])
def test_one_sided_p_nears_scipys_t(n):
    values = np.random.default_rng(n).normal(0.3, 1, n)
    p, exact = above_zero(values)
    assert exact == (n <= 16)
    assert p == pytest.approx(stats.ttest_1samp(values, 0, alternative="greater").pvalue, abs=0.02)


def test_no_change_at_all_is_equivalent_and_a_big_spread_is_not():
    still = equivalence(np.zeros(10), 0.05)
    assert still.p_equivalent == 1 / 1024
    wild = equivalence(np.random.default_rng(0).normal(0, 1, 10), 0.05)
    assert wild.p_equivalent > 0.2


def test_a_loss_beyond_the_margin_is_not_ruled_out():
    found = equivalence(np.full(12, -0.3) + np.linspace(-0.05, 0.05, 12), 0.1)
    assert found.p_not_worse == 1.0
    assert found.p_not_better < 0.001


def test_units_flip_together_in_equivalence_too():
    deltas = np.random.default_rng(1).normal(0.05, 0.2, 12)
    alone = equivalence(deltas, 0.2)
    copied = equivalence(np.repeat(deltas, 3), 0.2, units=np.repeat(np.arange(12), 3))
    assert copied.p_equivalent == alone.p_equivalent


def test_equivalence_refuses_what_it_cannot_say():
    assert equivalence(np.zeros(5), 0.1).reason == "fewer_than_6_pairs"
    assert equivalence(np.zeros(9), 0.1, units=np.zeros(9, dtype=int)).reason == (
        "fewer_than_6_clusters"
    )
    assert equivalence(np.array([0.0] * 8 + [math.nan]), 0.1).reason == "not_finite"
    for margin in (0.0, -1.0, math.nan):
        with pytest.raises(ValueError, match="above 0"):
            equivalence(np.zeros(9), margin)
