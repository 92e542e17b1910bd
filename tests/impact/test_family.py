"""The family of rows: which rows it has, its level, and the order of questions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.config import PRIMARIES
from groundtrace.impact.family import adjusted, family_of, row_metrics

RECALL, READ = PRIMARIES[:2]


@pytest.mark.parametrize(
    ("tasks", "size"),
    [
        ((6, 6, 6, 6), 0),  # 4 * 2 / 64 is .125
        ((7, 7, 7, 7), 0),  # 4 * 2 / 128 is .0625
        ((8, 8, 8, 8), 4),
        ((7, 7, 7), 3),  # 3 * 2 / 128 is .047
        ((6,), 1),
        ((5,), 0),
        ((10, 7, 7, 7), 1),  # the three equal ones cannot all be in it
        ((10, 10, 5, 6), 2),
    ],
)
def test_a_row_is_in_the_family_if_it_could_be_significant_in_it(tasks, size):
    smallest = [2.0 ** (1 - k) for k in tasks]
    family = family_of(smallest)
    assert family.size == size
    assert sum(family.can_test(p) for p in smallest) == size
    assert family.level == 0.05 / max(size, 1)


@given(st.lists(st.integers(0, 20), max_size=12))
def test_a_tested_row_can_reach_its_level_and_an_untested_one_cannot(tasks):
    smallest = [2.0 ** (1 - k) for k in tasks]
    family = family_of(smallest)
    for p in smallest:
        least = adjusted(p, p, family, len(smallest))
        assert (least < 0.05) == family.can_test(p)


def test_rows_are_in_the_order_of_the_questions():
    known = dict.fromkeys(PRIMARIES, 10)
    assert row_metrics(PRIMARIES, known, 10) == [RECALL, READ, "reward", "cost_usd"]
    assert row_metrics(("output_tokens", "mrr"), known, 10) == ["mrr", "output_tokens"]


def test_the_price_falls_back_to_time_and_then_to_tokens():
    known = {"reward": 10, "cost_usd": 1, "agent_seconds": 9, "output_tokens": 10}
    assert row_metrics(PRIMARIES, known, 10)[-1] == "agent_seconds"
    assert row_metrics(PRIMARIES, {**known, "agent_seconds": 0}, 10)[-1] == "output_tokens"
    assert row_metrics(PRIMARIES, {**known, "cost_usd": 6}, 10)[-1] == "cost_usd"
    assert row_metrics(PRIMARIES, {}, 10)[-1] == "cost_usd"
    assert row_metrics(("cost_usd",), known, 10) == ["cost_usd"], "the user named it"
