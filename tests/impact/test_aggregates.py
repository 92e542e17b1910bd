"""Several trials of a task, and times to the first relevant file if some trials never find one."""

from __future__ import annotations

import itertools
import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.impact.aggregates import mean_pass_at_k, pass_at_k, repeats
from groundtrace.impact.beside import First, restricted_pairs


@given(st.lists(st.booleans(), min_size=1, max_size=9), st.integers(1, 9))
def test_pass_at_k_is_the_share_of_choices_of_k_with_a_pass(trials, k):
    found = pass_at_k(len(trials), sum(trials), k)
    choices = list(itertools.combinations(trials, k))
    if not choices:
        assert found is None
        return
    assert found == pytest.approx(sum(map(any, choices)) / len(choices))


def test_pass_at_1_is_the_share_of_passes_and_more_trials_never_hurt():
    assert pass_at_k(8, 3, 1) == 3 / 8
    values = [pass_at_k(8, 3, k) for k in range(1, 9)]
    assert values == sorted(values)
    assert values[-1] == 1.0
    assert pass_at_k(8, 0, 8) == 0.0


@pytest.mark.parametrize(("n", "c", "k"), [(3, 4, 1), (3, -1, 1), (3, 1, 0)])
def test_impossible_counts_are_refused(n, c, k):
    with pytest.raises(ValueError, match="passes of"):
        pass_at_k(n, c, k)


def test_pass_at_k_over_tasks_leaves_out_tasks_with_fewer_trials():
    found = mean_pass_at_k([[1.0, 0.0], [0.0, 0.0], [1.0]], 2)
    assert (found.k, found.n, found.left_out, found.value) == (2, 2, 1, 0.5)
    assert mean_pass_at_k([[1.0]], 2).value is None
    # A part of the reward is no pass, unless the caller says from where on it is.
    assert mean_pass_at_k([[0.5], [1.0]], 1).value == 0.5
    assert mean_pass_at_k([[0.5], [1.0]], 1, passing=0.5).value == 1.0


def test_repeats_by_hand():
    found = repeats([[1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 0.5], [1.0]])
    # Squares inside: 0.5 + 0 + 0.125 with 1 + 2 + 1 degrees of freedom.
    assert (found.n, found.trials) == (3, 7)
    assert found.within_sd == pytest.approx(math.sqrt(0.625 / 4))
    assert found.between_sd == pytest.approx(statistics.stdev([0.5, 1.0, 0.25]))
    assert (found.flip, found.flip_share) == (1, pytest.approx(1 / 3))


def test_without_repeated_tasks_nothing_is_said():
    found = repeats([[1.0], [0.0], []])
    assert (found.n, found.within_sd, found.between_sd, found.flip_share) == (0, None, None, None)


A, B = "agent_execution", "first_timestamp"


def test_a_miss_counts_as_the_latest_hit():
    pairs = [
        (First(10, A), First(5, A)),
        (First(None, A), First(40, A)),
        (First(100, A), First(None, A)),
    ]
    found = restricted_pairs(pairs)
    assert found.horizon == 100
    assert found.baseline.tolist() == [10, 100, 100]
    assert found.config.tolist() == [5, 40, 100]
    assert (found.misses_baseline, found.misses_config) == (1, 1)
    assert found.kept == (0, 1, 2)


def test_unlike_clocks_are_not_compared_for_misses_either():
    pairs = [
        (First(60, B), First(5, A)),
        (First(None, B), First(5, A)),
        (First(7, A), First(9, A)),
        (First(7, None), First(9, A)),
        (First(7, B), First(9, B)),
    ]
    found = restricted_pairs(pairs)
    assert found.kept == (2, 4)
    assert (found.config - found.baseline).tolist() == [2, 2]
    assert found.left_out == {"clock_differs": 2, "clock_unknown": 1}


def test_missing_the_slow_tasks_makes_no_side_faster():
    # Hits alone: 10 against 40. With the misses the side that finds all three is faster.
    pairs = [
        (First(10, A), First(10, A)),
        (First(None, A), First(10, A)),
        (First(None, A), First(100, A)),
    ]
    found = restricted_pairs(pairs)
    assert found.baseline.mean() > found.config.mean()


def test_without_any_hit_there_is_no_horizon_and_no_time():
    found = restricted_pairs([(First(None, A), First(None, A))])
    assert (found.horizon, found.kept, len(found.baseline)) == (None, (), 0)
    assert found.left_out == {"no_hit_on_either_side": 1}


@given(st.lists(st.none() | st.floats(0, 1000), min_size=1, max_size=20), st.floats(1, 500))
def test_the_restricted_mean_is_the_area_below_the_curve_of_tasks_still_searching(seconds, horizon):
    found = restricted_pairs(
        [(First(horizon, A), First(0, A)), *((First(s, A), First(0, A)) for s in seconds)]
    )
    seconds, horizon = [horizon, *seconds], max(horizon, *(s or 0.0 for s in seconds), 0.0)
    ends = sorted({0.0, horizon, *(s for s in seconds if s is not None and s < horizon)})
    area = 0.0
    for start, end in itertools.pairwise(ends):
        waiting = sum(s is None or s > start for s in seconds) / len(seconds)
        area += waiting * (end - start)
    assert found.baseline.mean() == pytest.approx(area, abs=1e-6)
