"""Which trials of two configurations may be compared: the requirements, in one place (D33)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from msgspec import field
from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.documents.comparison import PairDropReason, Requirement, Side
from groundtrace.impact.observations import (
    Observation,
    by_task,
    mean,
    means,
    on_one_clock,
)
from groundtrace.rows.clocks import timed_names
from groundtrace.rows.means import mean_of

_FURTHEST: tuple[PairDropReason, ...] = (
    "missing_side",
    "document_refused",
    "different_runs",
    "same_trial",
    "outcomes_refused",
    "model_unknown",
    "model_differs",
    "harness_version_unknown",
    "harness_version_differs",
    "no_valid_reward",
)
"""Reasons for a dropped pair, in the order in which requirements are checked. A task can fail in
several runs; it counts under the reason of the attempt that passed the most checks."""


class Requirements(Frozen, frozen=True):
    """What the two sides of a pair must share, or both have."""

    model: bool = True
    harness_version: bool = True
    reward: bool = True
    run: bool = True
    allow_unknown_version: bool = False
    refused: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Side to the file names of its documents that could not be read, in lower case."""

    def without(self, dropped: Sequence[Requirement]) -> Requirements:
        """The same without some of them."""
        names: dict[str, Any] = dict.fromkeys(dropped, False)
        return replace(self, **names)

    def relaxed(self) -> Iterator[tuple[Requirement, ...]]:
        """Sets of requirements to drop; the smallest sets come first."""
        names: tuple[Requirement, ...] = ("reward", "harness_version", "run", "model")
        kept = [name for name in names if getattr(self, name)]
        for size in range(1, len(kept) + 1):
            yield from combinations(kept, size)


class Failure(Frozen, frozen=True):
    """The requirement that a pair does not meet, and the side that lacks something."""

    reason: PairDropReason
    side: Side | None = None


class Cell(Frozen, frozen=True):
    """Trials that may be compared with each other: one task, run, model and harness version."""

    baseline: tuple[Observation, ...]
    config: tuple[Observation, ...]
    unknown_version: bool


class Pair(Frozen, frozen=True):
    """One task of two configurations: comparable cells, or the reason why there is none."""

    task_name: str
    benchmark: str | None
    repo: str | None
    cells: tuple[Cell, ...]
    failure: Failure | None
    not_met: tuple[Requirement, ...] = ()
    """Requirements that were dropped to make this pair."""

    def values(self, names: Sequence[str]) -> tuple[dict[str, float], dict[str, float]]:
        """Both sides' values: the mean over trials in each cell, then over the cells of the task.

        A metric that a cell has on one side only is left out of that cell. If no cell has it on
        both sides, each side shows what it has.
        """
        return _values(self.cells, names)

    def timed_values(
        self, names: Sequence[str]
    ) -> tuple[dict[str, float], dict[str, float], str | None]:
        """Like `values`, but only for trials whose seconds count from the same moment on both
        sides; and the reason if there are no such trials."""
        cells, reason = [], "clock_unknown"
        for cell in self.cells:
            baseline, config, why = on_one_clock(cell.baseline, cell.config)
            if why is None:
                cells.append(replace(cell, baseline=baseline, config=config))
            elif why == "clock_differs":
                reason = why
        return *_values(cells, names), None if cells else reason


def sides_of(
    pair: Pair, names: Sequence[str]
) -> tuple[dict[str, float], dict[str, float], dict[str, str]]:
    """Both sides' values, and why a value that both sides have is left out of the comparison."""
    left, right = pair.values(names)
    timed = [name for name in timed_names() if name in left and name in right]
    if not timed:
        return left, right, {}
    like_left, like_right, why = pair.timed_values(timed)
    reasons = {}
    for name in timed:
        if name in like_left and name in like_right:
            left[name], right[name] = like_left[name], like_right[name]
        else:
            del left[name], right[name]
            reasons[name] = why or "clock_differs"
    return left, right, reasons


