"""The words of the answer: association only, and nothing beyond its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from groundtrace.base.visible import plural
from groundtrace.documents.comparison import MatchedComparison, PairDropReason, Requirement, Side
from groundtrace.documents.impact import AnswerEquivalence, AnswerRow

if TYPE_CHECKING:
    from groundtrace.impact.observations import Observation

SIGNIFICANT = 0.05

SHORT_NAMES = {
    "shown.file_recall": "shown recall",
    "util_read_overlap_with_relevant_files": "relevant files read",
    "reward": "reward",
    "cost_usd": "cost",
    "agent_seconds": "agent time",
}
"""What the answer calls a metric; others keep their names."""

REQUIREMENTS: dict[Requirement, str] = {
    "model": "the same known model",
    "harness_version": "the same known harness version",
    "reward": "a valid reward on both sides",
    "run": "one run",
}
"""What each requirement means, in words."""

FLAGS: dict[Requirement, str] = {
    "run": "--pair-across-runs accepts pairs of different runs as matched",
    "harness_version": "--allow-unknown-version accepts unknown harness versions",
}

REASONS: dict[PairDropReason, str] = {
    "missing_side": "not run",
    "document_refused": "document could not be read",
    "different_runs": "run by both, in different runs",
    "same_trial": "the same trial on both sides",
    "model_unknown": "model unknown",
    "model_differs": "different models",
    "harness_version_unknown": "harness version unknown",
    "harness_version_differs": "different harness versions",
    "outcomes_refused": "outcomes.json could not be read",
    "no_valid_reward": "no valid reward",
}
"""Why a task is not compared, in words."""

_TROUBLES = {
    "no_ground_truth": "without ground truth",
    "no_trace": "without a usable trace",
    "empty_trace": "in which no tool call could be read",
}


def short_name(name: str) -> str:
    """What the answer calls a metric or outcome."""
    return SHORT_NAMES.get(name, name)


def dropped_in_words(comparison: MatchedComparison) -> str:
    """Tasks that are not compared, by reason and by the side that lacks something."""
    names = {"baseline": comparison.baseline_config, "config": comparison.config, "both": "both"}
    said = []
    for reason, count in comparison.dropped.items():
        sides = comparison.dropped_sides.get(reason, {})
        order: tuple[Side, ...] = ("baseline", "config", "both")
        for side in order:
            if sides.get(side):
                where = "in both" if side == "both" else f"in {names[side]}"
                said.append(f"{sides[side]:,} {REASONS[reason]} {where}")
        left = count - sum(sides.values())
        if left:
            said.append(f"{left:,} {REASONS[reason]}")
    return ", ".join(said)


def hint_for(comparison: MatchedComparison) -> str | None:
    """The flag that would let more tasks count."""
    if comparison.not_met:
        flags = [FLAGS[name] for name in comparison.not_met if name in FLAGS]
        return "; ".join(flags) or None
    hints = []
    if comparison.dropped.get("different_runs"):
        hints.append(FLAGS["run"])
    if comparison.dropped.get("harness_version_unknown"):
        hints.append(FLAGS["harness_version"])
    return "; ".join(hints) or None


def look_at(
    comparison: MatchedComparison | None,
    matched: Sequence[MatchedComparison],
    trials: Sequence[Observation],
) -> list[str]:
    """What limits the answer, one line each."""
    lines = []
    if comparison is not None:
        if comparison.not_met:
            wanted = ", ".join(REQUIREMENTS[name] for name in comparison.not_met)
            lines.append(f"not a matched comparison: some pairs do not have {wanted}")
        lines += comparison.notes
        if comparison.dropped:
            total = sum(comparison.dropped.values())
            lines.append(f"{plural(total, 'task')} not compared: {dropped_in_words(comparison)}")
    calls = sum(o.unknown_calls for o in trials)
    if calls:
        among = sum(o.unknown_calls > 0 for o in trials)
        lines.append(
            f"{plural(calls, 'call')} of unknown tools in {plural(among, 'trial')} may be "
            "missing or were read by guess"
        )
    for code, words in _TROUBLES.items():
        count = sum(o.why.reason == code for o in trials)
        if count:
            lines.append(f"{plural(count, 'trial')} {words}")
    others = [c for c in matched if c.suite is None and c is not comparison]
    if comparison is not None and others:
        lines.append(f"{plural(len(others), 'more comparison')} in the report")
    return lines


def statement(
    comparison: MatchedComparison, rows: Sequence[AnswerRow], test: AnswerEquivalence | None
) -> str:
    """The answer in a few sentences."""
    config, baseline = comparison.config, comparison.baseline_config
    if not comparison.computable:
        why = dropped_in_words(comparison)
        end = f": {why}" if why else f" ({comparison.reason})"
        return (
            f"{config} and {baseline} cannot be compared: {comparison.n_matched_tasks} of their "
            f"tasks can be matched, at least 3 are needed{end}."
        )
    kind = "tasks that both ran" if comparison.not_met else "matched tasks"
    said = _directions(rows, config, baseline)
    if test is not None and test.p_not_worse is not None:
        said.append(_equivalence_words(test, rows))
    text = f"On {comparison.n_matched_tasks} {kind}: " + "; ".join(said) + "."
    return f"{text} Association only: nothing here shows a cause."


def _directions(rows: Sequence[AnswerRow], config: str, baseline: str) -> list[str]:
    higher: list[str] = []
    lower: list[str] = []
    level: list[str] = []
    untested: list[str] = []
    for row in rows:
        name = short_name(row.metric)
        if row.n == 0:
            continue
        if row.p_adjusted is None:
            untested.append(name)
        elif row.p_adjusted >= SIGNIFICANT:
            level.append(name)
        else:
            up = row.ratio > 1 if row.ratio is not None else (row.delta or 0) > 0
            (higher if up else lower).append(name)
    said = []
    if higher:
        said.append(f"{_listed(higher)} higher in {config} than in {baseline}")
    if lower:
        said.append(f"{_listed(lower)} lower in {config} than in {baseline}")
    if level:
        said.append(f"{_listed(level)}: no difference beyond chance")
    if untested:
        said.append(f"{_listed(untested)}: too few tasks for a test")
    return said or ["no metric has a value on both sides"]


def _equivalence_words(test: AnswerEquivalence, rows: Sequence[AnswerRow]) -> str:
    if test.p_equivalent is not None and test.p_equivalent < SIGNIFICANT:
        text = f"reward is equivalent within {test.margin:g}"
    elif test.p_not_worse is not None and test.p_not_worse < SIGNIFICANT:
        text = f"reward is not worse by more than {test.margin:g}"
    else:
        return f"a loss of reward of more than {test.margin:g} cannot be ruled out"
    cost = next((row for row in rows if row.metric == "cost_usd"), None)
    if cost is not None and cost.p_adjusted is not None and cost.p_adjusted < SIGNIFICANT:
        dearer = cost.ratio is not None and cost.ratio > 1
        text += ", and it costs more" if dearer else ", and it is cheaper"
    return text


def _listed(names: Sequence[str]) -> str:
    """Names with commas and a last “and”."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
