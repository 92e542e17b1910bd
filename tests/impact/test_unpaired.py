"""Groups of sessions that share no task."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from groundtrace.impact.answer_words import unpaired_words
from groundtrace.impact.observations import Observation, ObservedValues, WhyAbsent
from groundtrace.impact.options import ImpactOptions
from groundtrace.impact.unpaired import compare_unpaired, share_no_task


def seen(config: str, number: int, cost: float, repo: str = "heron", **more: object) -> Observation:
    return Observation(
        "sessions",
        config,
        f"{config}-{number}",
        f"{config}-{number}",
        **{  # type: ignore[arg-type]
            "task": f"{config}-{number}",
            "benchmark": None,
            "trial_key": f"{config}-{number}",
            "model": "wader-1",
            "harness": None,
            "harness_version": None,
            "repo": repo,
            "clock": None,
            "confidence": None,
            "unknown_calls": 0,
            "values": ObservedValues({"cost_usd": 0}, [cost]),
            "is_copy": False,
            "is_session": True,
            "why": WhyAbsent((), None),
            **more,
        },
    )


def group(config: str, costs: list[float], repo: str = "heron") -> list[Observation]:
    return [seen(config, number, cost, repo) for number, cost in enumerate(costs)]


PAIR = ("without-mcp", "with-mcp")
ONE = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
OTHER = [3.0, 5.0, 6.5, 7.0, 8.0, 9.5]


def cost_of(trials: list[Observation], draws: int = 4000) -> object:
    found = compare_unpaired(trials, PAIR, ImpactOptions(primaries=("cost_usd",), draws=draws))
    (row,) = found.rows
    return row


def test_p_is_that_of_scipys_permutation_test() -> None:
    row = cost_of(group(PAIR[0], ONE) + group(PAIR[1], OTHER))
    exact = stats.permutation_test(
        (OTHER, ONE), lambda a, b: np.mean(a) - np.mean(b), n_resamples=np.inf
    )
    assert row.delta == pytest.approx(np.mean(OTHER) - np.mean(ONE))  # type: ignore[attr-defined]
    assert row.p == pytest.approx(exact.pvalue, abs=0.02)  # type: ignore[attr-defined]


def test_the_interval_holds_the_shifts_that_are_not_rejected() -> None:
    trials = group(PAIR[0], ONE) + group(PAIR[1], OTHER)
    row = cost_of(trials)
    for shift, inside in ((row.ci_low + 0.05, True), (row.ci_low - 0.05, False)):  # type: ignore[attr-defined]
        moved = group(PAIR[0], ONE) + group(PAIR[1], [value - shift for value in OTHER])
        assert (cost_of(moved).p > 0.05) == inside  # type: ignore[attr-defined]


def test_repositories_are_not_exchanged_for_each_other() -> None:
    """All of the difference is between the repositories: inside each there is none."""
    trials = [
        *(seen(PAIR[0], n, 1.0 + n / 100) for n in range(8)),
        *(seen(PAIR[1], n, 1.0 + n / 100) for n in range(2)),
        *(seen(PAIR[0], n + 8, 9.0 + n / 100, "otter") for n in range(2)),
        *(seen(PAIR[1], n + 2, 9.0 + n / 100, "otter") for n in range(8)),
    ]
    assert cost_of(trials).p > 0.2  # type: ignore[attr-defined]


def test_without_a_common_repository_there_is_no_test() -> None:
    row = cost_of(group(PAIR[0], ONE) + group(PAIR[1], OTHER, "otter"))
    assert row.reason == "no_repository_in_both"  # type: ignore[attr-defined]
    assert row.p is None  # type: ignore[attr-defined]
    assert row.delta is not None  # type: ignore[attr-defined]


def test_few_sessions_have_no_interval() -> None:
    row = cost_of(group(PAIR[0], ONE[:3]) + group(PAIR[1], OTHER))
    assert (row.reason, row.ci_low) == ("fewer_than_6_sessions", None)  # type: ignore[attr-defined]


def test_what_else_differs() -> None:
    trials = [
        seen(PAIR[0], 0, 1.0, relevant_files=2, started_at="2026-05-04T10:00:00.000Z"),
        seen(PAIR[1], 0, 1.0, "otter", relevant_files=7, relevant_lines=40.0),
    ]
    found = compare_unpaired(trials, PAIR, ImpactOptions())
    told = {one.what: (one.baseline, one.config) for one in found.differs}
    assert told["files a commit"] == ("2.0", "7.0")
    assert told["lines a commit"] == ("unknown", "40.0")
    assert told["repositories"] == ("heron", "otter")
    assert told["weeks"] == ("2026-W19", "unknown")
    assert "No experiment" in found.statement


def test_groups_with_a_common_task_are_not_unpaired() -> None:
    trials = group(PAIR[0], ONE) + group(PAIR[1], OTHER)
    assert share_no_task(trials, PAIR)
    assert not share_no_task([*trials, seen(PAIR[0], 99, 1.0, task="with-mcp-0")], PAIR)
    assert not share_no_task(trials, (PAIR[0], "nobody"))
    of_a_benchmark = seen(PAIR[0], 98, 1.0, is_session=False)
    assert not share_no_task([*trials, of_a_benchmark], PAIR)


def test_noise_is_found_in_at_most_5_percent() -> None:
    random = np.random.default_rng(5)
    hits = 0
    for _ in range(200):
        trials = group(PAIR[0], list(random.lognormal(size=8)))
        trials += group(PAIR[1], list(random.lognormal(size=8)))
        hits += cost_of(trials, draws=400).p < 0.05  # type: ignore[attr-defined]
    assert hits <= 19  # the 99.5 % point of a binomial with 200 and .05


def test_what_differs_is_told_without_what_only_is_counted_differently() -> None:
    """“files a commit: 2.0 (6 sessions) against 2.0 (7 sessions)” was told as a difference."""

    def said(files: list[int]) -> str:
        own = [seen(PAIR[0], at, 1.0, relevant_files=n) for at, n in enumerate(files)]
        other = [seen(PAIR[1], at, 2.0, relevant_files=2) for at in range(7)]
        return unpaired_words(compare_unpaired([*own, *other], PAIR, ImpactOptions(draws=100)))

    assert "What else differs" not in said([2, 2, 2, 2, 2, 2, 0])
    assert "files a commit: 2.0 against 3.0 (6 of 7 sessions)." in said([3, 3, 3, 3, 3, 3, 0])
