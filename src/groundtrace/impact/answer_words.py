"""The words of the answer: association only, and nothing beyond its numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundtrace.base.visible import plural
from groundtrace.documents.answer import (
    AnswerAssociation,
    AnswerEnough,
    AnswerRow,
    CostPerSolved,
    LookAt,
    LookAtKind,
)
from groundtrace.documents.comparison import (
    Delta,
    GroupTest,
    LostAsZero,
    MatchedComparison,
    MatchedTask,
    PairDropReason,
    Requirement,
    Side,
)
from groundtrace.rows.elsewhere import elsewhere_in
from groundtrace.truth.sources import ON_REQUEST

if TYPE_CHECKING:
    from groundtrace.impact.observations import Observation

SIGNIFICANT = 0.05
MAX_TASKS_NAMED = 20

SHORT_NAMES = {
    "shown.file_recall": "relevant files shown",
    "util_read_overlap_with_relevant_files": "relevant files read",
    "reward": "reward",
    "cost_usd": "cost a task",
    "agent_seconds": "agent time a task",
    "output_tokens": "output tokens a task",
}
"""What the answer calls a metric; others keep their names."""

REQUIREMENTS: dict[Requirement, str] = {
    "model": "the same known model",
    "harness_version": "the same known harness version",
    "reward": "a valid reward on both sides",
    "run": "one run",
}
"""What each requirement means, in words."""

FLAGS: dict[PairDropReason, str] = {
    "different_runs": "--pair-across-runs would pair them",
    "harness_version_unknown": "--allow-unknown-version would accept them",
}
"""Reason for a task that is left out to the flag that would keep it."""

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

_TROUBLES: Mapping[LookAtKind, str] = {
    "no_ground_truth": "without ground truth",
    "no_trace": "without a usable trace",
    "empty_trace": "in which no tool call could be read",
    "answers_missing": "most of whose calls have no answer",
    "subagents_unseen": "whose work was done by subagents that are not in the trace",
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


def refused(comparison: MatchedComparison) -> str:
    """Why two configurations cannot be compared."""
    why = dropped_in_words(comparison)
    end = f": {why}" if why else f" ({comparison.reason})"
    return (
        f"{comparison.config} and {comparison.baseline_config} cannot be compared: "
        f"{comparison.n_matched_tasks} of their tasks can be matched, at least 3 are needed{end}."
    )


# --- sentences ----------------------------------------------------------------------------


_CLEAR = {
    ("shown.file_recall", "higher"): "showed more of the relevant files",
    ("shown.file_recall", "lower"): "showed fewer of the relevant files",
    ("util_read_overlap_with_relevant_files", "higher"): "read more of the relevant files",
    ("util_read_overlap_with_relevant_files", "lower"): "read fewer of the relevant files",
    ("reward", "higher"): "reached a higher reward",
    ("reward", "lower"): "reached a lower reward",
}
_OPEN = {
    "shown.file_recall": "shows more of the relevant files",
    "util_read_overlap_with_relevant_files": "reads more of them",
    "reward": "solves more",
    "cost_usd": "costs more",
    "agent_seconds": "takes longer",
    "output_tokens": "writes more",
}


@dataclass(frozen=True, slots=True)
class Sentences:
    """What the sentences of an answer are made from."""

    comparison: MatchedComparison
    rows: Sequence[AnswerRow]
    enough: AnswerEnough
    per_solved: Mapping[str, CostPerSolved]
    linked: AnswerAssociation | None
    margin: float | None

    def headline(self) -> str:
        """The answer in sentences."""
        said = [*self._clear(), *self._margin(), *self._open(), *self._untestable(), *self._scope()]
        said += [*self._solved_cost(), *found_words(self.linked)]
        return " ".join(said)

    def _named(self, *verdicts: str) -> list[AnswerRow]:
        return [row for row in self.rows if row.verdict in verdicts and row.n]

    def _clear(self) -> Iterator[str]:
        parts = [_clear(row) for row in self._named("higher", "lower")]
        if parts:
            yield f"{self.comparison.config} {listed(parts)}."

    def _margin(self) -> Iterator[str]:
        for row in self._named("equivalent", "not_worse"):
            how = "equivalent within" if row.verdict == "equivalent" else "not worse by more than"
            yield f"Its {short_name(row.metric)} is {how} {self.margin:g}."

    def _open(self) -> Iterator[str]:
        """What is open, and how many tasks would settle it."""
        rows = self._named("open")
        if not rows:
            return
        what = listed([_OPEN.get(row.metric, f"has a higher {row.metric}") for row in rows])
        text = f"Whether it {what} is open"
        own = next((row for row in rows if row.metric == self.enough.metric), None)
        if own is None:
            yield f"{text}."
            return
        text += f": {_counts(own)}"
        if lost_decide(_reward(self.comparison), self.comparison.lost_as_zero):
            yield f"{text}, and lost attempts decide."
        else:
            yield f"{text}; {self._needed()}." if self._needed() else f"{text}."

    def _needed(self) -> str:
        can = self.enough
        if can.metric is None or can.needed is None:
            return ""
        what = f"a difference of {can.at:.2f} in {short_name(can.metric)}"
        if can.detectable is not None and can.detectable <= can.at:
            return f"{what} would be found in at least 80 of 100 such comparisons"
        return f"to find {what} in 80 of 100 comparisons takes about {rounded(can.needed):,} tasks"

    def _untestable(self) -> Iterator[str]:
        rows = self._named("untestable")
        by_repository = self.comparison.flipped == "repositories"
        for n in sorted({row.n for row in rows}):
            what = (
                f"{self.comparison.n_flipped} repositories" if by_repository else plural(n, "task")
            )
            verb = "is" if what.startswith("1 ") else "are"
            names = listed([short_name(row.metric) for row in rows if row.n == n])
            yield f"{names.capitalize()} cannot be tested: {what} {verb} too few."

    def _scope(self) -> Iterator[str]:
        if self.comparison.scope and self._named("higher", "lower", "not_worse", "equivalent"):
            repos = {t.repo for t in self.comparison.tasks or [] if t.repo}
            which = "this repository" if len(repos) == 1 else f"these {len(repos)} repositories"
            yield f"This is about tasks of {which}, not about others."

    def _solved_cost(self) -> Iterator[str]:
        """The cost of a solved task, if the price differs clearly."""
        if not any(row.metric == "cost_usd" for row in self._named("higher", "lower")):
            return
        sides = [
            self.per_solved.get(n)
            for n in (self.comparison.config, self.comparison.baseline_config)
        ]
        if all(s is not None and s.value is not None and s.ci_low is not None for s in sides):
            ours, theirs = (_solved_cost(side) for side in sides if side is not None)
            yield f"A solved task cost {ours}, in {self.comparison.baseline_config} {theirs}."


def _solved_cost(side: CostPerSolved) -> str:
    ends = f"{amount('cost_usd', side.ci_low)} to {amount('cost_usd', side.ci_high)}"
    return f"{amount('cost_usd', side.value)} ({ends})"


def _clear(row: AnswerRow) -> str:
    word = row.verdict or ""
    if (row.metric, word) in _CLEAR:
        return _CLEAR[row.metric, word]
    size = amount(row.metric, abs(row.delta or 0.0))
    more = "more" if word == "higher" else "less"
    if row.metric == "cost_usd":
        return f"cost {size} {more} a task"
    if row.metric == "agent_seconds":
        return f"took {size} {more} a task"
    if row.metric == "output_tokens":
        return f"wrote {size} {'more' if word == 'higher' else 'fewer'} tokens a task"
    return f"had a {word} {short_name(row.metric)}"


def amount(name: str, value: float | None) -> str:
    """An amount of something that is spent."""
    if value is None:
        return "–"
    if name == "cost_usd":
        return f"${value:,.2f}" if value >= 0.1 else f"${value:,.3f}"
    if name.endswith("_seconds"):
        return f"{value:,.1f} s" if value < 100 else f"{value:,.0f} s"
    return f"{value:,.0f}"


def _counts(row: AnswerRow) -> str:
    if not row.better and not row.worse:
        return f"none of {plural(row.n, 'task')} differs"
    if row.reason == "changes_cancel":
        return "changes cancel inside each repository"

    def number(count: int | None) -> str:
        return "none" if not count else f"{count:,}"

    return (
        f"{short_name(row.metric)} is better in {number(row.better)} of {plural(row.n, 'task')}, "
        f"worse in {number(row.worse)}"
    )


def found_words(linked: AnswerAssociation | None) -> Iterator[str]:
    """Solved trials by whether every relevant file was shown."""
    if linked is None:
        return
    by = linked.by_found
    if by.shown_all.n and by.otherwise.n:
        yield (
            f"Where every relevant file was shown, {by.shown_all.solved:,} of "
            f"{by.shown_all.n:,} trials were solved, otherwise {by.otherwise.solved:,} of "
            f"{by.otherwise.n:,}."
        )


def alone_text(name: str, linked: AnswerAssociation | None) -> str:
    """The answer for one configuration."""
    said = [f"There is one configuration, {name}, so nothing is compared."]
    said += found_words(linked)
    if linked is not None and linked.by_found.difference is not None:
        by = linked.by_found
        said.append(
            f"The difference is {signed(by.difference)} ({signed(by.ci_low)} to "
            f"{signed(by.ci_high)})."
        )
    return " ".join(said)


def signed(value: float | None) -> str:
    """A difference with two decimals and its sign."""
    return "–" if value is None else f"{value:+.2f}".replace("-", "\N{MINUS SIGN}")


def rounded(number: int) -> int:
    """A number of tasks to two digits: it is an estimate."""
    if number < 100:
        return number
    step = int(10 ** (len(str(number)) - 2))
    return -(-number // step) * step


def listed(names: Sequence[str]) -> str:
    """Names with commas and a last “and”."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


