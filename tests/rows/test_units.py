"""The same unit everywhere (D41, D42): summaries, the impact analysis, charts, tables and texts
give the same count and the same mean for a configuration."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Sequence
from fractions import Fraction

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from groundtrace.base.visible import plural
from groundtrace.documents.impact import ConfigAggregate
from groundtrace.documents.summary import RunSummaryDocument
from groundtrace.impact import ImpactOptions, analyse
from groundtrace.report import ReportData, render_markdown
from groundtrace.report.html import _surveyed
from groundtrace.report.task_units import KEPT
from groundtrace.rows.summarise import summarise
from groundtrace.rows.trial_row import TrialRow
from groundtrace.rows.units import DistinctTrials, TaskNames, collect_distinct
from tests.documents.builders import outcome
from tests.metrics.builders import NOW
from tests.report.pages import task_units
from tests.rows.builders import A, B, task


def made(
    name: str, *found: str, run: str, config: str, key: str, reward: float | None = 1.0, **more
) -> TrialRow:
    """A trial of which a record tells the key; recall is the number of files found, of two."""
    known = outcome(run_id=run, config_name=config, trial_key=key, reward=reward)
    more.setdefault("trial_name", f"{name}__{key}")
    row = task(name, *found, run_id=run, config_name=config, outcome=known, **more)
    assert row.outcome is not None
    return row


# "t" was tried three times in two runs, one of the trials was copied; "u" exists in two suites, and
# one of its trials knows no suite; one trial is filed under both configurations.
ROWS = [
    made("t", A, B, run="r1", config="base", key="t1"),
    made("t", A, run="r1", config="base", key="t2"),
    made("t", A, run="r2", config="base", key="t2"),  # a copy in another run
    made("t", run="r2", config="base", key="t3"),
    made("t", run="r2", config="base", key="t3"),  # a copy in its own run
    made("u", A, run="r1", config="base", key="u1", benchmark="fix"),
    made("u", A, B, run="r2", config="base", key="u2", benchmark="look"),
    made("v", A, run="r1", config="base", key="v1", benchmark="fix"),
    made("v", A, B, run="r2", config="base", key="v2", benchmark=None),
    made("w", source=None, run="r1", config="base", key="w1"),
    made("w", A, B, run="r2", config="base", key="w1"),  # the copy that has the trace
    made("t", A, run="r1", config="other", key="t2"),  # filed under both configurations
    made("t", A, B, run="r2", config="other", key="o1"),
    made("u", run="r2", config="other", key="o2", benchmark="fix"),
]

RECALLS = {
    "base": [(Fraction(1) + Fraction(1, 2)) / 3, Fraction(1, 2), Fraction(1), Fraction(3, 4), 1],
    "other": [Fraction(3, 4), Fraction(0)],
}
"""By hand. base: t is (1 + 1/2 + 0) / 3, u of fix 1/2, u of look 1, v is (1/2 + 1) / 2, w is 1."""
TRIALS = {"base": 8, "other": 3}
COPIES = {"base": 3, "other": 0}


def summary_of(rows: Sequence[TrialRow], scope: str = "*") -> RunSummaryDocument:
    return summarise(rows, scope=scope, generated_at=NOW)


def aggregates_of(rows: Sequence[TrialRow]) -> dict[str, ConfigAggregate]:
    found = analyse(rows, ImpactOptions(draws=50), generated_at=NOW, scope="*")
    return {entry.config_name: entry for entry in found.config_aggregates}


def mean(values: Sequence[Fraction | float]) -> float:
    return float(sum(map(Fraction, values)) / len(values))


def assert_all_agree(rows: Sequence[TrialRow], scope: str) -> None:
    """Every count and every mean of a configuration, in every place that gives one."""
    summary, aggregates = summary_of(rows, scope), aggregates_of(rows)
    units = task_units(iter(rows)).by_config()
    surveyed = collect_distinct(rows, _surveyed)
    table, page_units = surveyed.table, surveyed.units
    copies = [row for row in table.rows if "copy" in table.lists()["found"][row[6]]]
    assert set(summary.by_config) == set(aggregates) == set(units)
    for config, group in summary.by_config.items():
        entry = aggregates[config]
        assert group.tasks == entry.n_tasks == len(units[config])
        assert len(page_units.by_config()[config]) == group.tasks
        assert group.trials == entry.n_trials == sum(len(unit.trials) for unit in units[config])
        assert entry.n_copies == sum(d.config_name == config for d in summary.duplicated)
        for metric in entry.metrics:
            name = metric.metric
            found = group.value(name)
            assert (found.n, found.mean, found.median) == (metric.n, metric.mean, metric.median)
            drawn = [v for unit in units[config] if (v := unit.mean(name)) is not None]
            if name in KEPT:
                assert len(drawn) == found.n
                assert not drawn or mean(drawn) == pytest.approx(found.mean, rel=1e-12)
    in_tables = {(row.config_name, row.trial_key) for row in rows if row.outcome is not None}
    unrecorded = sum(row.outcome is None for row in rows)
    assert summary.overall.trials == len(in_tables) + unrecorded
    assert summary.overall.trials == sum(g.trials for g in summary.by_config.values())
    assert summary.overall.tasks == sum(g.tasks for g in summary.by_config.values())
    assert len(copies) == len(summary.duplicated) == len(rows) - summary.overall.trials
    text = render_markdown(ReportData(scope, summary, None, rows, lambda: iter(())))
    said = re.search(r"(\d+) trials? of (\d+) tasks? in ", text)
    assert said is not None
    assert (int(said[1]), int(said[2])) == (summary.overall.trials, surveyed.tasks.number())
    copied = f"{plural(len(copies), 'copy', 'copies')} not counted again"
    assert copied in text if copies else "not counted again" not in text


def test_one_count_and_one_mean_everywhere_over_all_runs() -> None:
    assert_all_agree(ROWS, "*")
    found = summary_of(ROWS)
    for config, recalls in RECALLS.items():
        group = found.by_config[config]
        assert (group.tasks, group.trials) == (len(recalls), TRIALS[config])
        assert group.metrics["file_recall"].n == len(recalls)
        assert group.metrics["file_recall"].mean == pytest.approx(mean(recalls), rel=1e-15)
        assert aggregates_of(ROWS)[config].n_copies == COPIES[config]


@pytest.mark.parametrize("run", ["r1", "r2"])
def test_one_count_and_one_mean_everywhere_in_one_run(run: str) -> None:
    assert_all_agree([row for row in ROWS if row.run_id == run], run)


@given(st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_the_order_of_rows_decides_nothing(order: random.Random) -> None:
    rows = order.sample(ROWS, len(ROWS))
    assert summary_of(rows).by_config == summary_of(ROWS).by_config
    assert aggregates_of(rows) == aggregates_of(ROWS)


# --- distinct trials (D41) -----------------------------------------------------------------


def counted(rows: Sequence[TrialRow]) -> list[str | None]:
    return collect_distinct(rows, lambda found: [counted_in for _, counted_in in found])


def test_the_copy_with_most_values_counts_and_else_that_of_the_first_run() -> None:
    empty = made("t", source=None, run="a", config="base", key="k")
    whole = made("t", A, run="b", config="base", key="k")
    again = made("t", A, run="c", config="base", key="k")
    assert counted([empty, whole, again]) == ["b", None, "b"]
    assert counted([again, whole, empty]) == ["b", None, "b"]
    unrewarded = made("t", A, run="a", config="base", key="k", reward=None)
    assert counted([unrewarded, whole]) == ["b", None]


def test_a_trial_under_two_configurations_is_one_trial_of_each() -> None:
    """The numbers of a configuration do not depend on which others lie beside it."""
    both = [made("t", A, run="a", config=config, key="k") for config in ("base", "other")]
    assert counted(both) == [None, None]
    alone, beside = summary_of(both[1:]), summary_of(both)
    assert beside.by_config["other"] == alone.by_config["other"]


def test_without_a_record_nothing_is_a_copy() -> None:
    assert counted([task("t", A), task("t", A)]) == [None, None]
    row = made("t", A, run="a", config="base", key="k")
    unnamed = msgspec.structs.replace(row, outcome=structs.replace(row.outcome, trial_key=""))
    assert counted([unnamed, unnamed]) == [None, None]
    assert_all_agree([task("t", A), task("t", A, B)], "run")


def test_rows_are_read_once_unless_a_later_copy_says_more() -> None:
    class Rows:
        def __init__(self, rows: Sequence[TrialRow]) -> None:
            self.rows, self.readings = rows, 0

        def __iter__(self):
            self.readings += 1
            return iter(self.rows)

    empty = made("t", source=None, run="b", config="base", key="k")
    whole = made("t", A, run="a", config="base", key="k")
    once, twice = Rows([whole, empty]), Rows([empty, whole])
    assert (counted(once), once.readings) == ([None, "a"], 1)
    assert (counted(twice), twice.readings) == (["a", None], 2)


def test_places_are_told_apart_while_rows_come() -> None:
    trials = DistinctTrials()
    row = made("t", A, run="a", config="base", key="k")
    assert [trials.counted_in(trials.add(row)) for _ in range(3)] == [None, "a", "a"]
    assert not trials.overtaken


# --- tasks ---------------------------------------------------------------------------------


@pytest.mark.parametrize("order", list(itertools.permutations(["fix", "look", None])))
def test_a_name_in_two_suites_is_two_tasks(order: tuple[str | None, ...]) -> None:
    names = TaskNames()
    for suite in order:
        names.add("t", suite)
    assert len({names.task("t", "fix"), names.task("t", "look"), names.task("t", None)}) == 3
    assert names.suite("t", None) is None


def test_an_unknown_suite_is_the_only_one_that_has_the_name() -> None:
    names = TaskNames()
    names.add("t", None)
    assert names.suite("t", None) is None
    names.add("t", "fix")
    assert names.task("t", None) == names.task("t", "fix")
    assert names.suite("t", None) == "fix"
