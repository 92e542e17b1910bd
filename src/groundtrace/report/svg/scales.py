"""Values to pixels, and the round values at which an axis has marks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, floor, isfinite, log, log10, sqrt
from typing import Literal

ScaleKind = Literal["linear", "sqrt", "log"]

_BENT: Mapping[ScaleKind, Callable[[float], float]] = {
    "linear": lambda value: value,
    "sqrt": lambda value: sqrt(max(value, 0.0)),
    "log": log,
}

_ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps the values from `low` to `high` onto the pixels from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float
    kind: ScaleKind = "linear"

    def __call__(self, value: float) -> float:
        """The pixel of a value; a value beyond an end is placed at that end."""
        bend = _BENT[self.kind]
        low, high = bend(self.low), bend(self.high)
        if high <= low or not isfinite(high - low):
            return (self.start + self.end) / 2
        part = (bend(min(max(value, self.low), self.high)) - low) / (high - low)
        return self.start + part * (self.end - self.start)

    def ticks(self, about: int = 5) -> list[float]:
        """Round values in the range, about as many as `about`."""
        if self.high <= self.low or not isfinite(self.high - self.low):
            return [self.low]
        if self.kind == "log":
            return self._log_ticks(about)
        step = _round_step((self.high - self.low) / max(about, 1))
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        found = [number * step for number in range(first, last + 1)]
        if self.kind == "sqrt":
            return _spread(found, self, abs(self.end - self.start) / (about + 2))
        return found

    def _log_ticks(self, about: int) -> list[float]:
        powers = range(floor(log10(self.low)), ceil(log10(self.high)) + 1)
        found = [
            part * 10.0**power
            for power in powers
            for part in (1, 2, 5)
            if self.low * 0.999 <= part * 10.0**power <= self.high * 1.001
        ]
        return _spread(found, self, abs(self.end - self.start) / (about + 2))


def _round_step(raw: float) -> float:
    size = 10.0 ** floor(log10(raw))
    return next((part * size for part in _ROUND if part * size >= raw * 0.999), 10 * size)


def _spread(values: list[float], scale: Scale, room: float) -> list[float]:
    """The values, in order, without those that are too close to the one before."""
    kept: list[float] = []
    for value in values:
        if not kept or abs(scale(value) - scale(kept[-1])) >= room:
            kept.append(value)
    return kept


def tick_text(value: float) -> str:
    """A value on an axis, as short as possible."""
    size = abs(value)
    if size >= 1e6:
        return f"{value / 1e6:g}M".replace("-", "\N{MINUS SIGN}")
    if size >= 1e4:
        return f"{value / 1e3:g}k".replace("-", "\N{MINUS SIGN}")
    return f"{value:.4g}".replace("-", "\N{MINUS SIGN}")
