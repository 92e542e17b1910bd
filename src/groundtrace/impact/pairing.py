"""Which trials of two configurations may be compared: the requirements, in one place (D33)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from groundtrace.documents.impact import PairDropReason
from groundtrace.impact.observations import Observation, by_task, mean
from groundtrace.rows.means import mean_of

_FURTHEST: tuple[PairDropReason, ...] = (
    "missing_side",
    "same_trial",
    "model_unknown",
    "model_differs",
    "harness_version_unknown",
    "harness_version_differs",
    "no_valid_reward",
)
"""Requirements in the order in which they are checked; a task that fails in several runs counts
under the reason of the attempt that came furthest."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Trials that may be compared with each other: one task, run, model and harness version."""

    baseline: tuple[Observation, ...]
    config: tuple[Observation, ...]
    unknown_version: bool


@dataclass(frozen=True, slots=True)
class Pair:
    """One task of two configurations: comparable cells, or the reason why there is none."""

    task_name: str
    benchmark: str | None
    cells: tuple[Cell, ...]
    reason: PairDropReason | None

    def values(self, names: Sequence[str]) -> tuple[dict[str, float], dict[str, float]]:
        """Both sides' values: trials averaged in a cell, then the cells of the task.

        A metric that a cell has on one side only is left out of that cell; where no cell has
        both, each side shows what it has.
        """
        if len(self.cells) == 1:
            cell = self.cells[0]
            return _present(cell.baseline, names), _present(cell.config, names)
        left: dict[str, float] = {}
        right: dict[str, float] = {}
        for name in names:
            sides = [(mean(cell.baseline, name), mean(cell.config, name)) for cell in self.cells]
            both = [(b, c) for b, c in sides if b is not None and c is not None]
            for side, into in ((0, left), (1, right)):
                values = [pair[side] for pair in both or sides]
                average = mean_of([value for value in values if value is not None])
                if average is not None:
                    into[name] = average
        return left, right


def _present(trials: Sequence[Observation], names: Sequence[str]) -> dict[str, float]:
    means = ((name, mean(trials, name)) for name in names)
    return {name: value for name, value in means if value is not None}


def pair_tasks(
    baseline: Sequence[Observation],
    config: Sequence[Observation],
    *,
    across_runs: bool,
    allow_unknown_version: bool,
) -> list[Pair]:
    """Every task of either configuration, matched or with a reason, in order of name."""
    ours, theirs = by_task(baseline), by_task(config)
    pairs = []
    for task in sorted({*ours, *theirs}):
        left, right = ours.get(task, []), theirs.get(task, [])
        cells: list[Cell] = []
        failed: list[PairDropReason] = []
        for run_left, run_right in _attempts(left, right, across_runs):
            found, reason = _cells(run_left, run_right, allow_unknown_version)
            cells += found
            if reason is not None:
                failed.append(reason)
        first = (left or right)[0]
        worst = None if cells else max(failed, key=_FURTHEST.index)
        pairs.append(Pair(first.task_name, first.benchmark, tuple(cells), worst))
    return pairs


_Sides = tuple[list[Observation], list[Observation]]


def _attempts(
    left: Sequence[Observation], right: Sequence[Observation], across_runs: bool
) -> list[_Sides]:
    """What may be paired: trials of one run, copies of a trial counted once.

    Runs that hold copies of one trial count as one run for this task: the trial was copied to be
    compared with the others there.
    """
    groups: list[tuple[set[str], set[str], list[Observation], list[Observation]]] = []
    for side, trials in enumerate((left, right)):
        for trial in trials:
            runs, keys = {"*" if across_runs else trial.run_id}, {trial.key}
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
    return sorted((o for o in trials if not o.is_copy), key=lambda o: o.key)


def _cells(
    left: list[Observation], right: list[Observation], allow_unknown: bool
) -> tuple[list[Cell], PairDropReason | None]:
    if not left or not right:
        return [], "missing_side"
    shared_keys = {o.key for o in left} & {o.key for o in right}
    left = [o for o in left if o.key not in shared_keys]
    right = [o for o in right if o.key not in shared_keys]
    if not left or not right:
        return [], "same_trial"
    models = {o.model for o in left if o.model} & {o.model for o in right if o.model}
    if not models:
        unknown = any(o.model is None for o in (*left, *right))
        return [], "model_unknown" if unknown else "model_differs"
    cells: list[Cell] = []
    failed: list[PairDropReason] = []
    for model in sorted(models):
        sides = [o for o in left if o.model == model], [o for o in right if o.model == model]
        found, reason = _same_version(*sides, allow_unknown)
        if reason is not None:
            failed.append(reason)
        for cell in found:
            valid = _with_reward(cell)
            if valid.baseline and valid.config:
                cells.append(valid)
            else:
                failed.append("no_valid_reward")
    return cells, None if cells else max(failed, key=_FURTHEST.index)


def _same_version(
    left: Sequence[Observation], right: Sequence[Observation], allow_unknown: bool
) -> tuple[list[Cell], PairDropReason | None]:
    versions = {o.version for o in left if o.version} & {o.version for o in right if o.version}
    cells = []
    for version in sorted(versions):
        same = _same_harness(
            [o for o in left if o.version == version], [o for o in right if o.version == version]
        )
        if same[0] and same[1]:
            cells.append(Cell(tuple(same[0]), tuple(same[1]), unknown_version=False))
    if cells:
        return cells, None
    open_left = [o for o in left if any(_open(o, other) for other in right)]
    open_right = [o for o in right if any(_open(o, other) for other in left)]
    if not open_left:
        return [], "harness_version_differs"
    if not allow_unknown:
        return [], "harness_version_unknown"
    return [Cell(tuple(open_left), tuple(open_right), unknown_version=True)], None


def _same_harness(left: Sequence[Observation], right: Sequence[Observation]) -> _Sides:
    """Equal version numbers of two different harnesses are not the same version."""
    return (
        [o for o in left if any(_harness_agrees(o, other) for other in right)],
        [o for o in right if any(_harness_agrees(o, other) for other in left)],
    )


def _harness_agrees(one: Observation, other: Observation) -> bool:
    return one.harness is None or other.harness is None or one.harness == other.harness


def _open(one: Observation, other: Observation) -> bool:
    """Whether it is unknown that the two ran on the same version."""
    return _harness_agrees(one, other) and (one.version is None or other.version is None)


def _with_reward(cell: Cell) -> Cell:
    return Cell(
        tuple(o for o in cell.baseline if "reward" in o.values),
        tuple(o for o in cell.config if "reward" in o.values),
        cell.unknown_version,
    )
