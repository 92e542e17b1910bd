"""How every number is written for people: Markdown, page and terminal all use this module.

A reader who sees 0.7833 in the terminal must find 0.7833 on the page. So the page's script formats
no numbers: it shows the texts made here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite

from groundtrace.impact.answer_names import AS_POINTS, MINUS
from groundtrace.impact.answer_names import MISSING as MISSING
from groundtrace.impact.row_numbers import Compared, Numbers, style_in_table, style_of_task
from groundtrace.metrics.catalogue import QUANTITIES

ARROWS = {"higher": "↑", "lower": "↓"}
"""Direction of a number in a heading (D35)."""

_HUGE = 1e12
"""Numbers above this are written with an exponent: otherwise their digits would fill the table."""


def share(value: float | None) -> str:
    """A number from 0 to 1, a reward or a coefficient: four decimals."""
    return _written(value, lambda number: f"{number:.4f}")


def short_share(value: float | None) -> str:
    """The same in a table of a report, where readers compare values: three decimals."""
    return _written(value, lambda number: f"{number:.3f}")


def seconds(value: float | None) -> str:
    """A duration: tenths below 100 s, whole seconds above."""
    return _written(value, lambda n: f"{n:,.1f} s" if abs(n) < 99.95 else f"{n:,.0f} s")


def duration(value: float | None) -> str:
    """A duration that may be hours; 2.0 to 2.5 minutes were all “2 min”."""
    if value is None or value < 120:
        return seconds(value)
    minutes = value / 60
    if minutes < 120:
        return f"{minutes:,.1f} min" if minutes < 9.95 else f"{minutes:,.0f} min"
    return f"{value / 3600:,.1f} h"


def dollars(value: float | None) -> str:
    """An amount of US dollars, to a tenth of a cent below a dollar."""
    return _written(value, lambda n: f"${n:,.3f}" if abs(n) < 1 else f"${n:,.2f}")


def tokens(value: float | None) -> str:
    """A number of tokens."""
    return _written(value, lambda number: f"{number:,.0f}")


def average(value: float | None) -> str:
    """A mean of counts: two decimals."""
    return _written(value, lambda number: f"{number:,.2f}")


def count(value: int | None) -> str:
    """A number of things."""
    return _written(value, lambda number: f"{number:,.0f}")


def percent(part: float, whole: float) -> str:
    """A part of a whole in per cent; a dash when the whole is 0."""
    return per_cent(part / whole) if whole else MISSING


def per_cent(share: float) -> str:
    """A share in per cent. Only nothing reads as 0 % and only everything as 100 %: beside 72 of
    506,280 characters stood 0 %, and beside the others 100 %."""
    text = f"{100 * share:.0f}"
    if float(text) in (0, 100) and share not in (0, 1):
        return "< 1 %" if share < 0.5 else "> 99 %"
    return f"{text} %"


def p_value(value: float | None) -> str:
    """A p value; a small one is written with `<` and a limit."""
    return _written(value, lambda number: "<0.0001" if number < 0.0001 else f"{number:.4f}")


def size(characters: int) -> str:
    """A size of text or bytes."""
    if characters < 1000:
        return f"{characters} B"
    return f"{characters / 1e3:,.0f} kB" if characters < 1e6 else f"{characters / 1e6:,.2f} MB"


def value(name: str, number: float | None) -> str:
    """The value of a metric or outcome, by its unit."""
    return _UNITS.get(QUANTITIES[name].unit, share)(number)


def short(name: str, number: float | None) -> str:
    """The value of a metric or outcome in a table of a report."""
    return _UNITS.get(QUANTITIES[name].unit, short_share)(number)


def compared(name: str, row: Compared) -> tuple[str, str, str, str]:
    """Two means in a table of a report, their difference and its interval, written alike."""
    style = style_in_table(name, row)
    ends = interval(row.ci_low, row.ci_high, style.end)
    return style.value(row.baseline), style.value(row.config), style.change(row), ends


def compared_task(name: str, baseline: float, config: float) -> tuple[str, str, str]:
    """A task's two values and their difference, for a quick look."""
    row = Numbers(baseline, config, config - baseline)
    style = style_of_task(name, row)
    return style.value(baseline), style.value(config), style.change(row)


def brief(name: str, number: float | None) -> str:
    """The value of a metric or outcome for a quick look: two or three digits."""
    if number is None or not isfinite(number):
        return MISSING
    if name in AS_POINTS:
        return _written(number, lambda v: per_cent(v))
    unit = QUANTITIES[name].unit
    if unit == "USD":
        return _written(number, lambda v: f"${v:,.2f}" if abs(v) >= 0.1 else f"${v:,.3f}")
    if unit:
        return value(name, number)
    return _written(number, lambda v: f"{v:,.2f}")


def ratio(number: float | None) -> str:
    """How many times as much: three digits."""
    return _written(number, lambda value: f"× {value:.2f}" if value < 10 else f"× {value:,.0f}")


def files(number: float | None) -> str:
    """A mean number of files, for a quick look."""
    # One file in 36 tasks was “0.0”.
    return _written(
        number,
        lambda v: f"{v:.1g}" if v < 0.05 else f"{v:.1f}" if v < 10 else f"{v:,.0f}",
    )


def signed(number: float | None) -> str:
    """A coefficient or effect size with its sign."""
    if number is None or not isfinite(number):
        return MISSING
    return f"{'+' if number > 0 else MINUS if number < 0 else ''}{short_share(abs(number))}"


def interval(low: float | None, high: float | None, write: Callable[[float], str] = signed) -> str:
    """Both ends of an interval; a dash if it has none."""
    return MISSING if low is None or high is None else f"{write(low)} to {write(high)}"


def direction(name: str) -> str:
    """`higher` or `lower`: which values are better."""
    return QUANTITIES[name].better


def heading(name: str) -> str:
    """A metric's name with its direction, for the head of a column."""
    return f"{name} {ARROWS[direction(name)]}"


_UNITS: Mapping[str, Callable[[float | None], str]] = {
    "s": seconds,
    "tokens": tokens,
    "characters": tokens,
    "USD": dollars,
    "files": average,
    "calls": average,
}
"""Unit to how its values are written; a quantity without such a unit is a share or a reward."""


def _written(number: float | None, write: Callable[[float], str]) -> str:
    if number is None or not isfinite(number):
        return MISSING
    if abs(number) >= _HUGE:
        return f"{number:.3g}"
    text = write(number)
    return text.replace("-", MINUS, 1)
