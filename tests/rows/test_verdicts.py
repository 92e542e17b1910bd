"""Trials by verdict: groups by reward, over all configurations and for each (D96)."""

from __future__ import annotations

from msgspec import UNSET, structs

from groundtrace.documents.summary import RunSummaryDocument
from groundtrace.metrics.catalogue import METRICS
from groundtrace.report.sections.funnel import funnel_rows
from groundtrace.rows.summarise import summarise
from groundtrace.rows.trial_row import TrialRow
from groundtrace.rows.verdicts import verdict_of
from tests.documents.builders import outcome
from tests.rows.builders import A, B, task


def ended(name: str, *found: str, reward: float | None = 1.0, **more: object) -> TrialRow:
    key = f"{name}/{more.get('trial_name', '')}/{more.get('config_name', '')}"
    return task(name, *found, outcome=outcome(reward=reward, trial_key=key), **more)


def summary_of(*rows: TrialRow) -> RunSummaryDocument:
    return summarise(rows, scope="run", generated_at="2026-01-01T00:00:00Z")


def test_a_verdict_is_what_the_reward_says() -> None:
    told = [verdict_of(ended("t", A, reward=reward)) for reward in (1.0, 2.0, 0.5, 0.0, -1.0, None)]
    assert told == [
        "resolved",
        "resolved",
        "partly",
        "not_resolved",
        "not_resolved",
        "no_verdict",
    ]
    assert verdict_of(task("t", A)) == "no_verdict"


def test_each_verdict_has_its_own_means() -> None:
    """Worked by hand: both files shown in the resolved task; one, then none, in the others."""
    made = summary_of(
        ended("one", A, B),
        ended("two", A, reward=0.0),
        ended("three", reward=0.0),
        ended("four", A, reward=None),
    )
    assert made.by_verdict is not UNSET
    found = {
        verdict: (group.trials, group.tasks, group.metrics["funnel_shown"].mean)
        for verdict, group in made.by_verdict.items()
    }
    assert found == {
        "resolved": (1, 1, 1.0),
        "not_resolved": (2, 2, 0.25),
        "no_verdict": (1, 1, 0.5),
    }
    assert list(made.by_verdict) == sorted(found), "as documents are written"


def test_rewards_of_another_scale_have_no_verdicts() -> None:
    """Of rewards up to 100 nearly all are at least 1; 85 % were “solved” (D407)."""
    made = summary_of(
        ended("one", A, B, reward=100.0),
        ended("two", A, reward=3.0),
        ended("three", reward=0.0),
        ended("four", A, reward=None),
    )
    assert made.by_verdict is not UNSET and made.by_config_and_verdict is not UNSET
    assert set(made.by_verdict) == {"no_verdict"}
    assert [set(found) for found in made.by_config_and_verdict.values()] == [{"no_verdict"}]
    assert {row[1] for row in funnel_rows(made)} == {"all"}


def test_trials_of_one_task_are_averaged_within_a_verdict() -> None:
    """A task that is resolved once and fails twice is in both groups, once in each."""
    made = summary_of(
        ended("one", A, B, trial_name="one__1"),
        ended("one", A, reward=0.0, trial_name="one__2"),
        ended("one", reward=0.0, trial_name="one__3"),
        ended("two", A, B, reward=0.0),
    )
    assert made.by_verdict is not UNSET
    failed = made.by_verdict["not_resolved"]
    assert (failed.trials, failed.tasks) == (3, 2)
    assert failed.metrics["funnel_shown"].mean == (0.25 + 1.0) / 2


def test_configurations_are_told_apart() -> None:
    made = summary_of(
        ended("one", A, B, config_name="baseline"),
        ended("one", A, reward=0.0, config_name="mcp"),
    )
    assert made.by_config_and_verdict is not UNSET
    assert {c: list(v) for c, v in made.by_config_and_verdict.items()} == {
        "baseline": ["resolved"],
        "mcp": ["not_resolved"],
    }
    rows = [(config, verdict) for config, verdict, _, _ in funnel_rows(made)]
    assert rows == [
        ("all", "all"),
        ("all", "solved"),
        ("all", "not solved"),
        ("baseline", "all"),
        ("baseline", "solved"),
        ("mcp", "all"),
        ("mcp", "not solved"),
    ]


def test_without_verdicts_and_in_older_summaries_there_are_no_rows_for_them() -> None:
    made = summary_of(task("one", A))
    assert [verdict for _, verdict, _, _ in funnel_rows(made)] == ["all"]
    older = structs.replace(made, by_verdict=UNSET, by_config_and_verdict=UNSET)
    assert list(funnel_rows(older)) == list(funnel_rows(made))


def test_every_row_of_the_funnel_adds_up() -> None:
    made = summary_of(ended("one", A, B), ended("two", A, reward=0.0), ended("three", reward=0.0))
    for _, _, _, metrics in funnel_rows(made):
        shares = [metrics[name].mean or 0.0 for name in METRICS.names_in("funnel")]
        assert abs(sum(shares) - 1) < 1e-12
