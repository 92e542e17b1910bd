"""What folders above loose traces mean: given patterns, and patterns inferred from all paths."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.discover.layout import (
    Held,
    Layout,
    fitting,
    held_task,
    stem_of,
)
from groundtrace.discover.roles import Clues, infer
from groundtrace.errors import UsageError

ROLLOUT = "rollout-2026-05-04T10-00-00-1f.jsonl"
LATER = "rollout-2026-06-11T09-30-00-2a.jsonl"


def inferred(*paths: str, tasks: str = "", makers: str = "", stated: bool = False) -> list[str]:
    clues = [
        Clues(p.split("/"), frozenset(tasks.split()), frozenset(makers.split()), stated)
        for p in paths
    ]
    return [layout.pattern for layout in infer(clues)]


@pytest.mark.parametrize(
    ("paths", "pattern"),
    [
        # A name that stands in every folder names nothing.
        (["claude/taskA/session.jsonl", "claude/taskB/session.jsonl"], "claude/{task}/session"),
        (["task-a/trace.jsonl", "task-b/trace.jsonl"], "{task}/trace"),
        # Two levels that vary: the upper is the configuration.
        (["m1/x.jsonl", "m1/y.jsonl", "m2/x.jsonl", "m2/y.jsonl"], "{config}/{task}"),
        (["m1/t1/s.jsonl", "m1/t2/s.jsonl", "m2/t1/s.jsonl", "m2/t2/s.jsonl"], "{config}/{task}/s"),
        (["m1/t1/u.jsonl", "m1/t1/v.jsonl", "m2/t2/u.jsonl"], "{config}/{task}/{trial}"),
        # Numbered attempts are trials, whatever stands above them.
        (["t1/run1.jsonl", "t1/run2.jsonl", "t2/run1.jsonl", "t2/run2.jsonl"], "{task}/{trial}"),
        (["m1/t1/1.json", "m1/t1/2.json", "m2/t2/1.json"], "{config}/{task}/{trial}"),
        # One file name for each trace.
        (["one/a.jsonl", "one/b.jsonl"], "one/{task}"),
        (["a.jsonl", "b.jsonl"], "{task}"),
        # Sides of a comparison are configurations, even above one file.
        (["with/a.jsonl", "without/a.jsonl"], "{config}/a"),
        (["all/baseline/a.jsonl", "all/mcp/a.jsonl"], "all/{config}/a"),
        # Folders of dates tell nothing apart (Codex keeps sessions by year, month and day).
        ([f"2025/12/31/{LATER}", f"2026/05/04/{ROLLOUT}"], "*/*/*/{task}"),
        ([f"04/{ROLLOUT}", f"11/{LATER}"], "*/{task}"),
        ([f"2026-05-04/{ROLLOUT}", f"2026-06-11/{LATER}"], "*/{task}"),
        ([f"with/2026/05/04/{ROLLOUT}", f"without/2026/06/11/{LATER}"], "{config}/2026/*/*/{task}"),
        # A bracket in a name is no placeholder.
        (["{x}/a.jsonl", "{x}/b.jsonl"], "*/{task}"),
    ],
)
def test_roles_are_inferred_from_all_paths(paths: list[str], pattern: str) -> None:
    assert inferred(*paths) == [pattern]


def test_known_tasks_are_tasks_wherever_they_stand() -> None:
    paths = ["heron-1/gpt/x.json", "heron-1/opus/x.json", "heron-2/gpt/x.json"]
    assert inferred(*paths, tasks="heron-1 heron-2") == ["{task}/{config}/x"]
    paths = ["a/heron-1/heron-1.traj.json", "b/heron-2/heron-2.traj.json"]
    assert inferred(*paths, tasks="heron-1 heron-2") == ["{config}/*/{task}"]


def test_models_and_harnesses_of_the_traces_are_configurations() -> None:
    paths = ["t1/gpt-9/x.json", "t1/opus-7/x.json", "t2/gpt-9/x.json", "t2/opus-7/x.json"]
    assert inferred(*paths, makers="gpt-9 opus-7") == ["{task}/{config}/x"]


def test_traces_that_state_their_tasks_leave_folders_to_configurations() -> None:
    assert inferred("v0/a.jsonl", "v1/b.jsonl", stated=True) == ["{config}/{trial}"]


def test_every_depth_has_its_own_layout() -> None:
    assert inferred("a.jsonl", "b.jsonl", "m/c.jsonl", "m/d.jsonl") == ["{task}", "m/{task}"]


@pytest.mark.parametrize(
    ("pattern", "path", "roles"),
    [
        (
            "{config}/{task}/{trial}",
            "codex/heron-12/run1.jsonl",
            {"config": "codex", "task": "heron-12", "trial": "run1"},
        ),
        (
            "{run}/{config}/{task}_{trial}.jsonl",
            "may/codex/heron_12_3.jsonl",
            {"run": "may", "config": "codex", "task": "heron_12", "trial": "3"},
        ),
        (
            "{config}/*/{task}/",
            "codex/x/heron/deep/er/s.jsonl",
            {"config": "codex", "task": "heron"},
        ),
        ("{task}", "heron.traj.json", {"task": "heron"}),
        ("{task}.json", "heron.json", {"task": "heron"}),
        ("logs-{config}/{task}", "logs-a/b.jsonl", {"config": "a", "task": "b"}),
        ("{config}/{task}", "codex/heron/run1.jsonl", None),
        ("{config}/{task}/", "codex/heron.jsonl", None),
        ("runs/{task}", "other/heron.jsonl", None),
    ],
)
def test_a_given_layout_says_what_names_mean(
    pattern: str, path: str, roles: dict[str, str] | None
) -> None:
    assert Layout(pattern).roles(path.split("/")) == roles


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("{config}/../{task}", "has no '..' in it"),
        ("{config}//{task}", "has no '' in it"),
        ("{model}/{task}", "'{model}' is no placeholder"),
        ("{task}/{task}", "a placeholder twice"),
        ("{task}{task}", "a placeholder twice"),
        ("a/b", "has no placeholder"),
        ("{task", "is not closed"),
        ("", "has no placeholder"),
    ],
)
def test_a_wrong_layout_is_refused_with_the_reason(pattern: str, why: str) -> None:
    with pytest.raises(UsageError, match=why.replace("{", r"\{").replace("}", r"\}")):
        Layout(pattern)


NAMES = st.sampled_from(["a", "b", "m1", "m2", "run1", "2026", "{x}", "t-1", "*"])
PATHS = st.lists(st.lists(NAMES, min_size=1, max_size=4), min_size=1, max_size=8)


@given(PATHS)
def test_an_inferred_layout_fits_every_path_that_it_was_inferred_from(
    paths: list[list[str]],
) -> None:
    layouts = infer([Clues([*parts[:-1], f"{parts[-1]}.jsonl"]) for parts in paths])
    for parts in paths:
        assert fitting(layouts, [*parts[:-1], f"{parts[-1]}.jsonl"]) is not None
    again = [Layout(layout.pattern) for layout in layouts]
    for parts in paths:
        path = [*parts[:-1], f"{parts[-1]}.jsonl"]
        assert fitting(again, path) == fitting(layouts, path)


def known(*paths: str, tasks: str, makers: str = "") -> list[str]:
    """Layouts with names that are known tasks or hold one."""
    names = set(tasks.split())
    clues = []
    for path in paths:
        parts = path.split("/")
        own = [*parts[:-1], stem_of(parts[-1])]
        held = {name: one for name in own if (one := held_task(name, names.__contains__))}
        found = frozenset(names & set(own))
        clues.append(Clues(parts, found, frozenset(makers.split()), False, held))
    return [layout.pattern for layout in infer(clues)]


TWO = "heron-1 heron-2"


@pytest.mark.parametrize(
    ("paths", "pattern"),
    [
        # A known task in a longer name; what is left is a side, an attempt, or always the same.
        (["base_heron-1.json", "base_heron-2.json", "new_heron-1.json", "new_heron-2.json"], "{config}_{task}"),
        (["heron-1.base.json", "heron-2.base.json", "heron-1.new.json", "heron-2.new.json"], "{task}.{config}"),
        (["traj_heron-1.json", "traj_heron-2.json"], "traj_{task}"),
        (["heron-1--7.json", "heron-1--8.json", "heron-2--7.json"], "{task}--{trial}"),
        (["a_heron-1_run1.json", "a_heron-2_run1.json", "b_heron-1_run2.json", "b_heron-2_run2.json"], "{config}_{task}_{trial}"),
        (["heron-1__base__run1.json", "heron-1__base__run2.json", "heron-2__new__run1.json", "heron-2__new__run2.json"], "{task}__{config}__{trial}"),
        # A folder says the configuration too, or a file's name has more than it.
        (["baseline/bl_heron-1.json", "baseline/bl_heron-2.json", "with-x/x_heron-1.json", "with-x/x_heron-2.json"], "{config}/*_{task}"),
        (["baseline/bl_heron-1.json", "baseline/x_heron-1.json", "with-x/bl_heron-2.json", "with-x/x_heron-2.json"], "{config}/*_{task}"),
        # The same two files in each task's folder are sides, numbered ones are attempts.
        (["heron-1/x.json", "heron-1/y.json", "heron-2/x.json", "heron-2/y.json"], "{task}/{config}"),
        (["heron-1/run1.json", "heron-1/run2.json", "heron-2/run1.json", "heron-2/run2.json"], "{task}/{trial}"),
        (["heron-1/x.json", "heron-1/y.json", "heron-2/x.json"], "{task}/{trial}"),
    ],
)  # fmt: skip
def test_a_name_may_hold_a_task_and_more(paths: list[str], pattern: str) -> None:
    assert known(*paths, tasks=TWO) == [pattern]


def test_of_two_levels_of_numbers_the_lower_tells_attempts_apart() -> None:
    paths = [f"{arm}/{task}/{k}.json" for arm in ("alpha", "beta") for task in "123" for k in "01"]
    assert inferred(*paths) == ["{config}/{task}/{trial}"]
    assert known(*paths, tasks="1 2 3") == ["{config}/{task}/{trial}"]
    assert inferred("run1/a/t/1.json", "run2/a/u/2.json", "run1/b/u/1.json") == [
        "{trial}/{config}/{task}/*"
    ]


def test_dates_are_neither_configurations_nor_tasks() -> None:
    days = ("2026-03-01", "20260302_101500")
    paths = [f"{day}/{arm}/{task}.jsonl" for day in days for arm in "mn" for task in "tu"]
    assert inferred(*paths) == ["{trial}/{config}/{task}"]
    assert known(*paths, tasks="t u") == ["{trial}/{config}/{task}"]
    # A folder of a day is all that tells these apart.
    assert inferred(*(f"{day}/session.jsonl" for day in days)) == ["{task}/session"]


def test_files_named_like_sides_or_models_are_configurations() -> None:
    paths = [f"t{n}/{side}.jsonl" for n in (1, 2) for side in ("baseline", "with-search")]
    assert inferred(*paths) == ["{task}/{config}"]
    paths = [f"t{n}/{short}.jsonl" for n in (1, 2) for short in ("opus", "haiku")]
    assert inferred(*paths, makers="claude-opus-4-5 claude-haiku-4-5") == ["{task}/{config}"]
    # `4` is a number of an attempt, although a model has it in its name.
    paths = [f"t{n}/{number}.jsonl" for n in (1, 2) for number in "45"]
    assert inferred(*paths, makers="claude-opus-4-5") == ["{task}/{trial}"]


def test_a_known_task_says_where_it_ends() -> None:
    layout = Layout("{config}_{task}")
    held = held_task("with_search_django__django-10554", {"django__django-10554"}.__contains__)
    assert held == Held("with_search_", "django__django-10554", "")
    found = layout.roles(
        ["with_search_django__django-10554.json"], {"with_search_django__django-10554": held}
    )
    assert found == {"config": "with_search", "task": "django__django-10554"}
    # The task that is known, not all up to the last mark.
    held = {"heron__new__run1": Held("", "heron", "__new__run1")}
    found = Layout("{task}__{config}").roles(["heron__new__run1.json"], held)
    assert found == {"task": "heron", "config": "new__run1"}
    # Without known tasks the last mark counts.
    assert layout.roles(["base_heron.json"]) == {"config": "base", "task": "heron"}
    assert held_task("heron", {"heron"}.__contains__) is None
    assert held_task("herons_x", {"heron"}.__contains__) is None