def _values(
    cells: Sequence[Cell], names: Sequence[str]
) -> tuple[dict[str, float], dict[str, float]]:
    if len(cells) == 1:
        return means(cells[0].baseline, names), means(cells[0].config, names)
    left: dict[str, float] = {}
    right: dict[str, float] = {}
    for name in names:
        sides = [(mean(cell.baseline, name), mean(cell.config, name)) for cell in cells]
        both = [(b, c) for b, c in sides if b is not None and c is not None]
        for side, into in ((0, left), (1, right)):
            values = [pair[side] for pair in both or sides]
            average = mean_of([value for value in values if value is not None])
            if average is not None:
                into[name] = average
    return left, right


def pair_tasks(
    baseline: Sequence[Observation], config: Sequence[Observation], required: Requirements
) -> list[Pair]:
    """Every task of the two configurations, matched or with a reason why not, in order of name."""
    ours, theirs = by_task(baseline), by_task(config)
    return [
        _pair(ours.get(task, []), theirs.get(task, []), required)
        for task in sorted({*ours, *theirs})
    ]


def pair_with_fewer(
    baseline: Sequence[Observation], config: Sequence[Observation], required: Requirements
) -> list[Pair]:
    """Every task, paired with as few dropped requirements as possible."""
    ours, theirs = by_task(baseline), by_task(config)
    pairs = []
    for task in sorted({*ours, *theirs}):
        left, right = ours.get(task, []), theirs.get(task, [])
        pair = _pair(left, right, required)
        if not pair.cells and left and right:
            for dropped in required.relaxed():
                other = _pair(left, right, required.without(dropped))
                if other.cells:
                    pair = replace(other, not_met=dropped)
                    break
        pairs.append(pair)
    return pairs


def _pair(left: list[Observation], right: list[Observation], required: Requirements) -> Pair:
    cells: list[Cell] = []
    failed: list[Failure] = []
    for run_left, run_right in _attempts(left, right, across_runs=not required.run):
        found, failure = _cells(run_left, run_right, required)
        cells += found
        if failure is not None:
            failed.append(failure)
    first = (left or right)[0]
    repo = next((o.repo for o in (*left, *right) if o.repo is not None), None)
    worst = None if cells else max(failed, key=lambda f: _FURTHEST.index(f.reason))
    if worst is not None and worst.reason == "missing_side":
        worst = _missing(bool(left), bool(right))
        files = required.refused.get(worst.side or "", ())
        if any(file.startswith(f"{first.task_name.lower()}.") for file in files):
            worst = replace(worst, reason="document_refused")
    return Pair(first.task_name, first.benchmark, repo, tuple(cells), worst)


def _missing(left: bool, right: bool) -> Failure:
    """The reason for a task without a common run. If both configurations ran it, in different
    runs, it is missing on neither side."""
    if left and right:
        return Failure("different_runs")
    return Failure("missing_side", "config" if left else "baseline")


_Sides = tuple[list[Observation], list[Observation]]


def _attempts(
    left: Sequence[Observation], right: Sequence[Observation], across_runs: bool
) -> list[_Sides]:
    """What may be paired: trials of one run, with copies of a trial counted once.

    Runs with copies of the same trial count as one run for this task: somebody copied the trial to
    compare it with the other trials there.
    """
    groups: list[tuple[set[str], set[str], list[Observation], list[Observation]]] = []
    for side, trials in enumerate((left, right)):
        for trial in trials:
            runs, keys = {"*" if across_runs else trial.run_id}, {trial.trial_key}
            ours: list[Observation] = []
            theirs: list[Observation] = []
            rest = []
            for group in groups:
                if group[0] & runs or group[1] & keys:
                    runs |= group[0]
                    keys |= group[1]
                    ours += group[2]
                    theirs += group[3]
                else:
                    rest.append(group)
            (ours, theirs)[side].append(trial)
            groups = [*rest, (runs, keys, ours, theirs)]
    return [(_counted(ours), _counted(theirs)) for _, _, ours, theirs in groups]


def _counted(trials: Sequence[Observation]) -> list[Observation]:
    return sorted((o for o in trials if not o.is_copy), key=lambda o: o.trial_key)


