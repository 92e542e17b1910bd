"""Comparisons of configurations on the same tasks: matched, and with requirements dropped (D33).

A comparison also says what each tool, server and agent found (D130). "What did the search server
find that grep did not": files that a call to the server met first, and that no call of the other
configuration met. It describes; there are no tests, as tools are not comparable across
configurations that do not both have them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from groundtrace.base.frozen import Frozen
from groundtrace.config import BASELINE
from groundtrace.documents.comparison import (
    DroppedTask,
    FinderDelta,
    MatchedComparison,
    MatchedTask,
    PairDropReason,
    Requirement,
    Scope,
    Side,
)
from groundtrace.impact.beside import first_hits, tandems
from groundtrace.impact.deltas import COMPARED, MIN_TASKS, Flipping, TaskPair, deltas_of, flipping
from groundtrace.impact.observations import Observation
from groundtrace.impact.options import ImpactOptions, fitting
from groundtrace.impact.pairing import (
    Pair,
    Requirements,
    pair_tasks,
    pair_with_fewer,
    sides_of,
)
from groundtrace.impact.resample import Draws
from groundtrace.rows.trial_row import FoundBy

# --- who found what -----------------------------------------------------------------------


Dimension = Literal["tool", "server", "agent"]

_DIMENSIONS: Mapping[Dimension, Callable[[FoundBy], str]] = {
    "tool": lambda found: found[0],
    "server": lambda found: found[1],
    "agent": lambda found: found[2],
}

_Shares = dict[tuple[Dimension, str], float]


def finder_deltas(pairs: Sequence[Pair]) -> list[FinderDelta]:
    """One entry for each finder of either side; those with the largest difference come first."""
    sums: dict[str, _Shares] = {
        name: {} for name in ("baseline", "config", "not_in_baseline", "not_in_config")
    }
    counted = 0
    for pair in pairs:
        ours = [o for cell in pair.cells for o in cell.baseline if o.found_by]
        theirs = [o for cell in pair.cells for o in cell.config if o.found_by]
        if not ours or not theirs:
            continue
        counted += 1
        _add(sums["baseline"], ours, frozenset())
        _add(sums["config"], theirs, frozenset())
        _add(sums["not_in_baseline"], theirs, _met(ours))
        _add(sums["not_in_config"], ours, _met(theirs))
    finders = sorted({finder for shares in sums.values() for finder in shares})
    found = [_entry(by, name, counted, sums) for by, name in finders]
    order = list(_DIMENSIONS)
    return sorted(found, key=lambda f: (order.index(f.by), -abs(f.delta), f.finder))


def _entry(by: Dimension, name: str, n: int, sums: Mapping[str, _Shares]) -> FinderDelta:
    # Sums of shares can exceed the number of tasks by a rounding error.
    mean = {what: min(1.0, shares.get((by, name), 0.0) / n) for what, shares in sums.items()}
    return FinderDelta(
        by=by,
        finder=name,
        n=n,
        share_baseline=mean["baseline"],
        share_config=mean["config"],
        delta=mean["config"] - mean["baseline"],
        not_in_baseline=mean["not_in_baseline"],
        not_in_config=mean["not_in_config"],
    )


def _add(shares: _Shares, trials: Sequence[Observation], left_out: frozenset[str]) -> None:
    """Add one task: shares of its relevant files by first finder, averaged over trials."""
    for trial in trials:
        weight = 1 / (len(trial.found_by) * len(trials))
        for file, found in trial.found_by:
            if found is not None and file not in left_out:
                for by, name_of in _DIMENSIONS.items():
                    key = (by, name_of(found))
                    shares[key] = shares.get(key, 0.0) + weight


def _met(trials: Sequence[Observation]) -> frozenset[str]:
    """Files that any of the trials met."""
    return frozenset(file for trial in trials for file, found in trial.found_by if found)


# --- comparisons --------------------------------------------------------------------------


__all__ = ["COMPARED", "MIN_TASKS", "choose_pairs", "compare"]

HINTS: dict[PairDropReason, str] = {
    "different_runs": "--pair-across-runs pairs trials of different runs",
    "harness_version_unknown": "--allow-unknown-version accepts unknown versions",
}
"""Reason for a dropped pair to the flag that would keep it."""


WITHOUT = "without-*"
"""Without a baseline by name, what works without something is the baseline of what works with it."""


def choose_pairs(configs: Sequence[str], options: ImpactOptions) -> list[tuple[str, str]]:
    """(baseline, configuration) to compare; a name that the user gave is kept even if it is absent.

    If several configurations fit the baseline's pattern, each of them is a baseline, because
    nothing says which one the user means. If no other configuration is left, the first of them is
    the baseline for the rest.
    """
    names = sorted(configs)
    baselines = fitting(names, options.baseline)
    if not baselines and options.baseline == BASELINE:
        baselines = fitting(names, WITHOUT)
    if options.against is not None:
        others = fitting(names, options.against) or [options.against]
        baselines = baselines or [options.baseline]
        return [(b, c) for b in baselines for c in others if b != c]
    others = [name for name in names if name not in baselines]
    if not baselines and len(names) == 2 and options.baseline == BASELINE:
        return [(names[0], names[1])]  # two and no baseline: in the order of names (D168)
    if not others:
        return [(baselines[0], name) for name in baselines[1:]]
    return [(b, c) for b in baselines for c in others]


class Draft(Frozen, frozen=True):
    """A comparison before its rows have verdicts, with what these are made of."""

    comparison: MatchedComparison
    tasks: Sequence[TaskPair]
    unrewarded: Sequence[TaskPair]
    """Pairs that lack nothing but a valid reward on a side."""
    flips: Flipping


class PairComparison(Frozen, frozen=True):
    """One configuration against one baseline."""

    whole: Draft
    """Over all suites."""
    suites: list[MatchedComparison]
    other: Draft | None
    """The same with some requirements dropped, if that adds tasks."""

    @property
    def chosen(self) -> Draft:
        """What the answer uses: matched tasks, else all tasks that both ran."""
        usable = self.whole.comparison.computable or self.other is None
        return self.whole if usable else self.other or self.whole


def compare(
    observations: Sequence[Observation],
    baseline: str,
    config: str,
    options: ImpactOptions,
    scope: str,
) -> PairComparison:
    """One configuration against one baseline."""
    ours = [o for o in observations if o.config_name == baseline]
    theirs = [o for o in observations if o.config_name == config]
    required = Requirements(
        run=not options.pair_across_runs,
        allow_unknown_version=options.allow_unknown_version,
        refused={
            side: tuple(file.lower() for folder, file in options.refused if folder == name)
            for side, name in (("baseline", baseline), ("config", config))
        },
    )
    pairs = pair_tasks(ours, theirs, required)
    absent = tuple(name for name, own in ((baseline, ours), (config, theirs)) if not own)
    builder = _Builder(scope, baseline, config, absent, options)
    tasks, dropped = _split(pairs)
    more, rest = _split(pair_with_fewer(ours, theirs, required)) if dropped else (tasks, [])
    unrewarded = [t for t in more if t.pair.not_met == ("reward",)]
    suites = []
    for suite in _suites(ours, theirs, pairs):
        own_tasks = [task for task in tasks if task.pair.benchmark == suite]
        own_dropped = [pair for pair in dropped if pair.benchmark == suite]
        suites.append(builder.draft(suite, own_tasks, own_dropped).comparison)
    whole = builder.draft(None, tasks, dropped, unrewarded)
    if not dropped or absent or len(more) == len(tasks):
        return PairComparison(whole, suites, None)
    return PairComparison(whole, suites, builder.draft(None, more, rest))


def _split(pairs: Sequence[Pair]) -> tuple[list[TaskPair], list[Pair]]:
    names = list(COMPARED)
    tasks = [TaskPair(pair, *sides_of(pair, names)) for pair in pairs if pair.cells]
    return tasks, [pair for pair in pairs if not pair.cells]


def _suites(
    ours: Sequence[Observation], theirs: Sequence[Observation], pairs: Sequence[Pair]
) -> list[str]:
    """Suites that both configurations ran; empty if there is only one suite in total."""
    if len({pair.benchmark for pair in pairs}) < 2:
        return []
    shared = {o.benchmark for o in ours} & {o.benchmark for o in theirs}
    return sorted(suite for suite in shared if suite)


_ORDER: tuple[Requirement, ...] = ("model", "harness_version", "reward", "run")


class _Builder(Frozen, frozen=True):
    """Makes the comparisons of one pair of configurations."""

    scope: str
    baseline: str
    config: str
    absent: tuple[str, ...]
    options: ImpactOptions

    def draft(
        self,
        suite: str | None,
        tasks: Sequence[TaskPair],
        dropped: Sequence[Pair],
        unrewarded: Sequence[TaskPair] = (),
    ) -> Draft:
        """The comparison of some tasks; `unrewarded` are pairs that only lack a reward."""
        options = self.options
        computable = len(tasks) >= MIN_TASKS
        failures = [pair.failure for pair in dropped if pair.failure is not None]
        counts: Counter[PairDropReason] = Counter(f.reason for f in failures)
        sides: dict[PairDropReason, dict[Side, int]] = {}
        for failure in sorted(failures, key=lambda f: (f.reason, f.side or "")):
            if failure.side is not None:
                own = sides.setdefault(failure.reason, {})
                own[failure.side] = own.get(failure.side, 0) + 1
        draws = Draws(options.seed, options.draws)
        repos = [t.pair.repo for t in tasks]
        flips = flipping(repos, draws, exploratory=suite is not None)
        whole = computable and suite is None
        not_met = {name for task in tasks for name in task.pair.not_met}
        made = MatchedComparison(
            run_scope=self.scope,
            suite=suite,
            baseline_config=self.baseline,
            config=self.config,
            computable=computable,
            reason=None if computable else _refusal(len(tasks), counts, self.absent),
            n_matched_tasks=len(tasks),
            n_unknown_version=sum(any(c.unknown_version for c in t.pair.cells) for t in tasks),
            dropped=dict(sorted(counts.items())),
            dropped_sides=sides,
            not_met=[name for name in _ORDER if name in not_met],
            exploratory=suite is not None,
            flipped="tasks" if flips.units is None else "repositories",
            n_flipped=flips.n,
            scope=_scope(repos, flips),
            family=0,
            family_rows=0,
            attempts_share=None,
            lost_as_zero=None,
            groups=[],
            deltas=deltas_of(tasks, flips) if computable else [],
            tandem=tandems(tasks, options.primaries, draws, flips.units) if whole else [],
            first_hits=first_hits(tasks, flips) if whole else [],
            notes=[],
            tasks=[_row(task) for task in tasks] if suite is None else None,
            dropped_tasks=[_dropped(p) for p in dropped] if suite is None else None,
            finders=finder_deltas([task.pair for task in tasks]) if whole else [],
        )
        return Draft(made, tasks, unrewarded, flips)


def _scope(repos: Sequence[str | None], flips: Flipping) -> Scope | None:
    """Tasks flip although some share a repository: the verdict is about these repositories."""
    known = [repo for repo in repos if repo is not None]
    shared = len(set(known)) < len(known)
    return "these_repositories" if shared and flips.units is None else None


def _dropped(pair: Pair) -> DroppedTask:
    assert pair.failure is not None
    return DroppedTask(
        task_name=pair.task_name,
        benchmark=pair.benchmark,
        reason=pair.failure.reason,
        side=pair.failure.side,
    )


def _refusal(matched: int, counts: Counter[PairDropReason], absent: Sequence[str]) -> str:
    if absent:
        return f"no trial of {' or '.join(repr(name) for name in absent)} here"
    said = ", ".join(f"{reason} {n}" for reason, n in sorted(counts.items()))
    text = f"{matched} matched task{'' if matched == 1 else 's'}, at least {MIN_TASKS} are needed"
    hints = "; ".join(hint for reason, hint in HINTS.items() if counts[reason])
    text = f"{text} (dropped: {said})" if said else text
    return f"{text}; {hints}" if hints else text


def _row(task: TaskPair) -> MatchedTask:
    cells = task.pair.cells
    trials = [o for cell in cells for o in (*cell.baseline, *cell.config)]
    return MatchedTask(
        task_name=task.pair.task_name,
        benchmark=task.pair.benchmark,
        repo=task.pair.repo,
        runs=sorted({o.run_id for o in trials}),
        models=sorted({o.model for o in trials if o.model}),
        harness_versions=sorted({o.harness_version for o in trials if o.harness_version}),
        not_met=[name for name in _ORDER if name in task.pair.not_met],
        n_trials_baseline=sum(len(cell.baseline) for cell in cells),
        n_trials_config=sum(len(cell.config) for cell in cells),
        baseline=task.baseline,
        config=task.config,
    )
