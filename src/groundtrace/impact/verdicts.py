"""Comparisons with their verdicts: the family over all of them, then each row, then what could
change a word: lost attempts, other choices, groups that disagree.

Groups disagree if one suite gains what another loses, and the mean shows nothing. The test asks
whether the differences of the groups vary more than if tasks were dealt to groups at random. If the
same tasks ran with several models, models are exchanged within each task. If whole repositories
belong to one suite, whole repositories are exchanged (D166); if some have tasks of several suites,
the signs of whole repositories are flipped, from 6 up (D408).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.documents.comparison import (
    Delta,
    GroupMean,
    GroupTest,
    LostAsZero,
    MatchedComparison,
)
from groundtrace.impact.answer_look_at import lost_decide
from groundtrace.impact.arrays import Floats, Ints, np
from groundtrace.impact.beside import notes
from groundtrace.impact.deltas import TaskPair, column_of, delta_of, flipping
from groundtrace.impact.family import (
    REWARD,
    Family,
    attainable,
    conclude,
    family_of,
    question_of,
    row_metrics,
)
from groundtrace.impact.flips import MIN_CLUSTERS
from groundtrace.impact.matched import Draft, PairComparison
from groundtrace.impact.observations import Observation, mean
from groundtrace.impact.options import ImpactOptions
from groundtrace.impact.pairing import Pair
from groundtrace.impact.resample import MIN_INFERENCE, Draws, shuffled_rows
from groundtrace.rows.means import difference, mean_of

Concluded = tuple[list[MatchedComparison], list[MatchedComparison]]
"""Matched comparisons (each pair over all suites, then by suite), and other ones."""


def with_verdicts(compared: Sequence[PairComparison], options: ImpactOptions) -> Concluded:
    """The comparisons with verdicts; the rows that the answers use are one family."""
    smallest = [p for pair in compared for p in _attainable(pair.chosen, options)]
    family = family_of(smallest)
    every = sum(p is not None for p in smallest)
    matched: list[MatchedComparison] = []
    for pair in compared:
        matched += [_concluded(pair.whole, family, every, options), *pair.suites]
    other = [
        _concluded(pair.other, family, every, options)
        for pair in compared
        if pair.other is not None
    ]
    return matched, other


def _attainable(draft: Draft, options: ImpactOptions) -> list[float | None]:
    """The smallest p that each row of a comparison could have."""
    sides = [(t.baseline, t.config) for t in draft.tasks]
    names = [delta.metric for delta in row_deltas(draft.comparison, options)]
    return [attainable(column_of(name, sides), draft.flips) for name in names]


def row_deltas(comparison: MatchedComparison, options: ImpactOptions) -> list[Delta]:
    """The deltas of a comparison that are rows of its answer."""
    by_name = {delta.metric: delta for delta in comparison.deltas}
    if not by_name:
        return []
    known = {name: delta.n for name, delta in by_name.items()}
    names = row_metrics(options.primaries, known, comparison.n_matched_tasks)
    return [by_name[name] for name in names]


def _concluded(
    draft: Draft, family: Family, every: int, options: ImpactOptions
) -> MatchedComparison:
    comparison, tasks = draft.comparison, draft.tasks
    if not comparison.computable:
        return comparison
    sides = [(t.baseline, t.config) for t in tasks]
    rows = {
        delta.metric: conclude(
            delta, column_of(delta.metric, sides), draft.flips, family, every, options.margin
        )
        for delta in row_deltas(comparison, options)
    }
    lost = None
    if REWARD in rows and rows[REWARD].computable:
        lost = _lost(draft, family, every, options)
        if lost is not None and lost_decide(rows[REWARD], lost):
            rows[REWARD] = replace(rows[REWARD], verdict="open")
    tested = [name for name in rows if question_of(name) != "price"]
    return replace(
        comparison,
        family=family.size,
        family_rows=every,
        deltas=[rows.get(delta.metric, delta) for delta in comparison.deltas],
        notes=notes(tasks, draft.flips, list(rows), family.level),
        groups=group_tests(tasks, tested, Draws(options.seed, options.draws)),
        lost_as_zero=lost,
        attempts_share=_attempts_share(tasks),
    )


def _lost(draft: Draft, family: Family, every: int, options: ImpactOptions) -> LostAsZero | None:
    """Reward with 0 for every attempt without a valid reward; None if there is none."""
    pairs = [task.pair for task in (*draft.tasks, *draft.unrewarded)]
    counts = [sum(_is_lost(o) for pair in pairs for o in _side(pair, k)) for k in (0, 1)]
    if not any(counts):
        return None
    filled = [TaskPair(pair, _with_zeros(pair, 0), _with_zeros(pair, 1), {}) for pair in pairs]
    flips = flipping([pair.repo for pair in pairs], draft.flips.draws)
    delta, column = delta_of(REWARD, filled, flips)
    if delta.mean_baseline is None or delta.mean_config is None:
        return None
    found = conclude(delta, column, flips, family, every, options.margin)
    return LostAsZero(
        n=delta.n,
        lost_baseline=counts[0],
        lost_config=counts[1],
        mean_baseline=delta.mean_baseline,
        mean_config=delta.mean_config,
        verdict=found.verdict or "untestable",
    )


def _side(pair: Pair, side: int) -> list[Observation]:
    return [o for cell in pair.cells for o in (cell.baseline, cell.config)[side]]


def _is_lost(trial: Observation) -> bool:
    """Without a valid reward, although its outcomes could be read."""
    return REWARD not in trial.values and not trial.outcomes_refused


def _with_zeros(pair: Pair, side: int) -> dict[str, float]:
    cells = [
        mean_of([o.values.get(REWARD, 0.0) for o in trials if not o.outcomes_refused])
        for cell in pair.cells
        for trials in ((cell.baseline, cell.config)[side],)
    ]
    value = mean_of([own for own in cells if own is not None])
    return {} if value is None else {REWARD: value}


def _attempts_share(tasks: Sequence[TaskPair]) -> float | None:
    """How much of the variance of reward differences is chance between attempts of one task.

    The variance inside a cell (a task with one model), pooled over all cells, divided by the number
    of its attempts, is what a task's mean has of it. A single repeated attempt gives 0 % or 100 %,
    so a few are needed (D401).
    """
    every = [task for task in (_rewards(task) for task in tasks) if task]
    sides = [side for cells in every for cell in cells for side in cell]
    if any(abs(reward) > 1e100 for side in sides for reward in side):
        return None  # such values cannot be squared and added
    free = sum(len(side) - 1 for side in sides)
    if free < MIN_INFERENCE or len(every) < 2:
        return None
    squares = sum(float(np.var(side)) * len(side) for side in sides if len(side) > 1)
    of_means = sum(
        sum(1 / len(side) for cell in cells for side in cell) / len(cells) ** 2 for cells in every
    ) / len(every)
    gains = [float(np.mean([np.mean(new) - np.mean(old) for old, new in cells])) for cells in every]
    spread = float(np.var(gains, ddof=1))
    return min(1.0, squares / free * of_means / spread) if spread > 0 else None


def _rewards(task: TaskPair) -> list[list[list[float]]]:
    """The rewards of a task's cells, both sides of each; cells that lack a side are left out."""
    cells = [
        [[o.values[REWARD] for o in side if REWARD in o.values] for side in (c.baseline, c.config)]
        for c in task.pair.cells
    ]
    return [cell for cell in cells if all(cell)]


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
    units = None if by == "repository" or strata is not None else _units(entries)
    crossed = units is not None and _is_crossed(units, codes)
    if units is not None and crossed and int(units.max()) + 1 >= MIN_CLUSTERS:
        p = _flipped_p(deltas, codes, units, draws)
    else:
        # Of fewer repositories verdicts are about their tasks, so tasks are dealt (D164).
        p = _p(deltas, codes, strata, None if crossed else units, draws)
    return GroupTest(by=by, metric=name, p=p, p_adjusted=p, highest=ends[0], lowest=ends[1])


