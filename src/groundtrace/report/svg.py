"""Pictures as inline SVG: elements, scales and axes. The page loads nothing for them.

Colours are classes of the page's style sheet, so pictures need no redrawing for another theme or
for printing. Every text is escaped; no name can become markup.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import ceil, floor, isfinite, log10, sqrt

from markupsafe import Markup, escape

from groundtrace.base.frozen import Frozen

# --- elements: a child that is not markup is text and is escaped -----------------------------

CHARACTER = 7.4
"""Average width in pixels of a character at 12.5 px, the charts' font size, in a wide font."""


def element(name: str, *children: str | Markup, **attributes: str | float | None) -> Markup:
    """An element; `class_` and `font_size` become `class` and `font-size`, None is left out."""
    given = "".join(
        [
            f' {_key(key)}="{escape(value) if isinstance(value, str) else _written(value)}"'
            for key, value in attributes.items()
            if value is not None
        ]
    )
    inner = "".join([escape(child) for child in children])
    # The name and the keys come from this package, never from data.
    return Markup(f"<{name}{given}>{inner}</{name}>" if inner else f"<{name}{given}/>")


@cache
def _key(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def group(*children: str | Markup, **attributes: str | float | None) -> Markup:
    """Elements that belong together."""
    return element("g", *children, **attributes)


def picture(
    width: float,
    height: float,
    label: str,
    *children: str | Markup,
    role: str = "img",
    class_: str | None = None,
) -> Markup:
    """A whole picture. `role` is `img`, or `group` if marks in it are links."""
    return element(
        "svg",
        *children,
        viewBox=f"0 0 {_written(width)} {_written(height)}",
        width=width,
        height=height,
        role=role,
        aria_label=label,
        class_=class_,
    )


def text(
    x: float, y: float, words: str, class_: str | None = None, anchor: str | None = None
) -> Markup:
    """One line of text; `anchor` is `middle` or `end`."""
    classes = " ".join(filter(None, (class_, _ANCHORS[anchor])))
    return element("text", words, x=x, y=y, class_=classes or None)


_ANCHORS = {None: None, "middle": "mid", "end": "end-of"}
"""Anchor of a text to its class: a page has hundreds of texts."""


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    """A straight line: as a path, which is shorter, because a page has hundreds of lines."""
    end = f"H{_written(x2)}" if y1 == y2 else f"V{_written(y2)}" if x1 == x2 else None
    route = end or f"L{_written(x2)} {_written(y2)}"
    return element("path", d=f"M{_written(x1)} {_written(y1)}{route}", class_=class_)


def circle(x: float, y: float, radius: float, class_: str, title: str | None = None) -> Markup:
    """A dot."""
    return element("circle", *_title(title), cx=x, cy=y, r=radius, class_=class_)


SHAPES: Mapping[str, tuple[tuple[float, float], ...]] = {
    "k0": (),
    "k1": ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    "k2": ((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)),
    "k3": ((0, -1.15), (1.15, 0.95), (-1.15, 0.95)),
    "k4": ((0, 1.15), (1.15, -0.95), (-1.15, -0.95)),
    "k5": ((-1.15, -0.6), (1.15, -0.6), (1.15, 0.6), (-1.15, 0.6)),
    "k6": ((-0.6, -1.15), (0.6, -1.15), (0.6, 1.15), (-0.6, 1.15)),
    "k7": ((-1.15, 0), (-0.6, -1), (0.6, -1), (1.15, 0), (0.6, 1), (-0.6, 1)),
}
"""The shape of each colour, around 0 with a radius of about 1; none is a dot. The style sheet has the
same shapes for keys, so that nobody needs the colours."""


def mark(
    x: float, y: float, radius: float, colour: str, class_: str = "", title: str | None = None
) -> Markup:
    """The mark of a configuration: its colour and its shape."""
    classes = f"f-{colour} {class_}".strip()
    corners = SHAPES.get(colour, ())
    if not corners:
        return circle(x, y, radius, classes, title)
    # Steps from corner to corner are shorter than places, and a page has hundreds of marks.
    (left, top), *rest = corners
    steps = [
        (radius * (to[0] - at[0]), radius * (to[1] - at[1]))
        for at, to in zip(corners, rest, strict=False)
    ]
    start = f"M{_fine(x + radius * left)} {_fine(y + radius * top)}"
    route = start + "".join(f"l{_fine(dx)} {_fine(dy)}" for dx, dy in steps) + "z"
    return element("path", *_title(title), d=route, class_=classes)


def _fine(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def bar(
    x: float, y: float, width: float, height: float, class_: str, title: str | None = None
) -> Markup:
    """A rectangle; if it is too thin to see it is drawn one pixel wide, unless it is empty."""
    return element(
        "rect",
        *_title(title),
        x=x,
        y=y,
        width=max(width, 1.0) if width else 0.0,
        height=height,
        class_=class_,
    )


def path(points: Sequence[tuple[float, float]], class_: str, title: str | None = None) -> Markup:
    """A line through points."""
    route = "M" + "L".join(f"{_written(x)} {_written(y)}" for x, y in points)
    return element("path", *_title(title), d=route, class_=class_)


def link(address: str, title: str, *children: str | Markup) -> Markup:
    """Elements that link to a place in the page; `title` is read aloud and shown on hover."""
    return element("a", *_title(title), *children, href=address)


def fitted(words: str, width: float) -> str:
    """The text if it fits into a width, else its beginning with a mark at the end."""
    if text_width(words) <= width:
        return words
    kept = words
    while kept and text_width(kept) > width - CHARACTER:
        kept = kept[:-1]
    return f"{kept}…"


def text_width(words: str) -> float:
    """About how many pixels a text takes."""
    return CHARACTER * sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in words
    )


def _title(words: str | None) -> tuple[Markup, ...]:
    return () if words is None else (element("title", words),)


def _written(value: str | float) -> str:
    """Numbers to a tenth of a pixel, large ones to a pixel: nobody sees more of it."""
    if isinstance(value, str):
        return value
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}".removesuffix(".0")


