"""What every number under a published name has: a value with its arithmetic, and its declaration."""

from __future__ import annotations

from collections.abc import Mapping

from groundtrace.base.frozen import Frozen
from groundtrace.metrics.record import MetricDeclaration, Spot


class Number(Frozen, frozen=True):
    """A value with its arithmetic, or why there is none."""

    value: float | None = None
    text: str = ""
    reason: str | None = None
    parts: tuple[int, int] | None = None
    """Numerator and denominator of a share."""


Published = Mapping[str, Number]
"""Every number of the section by its canonical name."""


def share(part: int, whole: int, what: str, reason: str) -> Number:
    """A part of a whole; `reason` says why there is no value if the whole is 0."""
    if not whole:
        return Number(reason=reason)
    return Number(part / whole, f"{part} of {whole} {what}", parts=(part, whole))


def f1(right: int, found: int, gold: int, reason: str) -> Number:
    """Harmonic mean of precision and recall; `reason` says why there is none without any file."""
    if not found + gold:
        return Number(reason=reason)
    return Number(2 * right / (found + gold), f"2·{right} / ({found} + {gold})")


def declared(
    name: str,
    title: str,
    measures: str,
    formula: str,
    undefined: str,
    problems: str,
    reference: str,
    worked: tuple[str, float],
    order: int,
    *,
    better_lower: bool = False,
    lower: float | None = 0.0,
    micro: bool = False,
) -> MetricDeclaration[Published]:
    """The record of a published number; `field` of `name@k` is `name_at_k`."""
    return MetricDeclaration[Published](
        name=name,
        field=name.replace("@", "_at_"),
        title=title,
        measures=measures,
        formula=formula,
        undefined=undefined,
        known_problems=problems,
        reference=reference,
        compute=lambda view: view[name].value,
        arithmetic=lambda view: view[name].text,
        worked={name: worked},
        better="lower" if better_lower else "higher",
        lower=lower,
        micro=micro,
        shown_in={name: {"published": Spot(order)}},
    )
