"""Margins: whether a loss of reward beyond a margin can be ruled out.

A large p never shows that two sides are the same. For rewards of 0 and 1, tasks are gained, lost or
tied, and the bound is exact: of all true shares of gained and lost tasks with a loss of just the
margin, the worst one decides. Ties carry information here: 6 ties rule out nothing, 200 rule out a
loss of .1. Flipping signs of differences plus the margin, as done before, does not work: at a true
loss of .05, it claimed "not worse" in .77 of data sets with 6 tasks.

Other rewards are compared with the margin by the interval of the row (D162).
"""

from __future__ import annotations

import math
from statistics import NormalDist

from groundtrace.impact.arrays import Floats, np

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
