"""The answers: one for each pair of configurations, its rows and what limits it (D160–D168).

They are made from the comparisons in the document, so that they can never contradict them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import UNSET

from groundtrace.base.frozen import Frozen
from groundtrace.base.visible import shell_word
from groundtrace.documents.answer import (
    Answer,
    AnswerEnough,
    AnswerRow,
    AnswerTrials,
    CostPerSolved,
    LookAt,
    Solved,
)
from groundtrace.documents.comparison import (
    Delta,
    MatchedComparison,
    MatchedTask,
    UnpairedComparison,
    UnpairedRow,
)
from groundtrace.documents.impact import ConfigAggregate
from groundtrace.impact.answer_look_at import look_at, look_at_trials, price_file
from groundtrace.impact.answer_words import (
    Alone,
    Rewards,
    Sentences,
    alone_text,
    refused,
    unpaired_words,
)
from groundtrace.impact.arrays import Floats, np
from groundtrace.impact.deltas import column_of, flipping
from groundtrace.impact.family import REWARD, are_binary, question_of, row_metrics
from groundtrace.impact.flips import unit_sums
from groundtrace.impact.linked import RECALL, association_of
from groundtrace.impact.matched import WITHOUT
from groundtrace.impact.observations import Observation, by_task, stored_number
from groundtrace.impact.options import ImpactOptions, fitting
from groundtrace.impact.power import enough, t_quantile
from groundtrace.impact.resample import CONFIDENCE, MIN_INFERENCE, Draws
from groundtrace.impact.signflip import LEVEL
from groundtrace.metrics.catalogue import QUANTITIES
from groundtrace.rows.verdicts import PASS, on_other_scale

EFFECT = 0.10
"""The difference that `enough` is about, without a margin, for numbers up to 1."""
COST = "cost_usd"


class AnswerInput(Frozen, frozen=True):
    """What the answers are made from."""

    matched: Sequence[MatchedComparison]
    other: Sequence[MatchedComparison]
    reason: str | None
    """Why no two configurations could be chosen."""
    aggregates: Sequence[ConfigAggregate]
    trials: Sequence[Observation]
    unpaired: Sequence[UnpairedComparison] = ()
    """Pairs of configurations that share no task."""


def make_answers(found: AnswerInput, options: ImpactOptions) -> tuple[Answer, list[Answer]]:
    """The answer of a document, and all answers."""
    if len(found.aggregates) == 1 and found.reason is not None:
        alone = _alone(found.aggregates[0], found, options)
        return alone, [alone]
    whole = [c for c in found.matched if c.suite is None]
    apart = {(one.baseline, one.config): one for one in found.unpaired}
    answers = [
        _unpaired(other, found, options)
        if (other := apart.get((comparison.baseline_config, comparison.config))) is not None
        else _compared(comparison, found, options)
        for comparison in whole
    ]
    if not answers:
        return _nothing(found), []
    first = min(answers, key=lambda a: (*_rank(a), -a.n, a.baseline or "", a.config or ""))
    return first, answers


def _rank(answer: Answer) -> tuple[bool, bool]:
    """Pairs with common tasks before groups without, and those before pairs without numbers."""
    return answer.comparison is None, answer.comparison == "unpaired_comparisons"


def _compared(own: MatchedComparison, found: AnswerInput, options: ImpactOptions) -> Answer:
    """The answer of one pair: over matched tasks, else over all tasks that both ran."""
    pair = (own.baseline_config, own.config)
    wider = [c for c in found.other if (c.baseline_config, c.config) == pair and c.computable]
    is_matched = own.computable or not wider
    chosen = own if is_matched else wider[0]
    trials = [o for o in found.trials if o.config_name in pair]
    rows = [_row(delta, chosen) for delta in _row_deltas(chosen, options)]
    tasks = chosen.tasks or []
    can = _enough(tasks, rows, chosen, options)
    per_solved = _per_solved(tasks, pair, trials)
    linked = association_of(trials, options.seed)
    words = Sentences(chosen, rows, can, linked, options.margin, _rewards(trials))
    return Answer(
        headline=words.headline() if chosen.computable else refused(chosen),
        baseline=pair[0],
        config=pair[1],
        comparison=None
        if not chosen.computable
        else "matched_comparisons"
        if is_matched
        else "other_comparisons",
        n=chosen.n_matched_tasks,
        trials=_trials(pair, trials, tasks),
        rows=rows,
        association=linked,
        enough=can,
        cost_per_solved=per_solved,
        look_at=[*look_at(chosen, rows, trials), *_swap(pair, options)],
        prices=price_file(trials),
        statement=f"{_about(chosen)} Association only: nothing here shows a cause.",
    )


def _unpaired(own: UnpairedComparison, found: AnswerInput, options: ImpactOptions) -> Answer:
    """The answer of two groups on other tasks: differences without a verdict (D246)."""
    pair = (own.baseline, own.config)
    trials = [o for o in found.trials if o.config_name in pair]
    known = {row.metric: min(row.n_baseline, row.n_config) for row in own.rows}
    names = row_metrics(options.primaries, known, min(own.n_baseline, own.n_config))
    by_name = {row.metric: row for row in own.rows}
    at = EFFECT if options.margin is None else options.margin
    return Answer(
        headline=unpaired_words(own),
        baseline=own.baseline,
        config=own.config,
        comparison="unpaired_comparisons",
        n=own.n_baseline + own.n_config,
        trials=_trials(pair, trials),
        rows=[_unpaired_row(by_name[name]) for name in names if name in by_name],
        association=association_of(trials, options.seed),
        enough=_no_enough(own.n_baseline + own.n_config, at, "unpaired"),
        cost_per_solved={},
        look_at=[*look_at_trials(trials, "session"), *_swap(pair, options)],
        statement=own.statement,
        prices=price_file(trials),
    )


def _unpaired_row(row: UnpairedRow) -> AnswerRow:
    return AnswerRow(
        question=question_of(row.metric),
        metric=row.metric,
        baseline=row.baseline,
        config=row.config,
        delta=row.delta,
        ci_low=row.ci_low,
        ci_high=row.ci_high,
        verdict=None,
        p=row.p,
        p_adjusted=None,
        better=None,
        same=None,
        worse=None,
        n=min(row.n_baseline, row.n_config),
        reason=row.reason,
    )


def _swap(pair: tuple[str, str], options: ImpactOptions) -> list[LookAt]:
    """How to swap two configurations that were compared in the order of their names."""
    if fitting(list(pair), options.baseline) or fitting(list(pair), WITHOUT):
        return []
    swap = f"--baseline {shell_word(pair[1])}"
    text = f"{pair[0]} comes first by name and serves as baseline: {swap} swaps them"
    return [LookAt(kind="baseline", text=text, tasks=[])]


def _about(comparison: MatchedComparison) -> str:
    kind = "tasks that both ran" if comparison.not_met else "matched tasks"
    return (
        f"{comparison.config} against {comparison.baseline_config} on "
        f"{comparison.n_matched_tasks:,} {kind}."
    )


def _trials(
    names: Sequence[str], trials: Sequence[Observation], tasks: Sequence[MatchedTask] = ()
) -> dict[str, AnswerTrials]:
    """Each configuration's trials, and those of the tasks compared: a task can be left out."""
    compared = {(task.benchmark, task.task_name) for task in tasks}
    found = {}
    for name in names:
        own = [o for o in trials if o.config_name == name]
        here = [o for o in own if (o.benchmark, o.task_name) in compared]
        found[name] = AnswerTrials(
            trials=len(own),
            lost=_lost(own),
            compared=len(here) if tasks else UNSET,
            compared_lost=_lost(here) if tasks else UNSET,
        )
    return found


