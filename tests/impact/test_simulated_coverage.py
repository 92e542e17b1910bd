"""Below 20 tasks, every explanation of intervals states the simulated coverage (D122)."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundtrace.impact import ImpactOptions, analyse
from groundtrace.impact.resample import MIN_INFERENCE
from groundtrace.impact.simulated_coverage import (
    CORRELATIONS,
    ENOUGH_TASKS,
    MEANS,
    coverage_by_size,
    coverage_text,
    simulated_size,
)
from groundtrace.report.sections.impact import _comparison
from tests.impact.trial_rows import row

PAGE = Path(__file__).parents[2] / "docs" / "statistics.md"


@pytest.mark.parametrize("table", [MEANS, CORRELATIONS])
def test_every_size_that_gets_an_interval_below_20_has_a_coverage(table):
    """The next simulated size below speaks for it: fewer tasks, never more."""
    assert min(table) == MIN_INFERENCE
    for n in range(MIN_INFERENCE, ENOUGH_TASKS):
        size = simulated_size(table, n)
        assert size is not None and size <= n
    assert simulated_size(table, ENOUGH_TASKS) is None
    assert simulated_size(table, MIN_INFERENCE - 1) is None
    assert all(0 < own.lowest <= own.highest <= 1 for own in table.values())


def test_a_sentence_names_each_size_once():
    said = coverage_text(MEANS, [8, 9, 30, 6])
    assert said.count(" tasks") == 2
    assert f"{MEANS[6].words} at 6 tasks, {MEANS[8].words} at 8 tasks." in said
    assert coverage_text(MEANS, [20, 200]) == coverage_text(MEANS, []) == ""


def compared(tasks):
    rows = [
        row(f"t{i:02}", config, reward=0.5 + up * (i % 5 + 1) / 20)
        for i in range(tasks)
        for up, config in enumerate(("baseline-local", "mcp-remote"))
    ]
    return analyse(rows, ImpactOptions(draws=200), generated_at="now", scope="*")


@pytest.mark.parametrize(("tasks", "size"), [(9, 8), (19, 15), (20, None)])
def test_the_table_of_a_comparison_says_what_its_intervals_are_worth(tasks, size):
    (comparison, *_) = compared(tasks).matched_comparisons
    assert next(d.ci_low for d in comparison.deltas if d.metric == "reward") is not None
    note = "".join(map(str, _comparison(comparison).note))
    assert ("in simulations" in note) == (size is not None)
    if size is not None:
        assert f"{MEANS[size].words} at {size} tasks" in note


def test_the_method_and_the_page_have_the_whole_table():
    method = compared(6).method.interval
    page = PAGE.read_text()
    for table in (MEANS, CORRELATIONS):
        assert coverage_by_size(table) in method
        assert " | ".join(own.words for own in table.values()) in page
