"""Groups that disagree: by suite, model and repository."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from groundtrace.impact import ImpactOptions, analyse
from tests.impact.trial_rows import row

BASE, OTHER = "baseline", "other"


def document(rows):
    return analyse(rows, ImpactOptions(draws=400), generated_at="now", scope="*")


def pairs(task, delta, noise=0.0, repo=None, **shared):
    made = (
        row(task, BASE, reward=0.5, trial=f"{task}-b-{shared.get('model')}", **shared),
        row(
            task,
            OTHER,
            reward=0.5 + delta + noise,
            trial=f"{task}-o-{shared.get('model')}",
            **shared,
        ),
    )
    return [msgspec.structs.replace(one, repo=repo) for one in made]


def lines(rows):
    return [item.text for item in document(rows).answer.look_at if item.kind == "heterogeneity"]


def test_two_suites_with_opposite_effects_are_named():
    """Suite A +.30, suite B -.32: the answer said “no difference” and nothing to look at."""
    random = np.random.default_rng(0)
    rows = [
        made
        for i in range(40)
        for made in pairs(
            f"t{i:02}",
            0.3 if i < 20 else -0.32,
            0.1 * random.normal(),
            benchmark="alpha" if i < 20 else "beta",
        )
    ]
    (text,) = lines(rows)
    assert text.startswith("changes of reward go opposite ways by suite: alpha +0.28")
    assert "beta −0.3" in text


def test_two_models_that_ran_the_same_tasks_are_compared_within_tasks():
    random = np.random.default_rng(1)
    rows = [
        made
        for i in range(15)
        for model, delta in (("one", 0.3), ("two", -0.3))
        for made in pairs(f"t{i:02}", delta, 0.1 * random.normal(), model=model)
    ]
    (text,) = lines(rows)
    assert "opposite ways by model: one +0.29" in text


def test_repositories_that_disagree_are_named():
    random = np.random.default_rng(2)
    rows = [
        made
        for i in range(30)
        for made in pairs(
            f"t{i:02}", 0.3 if i % 3 == 0 else -0.2, 0.1 * random.normal(), repo=f"r{i % 3}"
        )
    ]
    (text,) = lines(rows)
    assert "by repository: r0 +0.24" in text


@pytest.mark.parametrize("seed", range(5))
def test_alike_groups_say_nothing(seed):
    random = np.random.default_rng(seed)
    rows = [
        made
        for i in range(40)
        for made in pairs(
            f"t{i:02}", 0.1, 0.2 * random.normal(), benchmark="ab"[i % 2], repo=f"r{i % 4}"
        )
    ]
    assert lines(rows) == []


def test_groups_of_noise_are_found_in_at_most_5_percent():
    """p of the suites, over data sets without any difference."""
    small = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        rows = [
            made
            for i in range(20)
            for made in pairs(f"t{i:02}", 0.0, random.normal(), benchmark="ab"[i % 2])
        ]
        (test,) = [t for t in document(rows).matched_comparisons[0].groups if t.metric == "reward"]
        small += test.p < 0.05
    assert small <= 8
