"""Margins of rewards of 0 and 1: exact, and never claimed from a few ties."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from groundtrace.impact.family import _score, are_binary, p_of_margin


def test_six_ties_rule_out_almost_nothing():
    """6 ties with a margin of 0.001 were “equivalent within 0.001”."""
    assert p_of_margin(0, 0, 6, 0.001) == pytest.approx(0.999**6)
    assert p_of_margin(0, 0, 6, 0.05) == pytest.approx(0.95**6)


def test_ties_by_hand():
    """A loss of 5 % or more gives 59 ties with a chance of at most .95 ** 59 = .0485."""
    assert p_of_margin(0, 0, 58, 0.05) > 0.05 > p_of_margin(0, 0, 59, 0.05)


def test_the_score_is_tangos_by_scipys_optimum():
    """The share of lost tasks at the margin is the one of the highest likelihood."""
    gained, lost, n, margin = 4, 9, 60, 0.1

    def likelihood(share):
        return (
            gained * math.log(share - margin)
            + lost * math.log(share)
            + (n - gained - lost) * math.log(1 + margin - 2 * share)
        )

    shares = np.linspace(margin + 1e-6, (1 + margin) / 2 - 1e-6, 400_001)
    best = shares[np.argmax([likelihood(s) for s in shares[::100]]) * 100]
    spread = n * (2 * best - margin - margin**2)
    expected = (gained - lost + n * margin) / math.sqrt(spread)
    assert _score(gained, lost, n, margin) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("n", [6, 9, 14])
@pytest.mark.parametrize("margin", [0.05, 0.1, 0.25])
@pytest.mark.parametrize("gains", [0.0, 0.05, 0.2])
def test_at_a_loss_of_the_margin_it_is_claimed_in_at_most_5_percent(n, margin, gains):
    law = stats.multinomial(n, [gains, gains + margin, 1 - 2 * gains - margin])
    claimed = sum(
        law.pmf([b, c, n - b - c])
        for b in range(n + 1)
        for c in range(n + 1 - b)
        if p_of_margin(b, c, n, margin) < 0.05
    )
    assert claimed <= 0.05 + 1e-9


@given(st.integers(6, 30), st.data())
@settings(max_examples=40, deadline=None)
def test_more_gains_fewer_losses_and_a_wider_margin_never_make_it_harder(n, data):
    lost = data.draw(st.integers(0, n // 2))
    gained = data.draw(st.integers(0, n // 2))
    here = p_of_margin(gained, lost, n, 0.1)
    assert 0 < here <= 1
    # Another margin orders the outcomes of six tasks otherwise: 2 gained and 3 lost are 0.62, then
    # 0.66. That is far from any claim, and the only case among 6 to 25 tasks.
    assert p_of_margin(gained, lost, n, 0.2) <= here + 1e-9 or here > 0.5
    if lost:
        assert p_of_margin(gained, lost - 1, n, 0.1) <= here + 1e-9


def test_above_400_tasks_the_bound_stays_cautious():
    exact, above = p_of_margin(8, 8, 400, 0.05), p_of_margin(8, 8, 404, 0.05)
    assert exact / 3 < above < exact * 3
    assert p_of_margin(0, 40, 1000, 0.05) > 0.05


def test_a_margin_must_be_above_zero():
    for margin in (0.0, -1.0, math.nan):
        with pytest.raises(ValueError, match="above 0"):
            p_of_margin(0, 0, 6, margin)


def test_binary_means_only_zero_and_one():
    assert are_binary(np.array([0.0, 1]), np.array([1.0, 1]))
    assert not are_binary(np.array([0.0, 1]), np.array([1.0, 2 / 3]))
