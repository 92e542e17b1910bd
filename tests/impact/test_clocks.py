"""Times to the first relevant file are compared only if they use the same clock (D67)."""

from __future__ import annotations

import msgspec
import pytest

from groundtrace.impact import ImpactOptions, analyse
from groundtrace.report.charts.speed import curve_of, speed_charts
from groundtrace.rows.clocks import SharedClock
from groundtrace.rows.summarise import summarise
from tests.impact.trial_rows import row
from tests.report.pages import task_units

BASE, OTHER = "baseline-local", "mcp-remote"


def timed(task, config, seconds, clock="agent_execution", **more):
    """A trial that met a relevant file after some seconds; None is a miss."""
    metrics = {"file_recall": 0.0 if seconds is None else 1.0}
    if seconds is not None:
        metrics["ttfr_seconds"] = seconds
    made = row(task, config, metrics, **more)
    coverage = msgspec.structs.replace(made.coverage, elapsed_origin=clock)
    return msgspec.structs.replace(made, coverage=coverage)


def compared(rows):
    options = ImpactOptions(draws=200)
    (first, *_) = analyse(rows, options, generated_at="now", scope="*").matched_comparisons
    delta = next(d for d in first.deltas if d.metric == "ttfr_seconds")
    hits = next(h for h in first.first_hits if h.metric == "ttfr_seconds")
    return delta, hits


@pytest.mark.parametrize(
    ("clock", "reason"), [("first_timestamp", "clock_differs"), (None, "clock_unknown")]
)
def test_two_clocks_are_not_compared(clock, reason):
    """Set-up of 55 s on one side's clock was a difference of +55 s, p 0.008."""
    rows = [
        made
        for i in range(8)
        for made in (timed(f"t{i}", BASE, 5.0, clock), timed(f"t{i}", OTHER, 60.0))
    ]
    delta, hits = compared(rows)
    assert (delta.n, delta.left_out, delta.p) == (0, {reason: 8}, None)
    assert (hits.n, hits.left_out, hits.mean_delta) == (0, {reason: 8}, None)


def test_trials_of_the_shared_clock_count():
    rows = []
    for i in range(6):
        rows.append(timed(f"t{i}", BASE, 5.0, trial=f"a{i}"))
        rows.append(timed(f"t{i}", BASE, 500.0, "first_timestamp", trial=f"b{i}"))
        rows.append(timed(f"t{i}", OTHER, 10.0 + i))
    delta, _ = compared(rows)
    assert (delta.n, delta.mean_baseline, delta.mean_config) == (6, 5.0, 12.5)


def test_misses_enter_a_restricted_mean():
    """Hits at 10 against 20 s in six tasks; two tasks the baseline never hit count as 20 s."""
    rows = [
        made
        for i in range(8)
        for made in (
            timed(f"t{i}", BASE, 10.0 if i < 6 else None),
            timed(f"t{i}", OTHER, 20.0 if i < 6 else 5.0),
        )
    ]
    delta, hits = compared(rows)
    assert (delta.n, delta.only_config_hit) == (6, 2)
    assert (hits.n, hits.horizon, hits.misses_baseline, hits.misses_config) == (8, 20.0, 2, 0)
    assert hits.mean_baseline == (6 * 10 + 2 * 20) / 8
    assert hits.mean_config == (6 * 20 + 2 * 5) / 8
    assert hits.mean_delta == pytest.approx(hits.mean_config - hits.mean_baseline)


def test_a_task_that_hits_in_some_trials_only_is_left_out_of_the_restricted_mean():
    rows = [
        made for i in range(6) for made in (timed(f"t{i}", BASE, 1.0), timed(f"t{i}", OTHER, 2.0))
    ]
    rows.append(timed("t0", OTHER, None, trial="again"))
    _, hits = compared(rows)
    assert (hits.n, hits.left_out) == (5, {"some_trials_miss": 1})


def aggregates(rows):
    found = analyse(rows, ImpactOptions(draws=200), generated_at="now", scope="*")
    return {
        own.config_name: next(m for m in own.metrics if m.metric == "ttfr_seconds")
        for own in found.config_aggregates
    }


def summaries(rows):
    found = summarise(rows, scope="*", generated_at="now")
    return {name: group.first_hit.ttfr_seconds for name, group in found.by_config.items()}


@pytest.mark.parametrize("means", [aggregates, summaries])
def test_means_of_configurations_are_by_one_clock(means):
    """The trace's clock is in both configurations, the agent's in one: seconds by the trace count.
    With both, the baseline's mean would be 252.5 s."""
    rows = []
    for i in range(3):
        rows.append(timed(f"t{i}", BASE, 500.0, trial=f"a{i}"))
        rows.append(timed(f"u{i}", BASE, 5.0, "first_timestamp"))
        rows.append(timed(f"t{i}", OTHER, 7.0, "first_timestamp"))
    found = means(rows)
    assert (found[BASE].mean, found[BASE].n) == (5.0, 3)
    assert found[BASE].left_out == {"clock_differs": 3}
    assert (found[OTHER].mean, found[OTHER].n, found[OTHER].left_out) == (7.0, 3, {})


@pytest.mark.parametrize("means", [aggregates, summaries])
@pytest.mark.parametrize(
    ("clock", "reason"), [("first_timestamp", "clock_differs"), (None, "clock_unknown")]
)
def test_a_configuration_by_another_clock_has_no_mean_and_says_why(means, clock, reason):
    rows = [timed(f"t{i}", BASE, 5.0) for i in range(4)]
    rows += [timed(f"t{i}", OTHER, 60.0, clock) for i in range(3)]
    rows.append(timed("t3", OTHER, None, clock))
    found = means(rows)
    assert (found[BASE].mean, found[BASE].left_out) == (5.0, {})
    if means is summaries:  # a configuration keeps its own mean there, with its clock beside it
        assert (found[OTHER].mean, found[OTHER].n) == (60.0, 3)
        assert found[OTHER].left_out == {"never_hit": 1}
        return
    assert (found[OTHER].mean, found[OTHER].n) == (None, 0)
    assert found[OTHER].left_out == {reason: 3, "never_hit": 1}


@pytest.mark.parametrize("means", [aggregates, summaries])
@pytest.mark.parametrize("clock", ["first_timestamp", None])
def test_nothing_is_left_out_where_all_have_one_clock(means, clock):
    """Documents of version 1.0 do not name it; nothing says that they mix any."""
    rows = [timed(f"t{i}", config, 5.0, clock) for i in range(3) for config in (BASE, OTHER)]
    assert all((own.n, own.left_out) == (3, {}) for own in means(rows).values())


def test_curves_are_by_one_clock_and_misses_by_another_are_no_curve():
    """A curve of the other configuration's miss alone would say that it never met a file."""
    rows = [timed(f"t{i}", BASE, 5.0) for i in range(4)]
    rows += [timed(f"t{i}", OTHER, 60.0, "first_timestamp") for i in range(3)]
    rows.append(timed("t3", OTHER, None, "first_timestamp"))
    rows = [msgspec.structs.replace(made, hit=made.metrics["file_recall"] > 0) for made in rows]
    units = task_units(rows).by_config()
    clock = SharedClock("agent_execution", any_counts=False)
    assert curve_of(units[OTHER], "ttfr_seconds", clock) is None
    assert curve_of(units[BASE], "ttfr_seconds", clock).points[-1] == (5.0, 1.0)
    (chart,) = speed_charts(units, {BASE: "0", OTHER: "1"})
    assert "4 trials left out" in chart.note[0]
    assert [str(line[0]) for line in chart.numbers.rows] == [BASE]
