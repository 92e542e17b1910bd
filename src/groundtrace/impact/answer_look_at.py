"""What limits an answer, one line each, with the tasks that it is about."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import UNSET, UnsetType

from groundtrace.base.patterns import regex
from groundtrace.base.visible import plural, visible
from groundtrace.documents.answer import MAX_TASKS_NAMED, AnswerRow, LookAt, LookAtKind
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
from groundtrace.impact.answer_names import (
    AS_POINTS,
    MINUS,
    amount,
    listed,
    points,
    short_name,
    signed,
)
from groundtrace.metrics.catalogue import QUANTITIES
from groundtrace.truth.sources import ON_REQUEST

if TYPE_CHECKING:
    from groundtrace.impact.observations import Observation

SIGNIFICANT = 0.05
_RECALL = "shown.file_recall"

REQUIREMENTS: dict[Requirement, str] = {
    "model": "the same known model",
    "harness_version": "the same known harness version",
    "reward": "a valid reward on both sides",
    "run": "one run",
}
"""What each requirement means, in words."""

NOT_MET: dict[Requirement, str] = {
    "model": "the model",
    "harness_version": "the harness version",
    "reward": "a reward is missing",
    "run": "they are from different runs",
}
"""What it means if a requirement does not hold; what of a model or a version is said of the trials."""

FLAGS: dict[PairDropReason, str] = {
    "different_runs": "--pair-across-runs would pair them",
    "harness_version_unknown": "--allow-unknown-version would accept them",
}
"""Reason for a task that is left out to the flag that would keep it."""

REASONS: dict[PairDropReason, str] = {
    "missing_side": "not run",
    "document_refused": "unreadable document",
    "different_runs": "other run",
    "same_trial": "same trial on both sides",
    "model_unknown": "unknown model",
    "model_differs": "other model",
    "harness_version_unknown": "unknown harness version",
    "harness_version_differs": "other harness version",
    "outcomes_refused": "unreadable outcomes.json",
    "no_valid_reward": "no reward",
}
"""Why a task is left out, in words."""

TROUBLES: Mapping[LookAtKind, str] = {
    "no_ground_truth": "without ground truth",
    "no_trace": "without a usable trace",
    "empty_trace": "in which no tool call could be read",
    "answers_missing": "most of whose calls have no result",
    "subagents_unseen": "whose subagents are not in the trace",
}
"""Reasons without numbers of relevant files, as the table of trials also calls them."""


def dropped_in_words(comparison: MatchedComparison) -> str:
    """Tasks that are left out, by reason and by the side that lacks something."""
    places = {"baseline": " in the baseline", "config": f" in {comparison.config}", "both": ""}
    said = []
    for reason, count in comparison.dropped.items():
        sides = comparison.dropped_sides.get(reason, {})
        order: tuple[Side, ...] = ("baseline", "config", "both")
        for side in order:
            if sides.get(side):
                said.append(f"{REASONS[reason]}{places[side]} ({sides[side]:,})")
        left = count - sum(sides.values())
        if left:
            said.append(f"{REASONS[reason]} ({left:,})")
    return ", ".join(said)


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
    found += [*_not_matched(comparison, trials), *_left_out(comparison), *_attempts(comparison)]
    found += [LookAt(kind="note", text=note, tasks=[]) for note in comparison.notes]
    found += look_at_trials(trials)
    return found


def look_at_trials(trials: Sequence[Observation], noun: str = "trial") -> list[LookAt]:
    """What is wrong with some of the trials, which an answer may call sessions."""
    found = []
    guessed = [o for o in trials if o.unknown_calls]
    if guessed:
        text = (
            f"{plural(sum(o.unknown_calls for o in guessed), 'call')} of unknown tools in "
            f"{plural(len(guessed), noun)}: their files were guessed or are not counted"
        )
        found.append(LookAt(kind="unknown_tools", text=text, tasks=_names(guessed)))
    for kind, words in TROUBLES.items():
        own = [o for o in trials if o.why.reason == kind]
        if own:
            text = f"{plural(len(own), noun)} {words}"
            if kind == "no_ground_truth":
                text = _without_truth(own, trials, noun)
            found.append(LookAt(kind=kind, text=text, tasks=_names(own)))
    found += [*_without_cost(trials), *_older(trials)]
    elsewhere = elsewhere_in([o.task_name for o in trials if o.elsewhere])
    if elsewhere is not None:
        found.append(elsewhere)
    found += _truth_on_request(trials)
    found += _one_commit(trials)
    return found


def _without_truth(own: Sequence[Observation], trials: Sequence[Observation], noun: str) -> str:
    """Trials without ground truth, and the option that could help. Where `--tasks` was given and the
    tasks have files of oracles only, `--tasks` was named again (D192); and where it named other
    tasks, the answer asked for it (D405)."""
    everyone = len(own) == len(trials)
    text = (
        f"no {noun} has ground truth"
        if everyone
        else f"{plural(len(own), noun)} without ground truth"
    )
    off = sum(o.no_truth == "truth_source_off" for o in own)
    if off:
        of = "" if off == len(own) else f" of {off:,} of them"
        return (
            f"{text}: relevant files{of} are named by sources that count only with --truth-sources"
        )
    whys = {o.no_truth for o in own}
    why = "--tasks says where the tasks are defined"
    if whys == {"no_task_definition"}:
        why = "no definition of their tasks was found; --tasks says where to look"
    elif whys == {"no_file_list"}:
        why = "the definitions of their tasks name no files"
    return f"{text} ({why})" if everyone else text


def _older(trials: Sequence[Observation]) -> Iterator[LookAt]:
    """Why the first two rows are missing: a document of version 1.0 has no kinds of access."""
    older = [o for o in trials if _RECALL not in o.values and o.why(_RECALL) == "older_document"]
    if older:
        text = (
            f"{plural(len(older), 'trial')} whose documents do not say which files were shown: "
            "only relevant files met are known, see the report"
        )
        yield LookAt(kind="older_document", text=text, tasks=_names(older))


def _one_commit(trials: Sequence[Observation]) -> Iterator[LookAt]:
    """All sessions held against one commit: 14 of 16 had a recall of 0, and nothing said why."""
    tasks = {o.task_name for o in trials}
    if len(tasks) == 1 < len(trials) and COMMIT.fullmatch(min(tasks)):
        text = (
            f"all {plural(len(trials), 'trial')} are held against one commit; --tasks git:REPO "
            "without a revision finds the commits of each session"
        )
        yield LookAt(kind="one_commit", text=text, tasks=sorted(tasks))


COMMIT = regex(r".+@[0-9a-f]{40}(?:[0-9a-f]{24})?")
"""Name of a task that is one commit."""
MAX_MODELS = 8
"""Models in a file of prices that is offered."""


def price_file(trials: Sequence[Observation]) -> str | UnsetType:
    """A file for `--prices` to fill in, if tokens of some trials are known and no cost is.

    The places of the numbers are empty, so that it cannot be used by mistake: a price of 0 would
    make everything free.
    """
    if any("cost_usd" in o.values for o in trials):
        return UNSET
    models = sorted({o.model for o in trials if o.model and "output_tokens" in o.values})
    return (
        "\n".join(
            f"[models.{json.dumps(visible(model))}]\ninput =\ncached =\noutput ="
            for model in models[:MAX_MODELS]
        )
        or UNSET
    )


def _without_cost(trials: Sequence[Observation]) -> Iterator[LookAt]:
    """Configurations of which no cost is known, if no file of prices is offered."""
    if price_file(trials) is not UNSET:
        return
    names: dict[str, list[str]] = {}
    for name in sorted({o.config_name for o in trials}):
        own = [o for o in trials if o.config_name == name]
        if any("cost_usd" in o.values for o in own):
            continue
        known = any("output_tokens" in o.values for o in own)
        why = (
            "only tokens are recorded, --prices makes cost of them"
            if known
            else "neither cost nor tokens are recorded"
        )
        names.setdefault(why, []).append(name)
    for why, of in names.items():
        yield LookAt(kind="no_cost", text=f"cost of {listed(of)} is unknown: {why}", tasks=[])


def _truth_on_request(trials: Sequence[Observation]) -> Iterator[LookAt]:
    """Trials whose relevant files come from sources that count only on request (D192)."""
    own = [o for o in trials if o.truth_source in ON_REQUEST]
    if own:
        sources = Counter(o.truth_source for o in own)
        named = ", ".join(f"{source} ({count:,})" for source, count in sorted(sources.items()))
        text = (
            f"{len(own):,} of {plural(len(trials), 'trial')} are measured by ground truth that the "
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


def reward_delta(comparison: MatchedComparison) -> Delta | None:
    """The comparison of rewards."""
    return next((delta for delta in comparison.deltas if delta.metric == "reward"), None)


MOVED = 0.05
"""Half of the difference in reward that `enough` is about: less is not worth a line."""


def _lost(comparison: MatchedComparison) -> Iterator[LookAt]:
    """Lost attempts, if they decide the word about reward, or move a difference that is open (D402)."""
    lost, reward = comparison.lost_as_zero, reward_delta(comparison)
    if lost is None or reward is None or reward.mean_delta is None:
        return
    largest = max(1.0, abs(reward.mean_baseline or 0.0), abs(reward.mean_config or 0.0))
    moved = abs(lost.mean_config - lost.mean_baseline - reward.mean_delta)
    many = lost.lost_baseline + lost.lost_config
    if lost_decide(reward, lost):
        start = f"{plural(many, 'lost attempt')} decide"
    elif moved >= MOVED * largest and reward.verdict not in ("higher", "lower"):
        start = f"{plural(many, 'attempt')} lost"
    else:
        return
    text = (
        f"{start} ({lost.lost_baseline:,} in the baseline): counted as 0, reward is "
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
    how = "go opposite ways" if opposite else "differ"
    text = (
        f"changes of {short_name(test.metric)} {how} by {test.by}: {high.name} "
        f"{_size(test.metric, high.delta)} ({plural(high.n, 'task')}), {low.name} "
        f"{_size(test.metric, low.delta)} ({plural(low.n, 'task')})"
    )
    return LookAt(kind="heterogeneity", text=text, tasks=[])


def _size(name: str, delta: float) -> str:
    """A difference in its own unit."""
    if name in AS_POINTS:
        return f"{points(delta)} points"
    unit = QUANTITIES[name].unit if name in QUANTITIES else ""
    if not unit:
        return signed(delta)
    return f"{'+' if delta >= 0 else MINUS}{amount(name, abs(delta))}"


def _typical(delta: Delta) -> Iterator[LookAt]:
    """The total and the typical task go different ways."""
    ratio, low, high = delta.typical_ratio, delta.typical_low, delta.typical_high
    if ratio is None or low is None or high is None or delta.mean_delta is None:
        return
    if (low > 1 and delta.mean_delta < 0) or (high < 1 and delta.mean_delta > 0):
        more = "more" if ratio > 1 else "less"
        other = "less" if ratio > 1 else "more"
        text = (
            f"{short_name(delta.metric)}: a typical task takes {more} (× {ratio:.2f}, "
            f"{low:.2f} to {high:.2f}), all tasks together take {other}"
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
            f"{short_name(name)}: {plural(len(few), 'task')} of {len(moved):,} "
            f"{'makes' if len(few) == 1 else 'make'} up more than half of the changes"
        )
        yield LookAt(kind="dominated", text=text, tasks=few[:MAX_TASKS_NAMED])


def _not_matched(comparison: MatchedComparison, trials: Sequence[Observation]) -> Iterator[LookAt]:
    if comparison.not_met:
        why = listed([_why_not(name, comparison, trials) for name in comparison.not_met])
        own = [t.task_name for t in comparison.tasks or [] if t.not_met]
        text = f"{plural(len(own), 'task')} compared although {why}"
        yield LookAt(kind="not_matched", text=text, tasks=own[:MAX_TASKS_NAMED])


def _why_not(
    name: Requirement, comparison: MatchedComparison, trials: Sequence[Observation]
) -> str:
    """What of a requirement does not hold: “the model differs or is unknown” was said of two models
    that everybody knew."""
    tasks = {(t.benchmark, t.task_name) for t in comparison.tasks or [] if name in t.not_met}
    own = [o for o in trials if (o.benchmark, o.task_name) in tasks]
    if name == "reward":
        return NOT_MET[name] if any("reward" in o.values for o in own) else "no reward is known"
    if name == "run":
        return NOT_MET[name]
    if name == "harness_version" and len({o.harness for o in own if o.harness}) > 1:
        return "the harness differs"
    without = {
        (o.benchmark, o.task_name)
        for o in own
        if (o.model if name == "model" else o.harness_version) is None
    }
    how = (
        "differs" if not without else "is unknown" if without == tasks else "differs or is unknown"
    )
    return f"{NOT_MET[name]} {how}"


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
    # Tasks bring attempts with them: as many trials of new tasks never leave more noise (D401).
    what = (
        "more attempts would help, new tasks at least as much"
        if share > 0.5
        else "more tasks, not more attempts, would help most"
    )
    text = f"{100 * share:.0f} % of the noise in reward is between attempts at one task: {what}"
    yield LookAt(kind="attempts", text=text, tasks=[])


def elsewhere_in(tasks: Sequence[str]) -> LookAt | None:
    """Trials in which a relevant file was not matched although a path ends like it, from the task of
    each such trial; None if there is no such trial (D182).

    It may be a copy, such as one in site-packages. It may also be a clone that was not recognised;
    then recall is too low.
    """
    if not tasks:
        return None
    trials = "1 trial" if len(tasks) == 1 else f"{len(tasks):,} trials"
    text = f"{trials} accessed files that end like relevant files but lie elsewhere"
    return LookAt(kind="elsewhere", text=text, tasks=sorted(set(tasks))[:MAX_TASKS_NAMED])
