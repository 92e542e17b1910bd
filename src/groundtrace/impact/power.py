"""What a number of tasks can show: the smallest detectable difference, and how many tasks a given
difference needs. Both are about the verdict that is given: its level, its units, its test (D165).

A difference of (t + t.80) * se is found in about 80 of 100 repeated comparisons, where t is the
quantile of the level and se the standard error over tasks, or over repositories. For rewards of 0
and 1 the power of the sign-flip test is summed up exactly, because it is cautious: it sees only the
tasks that differ.

Student's t comes without scipy. With x = sqrt(df) * tan(a) the density becomes cos(a) ** (df - 1).
This is smooth, so one Gauss-Legendre sum gives the distribution function. The function is concave
right of 0, so Newton's steps from 0 climb to the quantile and cannot overshoot it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from groundtrace.base.frozen import Frozen
from groundtrace.impact.arrays import Floats, Ints, np
from groundtrace.impact.flips import unit_sums
from groundtrace.impact.resample import MIN_INFERENCE

# --- Student's t --------------------------------------------------------------------------


# The sum has 64 points; these are those right of 0. numpy finds them as eigenvalues, whose last
# digits depend on the machine, with a library that starts threads.
# fmt: off
_RIGHT = (
    (
        0.02435029266342443, 0.07299312178779904, 0.12146281929612054, 0.16964442042399283,
        0.21742364374000708, 0.2646871622087674, 0.31132287199021097, 0.3572201583376681,
        0.4022701579639916, 0.4463660172534641, 0.48940314570705296, 0.5312794640198946,
        0.571895646202634, 0.6111553551723933, 0.6489654712546573, 0.6852363130542333,
        0.7198818501716109, 0.7528199072605319, 0.7839723589433414, 0.8132653151227975,
        0.8406292962525803, 0.8659993981540928, 0.8893154459951141, 0.9105221370785028,
        0.9295691721319396, 0.9464113748584028, 0.9610087996520538, 0.973326827789911,
        0.983336253884626, 0.9910133714767443, 0.9963401167719552, 0.9993050417357722,
    ),
    (
        0.048690957009139814, 0.04857546744150351, 0.048344762234802996, 0.04799938859645842,
        0.04754016571483042, 0.046968182816210076, 0.04628479658131447, 0.045491627927418184,
        0.044590558163756566, 0.04358372452932355, 0.04247351512365361, 0.041262563242623576,
        0.039953741132720544, 0.03855015317861564, 0.03705512854024009, 0.0354722132568823,
        0.033805161837141794, 0.032057928354851495, 0.030234657072402554, 0.028339672614259535,
        0.02637746971505491, 0.0243527025687112, 0.02227017380838297, 0.020134823153530088,
        0.017951715775697284, 0.01572603047602503, 0.01346304789671786, 0.011168139460131028,
        0.008846759826363397, 0.006504457968978502, 0.004147033260564499, 0.00178328072169414,
    ),
)
# fmt: on
_SERIES = (1.0, -1 / 8, 1 / 128, 5 / 1024, -21 / 32768, -399 / 262144)
"""Gamma(z + 1/2) / Gamma(z) / sqrt(z) in powers of 1 / z. For large z the gammas themselves would
lose digits."""
_SERIES_FROM = 50.0


def t_quantile(q: float, df: int) -> float:
    """The `q` quantile of Student's t with `df` degrees of freedom (1 or more)."""
    if not 0 < q < 1 or df < 1:
        raise ValueError(f"no quantile {q} of Student's t with {df} degrees of freedom")
    if q < 0.5:
        return -t_quantile(1 - q, df)
    factor = _gamma_ratio(df / 2) / math.sqrt(math.pi)
    wanted = (q - 0.5) / factor
    angle = 0.0
    for _ in range(200):
        step = (wanted - _area(angle, df)) / float(_density(np.array(angle), df))
        angle += step
        if step <= 1e-16 * angle:
            break
    return math.sqrt(df) * math.tan(angle)


def _area(angle: float, df: int) -> float:
    """The integral of cos ** (df - 1) from 0 to `angle`."""
    nodes, weights = gauss_legendre()
    at = angle / 2 * (nodes + 1)
    return float(np.sum(weights * _density(at, df))) * angle / 2


def gauss_legendre() -> tuple[Floats, Floats]:
    """Nodes from -1 to 1 and weights of the sum."""
    nodes, weights = np.array(_RIGHT)
    return np.concatenate([-nodes[::-1], nodes]), np.concatenate([weights[::-1], weights])


def _density(angle: Floats, df: int) -> Floats:
    """cos ** (df - 1), computed from the sine: near 0 the cosine has lost digits that the power
    needs."""
    log_cos = np.log1p(-2 * np.sin(angle / 2) ** 2)
    return np.asarray(np.exp((df - 1) * log_cos), dtype=np.float64)


