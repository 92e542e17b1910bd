"""Charts count like the tables: copies once, missing values left out, tasks without a hit kept
(D19, D21, D42)."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.report import render_html
from groundtrace.report.calls import NEVER, FirstFound, first_met
from groundtrace.report.charts import Chart, charts
from groundtrace.report.charts.found import spread
from groundtrace.report.charts.speed import curve_of
from groundtrace.report.charts.tasks import MAX_TASKS, chosen
from groundtrace.report.parts import colours_of
from groundtrace.report.svg import Scale, element, fitted, text_width
from groundtrace.report.task_units import TaskUnit
from groundtrace.report.trial_table import TrialLinks
from tests.metrics.builders import Seen, step, trial
from tests.report.pages import HOSTILE, detail, hostile_data, report_data, sessions_data, task_units

HIT = Seen("read", "a", "a")
MISS = Seen("surfaced", "z")


def drawn(data: Any) -> dict[str, Chart]:
    links, found = TrialLinks(), FirstFound()
    for place, one in enumerate(data.details()):
        links.add(one.row)
        found.add(place, first_met(one))
    colours = colours_of(data.summary.by_config)
    return {c.id: c for c in charts(data, task_units(data.rows), links, found, colours)}


def found(*details: Any) -> dict[str, Chart]:
    return drawn(report_data(list(details)))


def units(*details: Any) -> list[TaskUnit]:
    (own,) = task_units(one.row for one in details).by_config().values()
    return own


def titles(chart: Chart) -> list[str]:
    """What the marks say on hover."""
    return re.findall("<title>(.*?)</title>", chart.wide or "")


def task(name: str, *calls: Any, trial_name: str = "", **given: Any) -> Any:
    document = trial(
        *calls, truth=["a", "b"], task_name=name, trial_name=trial_name or f"{name}__1"
    )
    return detail(document, **given)


def test_groups_without_common_tasks_are_not_said_to_have_some() -> None:
    assert "the tasks that both have" not in render_html(sessions_data())


def test_groups_without_common_tasks_stand_as_in_their_answer() -> None:
    """The baseline was first in the rows and second in the chain."""
    chain = drawn(sessions_data())["chain"]
    assert [name for name, _ in chain.key] == ["without-mcp", "with-mcp"]


@pytest.mark.parametrize(
    ("rewards", "end", "last"),
    [
        ((1.0, 0.0), "solving tasks", "solved"),
        ((90.0, 2.0), "reading them", "read"),
        ((None, None), "reading them", "read"),
    ],
)
def test_the_chain_ends_where_its_last_step_is(
    rewards: tuple[float | None, ...], end: str, last: str
) -> None:
    """Rewards up to 90 made every task “solved”; and “to editing them” stood above a chart without
    edits (D407)."""
    chain = found(*(task(f"t{i}", step(HIT), reward=r) for i, r in enumerate(rewards)))["chain"]
    assert chain.question == (f"How far did it get, from meeting relevant files to {end}?",)
    assert chain.numbers is not None and chain.numbers.caption == (f"From met to {last}",)


def test_never_hit_tasks_stay_in_the_denominator_of_the_curves() -> None:
    """D21: two of four tasks are hit, so the curve ends at a half, not at one."""
    own = units(
        task("t1", step(HIT, seconds=5.0)),
        task("t2", step(MISS, seconds=1.0), step(HIT, seconds=9.0)),
        task("t3", step(MISS, seconds=2.0)),
        task("t4", step(MISS, seconds=2.0)),
    )
    curve = curve_of(own, "ttfr_seconds")
    assert curve is not None
    assert curve.points == [(0.0, 0.0), (5.0, 0.25), (9.0, 0.5)]
    assert (curve.tasks, curve.never) == (4, 2)


def test_a_hit_at_an_unknown_time_is_left_out_and_counted() -> None:
    made = found(task("t1", step(HIT, seconds=5.0)), task("t2", step(HIT)))
    numbers = made["ttfr_seconds"].numbers
    assert numbers is not None
    assert numbers.rows[0][1:] == ("1", "100 %", "0", "1")


def test_no_curve_is_drawn_where_no_time_is_known() -> None:
    assert "ttfr_seconds" not in found(task("t1", step(HIT)))


def test_several_trials_of_a_task_weigh_as_one() -> None:
    """D42: a task tried twice, hit once, beside a task never hit: a quarter."""
    own = units(
        task("t1", step(HIT, seconds=5.0), trial_name="t1__1"),
        task("t1", step(MISS, seconds=5.0), trial_name="t1__2"),
        task("t2", step(MISS, seconds=5.0)),
    )
    curve = curve_of(own, "ttfr_seconds")
    assert curve is not None
    assert curve.points[-1][1] == 0.25
    assert spread(own, "file_recall") == [0, 1, 1]


def test_copies_of_a_trial_in_another_run_count_once() -> None:
    copies = [
        detail(trial(step(HIT), truth=["a"], run_id=run, trial_name="t__1"), trial_key="the-same")
        for run in ("run-1", "run-2")
    ]
    assert [len(unit.trials) for unit in units(*copies)] == [1]


def test_a_chart_at_its_ceiling_is_one_sentence() -> None:
    """Only full bars say less than a sentence does."""
    full = step(HIT, Seen("read", "b", "b"))
    chart = found(task("t1", full), task("t2", full))["found-shown"]
    assert chart.wide is None
    assert "all of them" in "".join(chart.note)
    assert "2 tasks" in "".join(chart.note)


def test_relevant_files_count_by_the_call_that_met_them_first() -> None:
    """A file surfaced by a shell command and opened later was met by the command."""
    shell = step(Seen("surfaced", "a", "a"), tool="Bash", category="other")
    shell["arguments"] = {"command": "ls"}
    one = task("t1", shell, step(HIT, tool="Read"))
    blind = detail(trial(source=None, truth=["a"], task_name="blind", trial_name="b__1"))
    counted = FirstFound()
    for place, made in enumerate((one, blind)):
        counted.add(place, first_met(made))
    counted.add(0, first_met(one))
    (config,) = counted.files
    assert counted.ways([config]) == ["a shell command", NEVER]
    assert [counted.number(config, way) for way in ("a shell command", NEVER)] == [1, 1]
    assert (counted.files[config], counted.trials[config]) == (2, 1), "no trace says nothing (D19)"


def test_what_does_not_apply_is_told_from_zero() -> None:
    """D23: a label that applies to no task has words, and one that found nothing has a 0."""
    one = detail(trial(step(HIT, MISS), truth=["a"], edits=[], task_name="t1"))
    chart = found(one)["errors"]
    assert "does not apply to any task" in str(chart.wide)
    assert ">0 (n 1)<" in str(chart.wide), "nothing was missed"


def test_fewer_than_six_tasks_are_drawn_one_by_one() -> None:
    five = [task(f"t{n}", step(HIT)) for n in range(5)]
    six = [*five, task("t5", step(HIT))]
    assert str(found(*five)["use"].wide).count("faint") > 0
    assert "range s-" not in str(found(*five)["use"].wide)
    assert "range s-" in str(found(*six)["use"].wide)
    assert "faint" not in str(found(*six)["use"].wide)


def test_every_chart_has_a_question_and_words_for_who_cannot_see_it() -> None:
    for chart in drawn(hostile_data()).values():
        assert "".join(chart.question).endswith("?")
        if chart.wide is not None:
            assert len(chart.alt) > 20
            for made in (chart.wide, chart.narrow):
                assert re.match(r'<svg [^>]*role="(img|group)" aria-label="[^"]+"', str(made))


def test_names_in_charts_are_text() -> None:
    """Whatever a configuration or a task is called, the only elements are those drawn here."""
    for chart in drawn(hostile_data()).values():
        made = f"{chart.wide}{chart.narrow}"
        names = set(re.findall(r"<([a-zA-Z]+)", made))
        assert names <= {"svg", "g", "a", "line", "text", "title", "circle", "rect", "path", "None"}
        assert not re.search(r" on\w+=", re.sub(r"<title>.*?</title>|>[^<]*<", "", made))
        assert all(a.startswith("#trial=") for a in re.findall(r'href="([^"]*)"', made))


@pytest.mark.parametrize(
    "names", [("baseline", "with-search"), ("with", "without"), ("a with b", "a")]
)
def test_names_of_configurations_are_written_in_full(names: tuple[str, str]) -> None:
    """A label once dropped the word "with", so that two configurations had one name."""
    made = found(
        *(
            detail(
                trial(
                    step(HIT, MISS),
                    truth=["a", "b"],
                    config_name=name,
                    trial_name=f"{name}{n}",
                    version="1.3",
                )
            )
            for name in names
            for n in range(3)
        )
    )
    texts = [
        text for chart in made.values() for text in re.findall(r">([^<>]+)</text>", f"{chart.wide}")
    ]
    assert set(names) <= {text.strip() for text in texts}
    assert not [text for text in texts if text.strip() in {"-search", "out", "a b"}]


def test_many_configurations_are_cut_to_the_colours_there_are() -> None:
    made = found(
        *(
            detail(
                trial(step(HIT, MISS), truth=["a", "b"], config_name=f"c{n:02}", trial_name=f"t{n}")
            )
            for n in range(12)
        )
    )
    assert (
        len(set(re.findall(r"f-k\d", str(made["found-shown"].narrow)))) == 8
        or made["found-shown"].note
    )
    assert "4 more configurations" in "".join(made["found-shown"].note)


def test_a_configuration_keeps_its_colour_from_report_to_report() -> None:
    """D69: the name decides, not the order among whichever others are there."""
    alone = colours_of(["mcp-remote-direct"])
    among = colours_of(["baseline-local-direct", "mcp-remote-direct", "zzz"])
    assert among["mcp-remote-direct"] == alone["mcp-remote-direct"]
    assert among["baseline-local-direct"] == "k0"
    assert len(set(colours_of(map(str, range(8))).values())) == 8


def test_trials_are_addressed_by_name_and_told_apart_where_names_repeat() -> None:
    """D70: an index would point to another trial after the next run."""
    links = TrialLinks()
    for run, name in (("r1", "t1"), ("r1", "t2"), ("r2", "t2")):
        links.add(detail(trial(truth=["a"], run_id=run, trial_name=name, config_name="c")).row)
    assert links.keys() == ["t1", "r1/c/t2", "r2/c/t2"]


@pytest.mark.parametrize("text", HOSTILE)
def test_an_element_holds_text_and_attributes_as_they_are_given(text: str) -> None:
    from html.parser import HTMLParser

    class One(HTMLParser):
        seen: list[Any]

        def handle_starttag(self, tag: str, attrs: Any) -> None:
            self.seen = [tag, dict(attrs), ""]

        def handle_data(self, data: str) -> None:
            self.seen[2] += data

    parser = One()
    parser.feed(element("text", text, aria_label=text))
    parser.close()
    tag, attributes, inner = parser.seen
    assert tag == "text"
    assert inner == text
    assert attributes["aria-label"] == text


numbers = st.floats(-1e6, 1e6, allow_nan=False)


@given(low=numbers, more=st.floats(1e-3, 1e6), value=numbers)
def test_a_scale_stays_within_its_pixels_and_its_ticks_within_its_values(
    low: float, more: float, value: float
) -> None:
    scale = Scale(low, low + more, 10.0, 110.0)
    assert 10.0 <= scale(value) <= 110.0
    slack = 1e-6 * max(abs(low), more)
    assert all(low - slack <= tick <= low + more + slack for tick in scale.ticks())


def test_a_text_that_does_not_fit_ends_with_a_mark() -> None:
    assert fitted("short", 200) == "short"
    assert fitted("x" * 100, 100).endswith("…")
    assert text_width(fitted("x" * 100, 100)) <= 100


def test_of_many_tasks_the_best_gains_and_the_worst_losses_are_drawn() -> None:
    """The thirty largest differences were thirty losses where as many tasks gained."""
    tasks = [
        SimpleNamespace(
            task_name=f"t{n:03}",
            benchmark=None,
            baseline={"reward": 0.5},
            config={"reward": n / 99},
        )
        for n in range(100)
    ]
    drawn_tasks = [task.task_name for task in chosen(tasks, ["reward"])]  # type: ignore[arg-type]
    assert drawn_tasks[:2] == ["t099", "t000"], "largest changes first"
    assert len(drawn_tasks) == MAX_TASKS
    gains = [
        task for task in tasks if task.config["reward"] > 0.5 and task.task_name in drawn_tasks
    ]
    assert len(gains) == MAX_TASKS // 2
