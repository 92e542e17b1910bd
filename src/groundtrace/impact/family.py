"""The rows of the answer: which metrics they are, the level that they share, and the verdict.

All rows of all configurations are one family. The chance that any of its intervals misses its true
value is 5 %: with m rows, each interval is made at 5 % / m. A verdict says "higher" or "lower"
exactly if the row's interval excludes 0, so a word and an interval cannot disagree (D160).

Few tasks cannot give a small p: with k tasks (or repositories) it is at least 2 / 2^k. A row that
could not reach its level, whatever its differences, is untestable, has no interval and is not
counted in m. With 6 or 7 tasks that is so for four rows, with 8 it is not.

A margin asks whether a loss of reward beyond it can be ruled out; a large p never shows that two
sides are the same. For rewards of 0 and 1, tasks are gained, lost or tied, and the bound is exact: of
all true shares of gained and lost tasks with a loss of just the margin, the worst one decides. Ties
carry information here: 6 ties rule out nothing, 200 rule out a loss of .1. Flipping signs of
differences plus the margin, as done before, does not work: at a true loss of .05, it claimed "not
worse" in .77 of data sets with 6 tasks. Other rewards are compared with the margin by the interval
of the row (D162).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.config import PRIMARIES
from groundtrace.documents.answer import Question
from groundtrace.documents.comparison import Delta, Verdict
from groundtrace.impact.arrays import Floats, np
from groundtrace.impact.deltas import Flipping, MetricDeltas, with_test
from groundtrace.impact.resample import MIN_INFERENCE, distinct
from groundtrace.impact.signflip import LEVEL, mean_test, smallest_p
from groundtrace.metrics.catalogue import METRICS, OUTCOMES, QUANTITIES

REWARD = "reward"
PRICES = ("cost_usd", "agent_seconds", "output_tokens")
"""What a configuration takes: the first that is known for most tasks is the price."""
UTILIZATION_SECTION = "utilization_probes"


def question_of(name: str) -> Question:
    """The question that a metric or outcome answers."""
    if name in OUTCOMES:
        return "price" if QUANTITIES[name].unit else "result"
    return "used" if METRICS[name].section == UTILIZATION_SECTION else "found"


def row_metrics(primaries: Sequence[str], known: Mapping[str, int], n: int) -> list[str]:
    """The metrics of the rows, in the order of the questions.

    `known` is the number of tasks that have each metric. If the cost of most tasks is unknown, the
    price is the time of the agent, else the tokens; but not if the user named the rows.
    """
    order: tuple[Question, ...] = ("found", "used", "result", "price")
    names = sorted(dict.fromkeys(primaries), key=lambda name: order.index(question_of(name)))
    if tuple(primaries) != PRIMARIES or 2 * known.get(PRICES[0], 0) > n:
        return names
    most = next((name for name in PRICES if 2 * known.get(name, 0) > n), None)
    price = most or max(PRICES, key=lambda name: known.get(name, 0))
    return [price if name == PRICES[0] else name for name in names]


class Family(Frozen, frozen=True):
    """The rows that are tested together."""

    size: int
    """How many there are."""
    worst: float
    """The largest of the smallest p that each of them could have."""

    @property
    def level(self) -> float:
        """The level of each row."""
        return LEVEL / max(self.size, 1)

    def can_test(self, smallest: float | None) -> bool:
        """Whether a row belongs to the family."""
        return smallest is not None and self.size > 0 and smallest <= self.worst


def family_of(smallest: Sequence[float | None]) -> Family:
    """The largest set of rows in which each could still be significant.

    `smallest` is the smallest p that each row could have. Rows with the same smallest p belong to
    the family together or not at all.
    """
    known = sorted(p for p in smallest if p is not None)
    family = Family(0, 0.0)
    for size, p in enumerate(known, start=1):
        is_last = size == len(known) or known[size] > p
        if is_last and size * p < LEVEL:
            family = Family(size, p)
    return family


def attainable(column: MetricDeltas, flips: Flipping) -> float | None:
    """The smallest p that so many tasks or repositories can give; None if there is no test."""
    units = flips.of(column.here)
    count = len(column.delta) if units is None else distinct(units)
    return None if count < MIN_INFERENCE else smallest_p(count, flips.draws)


def adjusted(p: float | None, smallest: float | None, family: Family, every: int) -> float | None:
    """p times the number of rows that are tested together; of all rows, if it is not among them."""
    if p is None:
        return None
    return min(1.0, p * (family.size if family.can_test(smallest) else max(every, 1)))


def conclude(
    delta: Delta,
    column: MetricDeltas,
    flips: Flipping,
    family: Family,
    every: int,
    margin: float | None,
) -> Delta:
    """The delta of a row, tested at the family's level; `every` is the number of all rows."""
    if not delta.computable:
        return replace(delta, table="primary", verdict="untestable")
    wider = flips.for_family(family.size)
    test = mean_test(column.delta, wider.draws, flips.of(column.here), family.level)
    found = replace(with_test(delta, column, test), table="primary")
    smallest = attainable(column, flips)
    testable = family.can_test(smallest)
    if not testable:
        units = "tasks" if test.units == delta.n else "repositories"
        reason = found.inference_reason if test.p is None else f"too_few_{units}"
        found = replace(found, ci_low=None, ci_high=None, inference_reason=reason)
    bounds = _beyond(column, flips, found, family, margin, testable=testable)
    return replace(
        found,
        p_adjusted=adjusted(found.p, smallest, family, every),
        verdict=_verdict(found, bounds, testable=testable),
        within_margin=None if bounds is None else all(bounds),
    )