def _lost(trials: Sequence[Observation]) -> int:
    return sum(REWARD not in o.values for o in trials)


def _row_deltas(comparison: MatchedComparison, options: ImpactOptions) -> list[Delta]:
    by_name = {delta.metric: delta for delta in comparison.deltas if delta.table == "primary"}
    known = {name: delta.n for name, delta in by_name.items()}
    names = row_metrics(options.primaries, known, comparison.n_matched_tasks)
    return [by_name[name] for name in names if name in by_name]


def _row(delta: Delta, comparison: MatchedComparison) -> AnswerRow:
    return AnswerRow(
        question=question_of(delta.metric),
        metric=delta.metric,
        baseline=delta.mean_baseline,
        config=delta.mean_config,
        delta=delta.mean_delta,
        ci_low=delta.ci_low,
        ci_high=delta.ci_high,
        verdict=delta.verdict,
        p=delta.p,
        p_adjusted=delta.p_adjusted,
        better=delta.n_better,
        same=delta.n_same,
        worse=delta.n_worse,
        n=delta.n,
        reason=delta.reason or (None if delta.ci_low is not None else delta.inference_reason),
        scope=UNSET if comparison.scope is None else comparison.scope,
        within_margin=UNSET if delta.within_margin is None else delta.within_margin,
        typical_ratio=UNSET if delta.typical_ratio is None else delta.typical_ratio,
    )