def _strata(by: GroupedBy, entries: Sequence[_Entry]) -> Ints | None:
    """The task of each entry, if tasks ran with several models."""
    tasks = sorted({entry.task for entry in entries})
    if by != "model" or len(tasks) == len(entries):
        return None
    number = {task: i for i, task in enumerate(tasks)}
    return np.array([number[entry.task] for entry in entries], dtype=np.intp)


def _units(entries: Sequence[_Entry]) -> Ints | None:
    """The repository of each entry, or the task where none is known; None if all are tasks, or if
    few repositories are known and some are not."""
    known = {entry.repo for entry in entries if entry.repo}
    if len(known) < MIN_CLUSTERS and any(not entry.repo for entry in entries):
        return None
    names = [(entry.repo or "", "" if entry.repo else entry.task) for entry in entries]
    number = {name: i for i, name in enumerate(sorted(set(names)))}
    units = np.array([number[name] for name in names], dtype=np.intp)
    return units if len(number) < len(entries) else None


def _is_crossed(units: Ints, codes: Ints) -> bool:
    """Whether a repository has tasks of several groups."""
    return len(set(zip(units.tolist(), codes.tolist(), strict=True))) > len(set(units.tolist()))


def _flipped_p(deltas: Floats, codes: Ints, units: Ints, draws: Draws) -> float:
    """The share of sign flips of whole repositories whose groups vary at least as much (D408)."""
    parts = np.zeros((int(units.max()) + 1, int(codes.max()) + 1))
    np.add.at(parts, (units, codes), deltas - deltas.mean())
    sizes = np.bincount(codes).astype(float)
    count = max(500, min(draws.draws, _WORK // len(parts)))
    signs = draws.generator("flipped groups", len(parts)).integers(0, 2, (count, len(parts)))
    sums = np.concatenate([np.ones((1, len(parts))), 2.0 * signs - 1]) @ parts
    vary = (sums**2 / sizes).sum(axis=1) - sums.sum(axis=1) ** 2 / len(deltas)
    return float(np.mean(vary >= vary[0] - _SLACK))


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
