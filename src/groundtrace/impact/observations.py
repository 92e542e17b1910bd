"""One observation for each trial: identity and finite values, with copies of a trial recognised.

This module decides what a missing value is (D34). `groundtrace.rows.units` decides which trials
are copies, and when two task names mean one task.

Times of two trials are compared only if both count from the same moment (D67): from the start of the
agent if the records state it, else from the first line of the trace. When the two sides used
different clocks, equal behaviour gave +55 s with p 0.008.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter

from msgspec import UNSET, field
from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.base.values import known, model_name
from groundtrace.documents.looked_at import ServerUse
from groundtrace.impact.arrays import Floats, np
from groundtrace.metrics.catalogue import METRICS, OUTCOMES
from groundtrace.model import TrialId
from groundtrace.rows.clocks import SharedClock, shared_clock, timed_names
from groundtrace.rows.means import mean_of
from groundtrace.rows.trial_row import FoundBy, TrialRow
from groundtrace.rows.units import DistinctTrials, TaskNames


class ObservedValues(Mapping[str, float]):
    """Numbers by name, in an eighth of a dict's memory: a million trials are in memory at once.
    Trials with the same names share the names."""

    __slots__ = ("_index", "_numbers")

    def __init__(self, index: Mapping[str, int], numbers: Iterable[float]) -> None:
        self._index = index
        self._numbers = array("d", numbers)

    def __getitem__(self, name: str) -> float:
        return self._numbers[self._index[name]]

    def as_dict(self) -> dict[str, float]:
        """All names and numbers, in their original order."""
        return dict(zip(self._index, self._numbers, strict=True))

    def known(self, name: str) -> float | None:
        """The number of a name, or None. Faster than `get`, which raises and catches an exception:
        10,000 trials call this two million times."""
        place = self._index.get(name)
        return None if place is None else self._numbers[place]

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)


class WhyAbsent(Frozen, frozen=True):
    """Why a trial has no value of a name: what its row says, without keeping the row."""

    undefined: tuple[tuple[str, str], ...]
    reason: str | None

    def __call__(self, name: str) -> str:
        for absent, why in reversed(self.undefined):  # what is added later counts
            if absent == name:
                return why or self.reason or "missing"
        return self.reason or "missing"


class Observation(TrialId, frozen=True, kw_only=True):
    """One trial as the statistics see it."""

    task: str
    """The task's name, with its suite if several suites have a task of that name."""
    benchmark: str | None
    trial_key: str
    """Equal for copies of one trial."""
    model: str | None
    harness: str | None
    harness_version: str | None
    repo: str | None
    """The task's only repository, where known."""
    clock: str | None
    """What the trial's seconds count from; None if nothing says so."""
    confidence: str | None
    """Confidence in the ground truth that the metrics use."""
    unknown_calls: int
    """Calls of tools that the tool table does not know."""
    values: ObservedValues
    """Metrics and outcomes with a finite value; a missing value has no entry."""
    is_copy: bool
    """Another copy of this trial counts in its configuration."""
    why: WhyAbsent
    """Reason code of a metric that is absent, as summaries count it."""
    truth_source: str | None = None
    """The source that gave the relevant files."""
    outcomes_refused: bool = False
    """The outcomes are unknown because outcomes.json cannot be read (D62)."""
    elsewhere: bool = False
    """A path ends like a relevant file that was not matched (`impact.answer_look_at`)."""
    no_truth: str | None = None
    """The problem that says why it has no ground truth, if one of `_NO_TRUTH` does."""
    relevant_files: int = 0
    """How many files are relevant; 0 if that is not known."""
    difficulty: str | None = None
    """As the task's data set or a manifest states it."""
    servers: Mapping[str, ServerUse] = field(default_factory=dict)
    """What the calls of each MCP server took, beside those of all other tools."""
    found_alone: Mapping[str, int] = field(default_factory=dict)
    """MCP server to the relevant files that nothing else met."""
    relevant_lines: float | None = None
    """How many lines are relevant, if known."""
    is_session: bool = False
    """Somebody's own session: no data set and no record names its task."""
    started_at: str | None = None
    """When the session began, for trials without records."""
    found_by: tuple[tuple[str, FoundBy | None], ...] = ()
    """Each relevant file and the call that met it first; None if nothing met it."""

    def absence(self, name: str) -> str:
        """Why this trial has no value of `name`."""
        if name in OUTCOMES:
            return "outcomes_refused" if self.outcomes_refused else OUTCOMES[name].absent_reason
        return self.why(name)


def hit_metric(name: str) -> str | None:
    """The recall metric that says whether a time to the first relevant file exists (D21)."""
    return METRICS[name].hit_metric if name in METRICS else None