def _enough(
    tasks: Sequence[MatchedTask],
    rows: Sequence[AnswerRow],
    comparison: MatchedComparison,
    options: ImpactOptions,
) -> AnswerEnough:
    """Whether there are enough tasks: for reward, else for the first row of shares."""
    shares = [row.metric for row in rows if row.n and not QUANTITIES[row.metric].unit]
    name = REWARD if REWARD in shares else next(iter(shares), None)
    if name is None:
        at = EFFECT if options.margin is None else options.margin
        return _no_enough(len(tasks), at, "nothing_to_compare")
    column = column_of(name, [(t.baseline, t.config) for t in tasks])
    at = options.margin or EFFECT * _scale(column.baseline, column.config)
    flips = flipping([t.repo for t in tasks], Draws(options.seed, options.draws))
    own = next(row for row in rows if row.metric == name)
    # With more tasks every row could be tested, so all of them would share the level.
    every = max(1, comparison.family_rows)
    tested = own.verdict != "untestable" and comparison.family
    found = enough(
        column.delta,
        flips.of(column.here),
        LEVEL / (comparison.family if tested else every),
        LEVEL / every,
        at,
        binary=are_binary(column.baseline, column.config),
    )
    return AnswerEnough(
        metric=name,
        n=len(tasks),
        detectable=stored_number(found.detectable),
        needed=found.needed,
        at=at,
        reason=found.reason or ("too_few_tasks" if found.detectable is None else None),
    )


def _scale(baseline: Floats, config: Floats) -> float:
    """1, or the largest number if it is on another scale: of rewards up to 100, a difference of 0.10
    is noise, and the tasks that would show it are a number that says nothing."""
    largest = max(float(np.max(np.abs(side), initial=0.0)) for side in (baseline, config))
    return largest if on_other_scale(largest) else 1.0


def _no_enough(n: int, at: float, reason: str) -> AnswerEnough:
    return AnswerEnough(metric=None, n=n, detectable=None, needed=None, at=at, reason=reason)


# --- cost of a solved task ----------------------------------------------------------------


def _per_solved(
    tasks: Sequence[MatchedTask], names: Sequence[str], trials: Sequence[Observation]
) -> dict[str, CostPerSolved]:
    """What a solved task cost each configuration, over tasks with cost and reward on both sides."""
    both = [
        t
        for t in tasks
        if all(n in side for side in (t.baseline, t.config) for n in (COST, REWARD))
    ]
    rewards = [side[REWARD] for t in both for side in (t.baseline, t.config)]
    if len(both) < MIN_INFERENCE or any(_absurd(t) for t in both):
        return {}
    if on_other_scale(max(map(abs, rewards))):
        return {}
    solved = _solved_shares(names, trials)
    units = flipping([t.repo for t in both], Draws(0, 1)).units
    found = {}
    for side, name in enumerate(names):
        costs = np.array([(t.baseline, t.config)[side][COST] for t in both])
        shares = np.array([solved[name].get((t.benchmark, t.task_name), 0.0) for t in both])
        sums = unit_sums(np.stack([costs, shares]), units)
        found[name] = cost_per_solved(sums[0], sums[1], len(both))
    return found


def _absurd(task: MatchedTask) -> bool:
    """Costs below 0, or so large that they cannot be added."""
    return not all(0 <= side[COST] < 1e100 for side in (task.baseline, task.config))


_Shares = dict[tuple[str | None, str], float]


def _solved_shares(names: Sequence[str], trials: Sequence[Observation]) -> dict[str, _Shares]:
    """The share of each task's attempts that are solved; a lost attempt is not solved."""
    shares: dict[str, _Shares] = {}
    for name in names:
        own = by_task(o for o in trials if o.config_name == name)
        shares[name] = {
            (of_task[0].benchmark, of_task[0].task_name): sum(
                o.values.get(REWARD, 0.0) >= PASS for o in of_task
            )
            / len(of_task)
            for of_task in own.values()
        }
    return shares