def _verdict(delta: Delta, bounds: tuple[bool, bool] | None, *, testable: bool) -> Verdict:
    low, high = delta.ci_low, delta.ci_high
    if low is not None and low > 0:
        return "higher"
    if high is not None and high < 0:
        return "lower"
    if bounds is not None and bounds[0]:
        return "equivalent" if bounds[1] else "not_worse"
    return "open" if testable else "untestable"


def _beyond(
    column: MetricDeltas,
    flips: Flipping,
    delta: Delta,
    family: Family,
    margin: float | None,
    *,
    testable: bool,
) -> tuple[bool, bool] | None:
    """Whether a loss and a gain of reward beyond the margin are ruled out; None without a margin.

    Rewards of 0 and 1 by an exact bound, if tasks are the units; others by the row's interval.
    """
    if margin is None or column.name != REWARD or not len(column.delta):
        return None
    if flips.units is None and are_binary(column.baseline, column.config):
        gained, lost = int(np.sum(column.delta > 0)), int(np.sum(column.delta < 0))
        rows = family.size if testable else family.size + 1
        level = LEVEL / (2 * rows)
        n = len(column.delta)
        return (
            p_of_margin(gained, lost, n, margin) < level,
            p_of_margin(lost, gained, n, margin) < level,
        )
    if delta.ci_low is None or delta.ci_high is None:
        return False, False
    return delta.ci_low > -margin, delta.ci_high < margin


EXACT_TASKS = 400
"""Up to this many tasks all outcomes are enumerated; above, a normal bound is used, cautious by
one task."""
_SHARES = 50
"""Shares of lost tasks that are tried."""
_SLACK = 1e-9


def p_of_margin(gained: int, lost: int, n: int, margin: float) -> float:
    """One-sided p against a true loss of `margin` or more; small: such a loss is ruled out.

    The statistic is Tango's score; p is its largest tail over all shares of lost tasks.
    """
    if not margin > 0:
        raise ValueError(f"a margin must be above 0, not {margin}")
    if margin >= 1:
        return 0.0
    if n > EXACT_TASKS:
        from statistics import NormalDist

        return 1 - NormalDist().cdf(_score(gained - 1.0, float(lost), n, margin))
    gains, losses = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    inside = gains + losses <= n
    b, c = gains[inside].astype(float), losses[inside].astype(float)
    seen = _score(float(gained), float(lost), n, margin)
    extreme = _scores(b, c, n, margin) >= seen - _SLACK
    b, c = b[extreme], c[extreme]
    ways = _log_factorial(n)[n] - sum(_log_factorial(n)[k.astype(int)] for k in (b, c, n - b - c))
    worst = 0.0
    for share in np.linspace(margin, (1 + margin) / 2, _SHARES):
        chance = ways + _times_log(b, share - margin) + _times_log(c, share)
        chance = chance + _times_log(n - b - c, 1 + margin - 2 * share)
        worst = max(worst, float(np.exp(chance).sum()))
    return min(1.0, worst)


def _score(gained: float, lost: float, n: int, margin: float) -> float:
    return float(_scores(np.array([gained]), np.array([lost]), n, margin)[0])


def _scores(gained: Floats, lost: Floats, n: int, margin: float) -> Floats:
    """Tango's score: the difference plus the margin, divided by its standard error at the margin.

    The share of lost tasks that fits best at the margin solves a quadratic equation.
    """
    linear = (gained + lost) * (1 + margin) + 2 * margin * (n - gained)
    under = linear**2 - 8 * n * lost * margin * (1 + margin)
    share = (linear + np.sqrt(np.maximum(under, 0.0))) / (4 * n)
    spread = np.maximum(2 * share - margin - margin**2, 1e-300)
    return np.asarray((gained - lost + n * margin) / np.sqrt(n * spread), dtype=np.float64)


def _log_factorial(n: int) -> Floats:
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])


def _times_log(count: Floats, share: float) -> Floats:
    if share <= 1e-15:
        return np.where(count > 0, -np.inf, 0.0)
    return np.asarray(count * math.log(share), dtype=np.float64)


def are_binary(baseline: Floats, config: Floats) -> bool:
    """Whether all rewards are 0 or 1."""
    return all(bool(np.isin(side, (0.0, 1.0)).all()) for side in (baseline, config))
