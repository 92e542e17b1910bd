"""The sentences of the answer: association only, and nothing beyond its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import UNSET

from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex
from groundtrace.base.visible import plural
from groundtrace.documents.answer import (
    AnswerAssociation,
    AnswerEnough,
    AnswerRow,
    ByFound,
    Solved,
)
from groundtrace.documents.comparison import (
    MatchedComparison,
    ServerWorth,
    UnpairedComparison,
)
from groundtrace.impact.answer_look_at import dropped_in_words, lost_decide, reward_delta
from groundtrace.impact.answer_names import (
    AS_POINTS,
    capital,
    dollars,
    listed,
    number_or_none,
    points,
    rounded,
    short_name,
)
from groundtrace.impact.family import REWARD
from groundtrace.impact.row_numbers import styles_of
from groundtrace.rows.verdicts import on_other_scale

_OPEN = {
    "shown.file_recall": "finds",
    "util_read_overlap_with_relevant_files": "reads",
    "cost_usd": "costs",
}
"""What a row asks, for sentences of the form “Whether it … more”."""
_FILES = {"shown.file_recall": "found", "util_read_overlap_with_relevant_files": "read"}


def refused(comparison: MatchedComparison) -> str:
    """Why two configurations cannot be compared."""
    n = comparison.n_matched_tasks
    why = dropped_in_words(comparison)
    have = "no task that can be compared" if not n else f"only {plural(n, 'task')} to compare"
    pair = f"{comparison.config} and {comparison.baseline_config}"
    return f"{pair} have {have}, and at least 3 are needed{f': {why}' if why else ''}."


class Rewards(Frozen, frozen=True):
    """What kind of rewards there are."""

    graded: bool
    """Whether some lies between 0 and 1: then a higher reward is not “solved more”."""
    largest: float
    trials: int
    """Those that ran, with a reward or without."""
    rewarded: Solved
    """Those with a reward."""

    @property
    def which(self) -> str:
        """What is said behind their number if some have no reward."""
        return " with a reward" if self.rewarded.n < self.trials else ""

    @property
    def solved(self) -> str:
        """What solved trials are; beside rewards between 0 and 1 it must be said what counts."""
        return "solved (reward 1)" if self.graded else "solved"

    @property
    def not_solved(self) -> str:
        """The same where none is: “none was solved (reward 1)” reads as if none had a reward of 1
        and as if all had."""
        return "solved (that takes reward 1)" if self.graded else "solved"

    def no_scale(self) -> Iterator[str]:
        """That rewards do not say which trial is solved."""
        if on_other_scale(abs(self.largest)):
            yield f"Rewards go up to {self.largest:,.4g}, so nothing says which trials were solved."


class Sentences(Frozen, frozen=True):
    """What the sentences of an answer are made from."""

    comparison: MatchedComparison
    rows: Sequence[AnswerRow]
    enough: AnswerEnough
    linked: AnswerAssociation | None
    margin: float | None
    rewards: Rewards

    def headline(self) -> str:
        """The answer in sentences."""
        if not any(row.n for row in self.rows):
            return "No number is known on both sides of a task, so nothing can be compared."
        said = [*self._clear(), *self._margin(), *self._open(), *self._same()]
        said += [*self._untestable(), *self._scope(), *self._unknown()]
        return " ".join([*said, *self._found()])

    def _unknown(self) -> Iterator[str]:
        known = {row.question for row in self.rows if row.n}
        asked = {row.question for row in self.rows}
        if "found" in asked and not known & {"found", "used"}:
            yield (
                "Which relevant files were shown is not known on both sides of any task, so nothing "
                "says which finds more."
            )
        if any(row.metric == REWARD and not row.n for row in self.rows):
            yield "No task has a reward on both sides, so nothing says which solves more."

    def _found(self) -> Iterator[str]:
        wider = bool(self.comparison.dropped_tasks)
        yield from self.rewards.no_scale()
        yield from found_words(self.linked, self.rewards, wider=wider)

    def _named(self, *verdicts: str) -> list[AnswerRow]:
        return [row for row in self.rows if row.verdict in verdicts and row.n]

    def _clear(self) -> Iterator[str]:
        clear = self._named("higher", "lower")
        parts = []
        for word, more in (("higher", "more"), ("lower", "fewer")):
            verbs = [_FILES[r.metric] for r in clear if r.verdict == word and r.metric in _FILES]
            if verbs:
                parts.append(f"{listed(verbs)} {more} of the relevant files")
        parts += [self._clear_part(row) for row in clear if row.metric not in _FILES]
        if parts:
            yield f"It {listed(parts)}."

    def _clear_part(self, row: AnswerRow) -> str:
        higher = row.verdict == "higher"
        size = self._size(row)
        if row.metric == "reward":
            if self.rewards.graded:
                return f"got a {row.verdict} reward"
            return f"solved {'more' if higher else 'fewer'} tasks"
        if row.metric == "cost_usd":
            return f"cost {size} a task {'more' if higher else 'less'}"
        if row.metric.endswith("_seconds"):
            return f"took {size} a task {'longer' if higher else 'less'}"
        if row.metric == "output_tokens":
            return f"wrote {size} tokens a task {'more' if higher else 'fewer'}"
        return f"had {'more' if higher else 'less'} “{short_name(row.metric)}”"

    def _size(self, row: AnswerRow) -> str:
        """The difference as the row writes it."""
        known = [one for one in self.rows if one.n]
        return styles_of(known)[known.index(row)].size(row)

    def _margin(self) -> Iterator[str]:
        for row in self._named("equivalent", "not_worse"):
            how = (
                f"differs by less than {self.margin:g}"
                if row.verdict == "equivalent"
                else f"is not worse by {self.margin:g} or more"
            )
            yield f"Its {short_name(row.metric)} {how}."
        for row in self._named("open", "untestable", "lower"):
            # Who asks about a loss wants to read that it is not ruled out.
            if self.margin is not None and row.metric == REWARD and row.within_margin is not True:
                yield f"A loss of {self.margin:g} or more in {REWARD} is not ruled out."

    def _open(self) -> Iterator[str]:
        """What is open, and how many tasks would settle it."""
        rows = [row for row in self._named("open") if not _same(row)]
        if not rows:
            return
        text = f"Whether it {self._questions(rows)} is open"
        own = next((row for row in rows if row.metric == self.enough.metric), None)
        if own is None:
            yield f"{text}."
        elif lost_decide(reward_delta(self.comparison), self.comparison.lost_as_zero):
            yield f"{text}: {_counts(own)}, and it hangs on the lost attempts."
        else:
            yield f"{text}: {_counts(own)}{self._needed(own)}."

    def _same(self) -> Iterator[str]:
        rows = [row for row in self._named("open") if _same(row)]
        if rows:
            names = listed([_what(row.metric) for row in rows], "or")
            own = next((row for row in rows if row.metric == self.enough.metric), None)
            yield f"No task differs in {names}."
            yield from self._to_see(own)

    def _questions(self, rows: Sequence[AnswerRow]) -> str:
        verbs = dict(_OPEN) if self.rewards.graded else {**_OPEN, "reward": "solves"}
        more = [verbs[row.metric] for row in rows if row.metric in verbs]
        parts = [f"{listed(more)} more"] if more else []
        for row in rows:
            if row.metric in verbs:
                continue
            if row.metric.endswith("_seconds"):
                parts.append("takes longer")
            elif row.metric == "output_tokens":
                parts.append("writes more")
            else:
                parts.append(f"gets a higher {short_name(row.metric)}")
        return listed(parts)

    def _needed(self, row: AnswerRow) -> str:
        what = self._effect()
        can = self.enough
        if what is None:
            return ""
        if self._can_see():
            return f"; {what} would show in at least 80 of 100 such comparisons"
        few = f"{plural(row.n, 'task')} are too few" if (can.needed or 0) > row.n else ""
        many = f"{rounded(can.needed or 0):,}"
        if self.comparison.flipped == "repositories":
            # More tasks of the same repositories would hardly help (D403).
            if row.n == self.comparison.n_matched_tasks:  # other rows may be of fewer repositories
                few = few.replace(" are", f" of {self.comparison.n_flipped:,} repositories are")
            many += f" tasks of {rounded(self._units_needed()):,} repositories"
        few = f", but {few}" if few else ""
        return f"{few}; to see {what} takes about {many}"

    def _units_needed(self) -> int:
        """Repositories of as many tasks each that the needed tasks come from."""
        each = self.comparison.n_matched_tasks / self.comparison.n_flipped
        return max(2, round((self.enough.needed or 0) / each))

    def _to_see(self, row: AnswerRow | None) -> Iterator[str]:
        """The same as a sentence of its own."""
        what = None if row is None else self._effect()
        if what is not None and self._can_see():
            yield f"{what[0].upper()}{what[1:]} would show in at least 80 of 100 such comparisons."
        elif what is not None and row is not None:
            many = plural(rounded(self.enough.needed or 0), "task")
            if self.comparison.flipped == "repositories":
                many += f" of {rounded(self._units_needed()):,} repositories"
            yield f"To see {what} takes about {many}."

    def _can_see(self) -> bool:
        can = self.enough
        return can.detectable is not None and can.detectable <= can.at

    def _effect(self) -> str | None:
        """The difference that the number of tasks is about; None if nothing is known about it."""
        can = self.enough
        if can.metric is None or can.needed is None:
            return None
        size = f"{100 * can.at:.0f} points" if can.metric in AS_POINTS else f"{can.at:.2f}"
        tenth = " (a tenth of the largest)" if self.margin is None and can.at > 0.1 else ""
        return f"a difference of {size} in {short_name(can.metric)}{tenth}"

    def _untestable(self) -> Iterator[str]:
        rows = self._named("untestable")
        if not rows:
            return
        if self.comparison.flipped == "repositories":
            what = f"{self.comparison.n_flipped} repositories"
        else:
            numbers = sorted({row.n for row in rows})
            what = f"{listed([f'{n:,}' for n in numbers], 'or')} tasks"
            what = "1 task" if numbers == [1] else what
        every = len(rows) == len([row for row in self.rows if row.n])
        if every and all(map(_same, rows)):
            names = listed([_what(row.metric) for row in rows], "or")
            yield f"No task differs in {names}, but nothing can be concluded from {what}."
        elif every:
            yield f"Nothing can be concluded from {what}: any difference could be chance."
        else:
            names = listed([short_name(row.metric) for row in rows])
            yield f"About {names} nothing can be concluded from {what}."

    def _scope(self) -> Iterator[str]:
        if self.comparison.scope and self._named("higher", "lower", "not_worse", "equivalent"):
            repos = {t.repo for t in self.comparison.tasks or [] if t.repo}
            which = "this repository" if len(repos) == 1 else f"these {len(repos)} repositories"
            yield f"The verdicts hold for tasks of {which}; others may differ."


def _same(row: AnswerRow) -> bool:
    return not row.better and not row.worse


def _what(metric: str) -> str:
    return short_name(metric).removesuffix(" a task")


def _counts(row: AnswerRow) -> str:
    if row.reason == "changes_cancel":
        return "changes cancel inside each repository"
    better = plural(row.better, "task") if row.better else "no task"
    return f"{better} better in {short_name(row.metric)}, {number_or_none(row.worse)} worse"


def found_words(
    linked: AnswerAssociation | None, rewards: Rewards, *, sized: bool = False, wider: bool = False
) -> Iterator[str]:
    """Solved trials by whether every relevant file was shown, then by whether every needed
    function was. `sized` adds the differences with their intervals, behind the number of solved
    trials; `wider` says that trials of tasks count that are not compared."""
    levels = [] if linked is None else [("relevant file", linked.by_found)]
    if linked is not None and linked.functions is not UNSET:
        levels.append(("needed function", linked.functions.by_found))
    levels = [(what, by) for what, by in levels if by.shown_all.n and by.otherwise.n]
    if not levels:
        return
    whole = _together(levels[0][1])
    over = "Over all trials of both, " if wider else ""
    if whole.solved in (0, whole.n):
        # 4 of 4 and 8 of 8 say nothing about finding: “0 points (−49 to +32)” was said about them.
        # Trials without known files count too: “none of 11 was solved” was said of 16.
        every = rewards.rewarded
        if not sized and every.solved in (0, every.n):
            yield capital(f"{over.lower()}{all_or_none(every, rewards, rewards.which)}.")
        return
    for at, (what, by) in enumerate(levels):
        start = f"{over}where" if over and not at else "Where"
        # Of one configuration the number of solved trials says it before.
        word = rewards.solved if not (sized or at) else "solved"
        text = (
            f"{start} every {what} was shown, {_of(by.shown_all)} {word}, otherwise "
            f"{by.otherwise.solved:,} of {by.otherwise.n:,}"
        )
        # Both numbers read as all trials. Functions were known of 12 in 36, without a repository.
        if (unknown := rewards.rewarded.n - _together(by).n) > 0:
            text += f" (unknown for {unknown:,})"
        size, is_open = _size(by)
        cause = "; that alone shows no cause" if at == len(levels) - 1 else ""
        # 2 of 2 against 6 of 10 reads as a finding, and is none (D404).
        end = OPEN if is_open else cause
        yield f"{text}{size if sized else ''}{end}."


def all_or_none(solved: Solved, rewards: Rewards, which: str = "") -> str:
    """That all or none of some trials are solved."""
    if solved.solved:
        who = "the only trial" if solved.n == 1 else f"all {solved.n:,} trials"
        return f"{who}{which} {'was' if solved.n == 1 else 'were'} {rewards.solved}"
    if solved.n == 1:
        return f"the only trial{which} was not {rewards.not_solved}"
    return f"none of {solved.n:,} trials{which} was {rewards.not_solved}"


def _of(solved: Solved, which: str = "") -> str:
    trials = f"{plural(solved.n, 'trial')}{which}"
    return f"{solved.solved:,} of {trials} {'was' if solved.n == 1 else 'were'}"


def _together(by: ByFound) -> Solved:
    sides = (by.shown_all, by.otherwise)
    return Solved(n=sum(side.n for side in sides), solved=sum(side.solved for side in sides))


OPEN = ", so whether the two go together is open"
"""What is said if the difference of two shares could be 0."""


def _size(by: ByFound) -> tuple[str, bool]:
    """The difference of two shares of solved trials, and whether it is open."""
    if by.difference is None or by.ci_low is None or by.ci_high is None:
        return "", False
    ends = f"{points(by.ci_low)} to {points(by.ci_high)}"
    size = f": {points(by.difference)} points (95 % interval {ends})"
    return size, by.ci_low <= 0 <= by.ci_high


class Alone(Frozen, frozen=True):
    """Trials of a single configuration, counted."""

    known: int
    """Those of which it is known which relevant files were shown."""
    whole: int
    """Those that were shown every one of them."""
    any_truth: bool


def alone_text(own: Alone, linked: AnswerAssociation | None, rewards: Rewards) -> str:
    """The answer for one configuration: solved, found, and solved where found or not."""
    if not rewards.rewarded.n and not own.known:
        why = (
            "No trial has a reward, and of none is it known which relevant files were shown"
            if own.any_truth
            else "Nothing says which files were relevant or whether a trial was solved"
        )
        return f"{why}, so neither finding nor solving can be judged."
    said = list(rewards.no_scale()) or [_solved_words(rewards)]
    linked_said = list(found_words(linked, rewards, sized=True))
    return " ".join([*said, *(linked_said or [_shown_words(own, rewards.trials)])])


def _solved_words(rewards: Rewards) -> str:
    solved = rewards.rewarded
    if not solved.n:
        return "No trial has a reward, so nothing says what was solved."
    if solved.solved in (0, solved.n):
        return capital(f"{all_or_none(solved, rewards, rewards.which)}.")
    return f"{_of(solved, rewards.which)} {rewards.solved}."


def _shown_words(own: Alone, number: int) -> str:
    """How often every relevant file was shown, if nothing is said about solving by it."""
    if not own.any_truth:
        return "Relevant files are not known."
    if not own.known:
        return "Of no trial is it known which relevant files were shown."
    if number == 1:
        return f"{'Every' if own.whole else 'Not every'} relevant file was shown."
    which = "" if own.known == number else " of which that is known"
    trials = f"{plural(own.known, 'trial')}{which}"
    if not own.whole:
        return f"In none of {trials} was every relevant file shown."
    share = "all" if own.whole == own.known > 1 else f"{own.whole:,} of"
    return f"Every relevant file was shown in {share} {trials}."


_SOME = regex(r" \([\d,]+ of [\d,]+ sessions\)$")


def unpaired_words(own: UnpairedComparison) -> str:
    """What can be said of two groups that share no task: what else differs, and what servers gave
    and took. The differences stand in the rows."""
    groups = f"{plural(own.n_config, 'session')} {own.config} and {own.n_baseline:,} {own.baseline}"
    said = [
        f"This is no experiment: {groups} were on other tasks and other days, so a difference may "
        "have other causes."
    ]
    if not any(row.n_baseline and row.n_config for row in own.rows):
        said.append("No number is known of both groups.")
    if not any(row.metric == REWARD and row.n_baseline and row.n_config for row in own.rows):
        said.append("Nothing says which sessions solved their task.")
    said += [_worth_words(server, own.config) for server in own.servers]
    differs = [
        f"{one.what}: {one.config} against {one.baseline}"
        for one in own.differs
        # 2.0 (6 of 7 sessions) and 2.0 do not differ; and models that name the groups are no news.
        if len({_SOME.sub("", text) for text in (one.baseline, one.config)}) > 1
        and (one.baseline, one.config) != (own.baseline, own.config)
    ]
    if differs:
        order = f"{own.config} against {own.baseline}"  # as the title has them
        said.append(f"What else differs ({order}): {'; '.join(differs)}.")
    return " ".join(said)


def _worth_words(server: ServerWorth, config: str) -> str:
    took = [plural(server.calls, "call")]
    if server.seconds is not None:
        took.append(f"{server.seconds:,.0f} s")
    if server.chars_share is not None:
        took.append(f"{100 * server.chars_share:.0f} % of the text that tools returned")
    if server.cost_usd is not None:
        took.append(f"{dollars(server.cost_usd)} if cost follows text")
    # “sourcegraph alone met 2 of the 12” was read as all that it had met.
    were = "was" if server.found_alone == 1 else "were"
    alone = (
        f"{server.found_alone:,} of the {plural(server.relevant_files, 'relevant file')} {were} met by "
        f"{server.server} and by nothing else; it took"
        if server.relevant_files
        else f"{server.server} took"
    )
    # Where the other group used it too, its calls there are not among these.
    return f"{alone} {listed(took)}, in {plural(server.trials, 'session')} {config} together."
