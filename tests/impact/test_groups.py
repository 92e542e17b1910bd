"""Groups that disagree: by suite, model and repository."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from groundtrace.impact import ImpactOptions, analyse
from groundtrace.impact.deltas import TaskPair
from groundtrace.impact.pairing import Pair
from groundtrace.impact.resample import Draws
from groundtrace.impact.verdicts import _entries, _units, group_tests
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


def shared_repositories(random, n_repos, size, icc, effect=0.0):
    """Tasks of two suites; the first repository has tasks of both."""
    tasks = []
    for r in range(n_repos):
        own = math.sqrt(icc) * random.normal()
        for k in range(size):
            suite = r >= n_repos // 2 or (r == 0 and k == 0)
            delta = own + effect * suite + math.sqrt(1 - icc) * random.normal()
            pair = Pair(f"t{r}-{k}", f"suite_{int(suite)}", f"r{r}", (), None)
            tasks.append(TaskPair(pair, {"reward": 0.0}, {"reward": delta}, {}))
    return tasks


def by_suite(tasks, seed=0):
    (found,) = [t for t in group_tests(tasks, ["reward"], Draws(seed, 500)) if t.by == "suite"]
    return found


def test_suites_that_share_a_repository_are_still_compared_by_repositories():
    """One shared repository, and suites without an effect differed in a third of data sets (D408)."""
    wrong = [
        by_suite(shared_repositories(np.random.default_rng(k), 8, 6, 0.4), k).p < 0.05
        for k in range(100)
    ]
    assert sum(wrong) <= 15
    clear = shared_repositories(np.random.default_rng(1), 12, 6, 0.1, effect=3.0)
    assert by_suite(clear).p < 0.01


def test_a_task_without_a_repository_does_not_dissolve_the_others():
    tasks = shared_repositories(np.random.default_rng(4), 8, 6, 0.4)
    tasks[-1] = replace(tasks[-1], pair=replace(tasks[-1].pair, repo=None))
    units = _units(_entries("suite", "reward", tasks))
    assert len(set(units.tolist())) == 9


def test_suites_inside_two_repositories_are_told_apart():
    """Signs of two repositories show nothing; their tasks do."""
    random = np.random.default_rng(2)
    tasks = [
        TaskPair(
            Pair(f"t{i}", f"suite_{i % 2}", f"r{i // 10}", (), None),
            {"reward": 0.0},
            {"reward": (0.4 if i % 2 else -0.4) + 0.1 * random.normal()},
            {},
        )
        for i in range(20)
    ]
    assert by_suite(tasks).p < 0.01