def observe(rows: Iterable[TrialRow]) -> list[Observation]:
    """Observations in an order that does not depend on the order of the rows.

    Rows are not kept: an observation needs a tenth of a row's memory.
    """
    shared = _Shared()
    trials, names = DistinctTrials(), TaskNames()
    found = []
    for row in rows:
        names.add(row.task_name, row.benchmark)
        found.append((trials.add(row), shared.observation(row)))
    found.sort(key=lambda item: (_order(item[1]), item[0]))
    return [
        _placed(seen, names, is_copy=trials.counted_in(place) is not None) for place, seen in found
    ]


def distinct_trials(observations: Sequence[Observation]) -> list[Observation]:
    """One observation for each trial and configuration."""
    counted = (seen for seen in observations if not seen.is_copy)
    return sorted(counted, key=lambda o: (o.task, o.config_name, o.run_id, o.trial_key))


def by_task(observations: Iterable[Observation]) -> dict[str, list[Observation]]:
    """Observations grouped by task, tasks in order of name."""
    groups: dict[str, list[Observation]] = {}
    for seen in observations:
        groups.setdefault(seen.task, []).append(seen)
    return dict(sorted(groups.items()))


def mean(observations: Sequence[Observation], name: str) -> float | None:
    """Mean of the values that exist; None if there is none."""
    if len(observations) == 1:
        return observations[0].values.known(name)
    return mean_of([o.values[name] for o in observations if name in o.values])


def means(observations: Sequence[Observation], names: Sequence[str]) -> dict[str, float]:
    """`mean` of each name that has one, in the order of `names`."""
    if len(observations) == 1:
        own = observations[0].values.as_dict()
        return {name: own[name] for name in names if name in own}
    found = ((name, mean(observations, name)) for name in names)
    return {name: value for name, value in found if value is not None}


def value_table(sides: Sequence[Mapping[str, float]], names: Sequence[str]) -> Floats:
    """One row for each mapping, one column for each name; NaN for an absent name."""
    if len(names) == 1:
        return np.array([[side.get(names[0], np.nan)] for side in sides]).reshape(-1, 1)
    absent, in_order = dict.fromkeys(names, np.nan), itemgetter(*names)
    rows = [
        in_order(side) if side.keys() >= absent.keys() else in_order({**absent, **side})
        for side in sides
    ]
    return np.array(rows, dtype=np.float64).reshape(len(sides), len(names))


def main_reason(observations: Sequence[Observation], names: Sequence[str]) -> str:
    """Why a task has no value: the reason that most of its trials give."""
    if len(observations) == 1:
        return _first_reason(observations[0], names)
    found = Counter(_first_reason(o, names) for o in observations)
    return min(found, key=lambda reason: (-found[reason], reason))


def _first_reason(seen: Observation, names: Sequence[str]) -> str:
    for name in names:
        if name not in seen.values:
            return seen.absence(name)
    return "never_together"


def stored_number(value: float | None) -> float | None:
    """A value as documents store it: unrounded (D40), null if it is not finite."""
    if value is None or not math.isfinite(value):
        return None
    return value + 0.0  # turns -0.0 into 0.0


def _order(seen: Observation) -> tuple[str, str, str, str, str]:
    return (seen.task_name, seen.config_name, seen.run_id, seen.trial_name, seen.trial_key)


def _placed(seen: Observation, names: TaskNames, *, is_copy: bool) -> Observation:
    """The observation with its task and suite; they can be decided only after all rows are read."""
    task = names.task(seen.task_name, seen.benchmark)
    suite = names.suite(seen.task_name, seen.benchmark)
    if (task, suite, is_copy) == (seen.task, seen.benchmark, seen.is_copy):
        return seen
    return replace(seen, task=task, benchmark=suite, is_copy=is_copy)


_NO_TRUTH = ("truth_source_off", "no_task_definition", "no_file_list")
"""Why there is no ground truth: a source that counts only on request names the files (D192), nothing
defines the task, or its definition names no files."""


