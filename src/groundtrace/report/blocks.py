"""What a report is built of, before it is Markdown or HTML: sections, paragraphs and tables.

Both renderings are made from the same blocks, so they say the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from groundtrace.report.shown_text import plain


class Name(str):
    """Text that came from a run: shown as code, never as markup."""

    __slots__ = ()

    def __new__(cls, text: str) -> Name:
        """Masked, visible and cut."""
        return super().__new__(cls, plain(text))


Paragraph = tuple[str, ...]
"""Parts of one paragraph; a part that is a `Name` is shown as code."""

Align = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class ReportTable:
    """Rows under headings; a cell that is a `Name` is shown as code."""

    caption: Paragraph
    columns: tuple[str, ...]
    """Headings; a leading `>` sets the column to the right, as numbers are."""
    rows: tuple[tuple[str, ...], ...]
    note: Paragraph = ()

    @property
    def aligns(self) -> tuple[Align, ...]:
        """Alignment of each column."""
        return tuple("right" if column.startswith(">") else "left" for column in self.columns)

    @property
    def headings(self) -> tuple[str, ...]:
        """Headings as shown."""
        return tuple(column.removeprefix(">") for column in self.columns)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with paragraphs and tables under it."""

    id: str
    title: str
    paragraphs: tuple[Paragraph, ...] = ()
    tables: tuple[ReportTable, ...] = ()
    points: tuple[Paragraph, ...] = ()
    """A list after the tables."""
    code: str = ""
    """Lines to copy, at the end."""
    code_caption: str = ""
    """What these lines are for."""


def make_table(
    caption: str | Paragraph,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    note: Paragraph = (),
) -> ReportTable:
    """A table of rows that may be lists; the caption may be one text."""
    parts = (caption,) if isinstance(caption, str) else caption
    return ReportTable(parts, tuple(columns), tuple(tuple(row) for row in rows), note)