# --- look at ------------------------------------------------------------------------------


def look_at(
    comparison: MatchedComparison,
    rows: Sequence[AnswerRow],
    trials: Sequence[Observation],
) -> list[LookAt]:
    """What limits the answer, one line each; what could turn it round first."""
    deltas = {delta.metric: delta for delta in comparison.deltas}
    own = [deltas[row.metric] for row in rows if row.metric in deltas]
    found = [*_lost(comparison), *_scales(comparison)]
    found += [_group_line(test) for test in _disagreeing(comparison.groups)]
    for delta in own:
        found += [*_typical(delta), *_dominated(delta, comparison.tasks or [])]
    found += [*_not_matched(comparison), *_left_out(comparison), *_attempts(comparison)]
    found += [LookAt(kind="note", text=note, tasks=[]) for note in comparison.notes]
    found += look_at_trials(trials)
    return found


def look_at_trials(trials: Sequence[Observation]) -> list[LookAt]:
    """What is wrong with some of the trials."""
    found = []
    guessed = [o for o in trials if o.unknown_calls]
    if guessed:
        text = (
            f"{plural(sum(o.unknown_calls for o in guessed), 'call')} of unknown tools in "
            f"{plural(len(guessed), 'trial')} may be missing or were read by guess"
        )
        found.append(LookAt(kind="unknown_tools", text=text, tasks=_names(guessed)))
    for kind, words in _TROUBLES.items():
        own = [o for o in trials if o.why.reason == kind]
        if own:
            text = f"{plural(len(own), 'trial')} {words}"
            if kind == "no_ground_truth" and len(own) == len(trials):
                text = "no trial has ground truth: --tasks must define these tasks"
            found.append(LookAt(kind=kind, text=text, tasks=_names(own)))
    elsewhere = elsewhere_in([o.task_name for o in trials if o.elsewhere])
    if elsewhere is not None:
        tasks = elsewhere.tasks[:MAX_TASKS_NAMED]
        found.append(LookAt(kind="elsewhere", text=elsewhere.text, tasks=tasks))
    found += _truth_on_request(trials)
    return found