def _cells(
    left: list[Observation], right: list[Observation], required: Requirements
) -> tuple[list[Cell], Failure | None]:
    if not left or not right:
        return [], Failure("missing_side", "config" if left else "baseline")
    shared_keys = {o.trial_key for o in left} & {o.trial_key for o in right}
    left = [o for o in left if o.trial_key not in shared_keys]
    right = [o for o in right if o.trial_key not in shared_keys]
    if not left or not right:
        return [], Failure("same_trial")
    if any(all(o.outcomes_refused for o in side) for side in (left, right)):
        return [], Failure("outcomes_refused")
    groups, failure = _same_model(left, right) if required.model else ([(left, right)], None)
    if failure is not None:
        return [], failure
    cells: list[Cell] = []
    failed: list[Failure] = []
    for sides in groups:
        found, failure = _same_version(*sides, required)
        if failure is not None:
            failed.append(failure)
        for cell in found:
            missing = _missing_reward(cell) if required.reward else None
            if missing is None:
                cells.append(cell)
            else:
                failed.append(Failure("no_valid_reward", missing))
    return cells, None if cells else max(failed, key=lambda f: _FURTHEST.index(f.reason))


def _same_model(
    left: list[Observation], right: list[Observation]
) -> tuple[list[_Sides], Failure | None]:
    models = {o.model for o in left if o.model} & {o.model for o in right if o.model}
    if not models:
        side = _lacking([o.model for o in left], [o.model for o in right])
        return [], Failure("model_differs" if side is None else "model_unknown", side)
    return [
        ([o for o in left if o.model == model], [o for o in right if o.model == model])
        for model in sorted(models)
    ], None


def _lacking(left: Sequence[object], right: Sequence[object]) -> Side | None:
    """The side that lacks a value."""
    ours, theirs = None in left, None in right
    if ours and theirs:
        return "both"
    return "baseline" if ours else "config" if theirs else None


def _same_version(
    left: Sequence[Observation], right: Sequence[Observation], required: Requirements
) -> tuple[list[Cell], Failure | None]:
    if not required.harness_version:
        return [Cell(tuple(left), tuple(right), unknown_version=False)], None
    versions = {o.harness_version for o in left if o.harness_version} & {
        o.harness_version for o in right if o.harness_version
    }
    cells = []
    for version in sorted(versions):
        same = _same_harness(
            [o for o in left if o.harness_version == version],
            [o for o in right if o.harness_version == version],
        )
        if same[0] and same[1]:
            cells.append(Cell(tuple(same[0]), tuple(same[1]), unknown_version=False))
    if cells:
        return cells, None
    open_left = [o for o in left if any(_open(o, other) for other in right)]
    open_right = [o for o in right if any(_open(o, other) for other in left)]
    if not open_left:
        return [], Failure("harness_version_differs")
    if not required.allow_unknown_version:
        side = _lacking(
            [o.harness_version for o in open_left], [o.harness_version for o in open_right]
        )
        return [], Failure("harness_version_unknown", side)
    return [Cell(tuple(open_left), tuple(open_right), unknown_version=True)], None


def _same_harness(left: Sequence[Observation], right: Sequence[Observation]) -> _Sides:
    """The trials with the same harness on both sides: equal version numbers of two different
    harnesses are not the same version."""
    return (
        [o for o in left if any(_harness_agrees(o, other) for other in right)],
        [o for o in right if any(_harness_agrees(o, other) for other in left)],
    )


def _harness_agrees(one: Observation, other: Observation) -> bool:
    return one.harness is None or other.harness is None or one.harness == other.harness


def _open(one: Observation, other: Observation) -> bool:
    """Whether it is unknown if the two ran with the same version."""
    return _harness_agrees(one, other) and (
        one.harness_version is None or other.harness_version is None
    )


def _missing_reward(cell: Cell) -> Side | None:
    """The side without any valid reward.

    Trials without a reward still count for other values: keeping only trials with a reward would
    prefer trials that ended well (D68).
    """
    ours = not any("reward" in o.values for o in cell.baseline)
    theirs = not any("reward" in o.values for o in cell.config)
    if ours and theirs:
        return "both"
    return "baseline" if ours else "config" if theirs else None