# --- scales: values to pixels, and the round values of an axis -------------------------------

_ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)


class Scale(Frozen, frozen=True):
    """Maps the values from `low` to `high` onto the pixels from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float
    by_root: bool = False
    """Pixels grow with the square root of the values."""

    def __call__(self, value: float) -> float:
        """The pixel of a value; a value beyond an end is placed at that end."""
        low, high = self._bent(self.low), self._bent(self.high)
        if high <= low or not isfinite(high - low):
            return (self.start + self.end) / 2
        part = (self._bent(min(max(value, self.low), self.high)) - low) / (high - low)
        return self.start + part * (self.end - self.start)

    def _bent(self, value: float) -> float:
        return sqrt(max(value, 0.0)) if self.by_root else value

    def ticks(self, about: int = 5) -> list[float]:
        """Round values in the range, about as many as `about`."""
        if self.high <= self.low or not isfinite(self.high - self.low):
            return [self.low]
        step = _round_step((self.high - self.low) / max(about, 1))
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        found = [number * step for number in range(first, last + 1)]
        return self._spread(found, about) if self.by_root else found

    def _spread(self, values: list[float], about: int) -> list[float]:
        """The values, in order, without those that are too close to the one before."""
        room = abs(self.end - self.start) / (about + 2)
        kept: list[float] = []
        for value in values:
            if not kept or abs(self(value) - self(kept[-1])) >= room:
                kept.append(value)
        return kept


def _round_step(raw: float) -> float:
    size = 10.0 ** floor(log10(raw))
    return next((part * size for part in _ROUND if part * size >= raw * 0.999), 10 * size)


def tick_text(value: float) -> str:
    """A value on an axis, as short as possible."""
    size = abs(value)
    if size >= 1e6:
        return f"{value / 1e6:g}M".replace("-", "\N{MINUS SIGN}")
    if size >= 1e4:
        return f"{value / 1e3:g}k".replace("-", "\N{MINUS SIGN}")
    return f"{value:,.4g}".replace("-", "\N{MINUS SIGN}")


# --- axes: thin lines at round values, with their numbers ------------------------------------


def across(
    scale: Scale,
    top: float,
    bottom: float,
    *,
    ticks: Sequence[float] | None = None,
    write: Callable[[float], str] = tick_text,
    title: str = "",
) -> Markup:
    """The horizontal axis below a plot, with a line upwards at each number."""
    values = scale.ticks() if ticks is None else ticks
    marks = [
        part
        for value in values
        for part in (
            line(scale(value), top, scale(value), bottom, "grid"),
            text(scale(value), bottom + 15, write(value), "tick", "middle"),
        )
    ]
    if title:
        marks.append(text(scale.end, bottom + 32, title, "axis", "end"))
    return group(*marks)
