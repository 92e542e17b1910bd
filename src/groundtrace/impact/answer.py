"""The answer: which comparison it uses, its rows, and what this number of tasks can show (D66).

It is made only from the comparisons in the document, so that it can never contradict them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from groundtrace.documents.comparison import Delta, MatchedComparison, MatchedTask
from groundtrace.documents.impact import (
    Answer,
    AnswerEnough,
    AnswerEquivalence,
    AnswerRow,
    AnswerTask,
    ConfigAggregate,
)
from groundtrace.impact.answer_words import hint_for, look_at, statement
from groundtrace.impact.deltas import column_of, flipping
from groundtrace.impact.equivalence import equivalence
from groundtrace.impact.observations import Observation, stored_number
from groundtrace.impact.options import ImpactOptions
from groundtrace.impact.power import enough
from groundtrace.impact.resample import Draws
from groundtrace.metrics.catalogue import METRICS, OUTCOMES, QUANTITIES
from groundtrace.rows.means import mean_of, without_noise

FOUND = "Did it find the right code?"
USED = "Did it use it?"
MATTERED = "Did that matter?"
QUESTIONS: dict[str, tuple[str, ...]] = {
    FOUND: ("shown.file_recall",),
    USED: ("util_read_overlap_with_relevant_files",),
    MATTERED: ("reward", "cost_usd", "agent_seconds"),
}
"""The questions and the metrics that answer them; primaries that the user names are added."""
UTILIZATION_SECTION = "utilization_probes"
MAX_TASKS_LISTED = 10


@dataclass(frozen=True, slots=True)
class AnswerInput:
    """What the answer is made from."""

    matched: Sequence[MatchedComparison]
    other: Sequence[MatchedComparison]
    reason: str | None
    """Why no two configurations could be chosen."""
    aggregates: Sequence[ConfigAggregate]
    trials: Sequence[Observation]


def make_answer(found: AnswerInput, options: ImpactOptions) -> Answer:
    """The answer of a document."""
    if len(found.aggregates) == 1 and found.reason is not None:
        return _alone(found.aggregates[0], found, options)
    chosen, source = _choose(found)
    if chosen is None:
        return _nothing(found)
    tasks = chosen.tasks or []
    rows = _rows(chosen, options.primaries) if chosen.computable else []
    test = _equivalence(tasks, options) if chosen.computable else None
    return Answer(
        baseline=chosen.baseline_config,
        config=chosen.config,
        comparison=source if chosen.computable else None,
        n=chosen.n_matched_tasks,
        rows=rows,
        enough=_enough(tasks, rows),
        reward_per_dollar=_reward_per_dollar(tasks) if chosen.computable else None,
        equivalence=test,
        look_at=look_at(chosen, found.matched, found.trials),
        hint=hint_for(chosen),
        statement=statement(chosen, rows, test),
    )


ComparisonList = Literal["matched_comparisons", "other_comparisons"]


def _choose(found: AnswerInput) -> tuple[MatchedComparison | None, ComparisonList | None]:
    """The comparison over the most tasks, matched ones first; else one that could not be made."""
    sources: tuple[tuple[ComparisonList, Sequence[MatchedComparison]], ...] = (
        ("matched_comparisons", found.matched),
        ("other_comparisons", found.other),
    )
    for source, comparisons in sources:
        whole = [c for c in comparisons if c.suite is None and c.computable]
        if whole:
            return max(whole, key=lambda c: c.n_matched_tasks), source
    refused = [c for c in found.matched if c.suite is None]
    return (max(refused, key=lambda c: c.n_matched_tasks) if refused else None), None


def questions(primaries: Sequence[str]) -> list[tuple[str, str]]:
    """(question, metric) in order, with the primaries that no question covers."""
    asked = [(question, name) for question, names in QUESTIONS.items() for name in names]
    known = {name for _, name in asked}
    asked += [(_question(name), name) for name in primaries if name not in known]
    order = list(QUESTIONS)
    return sorted(asked, key=lambda item: order.index(item[0]))


def _question(name: str) -> str:
    if name in OUTCOMES:
        return MATTERED
    return USED if METRICS[name].section == UTILIZATION_SECTION else FOUND


def _rows(comparison: MatchedComparison, primaries: Sequence[str]) -> list[AnswerRow]:
    by_name = {delta.metric: delta for delta in comparison.deltas}
    tasks = comparison.tasks or []
    return [_row(question, by_name[name], tasks) for question, name in questions(primaries)]


def _row(question: str, delta: Delta, tasks: Sequence[MatchedTask]) -> AnswerRow:
    has_interval = delta.ci_low is not None or delta.ratio_low is not None
    return AnswerRow(
        question=question,
        metric=delta.metric,
        baseline=delta.mean_baseline,
        config=delta.mean_config,
        delta=delta.mean_delta,
        ci_low=delta.ci_low,
        ci_high=delta.ci_high,
        ratio=delta.ratio,
        ratio_low=delta.ratio_low,
        ratio_high=delta.ratio_high,
        p=delta.p,
        p_adjusted=delta.p_adjusted,
        better=delta.n_better,
        same=delta.n_same,
        worse=delta.n_worse,
        n=delta.n,
        reason=delta.reason or (None if has_interval else delta.inference_reason),
        tasks=[] if has_interval else _changed(delta.metric, tasks),
    )


def _changed(name: str, tasks: Sequence[MatchedTask]) -> list[AnswerTask]:
    """The tasks that changed, the largest changes first."""
    both = [t for t in tasks if name in t.baseline and name in t.config]
    changes = column_of(name, [(t.baseline, t.config) for t in both]).delta.tolist()
    moved = [(abs(change), t) for change, t in zip(changes, both, strict=True) if change]
    moved.sort(key=lambda item: (-item[0], item[1].task_name))
    return [
        AnswerTask(task_name=t.task_name, baseline=t.baseline[name], config=t.config[name])
        for _, t in moved[:MAX_TASKS_LISTED]
    ]


def _enough(tasks: Sequence[MatchedTask], rows: Sequence[AnswerRow]) -> AnswerEnough:
    """Whether there are enough tasks: for reward, else for the first row that has pairs."""
    names = ("reward", *(row.metric for row in rows if not QUANTITIES[row.metric].unit))
    for name in names:
        deltas = column_of(name, [(t.baseline, t.config) for t in tasks]).delta
        if len(deltas):
            found = enough(deltas)
            return AnswerEnough(
                metric=name,
                n=len(tasks),
                detectable=stored_number(found.detectable),
                effect=stored_number(found.effect),
                needed=found.needed,
                reason=found.reason,
            )
    return _no_enough(len(tasks), "nothing_to_compare")


def _no_enough(n: int, reason: str) -> AnswerEnough:
    return AnswerEnough(metric=None, n=n, detectable=None, effect=None, needed=None, reason=reason)


def _reward_per_dollar(tasks: Sequence[MatchedTask]) -> float | None:
    """Difference of reward per extra dollar, over tasks that have both reward and cost."""
    names = ("reward", "cost_usd")
    both = [t for t in tasks if all(n in t.baseline and n in t.config for n in names)]
    if len(both) < 3:
        return None
    reward, cost = (
        mean_of(column_of(name, [(t.baseline, t.config) for t in both]).delta.tolist()) or 0.0
        for name in names
    )
    largest = max(max(t.baseline["cost_usd"], t.config["cost_usd"]) for t in both)
    extra = without_noise(cost, largest)
    return stored_number(reward / extra) if extra > 0 else None


def _equivalence(tasks: Sequence[MatchedTask], options: ImpactOptions) -> AnswerEquivalence | None:
    if options.margin is None:
        return None
    column = column_of("reward", [(t.baseline, t.config) for t in tasks])
    flips = flipping([t.repo for t in tasks], Draws(options.seed, options.draws))
    found = equivalence(
        column.delta, options.margin, flips.draws, better="higher", units=flips.of(column.here)
    )
    return AnswerEquivalence(
        metric="reward",
        margin=options.margin,
        n=found.n,
        p_not_worse=stored_number(found.p_not_worse),
        p_equivalent=stored_number(found.p_equivalent),
        reason=found.reason,
    )


def _alone(own: ConfigAggregate, found: AnswerInput, options: ImpactOptions) -> Answer:
    """The answer for a single configuration: its means over its tasks."""
    by_name = {metric.metric: metric for metric in own.metrics}
    rows = [
        AnswerRow(
            question=question,
            metric=name,
            baseline=None,
            config=by_name[name].mean,
            delta=None,
            ci_low=None,
            ci_high=None,
            ratio=None,
            ratio_low=None,
            ratio_high=None,
            p=None,
            p_adjusted=None,
            better=None,
            same=None,
            worse=None,
            n=by_name[name].n,
            reason=None if by_name[name].n else next(iter(by_name[name].left_out), "missing"),
            tasks=[],
        )
        for question, name in questions(options.primaries)
    ]
    return Answer(
        baseline=None,
        config=own.config_name,
        comparison=None,
        n=own.n_tasks,
        rows=rows,
        enough=_no_enough(own.n_tasks, "one_configuration"),
        reward_per_dollar=None,
        equivalence=None,
        look_at=look_at(None, (), found.trials),
        hint=None,
        statement=f"There is one configuration, {own.config_name}, so nothing is compared.",
    )


def _nothing(found: AnswerInput) -> Answer:
    return Answer(
        baseline=None,
        config=None,
        comparison=None,
        n=0,
        rows=[],
        enough=_no_enough(0, "nothing_to_compare"),
        reward_per_dollar=None,
        equivalence=None,
        look_at=look_at(None, (), found.trials),
        hint="--baseline NAME says which configuration the others are compared with"
        if len(found.aggregates) > 1
        else None,
        statement=f"Nothing is compared: {found.reason or 'there is no configuration'}.",
    )
