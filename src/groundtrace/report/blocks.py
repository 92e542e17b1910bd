"""The parts of a report before it becomes Markdown or HTML: sections, paragraphs and tables.

Both formats are made from the same blocks, so they say the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Self

from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.report.safe_text import plain, shown_name


class Name(str):
    """A name that came from a run: shown as code, never as markup."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        """The name, cut and with hidden characters made visible; names are not secret."""
        return super().__new__(cls, shown_name(text))


class Quoted(Name):
    """Other text that came from a run, such as the reason for an error; also masked."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        """The text masked, with hidden characters made visible, and cut."""
        return str.__new__(cls, plain(text))


Paragraph = tuple[str, ...]
"""Parts of one paragraph; a part that is a `Name` is shown as code."""

Align = Literal["left", "right"]

MOST_NAMES, MOST_WORDS = 6, 2
"""Most columns of names before the numbers, and of words behind them, for which the style sheet has
classes."""

_NOTHING = frozenset({"", "0", "–", "– (0)", "0 of 0"})
"""Cells without a number."""


class ReportTable(Frozen, frozen=True):
    """Rows under headings; a cell that is a `Name` is shown as code."""

    caption: Paragraph
    columns: tuple[str, ...]
    """Headings; a leading `>` aligns the column to the right, as for numbers."""
    rows: tuple[tuple[str, ...], ...]
    note: Paragraph = ()
    detail: bool = False
    """For readers who want every number: folded on the page, left out of the Markdown."""
    open: bool = False
    """The page shows it without a click."""

    @property
    def has_values(self) -> bool:
        """Whether the table has at least one number; a table of dashes says nothing."""
        numbers = [n for n, align in enumerate(self.aligns) if align == "right"]
        cells = [row[n] for row in self.rows for n in numbers]
        return bool(self.rows) and (not numbers or any(cell not in _NOTHING for cell in cells))

    @property
    def aligns(self) -> tuple[Align, ...]:
        """Alignment of each column."""
        return tuple("right" if column.startswith(">") else "left" for column in self.columns)

    @property
    def shape(self) -> str:
        """The classes that align all cells of a table whose numbers stand together; else nothing.

        A page has thousands of cells: a class for each took a tenth of it.
        """
        aligns = self.aligns
        first = aligns.index("right") if "right" in aligns else 0
        behind = aligns[::-1].index("right") if first else 0
        numbers = aligns[first : len(aligns) - behind]
        if not first or "left" in numbers or first > MOST_NAMES or behind > MOST_WORDS:
            return ""
        return f"n{first} w{behind}" if behind else f"n{first}"

    @property
    def headings(self) -> tuple[str, ...]:
        """Headings as shown."""
        return tuple(column.removeprefix(">") for column in self.columns)


class Section(Frozen, frozen=True):
    """A heading with paragraphs and tables under it."""

    id: str
    title: str
    paragraphs: tuple[Paragraph, ...] = ()
    tables: tuple[ReportTable, ...] = ()
    points: tuple[Paragraph, ...] = ()
    """A list after the tables."""
    text: str = ""
    """Lines that stand as they are, before everything else."""
    code: str = ""
    """Lines to copy, at the end."""
    code_caption: str = ""
    """What these lines are for."""

    @property
    def says_something(self) -> bool:
        """Whether there is more than a heading."""
        return bool(self.text or self.paragraphs or self.tables or self.points or self.code)


def make_table(
    caption: str | Paragraph,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    note: Paragraph = (),
) -> ReportTable:
    """A table of rows that may be lists; the caption may be one text."""
    parts = (caption,) if isinstance(caption, str) else caption
    return ReportTable(parts, tuple(columns), tuple(map(tuple, rows)), note)


def headings(text: str) -> tuple[str, ...]:
    """Headings from one line: `config | >trials`."""
    return tuple(text.split(" | "))


def detailed(*tables: ReportTable) -> tuple[ReportTable, ...]:
    """Tables for readers who want every number."""
    return tuple(replace(table, detail=True) for table in tables)