def _gamma_ratio(z: float) -> float:
    """Gamma(z + 1/2) / Gamma(z)."""
    if z < _SERIES_FROM:
        return math.exp(math.lgamma(z + 0.5) - math.lgamma(z))
    return math.sqrt(z) * sum(c / z**k for k, c in enumerate(_SERIES))


# --- detectable differences ---------------------------------------------------------------


POWER = 0.8
MAX_TASKS = 1_000_000
"""If more tasks than this are needed, the answer is that the difference cannot be shown."""
EXACT_TASKS = 300
"""Up to this many tasks the power of binary rewards is summed up; above, the formula is right."""


class Enough(Frozen, frozen=True):
    """Whether there are enough tasks, in numbers."""

    detectable: float | None
    """The smallest difference that is found in 80 of 100 such comparisons."""
    needed: int | None
    """Tasks that would show a difference of `at`."""
    reason: str | None = None


def enough(
    deltas: Floats,
    units: Ints | None,
    level: float,
    later: float,
    at: float,
    *,
    binary: bool = False,
) -> Enough:
    """What these tasks can show at a level, and how many tasks would show a difference of `at` at
    the level that holds `later`, with more tasks."""
    n = len(deltas)
    if n < 2 or not np.isfinite(deltas).all():
        return Enough(None, None, f"fewer_than_{MIN_INFERENCE}_pairs" if n < 2 else "not_finite")
    if binary and units is None:
        # Tasks that differ without any difference of the means; a difference adds its own share.
        differ = max(0.0, float(np.mean(deltas != 0)) - abs(float(deltas.mean())))
        return Enough(
            _smallest_of(lambda d: binary_power(n, differ, d, level)),
            _fewest(lambda tasks: binary_power(tasks, differ, at, later) >= POWER),
        )
    (sums,) = unit_sums((deltas - deltas.mean())[None], units)
    count = len(sums)
    spread = math.sqrt(float(np.sum(sums**2)) * count / max(count - 1, 1)) / n
    if count < 2 or spread <= 1e-9 * float(np.max(np.abs(deltas), initial=1e-300)):
        return Enough(None, None, "deltas_all_equal")
    sd = spread * math.sqrt(count)
    per_unit = n / count
    fewest = _fewest(lambda tasks: detectable(sd, max(2, round(tasks / per_unit)), later) <= at)
    found = detectable(sd, count, level)
    return Enough(found if math.isfinite(found) else None, fewest)


def detectable(sd: float, units: int, level: float) -> float:
    """The smallest mean difference that so many units show with a power of 80 %; infinite if they
    can show none, because p cannot be below the level."""
    if 2.0 ** (1 - min(units, 1000)) >= level:
        return math.inf
    df = units - 1
    tails = t_quantile(1 - level / 2, df) + t_quantile(POWER, df)
    return tails * sd / math.sqrt(units)


def binary_power(n: int, differ: float, difference: float, level: float) -> float:
    """Chance that the sign-flip test of rewards of 0 and 1 finds a difference.

    `differ` is the share of tasks that differ without it, half of them up.
    """
    share = min(1.0, differ + difference)
    up = (share + difference) / (2 * share) if share > 0 else 0.5
    if n > EXACT_TASKS:
        spread = math.sqrt(max(share - difference**2, 1e-12) / n)
        from statistics import NormalDist

        return NormalDist().cdf(difference / spread - NormalDist().inv_cdf(1 - level / 2))
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    moved = _binomial(logs, n, share)
    total = 0.0
    for k in np.flatnonzero(moved > 1e-12).tolist():
        tail = np.cumsum(_binomial(logs, k, 0.5)[::-1])[::-1]
        critical = int(np.searchsorted(-2 * tail, -level, side="right"))
        if critical <= k:
            total += float(moved[k] * _binomial(logs, k, up)[critical:].sum())
    return total


def _binomial(logs: Floats, n: int, share: float) -> Floats:
    """The chances of 0 to n successes; `logs` are logs of factorials."""
    if share <= 0 or share >= 1:
        out = np.zeros(n + 1)
        out[n if share >= 1 else 0] = 1.0
        return out
    k = np.arange(n + 1)
    ways = logs[n] - logs[k] - logs[n - k]
    chances = ways + k * math.log(share) + (n - k) * math.log1p(-share)
    return np.asarray(np.exp(chances), dtype=np.float64)


def _smallest_of(power: Callable[[float], float]) -> float | None:
    """The smallest difference up to 1 with enough power."""
    if power(1.0) < POWER:
        return None
    low, high = 0.0, 1.0
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle) >= POWER else (middle, high)
    return high


def _fewest(shows: Callable[[int], bool]) -> int | None:
    """The fewest tasks that show something; None if a million are too few."""
    low, high = 1, 8
    while not shows(high):
        if high >= MAX_TASKS:
            return None
        low, high = high, min(high * 2, MAX_TASKS)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shows(middle) else (middle, high)
    return high