def _truth_on_request(trials: Sequence[Observation]) -> Iterator[LookAt]:
    """Trials whose relevant files come from sources that count only on request (D192)."""
    own = [o for o in trials if o.truth_source in ON_REQUEST]
    if own:
        sources = Counter(o.truth_source for o in own)
        named = ", ".join(f"{source} ({count:,})" for source, count in sorted(sources.items()))
        text = (
            f"{len(own):,} of {plural(len(trials), 'trial')} are held against truth that the "
            f"specification leaves out: {named}"
        )
        yield LookAt(kind="truth_sources", text=text, tasks=_names(own))


def _names(trials: Sequence[Observation]) -> list[str]:
    return sorted({o.task_name for o in trials})[:MAX_TASKS_NAMED]


def lost_decide(reward: Delta | None, lost: LostAsZero | None) -> bool:
    """Whether counting lost attempts as 0 would change the word about reward."""
    if lost is None or reward is None or reward.verdict is None:
        return False
    word: str = reward.verdict
    if word == "open" and reward.ci_low is not None and reward.ci_high is not None:
        word = "higher" if reward.ci_low > 0 else "lower" if reward.ci_high < 0 else word
    same = lost.verdict == word or (lost.verdict, word) == ("untestable", "open")
    return word != "untestable" and not same


def _reward(comparison: MatchedComparison) -> Delta | None:
    return next((delta for delta in comparison.deltas if delta.metric == "reward"), None)


def _lost(comparison: MatchedComparison) -> Iterator[LookAt]:
    lost = comparison.lost_as_zero
    if lost is None or not lost_decide(_reward(comparison), lost):
        return
    text = (
        f"lost attempts decide: {lost.lost_baseline} in {comparison.baseline_config}, "
        f"{lost.lost_config} in {comparison.config} have no valid reward; counted as 0, reward is "
        f"{lost.mean_baseline:.2f} → {lost.mean_config:.2f} ({lost.verdict.replace('_', ' ')})"
    )
    yield LookAt(kind="lost", text=text, tasks=[])


