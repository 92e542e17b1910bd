"""Student's t without scipy: the quantile that the smallest detectable effect needs.

With x = sqrt(df) * tan(a) the density becomes cos(a) ** (df - 1). This is smooth, so one
Gauss-Legendre sum gives the distribution function. The function is concave right of 0, so Newton's
steps from 0 climb to the quantile and cannot overshoot it.
"""

from __future__ import annotations

import math

import numpy as np

from groundtrace.impact.resample import Floats

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)
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
    at = angle / 2 * (_NODES + 1)
    return float(np.sum(_WEIGHTS * _density(at, df))) * angle / 2


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
