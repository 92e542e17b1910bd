"""Charts count as the tables do: copies once, gaps left out, never-hit tasks kept (D19, D21, D32)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from groundtrace.report.charts import Chart, charts
from groundtrace.report.task_units import task_units
from tests.metrics.builders import Seen, step, trial
from tests.report.pages import detail, hostile_data, report_data

HIT = Seen("read", "a", "a")
MISS = Seen("surfaced", "z")


def found(*details: Any) -> dict[str, Chart]:
    data = report_data(list(details))
    return {chart.id: chart for chart in charts(data, task_units(data.rows))}


def values(chart: Chart) -> list[dict[str, Any]]:
    return chart.spec["data"]["values"]


def task(name: str, *calls: Any, trial_name: str = "", **given: Any) -> Any:
    document = trial(
        *calls, truth=["a", "b"], task_name=name, trial_name=trial_name or f"{name}__1"
    )
    return detail(document, **given)


def test_never_hit_tasks_stay_in_the_denominator_of_the_curves() -> None:
    """D21: two of four tasks are hit, so the curve ends at a half, not at one."""
    made = found(
        task("t1", step(HIT, seconds=5.0)),
        task("t2", step(MISS, seconds=1.0), step(HIT, seconds=9.0)),
        task("t3", step(MISS, seconds=2.0)),
        task("t4", step(MISS, seconds=2.0)),
    )
    points = [(v["x"], v["share"]) for v in values(made["ttfr_seconds"])]
    assert points == [(0.0, 0.0), (5.0, 0.25), (9.0, 0.5)]


def test_a_hit_at_an_unknown_time_is_left_out_and_counted() -> None:
    made = found(task("t1", step(HIT, seconds=5.0)), task("t2", step(HIT)))
    chart = made["ttfr_seconds"]
    assert values(chart)[-1]["share"] == 1.0
    assert chart.numbers is not None
    assert chart.numbers.rows[0][1:] == ("1", "1.0000", "0", "1")


def test_no_curve_is_drawn_where_no_time_is_known() -> None:
    assert "ttfr_seconds" not in found(task("t1", step(HIT)))


def test_several_trials_of_a_task_weigh_as_one() -> None:
    """D32: a task tried twice, hit once, beside a task never hit: a quarter."""
    made = found(
        task("t1", step(HIT, seconds=5.0), trial_name="t1__1"),
        task("t1", step(MISS, seconds=5.0), trial_name="t1__2"),
        task("t2", step(MISS, seconds=5.0)),
    )
    assert values(made["ttfr_seconds"])[-1]["share"] == 0.25
    shares = {v["bin"]: v["share"] for v in values(made["recall-retrieved"])}
    assert shares["≤ 0.25"] == 0.5
    assert sum(shares.values()) == pytest.approx(1)


def test_copies_of_a_trial_in_another_run_count_once() -> None:
    copies = [
        detail(trial(step(HIT), truth=["a"], run_id=run, trial_name="t__1"), trial_key="the-same")
        for run in ("run-1", "run-2")
    ]
    (own,) = task_units(copy.row for copy in copies).by_config().values()
    assert [len(unit.trials) for unit in own] == [1]


def test_a_trial_without_a_trace_is_not_a_trial_that_touched_nothing() -> None:
    """D19: one trial touched one file, the other left no trace: one file a trial, not a half."""
    blind = detail(trial(source=None, truth=["a"], task_name="blind", trial_name="b__1"))
    made = found(task("t1", step(HIT)), blind)
    assert [v["mean"] for v in values(made["accesses-0"])] == [1.0]
    assert "over 1 trial with a trace" in made["accesses-0"].alt


def test_tasks_without_reward_are_left_out_and_counted() -> None:
    made = found(task("t1", step(HIT)), task("t2", step(HIT), reward=None))
    assert [v["many"] for v in values(made["reward"])] == [1]
    assert made["reward"].note[0].startswith("1 task without recall or reward left out")


def test_every_chart_has_a_question_and_words_for_who_cannot_see_it() -> None:
    data = hostile_data()
    for chart in charts(data, task_units(data.rows)):
        assert "".join(chart.question).endswith("?")
        assert len(chart.alt) > 40


def test_charts_hold_data_and_never_expressions_from_names() -> None:
    """A name stands in data and domains alone; whatever is evaluated is written here."""
    data = hostile_data()
    for chart in charts(data, task_units(data.rows)):
        spec = {key: part for key, part in chart.spec.items() if key != "data"}
        text = json.dumps(spec, ensure_ascii=False)
        for expression in ("filter", "calculate", "labelExpr", "signal", "href", "url"):
            for match in text.split(f'"{expression}": ')[1:]:
                assert match.startswith(
                    ('"isValid(datum.low)"', "\"split(datum.label, '_with_')\"")
                )


def test_many_configurations_are_cut_to_the_colours_there_are() -> None:
    made = found(
        *(
            detail(trial(step(HIT), truth=["a"], config_name=f"c{n:02}", trial_name=f"t{n}"))
            for n in range(12)
        )
    )
    assert len({v["config"] for v in values(made["recall-shown"])}) == 8
    assert "4 more are in the tables" in made["recall-shown"].note[0]