def _scales(comparison: MatchedComparison) -> Iterator[LookAt]:
    """Rewards of 0 to 1 on one side and of 0 to 100 on the other."""
    sides = [(t.baseline, t.config) for t in comparison.tasks or []]
    values = [[abs(pair[k]["reward"]) for pair in sides if "reward" in pair[k]] for k in (0, 1)]
    if not all(values):
        return
    largest = [max(side) for side in values]
    if min(largest) <= 1 and max(largest) >= 5:
        text = (
            f"rewards go up to {largest[0]:g} in {comparison.baseline_config} and to "
            f"{largest[1]:g} in {comparison.config}: are they on one scale?"
        )
        yield LookAt(kind="scale", text=text, tasks=[])


def _disagreeing(tests: Sequence[GroupTest]) -> list[GroupTest]:
    """For each kind of group the clearest disagreement."""
    found: dict[str, GroupTest] = {}
    for test in sorted(tests, key=lambda t: (t.p, t.metric != "reward")):
        if test.p_adjusted < SIGNIFICANT:
            found.setdefault(test.by, test)
    return list(found.values())


def _group_line(test: GroupTest) -> LookAt:
    high, low = test.highest, test.lowest
    opposite = high.delta > 0 > low.delta
    how = "goes opposite ways" if opposite else "differs"
    text = (
        f"{short_name(test.metric)} {how} by {test.by}: {high.name} {signed(high.delta)} "
        f"({plural(high.n, 'task')}), {low.name} {signed(low.delta)} ({plural(low.n, 'task')})"
    )
    return LookAt(kind="heterogeneity", text=text, tasks=[])


def _typical(delta: Delta) -> Iterator[LookAt]:
    """The total and the typical task go different ways."""
    ratio, low, high = delta.typical_ratio, delta.typical_low, delta.typical_high
    if ratio is None or low is None or high is None or delta.mean_delta is None:
        return
    if (low > 1 and delta.mean_delta < 0) or (high < 1 and delta.mean_delta > 0):
        more = "more" if ratio > 1 else "less"
        other = "less" if ratio > 1 else "more"
        text = (
            f"{short_name(delta.metric)}: a typical task takes × {ratio:.2f} ({low:.2f} to "
            f"{high:.2f}), {more}, but all tasks together take {other}"
        )
        yield LookAt(kind="typical", text=text, tasks=[])


def _dominated(delta: Delta, tasks: Sequence[MatchedTask]) -> Iterator[LookAt]:
    """Few tasks carry most of what is spent differently."""
    if delta.metric not in ("cost_usd", "agent_seconds", "trial_seconds", "output_tokens"):
        return
    name = delta.metric
    moved = sorted(
        (abs(t.config[name] - t.baseline[name]), t.task_name)
        for t in tasks
        if name in t.baseline and name in t.config
    )[::-1]
    total, carried, few = sum(size for size, _ in moved), 0.0, []
    for size, task in moved:
        carried += size
        few.append(task)
        if 2 * carried > total:
            break
    if len(moved) >= 6 and total > 0 and len(few) <= max(1, len(moved) // 10):
        text = (
            f"{short_name(name)}: dominated by {plural(len(few), 'task')}, which "
            f"{'carries' if len(few) == 1 else 'carry'} more than half of the changes"
        )
        yield LookAt(kind="dominated", text=text, tasks=few[:MAX_TASKS_NAMED])


def _not_matched(comparison: MatchedComparison) -> Iterator[LookAt]:
    if comparison.not_met:
        wanted = ", ".join(REQUIREMENTS[name] for name in comparison.not_met)
        own = [t.task_name for t in comparison.tasks or [] if t.not_met]
        text = f"not a matched comparison: some pairs do not have {wanted}"
        yield LookAt(kind="not_matched", text=text, tasks=own[:MAX_TASKS_NAMED])


def _left_out(comparison: MatchedComparison) -> Iterator[LookAt]:
    if comparison.dropped:
        total = sum(comparison.dropped.values())
        flags = [flag for reason, flag in FLAGS.items() if comparison.dropped.get(reason)]
        text = f"{plural(total, 'task')} left out: {dropped_in_words(comparison)}"
        named = [task.task_name for task in comparison.dropped_tasks or []]
        text = "; ".join([text, *flags])
        yield LookAt(kind="left_out", text=text, tasks=named[:MAX_TASKS_NAMED])


def _attempts(comparison: MatchedComparison) -> Iterator[LookAt]:
    share = comparison.attempts_share
    if share is None:
        return
    what = "more attempts of the same tasks" if share > 0.5 else "more tasks, not more attempts,"
    text = (
        f"{share:.0%} of the spread of reward differences is chance between attempts: {what} "
        "would help most"
    )
    yield LookAt(kind="attempts", text=text.replace("%", " %"), tasks=[])