def cost_per_solved(costs: Floats, solved: Floats, n: int) -> CostPerSolved:
    """Total cost divided by solved tasks, with Fieller's interval over units.

    All values r are in the interval for which costs - r * solved could have a mean of 0. Without
    clearly more than no solved task that would be any large number, and there is no interval.
    """
    total = float(solved.sum())
    low = high = None
    reason = "nothing_solved"
    if total > 0:
        low, high, reason = _fieller(costs, solved)
    return CostPerSolved(
        n=n,
        solved=total,
        value=stored_number(float(costs.sum()) / total) if total > 0 else None,
        ci_low=low,
        ci_high=high,
        reason=reason or None,
    )


def _fieller(costs: Floats, solved: Floats) -> tuple[float | None, float | None, str]:
    """Both ends of the interval, or why there is none."""
    units = len(costs)
    if units < MIN_INFERENCE:
        return None, None, f"fewer_than_{MIN_INFERENCE}_clusters"
    scale = float(np.max(np.abs(costs))) or 1.0
    costs = costs / scale
    spread = np.cov(np.stack([costs, solved])) / units
    t2 = t_quantile((1 + CONFIDENCE) / 2, units - 1) ** 2
    mean_cost, mean_solved = float(costs.mean()), float(solved.mean())
    a = mean_solved**2 - t2 * float(spread[1, 1])
    b = mean_cost * mean_solved - t2 * float(spread[0, 1])
    c = mean_cost**2 - t2 * float(spread[0, 0])
    if a <= 0 or b * b - a * c < 0:
        return None, None, "too_few_solved"
    root = math.sqrt(b * b - a * c)
    low, high = (b - root) / a * scale, (b + root) / a * scale
    return stored_number(low), stored_number(high), ""


# --- without a comparison -----------------------------------------------------------------


def _alone(own: ConfigAggregate, found: AnswerInput, options: ImpactOptions) -> Answer:
    """The answer for a single configuration: its means, and whether finding goes with solving."""
    by_name = {metric.metric: metric for metric in own.metrics}
    known = {name: metric.n for name, metric in by_name.items()}
    rows = [
        AnswerRow(
            question=question_of(name),
            metric=name,
            baseline=None,
            config=by_name[name].mean,
            delta=None,
            ci_low=None,
            ci_high=None,
            verdict=None,
            p=None,
            p_adjusted=None,
            better=None,
            same=None,
            worse=None,
            n=by_name[name].n,
            reason=None if by_name[name].n else next(iter(by_name[name].left_out), "missing"),
        )
        for name in row_metrics(options.primaries, known, own.n_tasks)
    ]
    linked = association_of(found.trials, options.seed)
    at = EFFECT if options.margin is None else options.margin
    return Answer(
        headline=alone_text(_counted(found.trials), linked, _rewards(found.trials)),
        baseline=None,
        config=own.config_name,
        comparison=None,
        n=own.n_tasks,
        trials=_trials([own.config_name], found.trials),
        rows=rows,
        association=linked,
        enough=_no_enough(own.n_tasks, at, "one_configuration"),
        cost_per_solved={},
        look_at=look_at_trials(found.trials),
        prices=price_file(found.trials),
        statement=f"There is one configuration, {own.config_name}, so nothing is compared. "
        "Association only: nothing here shows a cause.",
    )


def _rewards(trials: Sequence[Observation]) -> Rewards:
    known = [o.values[REWARD] for o in trials if REWARD in o.values]
    return Rewards(
        graded=any(reward not in (0.0, 1.0) for reward in known),
        largest=max(known, key=abs, default=0.0),
        trials=len(trials),
        rewarded=Solved(n=len(known), solved=sum(reward >= PASS for reward in known)),
    )


def _counted(trials: Sequence[Observation]) -> Alone:
    shown = [o.values[RECALL] for o in trials if RECALL in o.values]
    return Alone(
        known=len(shown),
        whole=sum(recall >= 1 for recall in shown),
        any_truth=any(o.why.reason != "no_ground_truth" for o in trials),
    )


def _nothing(found: AnswerInput) -> Answer:
    why = f"Nothing is compared: {found.reason or 'there is no configuration'}."
    if not found.aggregates:
        why = "There is no trial, so nothing can be said."
    names = [own.config_name for own in found.aggregates]
    return Answer(
        headline=why,
        baseline=None,
        config=None,
        comparison=None,
        n=0,
        trials=_trials(names, found.trials),
        rows=[],
        association=None,
        enough=_no_enough(0, EFFECT, "nothing_to_compare"),
        cost_per_solved={},
        look_at=look_at_trials(found.trials),
        prices=price_file(found.trials),
        statement=why,
    )