class _Shared:
    """Makes observations that share equal parts: names, reasons, sets of metrics."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._finders: dict[FoundBy, FoundBy] = {}
        self._whys: dict[WhyAbsent, WhyAbsent] = {}
        self._indexes: dict[tuple[str, ...], Mapping[str, int]] = {}

    def text(self, text: str) -> str:
        return self._texts.setdefault(text, text)

    def finder(self, found: FoundBy | None) -> FoundBy | None:
        return None if found is None else self._finders.setdefault(found, found)

    def maybe(self, text: str | None) -> str | None:
        return None if text is None else self.text(text)

    def values(self, row: TrialRow) -> ObservedValues:
        found = {name: row.metrics[name] for name in METRICS if name in row.metrics}
        for name, outcome in OUTCOMES.items():
            value = outcome.getter(row.outcome) if row.outcome is not None else None
            if value is not None:
                found[name] = value
        finite = found
        if not math.isfinite(sum(found.values())):  # if the sum is finite, each value is
            finite = {name: value for name, value in found.items() if math.isfinite(value)}
        names = tuple(finite)
        if names not in self._indexes:
            self._indexes[names] = {name: number for number, name in enumerate(names)}
        return ObservedValues(self._indexes[names], finite.values())

    def why(self, row: TrialRow) -> WhyAbsent:
        why = WhyAbsent(tuple(row.undefined.items()), row.reason)
        return self._whys.setdefault(why, why)

    def observation(self, row: TrialRow) -> Observation:
        """One row as the statistics see it. Its task, its suite and whether it is a copy are
        decided after all rows are read."""
        outcome = row.outcome
        task = self.text(row.task_name)
        model = model_name((outcome.model if outcome is not None else None) or row.model)
        harness = known(outcome.harness if outcome is not None else None)
        version = known(outcome.harness_version if outcome is not None else None)
        clock = row.coverage.elapsed_origin
        unknown = row.coverage.calls_unknown_tool
        return Observation(
            self.text(row.run_id),
            self.text(row.config_name),
            task,
            row.trial_name,
            task=task,
            benchmark=self.maybe(row.benchmark or None),
            trial_key=row.trial_key,
            model=self.maybe(model),
            harness=self.maybe(harness),
            harness_version=self.maybe(version),
            repo=self.maybe(row.repo),
            clock=None if clock is UNSET else self.maybe(clock),
            confidence=self.maybe(row.coverage.ground_truth_confidence),
            truth_source=self.maybe(row.coverage.ground_truth_source),
            unknown_calls=0 if unknown is UNSET else unknown,
            values=self.values(row),
            is_copy=False,
            why=self.why(row),
            outcomes_refused=outcome is None and row.no_outcome == "outcomes_refused",
            elsewhere=bool(row.coverage.unmatched_suffixes),
            no_truth=next(
                (kind for kind in _NO_TRUTH if kind in (row.coverage.problems or ())), None
            ),
            relevant_files=row.summary.ground_truth_files_total or len(row.found_by),
            difficulty=_difficulty(row),
            servers=row.servers,
            found_alone={
                name: count
                for (group, name, what), count in row.finders.items()
                if (group, what) == ("by_server", "only")
            },
            relevant_lines=row.relevant_lines,
            is_session=row.title is not None,
            started_at=row.started_at,
            found_by=tuple(
                (self.text(file), self.finder(found)) for file, found in row.found_by.items()
            ),
        )


def _difficulty(row: TrialRow) -> str | None:
    outcome = row.outcome
    return None if outcome is None or outcome.groups is UNSET else outcome.groups.get("difficulty")


Trials = tuple[Observation, ...]


def on_one_clock(baseline: Trials, config: Trials) -> tuple[Trials, Trials, str | None]:
    """The trials of both sides that use one clock, or the reason why there are none.

    If both sides have trials with each clock, the first clock by name is used: a mean over both
    clocks would mix them.
    """
    ours, theirs = _clocks(baseline), _clocks(config)
    shared = ours & theirs
    if not shared:
        return (), (), "clock_differs" if ours and theirs else "clock_unknown"
    clock = min(shared)
    return (
        tuple(o for o in baseline if o.clock == clock),
        tuple(o for o in config if o.clock == clock),
        None,
    )


def _clocks(trials: Sequence[Observation]) -> set[str]:
    return {o.clock for o in trials if o.clock is not None}


def by_shared_clock(trials: Sequence[Observation]) -> list[Observation]:
    """The trials, without times that count from another moment than most trials' times (D121)."""
    clock = shared_clock((o.config_name, o.clock) for o in trials if _times(o))
    return list(trials) if clock.any_counts else [_without_times(o, clock) for o in trials]


def _times(trial: Observation) -> list[str]:
    return [name for name in timed_names() if name in trial.values]


def _without_times(trial: Observation, clock: SharedClock) -> Observation:
    why, times = clock.why_not(trial.clock), _times(trial)
    if why is None or not times:
        return trial
    kept = {name: value for name, value in trial.values.items() if name not in times}
    index = {name: number for number, name in enumerate(kept)}
    undefined = (*trial.why.undefined, *((name, why) for name in times))
    return replace(
        trial,
        values=ObservedValues(index, kept.values()),
        why=WhyAbsent(undefined, trial.why.reason),
    )
