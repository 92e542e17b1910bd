"""What each tool, server and agent found, over the tasks of two configurations (D130).

"What did the search server find that grep did not": files that a call to the server met first, and
that no call of the other configuration met. It describes; there are no tests, as tools are not
comparable across configurations that do not both have them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from groundtrace.documents.comparison import FinderDelta
from groundtrace.impact.observations import Observation
from groundtrace.impact.pairing import Pair
from groundtrace.rows.trial_row import FoundBy

By = Literal["tool", "server", "agent"]

_DIMENSIONS: Mapping[By, Callable[[FoundBy], str]] = {
    "tool": lambda found: found[0],
    "server": lambda found: found[1],
    "agent": lambda found: found[2],
}

_Shares = dict[tuple[By, str], float]


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


def _entry(by: By, name: str, n: int, sums: Mapping[str, _Shares]) -> FinderDelta:
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
