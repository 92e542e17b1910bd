"""The picture of one line of the answer: a difference with its interval."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from groundtrace.base.frozen import Frozen
from groundtrace.report.svg import Scale, circle, line, picture, text, tick_text

WIDTH, HEIGHT, EDGE = 300, 26, 22

_NICE = (0.05, 0.1, 0.2, 0.3, 0.5, 1.0)


class DrawnInterval(Frozen, frozen=True):
    """A mean difference, with its interval."""

    mean: float
    low: float | None
    high: float | None
    tasks: tuple[float, ...] = ()
    """Differences of single tasks, drawn if there is no interval."""

    def values(self) -> Iterable[float]:
        """Everything that is drawn."""
        ends = [end for end in (self.low, self.high) if end is not None]
        return [self.mean, *ends, *self.tasks]


def difference_scale(intervals: Sequence[DrawnInterval]) -> Scale:
    """One scale for all differences of a picture; "no difference" is in the middle."""
    most = max((abs(v) for one in intervals for v in one.values()), default=1.0)
    reach = next((nice for nice in _NICE if nice >= most), most)
    return Scale(-reach, reach, EDGE, WIDTH - EDGE)


def draw_interval(one: DrawnInterval, scale: Scale, class_: str, label: str) -> Markup:
    """One line: the mark for "no difference", the interval, the mean."""
    y = HEIGHT / 2
    middle = scale(0.0)
    marks = [
        line(scale.start, y, scale.end, y, "grid"),
        line(middle, 0, middle, HEIGHT, "zero"),
    ]
    if one.low is not None and one.high is not None:
        marks.append(line(scale(one.low), y, scale(one.high), y, f"interval {class_}"))
        marks += [
            line(scale(v), y - 5, scale(v), y + 5, f"end {class_}") for v in (one.low, one.high)
        ]
    else:
        marks += [circle(scale(value), y, 3.5, "f-task") for value in one.tasks]
    marks.append(circle(scale(one.mean), y, 5.5, f"mean {class_}"))
    return picture(WIDTH, HEIGHT, label, *marks, class_="interval-picture")


def draw_axis(scale: Scale, titles: tuple[str, str]) -> Markup:
    """The numbers below a group of lines, and what left and right mean."""
    marks = [
        text(scale(scale.low), 10, _signed(scale.low), "tick", "middle"),
        text(scale(0.0), 10, "same", "tick", "middle"),
        text(scale(scale.high), 10, _signed(scale.high), "tick", "middle"),
        text((scale.start + scale(0.0)) / 2, 10, titles[0], "tick", "middle"),
        text((scale.end + scale(0.0)) / 2, 10, titles[1], "tick", "middle"),
    ]
    return picture(WIDTH, 14, "axis", *marks, class_="interval-picture")


def _signed(value: float) -> str:
    return f"+{tick_text(value)}" if value > 0 else tick_text(value)
