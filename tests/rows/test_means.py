"""Means of exact values; averaging must not create differences (D40)."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundtrace.documents.codec import decode, encode
from groundtrace.documents.comparison import Delta
from groundtrace.documents.impact import ImpactDocument
from groundtrace.impact import ImpactOptions, analyse
from groundtrace.report import ReportData
from groundtrace.report.calls import FirstFound
from groundtrace.report.charts import charts
from groundtrace.report.parts import colours_of
from groundtrace.report.sections.groups import movers_section
from groundtrace.report.trial_table import TrialLinks
from groundtrace.rows.means import NOISE, difference, mean_of, without_noise
from groundtrace.rows.summarise import summarise
from tests.impact.trial_rows import row
from tests.metrics.builders import NOW
from tests.report.pages import task_units


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=30))
def test_a_mean_is_that_of_the_fractions(values: list[float]) -> None:
    exact = sum(map(Fraction, values)) / len(values)
    found = mean_of(values)
    assert found == pytest.approx(float(exact), rel=1e-15)
    assert min(values) <= found <= max(values)


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(1, 50))
def test_the_mean_of_equal_values_is_that_value(value: float, n: int) -> None:
    found = mean_of([value] * n)
    assert found == pytest.approx(value, rel=1e-15)
    if abs(value) < 1e300:
        assert found == value


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=8))
def test_no_finite_values_have_a_mean_that_is_not_finite(values: list[float]) -> None:
    found = mean_of(values)
    assert (found is None) == (not values)
    assert found is None or math.isfinite(found)


def test_what_is_left_of_values_that_cancel_is_noise() -> None:
    assert mean_of([0.1, 0.2, -0.3]) == 0
    assert difference(0.3, 0.1 + 0.2) == 0
    assert difference(0.3, 0.4) == pytest.approx(0.1)
    assert (without_noise(1e-20), without_noise(0.0)) == (1e-20, 0.0)


# --- verdicts ------------------------------------------------------------------------------


def analysed(ours: list[list[float]], theirs: list[list[float]]) -> tuple[ImpactDocument, list]:
    """A comparison of tasks by the recalls of their trials on both sides."""
    rows = [
        row(f"t{t}", config, {"file_recall": value}, trial=f"t{t}__{config}__{n}", reward=value)
        for config, tasks in (("baseline", ours), ("mcp", theirs))
        for t, values in enumerate(tasks)
        for n, value in enumerate(values)
    ]
    made = analyse(rows, ImpactOptions(draws=50), generated_at=NOW, scope="*")
    assert decode("impact_analysis", encode(made), "x") == made, "JSON keeps every digit"
    return made, rows


def delta_of(made: ImpactDocument, metric: str = "file_recall") -> Delta:
    (comparison,) = made.matched_comparisons
    return next(delta for delta in comparison.deltas if delta.metric == metric)


def assert_no_difference(made: ImpactDocument, tasks: int) -> None:
    found = delta_of(made)
    assert (found.n_better, found.n_same, found.n_worse) == (0, tasks, 0)
    assert (found.mean_delta, found.median_delta, found.q1, found.q3) == (0, 0, 0, 0)
    assert found.p in (1.0, None)


def test_equal_means_of_different_trials_are_no_difference() -> None:
    """Recalls of 1/6 and 1/6 against 1/3 and 0, in ten tasks: rounded to four decimals, 0.1667
    against 0.16665 gave "0 better, 10 worse, p 0.0020"."""
    made, rows = analysed([[1 / 6, 1 / 6]] * 10, [[1 / 3, 0.0]] * 10)
    assert_no_difference(made, 10)
    assert delta_of(made).p == 1.0
    summary = summarise(rows, scope="*", generated_at=NOW)
    data = ReportData("*", summary, made, rows, lambda: iter(()))
    assert movers_section(data) is None
    units, colours = task_units(rows), colours_of(summary.by_config)
    drawn = {c.id: c for c in charts(data, units, TrialLinks(), FirstFound(), colours)}
    assert "tasks" not in drawn, "no task moved, so there is none to draw"


shares = st.builds(
    lambda part, whole: Fraction(min(part, whole), whole), st.integers(0, 12), st.integers(1, 12)
)


@st.composite
def splits(draw: st.DrawFn) -> tuple[list[Fraction], list[Fraction]]:
    """The trials of a task in two ways that have the same mean: parts of a value are moved from
    trial to trial."""
    first = draw(st.lists(shares, min_size=2, max_size=5))
    second = draw(st.permutations(first))
    for _ in range(draw(st.integers(0, 3))):
        i, j = draw(st.integers(0, len(first) - 1)), draw(st.integers(0, len(first) - 1))
        room = min(second[i], 1 - second[j])
        moved = room * Fraction(draw(st.integers(0, 7)), 7)
        if i != j:
            second[i] -= moved
            second[j] += moved
    return first, second


@given(st.lists(splits(), min_size=6, max_size=8))
@settings(max_examples=60, deadline=None)
def test_no_split_of_the_same_fractions_makes_a_difference(
    tasks: list[tuple[list[Fraction], list[Fraction]]],
) -> None:
    ours = [[float(value) for value in first] for first, _ in tasks]
    theirs = [[float(value) for value in second] for _, second in tasks]
    made, _ = analysed(ours, theirs)
    assert_no_difference(made, len(tasks))


@given(st.lists(st.tuples(splits(), st.sampled_from([-1, 0, 1])), min_size=6, max_size=8))
@settings(max_examples=60, deadline=None)
def test_a_real_difference_is_counted_whatever_the_split(
    tasks: list[tuple[tuple[list[Fraction], list[Fraction]], int]],
) -> None:
    """Each task's second side is moved by a thousandth up or down, or not at all."""
    ours = [[float(value) for value in first] for (first, _), _ in tasks]
    theirs = [
        [float(value + Fraction(sign, 1000)) for value in second] for (_, second), sign in tasks
    ]
    found = delta_of(analysed(ours, theirs)[0], "reward")
    signs = [sign for _, sign in tasks]
    assert (found.n_better, found.n_same, found.n_worse) == tuple(map(signs.count, (1, 0, -1)))
    assert found.mean_delta == pytest.approx(sum(signs) / 1000 / len(signs), abs=1e-12)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=4))
def test_the_shorter_ways_give_the_digits_of_the_long_one(values: list[float]) -> None:
    """Two values and values above 0 are averaged without the general way; no digit may differ."""
    n = len(values)
    try:
        mean = math.fsum(values) / n
        mean += math.fsum([value - mean for value in values]) / n
    except OverflowError:
        return
    if math.isfinite(mean):
        noise = NOISE * max(map(abs, values)) / n
        assert mean_of(values) == (0.0 if abs(mean) <= noise else mean)
