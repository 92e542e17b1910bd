"""SVG elements as markup. A child that is not markup is text and is escaped."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from markupsafe import Markup, escape

CHARACTER = 7.4
"""Average width in pixels of a character at 12.5 px, the charts' font size, in a wide font."""


def element(name: str, *children: str | Markup, **attributes: str | float | None) -> Markup:
    """An element; `class_` and `font_size` become `class` and `font-size`, None is left out."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_written(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inner = "".join(escape(child) for child in children)
    # The name and the keys come from this package, never from data.
    return Markup(f"<{name}{given}>{inner}</{name}>")


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
    return element("text", words, x=x, y=y, class_=class_, text_anchor=anchor)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def circle(x: float, y: float, radius: float, class_: str, title: str | None = None) -> Markup:
    """A dot."""
    return element("circle", *_title(title), cx=x, cy=y, r=radius, class_=class_)


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
    """Numbers to a tenth of a pixel."""
    return value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")
