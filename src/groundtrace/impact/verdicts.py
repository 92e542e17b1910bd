"""Comparisons with their verdicts: the family over all of them, then each row, then what could
change a word: lost attempts, other choices, groups that disagree.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from groundtrace.documents.comparison import Delta, LostAsZero, MatchedComparison
from groundtrace.impact.answer_look_at import lost_decide
from groundtrace.impact.arrays import np
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
from groundtrace.impact.groups import group_tests
from groundtrace.impact.matched import Draft, PairComparison
from groundtrace.impact.observations import Observation
from groundtrace.impact.options import ImpactOptions
from groundtrace.impact.pairing import Pair
from groundtrace.impact.resample import Draws
from groundtrace.rows.means import mean_of

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

    The variance inside a task, pooled over all tasks, divided by the number of its attempts, is
    what a task's mean has of it.
    """
    rewards = [
        [[o.values[REWARD] for o in _side(task.pair, k) if REWARD in o.values] for k in (0, 1)]
        for task in tasks
    ]
    both = [sides for sides in rewards if all(sides)]
    if any(abs(reward) > 1e100 for sides in both for own in sides for reward in own):
        return None  # such values cannot be squared and added
    free = sum(len(own) - 1 for sides in both for own in sides)
    if free == 0 or len(both) < 2:
        return None
    squares = sum(float(np.var(own)) * len(own) for s in both for own in s if len(own) > 1)
    of_means = sum(1 / len(own) for sides in both for own in sides) / len(both)
    means = [[sum(own) / len(own) for own in sides] for sides in both]
    spread = float(np.var([new - old for old, new in means], ddof=1))
    return min(1.0, squares / free * of_means / spread) if spread > 0 else None
