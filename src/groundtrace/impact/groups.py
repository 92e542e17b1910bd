"""Groups of tasks that disagree: one suite gains what another loses, and the mean shows nothing.

The test asks whether the differences of the groups vary more than if tasks were dealt to groups at
random. If the same tasks ran with several models, models are exchanged within each task. If whole
repositories belong to one suite, whole repositories are exchanged (D166).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.documents.comparison import GroupMean, GroupTest
from groundtrace.impact.arrays import Floats, Ints, np
from groundtrace.impact.deltas import TaskPair, column_of
from groundtrace.impact.observations import mean
from groundtrace.impact.resample import Draws, shuffled_rows
from groundtrace.rows.means import difference

GroupedBy = Literal["suite", "model", "repository"]

MIN_GROUP = 3
"""Groups with fewer tasks are left out."""
_WORK = 4_000_000
"""Most numbers that the permutations of one test move."""
_SLACK = 1e-9
_HUGE = 1e100
"""Larger differences cannot be squared and added."""


class _Entry(Frozen, frozen=True):
    """One difference of a group."""

    group: str
    delta: float
    task: str
    repo: str | None


def group_tests(tasks: Sequence[TaskPair], names: Sequence[str], draws: Draws) -> list[GroupTest]:
    """One test for each metric and each way to make at least two groups."""
    found = [
        test
        for by in ("suite", "model", "repository")
        for name in names
        if (test := _test(by, name, _entries(by, name, tasks), draws)) is not None
    ]
    return [replace(one, p_adjusted=min(1.0, one.p * len(found))) for one in found]


def _entries(by: GroupedBy, name: str, tasks: Sequence[TaskPair]) -> list[_Entry]:
    if by == "model":
        every = list(_of_models(name, tasks))
    else:
        column = column_of(name, [(t.baseline, t.config) for t in tasks])
        kept = [task.pair for task, here in zip(tasks, column.here, strict=True) if here]
        every = [
            _Entry(group, delta, pair.task_name, pair.repo)
            for pair, delta in zip(kept, column.delta.tolist(), strict=True)
            if (group := pair.benchmark if by == "suite" else pair.repo)
        ]
    sizes: dict[str, int] = {}
    for entry in every:
        sizes[entry.group] = sizes.get(entry.group, 0) + 1
    return [entry for entry in every if sizes[entry.group] >= MIN_GROUP]


def _of_models(name: str, tasks: Sequence[TaskPair]) -> Iterator[_Entry]:
    for task in tasks:
        for cell in task.pair.cells:
            ours, theirs = mean(cell.baseline, name), mean(cell.config, name)
            models = {o.model for o in (*cell.baseline, *cell.config)}
            model = next(iter(models)) if len(models) == 1 else None
            if model and ours is not None and theirs is not None:
                delta = difference(ours, theirs)
                yield _Entry(model, delta, task.pair.task_name, task.pair.repo)


def _test(by: GroupedBy, name: str, entries: Sequence[_Entry], draws: Draws) -> GroupTest | None:
    groups = sorted({entry.group for entry in entries})
    deltas = np.array([entry.delta for entry in entries])
    if len(groups) < 2 or not (np.abs(deltas) < _HUGE).all() or not np.ptp(deltas):
        return None
    number = {name: i for i, name in enumerate(groups)}
    codes = np.array([number[entry.group] for entry in entries], dtype=np.intp)
    strata = _strata(by, entries)
    sizes = np.bincount(codes)
    means = np.bincount(codes, weights=deltas) / sizes
    ends = [
        GroupMean(name=groups[g], n=int(sizes[g]), delta=float(means[g]))
        for g in (int(np.argmax(means)), int(np.argmin(means)))
    ]
    p = _p(deltas, codes, strata, _units(by, entries, codes), draws)
    return GroupTest(by=by, metric=name, p=p, p_adjusted=p, highest=ends[0], lowest=ends[1])


def _strata(by: GroupedBy, entries: Sequence[_Entry]) -> Ints | None:
    """The task of each entry, if tasks ran with several models."""
    tasks = sorted({entry.task for entry in entries})
    if by != "model" or len(tasks) == len(entries):
        return None
    number = {task: i for i, task in enumerate(tasks)}
    return np.array([number[entry.task] for entry in entries], dtype=np.intp)


def _units(by: GroupedBy, entries: Sequence[_Entry], codes: Ints) -> Ints | None:
    """The repository of each entry, if repositories are known and each belongs to one suite."""
    if by != "suite" or any(entry.repo is None for entry in entries):
        return None
    repos = sorted({entry.repo or "" for entry in entries})
    number = {repo: i for i, repo in enumerate(repos)}
    units = np.array([number[entry.repo or ""] for entry in entries], dtype=np.intp)
    alone = all(len(set(codes[units == u].tolist())) == 1 for u in range(len(repos)))
    return units if alone and len(repos) < len(entries) else None


def _p(deltas: Floats, codes: Ints, strata: Ints | None, units: Ints | None, draws: Draws) -> float:
    """The share of permutations whose groups vary at least as much."""
    sizes = np.ones(len(deltas))
    centred = deltas - deltas.mean()
    order = [len(deltas)]
    if strata is not None:
        places = np.argsort(strata, kind="stable")
        deltas, codes, strata = deltas[places], codes[places], strata[places]
        order = np.bincount(strata).tolist()
        centred = deltas - (np.bincount(strata, weights=deltas) / np.array(order))[strata]
    elif units is not None:
        _, first = np.unique(units, return_index=True)
        sizes = np.bincount(units).astype(float)
        centred, codes = np.bincount(units, weights=centred), codes[first]
        order = [len(centred)]
    seen = _between(centred, sizes, codes)
    count = max(500, min(draws.draws, _WORK // len(centred)))
    extreme = 0
    random = draws.generator("groups", *order[:50], len(centred))
    for block in shuffled_rows(random, order, count):
        extreme += sum(_between(centred[row], sizes[row], codes) >= seen - _SLACK for row in block)
    return (extreme + 1) / (count + 1)


def _between(values: Floats, sizes: Floats, codes: Ints) -> float:
    """Sum of squares between groups."""
    sums, counts = (np.bincount(codes, weights=own) for own in (values, sizes))
    return float(np.sum(sums**2 / np.maximum(counts, 1e-300)))
