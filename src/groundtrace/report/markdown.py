"""The report as Markdown that reads well in a terminal and on a code host."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from groundtrace.base.visible import columns_taken, visible
from groundtrace.report.blocks import Align, Name, Paragraph, ReportTable, Section
from groundtrace.report.data import ReportData
from groundtrace.report.safe_text import with_note
from groundtrace.report.sections import LEGEND, STATUS, sections

WHERE = (
    "This is the short report: retrieval_report.html beside it holds every metric, every trial "
    "with its calls, and charts; run_retrieval_summary.json and impact_analysis.json hold all numbers."
)
"""Says where readers find what the Markdown leaves out."""

_TICKS = re.compile(r"`+")
_MARKUP = re.compile(r"<[A-Za-z/!?]|!\[|\]\(|\]\[")
"""Where a tag, an image or a link begins. A backslash between the two signs ends it."""


def render(data: ReportData, made: Sequence[Section] | None = None) -> str:
    """The whole report; `made` are its sections, if another format was made from them already."""
    return "\n".join(_lines(data, made or sections(data))).rstrip("\n") + "\n"


def _lines(data: ReportData, made: Sequence[Section]) -> Iterator[str]:
    scope = "all runs" if data.scope == "*" else code(Name(data.scope))
    yield from (f"# Retrieval report: {scope}", "")
    yield from (f"**{with_note(STATUS)}**", "")
    answer, *others = made
    yield from _section(answer)
    yield from (f"{LEGEND} Made from documents of {data.summary.generated_at}.", "")
    yield from (WHERE, "")
    for section in others:
        yield from _section(section)


def _section(section: Section) -> Iterator[str]:
    yield from (f"## {section.title}", "")
    if section.text:
        yield from (*_fenced("text", section.text), "")
    for text in section.paragraphs:
        yield from (paragraph(text), "")
    for found in (table for table in section.tables if not table.detail):
        yield from (f"### {paragraph(found.caption)}", "")
        yield from table_lines(found)
        yield ""
        if found.note:
            yield from (paragraph(found.note), "")
    for point in section.points:
        yield f"- {paragraph(point)}"
    if section.points:
        yield ""
    if section.code:
        yield from (section.code_caption, "", *_fenced("toml", section.code), "")


def _fenced(language: str, text: str) -> tuple[str, str, str]:
    """A block of lines; its fence is longer than any in the text."""
    fence = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(text)), default=0))
    return (f"{fence}{language}", text, fence)


def paragraph(parts: Paragraph) -> str:
    """One paragraph, names as code."""
    return "".join(code(part) if isinstance(part, Name) else _words(part) for part in parts)


def _words(text: str) -> str:
    """A text that is no name. It makes no tag, image or link, should text of a trace get into it."""
    return _MARKUP.sub(lambda found: "\\".join(found[0]), visible(text, keep="\n"))


def code(text: str) -> str:
    """Text as a code span: nothing in it becomes markup, even if it contains backticks."""
    if not text:
        return ""
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text[0] in "` " or text[-1] in "` " else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def table_lines(found: ReportTable) -> Iterator[str]:
    """A table in aligned columns."""
    if not found.rows:
        yield "There is nothing to list."
        return
    cells = [[_cell(part) for part in row] for row in (found.headings, *found.rows)]
    widths = [max(3, *(columns_taken(row[i]) for row in cells)) for i in range(len(found.columns))]
    yield _row(cells[0], widths, found.aligns)
    rules = (
        "-" * (width - 1) + ":" if align == "right" else "-" * width
        for width, align in zip(widths, found.aligns, strict=True)
    )
    yield f"| {' | '.join(rules)} |"
    for row in cells[1:]:
        yield _row(row, widths, found.aligns)


def _cell(part: str) -> str:
    # A code host splits a row at every bar, even inside code, unless a backslash precedes it.
    return (code(part) if isinstance(part, Name) else _words(part)).replace("|", r"\|")


def _row(cells: Sequence[str], widths: Sequence[int], aligns: Sequence[Align]) -> str:
    padded = (
        " " * (width - columns_taken(cell)) + cell
        if align == "right"
        else cell + " " * (width - columns_taken(cell))
        for cell, width, align in zip(cells, widths, aligns, strict=True)
    )
    return f"| {' | '.join(padded)} |"
