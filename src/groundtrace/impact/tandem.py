"""Whether tasks that gained in retrieval also gained in reward: differences against differences.

Both sides of a matched task are equally hard, and a difference removes that. So this is a stronger
test than a correlation over tasks. It is still association: a third thing may cause both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from groundtrace.impact.association import Association, associate
from groundtrace.impact.pooled import by_suite
from groundtrace.impact.resample import Draws, Floats, Mask, settle


@dataclass(frozen=True, slots=True)
class Tandem:
    """Differences of two quantities over the same matched tasks."""

    association: Association
    """Spearman's coefficient of the differences with permutation p and interval."""
    together: int
    """Tasks whose differences have the same sign."""
    opposed: int
    """Tasks whose differences have opposite signs."""
    unchanged: int
    """Tasks where at least one of the two did not change."""


def tandem(
    first: Floats, second: Floats, draws: Draws, suites: Sequence[str | None] | None = None
) -> Tandem:
    """Association of two columns of differences; NaN means missing.

    With `suites`, ranks are taken inside suites and tasks are permuted inside them.
    """
    here = np.isfinite(first) & np.isfinite(second)
    x, y = settle(first[here]), settle(second[here])
    present = np.ones((len(x), 1), dtype=np.bool_)
    names = [None] * len(x) if suites is None else _chosen(suites, here)
    wide_x, wide_present = by_suite(x[:, None], present, names)
    wide_y, _ = by_suite(y[:, None], present, names)
    (found,) = associate([wide_x], [wide_y], wide_present, [(0, 0)], draws)
    signs = np.sign(x) * np.sign(y)
    return Tandem(found, int(np.sum(signs > 0)), int(np.sum(signs < 0)), int(np.sum(signs == 0)))


def _chosen(suites: Sequence[str | None], here: Mask) -> list[str | None]:
    return [suite for suite, kept in zip(suites, here, strict=True) if kept]
