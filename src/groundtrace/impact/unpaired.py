"""Two groups of sessions that share no task: the difference of their means, and what else differs.

This is no experiment: the groups worked on other tasks, on other days. So there is no verdict in
words, and beside each difference stands what differs between the groups anyway. The test exchanges
sessions inside their repository: a repository that only one group worked in says nothing about the
groups (D246).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date

from groundtrace.config import PRIMARIES
from groundtrace.documents.comparison import (
    ServerWorth,
    UnpairedComparison,
    UnpairedDifference,
    UnpairedRow,
)
from groundtrace.impact.arrays import Floats, np
from groundtrace.impact.deltas import widest
from groundtrace.impact.family import PRICES
from groundtrace.impact.observations import Observation, stored_number
from groundtrace.impact.options import ImpactOptions
from groundtrace.impact.resample import CONFIDENCE, MIN_INFERENCE, Draws, permutations_are_exact
from groundtrace.metrics.context import NO_SERVER

COST = PRICES[0]
_STEPS = 60
"""Halvings when the ends of an interval are looked for: exact to the last digits that are shown."""


def share_no_task(trials: Sequence[Observation], pair: tuple[str, str]) -> bool:
    """Whether two configurations are sessions of somebody's own work, with no task in common.

    Trials of a benchmark are meant to be compared on common tasks; without any, nothing is said.
    """
    own = [o for o in trials if o.config_name in pair]
    tasks = [{o.task for o in own if o.config_name == name} for name in pair]
    return all(tasks) and not tasks[0] & tasks[1] and all(o.is_session for o in own)


def compare_unpaired(
    trials: Sequence[Observation], pair: tuple[str, str], options: ImpactOptions
) -> UnpairedComparison:
    """The groups of two configurations beside each other."""
    groups = [[o for o in trials if o.config_name == name] for name in pair]
    names = dict.fromkeys((*options.primaries, *PRICES))
    if options.primaries != PRIMARIES:
        names = dict.fromkeys(options.primaries)
    return UnpairedComparison(
        baseline=pair[0],
        config=pair[1],
        n_baseline=len(groups[0]),
        n_config=len(groups[1]),
        rows=[_row(name, groups, options) for name in names],
        differs=[
            UnpairedDifference(what=what, baseline=of(groups[0]), config=of(groups[1]))
            for what, of in _DIFFERS.items()
        ],
        servers=_servers(groups[1]),
        statement="No experiment: other tasks, other days. The groups may differ for other reasons.",
    )


# --- the difference of means -----------------------------------------------------------------


def _row(name: str, groups: Sequence[Sequence[Observation]], options: ImpactOptions) -> UnpairedRow:
    known = [[o for o in group if name in o.values] for group in groups]
    sizes = [len(group) for group in known]
    means = [_average([o.values[name] for o in group]) for group in known]
    low = high = p = None
    reason = None
    if min(sizes) == 0:
        reason = "missing"
    elif min(sizes) < MIN_INFERENCE:
        reason = f"fewer_than_{MIN_INFERENCE}_sessions"
    else:
        test = _Exchange(known, name, options)
        if test.fixed:
            reason = "no_repository_in_both"
        elif len({o.values[name] for group in known for o in group}) == 1:
            reason = "no_session_differs"
        else:
            p, (low, high) = test.p(0.0), test.interval()
            most = widest(name, np.array([o.values[name] for group in known for o in group]))
            low, high = max(low, -most), min(high, most)
    delta = None if None in means else means[1] - means[0]  # type: ignore[operator]
    return UnpairedRow(
        metric=name,
        n_baseline=sizes[0],
        n_config=sizes[1],
        baseline=stored_number(means[0]),
        config=stored_number(means[1]),
        delta=stored_number(delta),
        ci_low=stored_number(low),
        ci_high=stored_number(high),
        p=p,
        reason=reason,
    )


def _average(values: Sequence[float]) -> float | None:
    """The mean without numpy, which only a test needs: most such groups are too small for one, and
    importing it was a third of `run` of seven sessions."""
    return sum(values) / len(values) if values else None


class _Exchange:
    """The difference of means under exchanges of sessions inside their repositories.

    If sessions of the second group are `shift` larger, taking it off makes the groups alike, and
    each exchange as likely as the one that was seen. So the interval holds every shift that the
    test does not reject. An exchange's difference falls evenly with the shift, so both are lines:
    `plain - shift * moved`.
    """

    def __init__(
        self, groups: Sequence[Sequence[Observation]], name: str, options: ImpactOptions
    ) -> None:
        both = sorted(
            ((o.repo or "", side, o) for side, group in enumerate(groups) for o in group),
            key=lambda one: (one[0], one[1], one[2].trial_key),
        )
        values = np.array([o.values[name] for *_, o in both])
        second = np.array([side == 1 for _, side, _ in both], dtype=np.float64)
        strata = list(Counter(repo for repo, *_ in both).values())
        mixed = {repo for repo, side, _ in both if side} & {r for r, side, _ in both if not side}
        self.fixed = not mixed
        """No session can change its group."""
        n = second.sum()
        weights = second / n - (1 - second) / (len(second) - n)
        plain, moved = [], []
        for order in Draws(options.seed, options.draws).permutations(strata):
            plain.append(values[order] @ weights)
            moved.append(second[order] @ weights)
        # All permutations hold the one that was seen; random ones are counted with it.
        seen = [] if permutations_are_exact(strata) else [np.array([values @ weights])]
        self._plain: Floats = np.concatenate([*seen, *plain])
        self._moved: Floats = np.concatenate([*([np.ones(1)] if seen else []), *moved])
        self._seen = float(values @ weights)
        self._width = float(np.ptp(values)) or 1.0

    def p(self, shift: float) -> float:
        """Two-sided p of a shift."""
        found = np.abs(self._plain - shift * self._moved)
        seen = abs(self._seen - shift)
        return float(np.mean(found >= seen * (1 - 1e-9) - 1e-12 * self._width))

    def interval(self) -> tuple[float, float]:
        """The shifts that are not rejected."""
        seen = self._seen
        ends = []
        for sign in (-1.0, 1.0):
            inside, outside = 0.0, self._width
            while self.p(seen + sign * outside) > 1 - CONFIDENCE and outside < 1e6 * self._width:
                inside, outside = outside, 2 * outside
            for _ in range(_STEPS):
                middle = (inside + outside) / 2
                if self.p(seen + sign * middle) > 1 - CONFIDENCE:
                    inside = middle
                else:
                    outside = middle
            ends.append(seen + sign * inside)
        return ends[0], ends[1]


# --- what servers gave and took ---------------------------------------------------------------


def _servers(group: Sequence[Observation]) -> list[ServerWorth]:
    names = sorted({name for seen in group for name in seen.servers if name != NO_SERVER})
    return [_worth(name, [seen for seen in group if name in seen.servers]) for name in names]


def _worth(name: str, users: Sequence[Observation]) -> ServerWorth:
    own = [seen.servers[name] for seen in users]
    chars = sum(use.result_chars for use in own)
    every = sum(use.result_chars for seen in users for use in seen.servers.values())
    seconds = [use.seconds for use in own]
    share = chars / every if every else None
    costs = [seen.values.known(COST) for seen in users]
    known = [cost for cost in costs if cost is not None]
    whole = len(known) == len(costs) and share is not None
    return ServerWorth(
        server=name,
        trials=len(users),
        calls=sum(use.calls for use in own),
        result_chars=chars,
        chars_share=share,
        seconds=None if None in seconds else sum(s for s in seconds if s is not None),
        cost_usd=stored_number(sum(known) * share) if whole and share is not None else None,
        relevant_files=sum(seen.relevant_files for seen in users),
        found_alone=sum(seen.found_alone.get(name, 0) for seen in users),
    )


# --- what else differs -----------------------------------------------------------------------


def _shares(of: Callable[[Observation], str | None]) -> Callable[[Sequence[Observation]], str]:
    def text(group: Sequence[Observation]) -> str:
        found = Counter(of(seen) or "unknown" for seen in group)
        listed = sorted(found.items(), key=lambda one: (-one[1], one[0]))
        if len(listed) == 1:
            return listed[0][0]  # without a number, so that groups of two sizes do not differ by it
        more = [f"{len(listed) - 5} more"] if len(listed) > 5 else []
        return ", ".join([*(f"{name} ({n:,})" for name, n in listed[:5]), *more])

    return text


def _mean(of: Callable[[Observation], float | None]) -> Callable[[Sequence[Observation]], str]:
    def text(group: Sequence[Observation]) -> str:
        known = [value for seen in group if (value := of(seen)) is not None]
        if not known:
            return "unknown"
        some = "" if len(known) == len(group) else f" ({len(known):,} of {len(group):,} sessions)"
        return f"{_average(known):.1f}{some}"

    return text


def _week(seen: Observation) -> str | None:
    if seen.started_at is None:
        return None
    try:
        year, week, _ = date.fromisoformat(seen.started_at[:10]).isocalendar()
    except ValueError:
        return None
    return f"{year}-W{week:02}"


_DIFFERS: Mapping[str, Callable[[Sequence[Observation]], str]] = {
    "files a commit": _mean(lambda o: float(o.relevant_files) or None),
    "lines a commit": _mean(lambda o: o.relevant_lines),
    "repositories": _shares(lambda o: o.repo),
    "models": _shares(lambda o: o.model),
    "weeks": _shares(_week),
}
"""What is told about both groups beside their numbers."""
