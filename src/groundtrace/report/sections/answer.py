"""The answer, first: found, used, result, price, and what to look at."""

from __future__ import annotations

import re
from collections.abc import Iterator

from groundtrace.documents.answer import Answer, AnswerRow
from groundtrace.impact.answer_words import short_name
from groundtrace.impact.simulated_coverage import MEANS, coverage_text
from groundtrace.report import formats
from groundtrace.report.answer_text import QUESTIONS, also_text, title, verdict_text, written
from groundtrace.report.blocks import Name, Paragraph, ReportTable, Section, make_table
from groundtrace.report.data import ReportData

_PLAIN = re.compile(r"[\w.,;:%$?'’“”()=+\- –→×…−]*")
"""Text of only such characters is never markup."""


def answer_section(data: ReportData) -> Section:
    """What a reader must know to decide."""
    if data.impact is None:
        why: Paragraph = ("No analysis was made; ", Name("groundtrace impact"), " writes it.")
        return Section("answer", "The answer", (why,))
    answer = data.impact.answer
    tables = (_table(answer),) if answer.rows else ()
    others = [one for one in data.impact.answers if one != answer]
    points = (*_points(answer), *(("Also: ", _text(also_text(one)), ".") for one in others))
    return Section("answer", "The answer", tuple(_paragraphs(answer)), tables, points)


def _paragraphs(answer: Answer) -> Iterator[Paragraph]:
    yield (_text(answer.headline),)
    if answer.statement != answer.headline:
        yield (_text(answer.statement),)


def _points(answer: Answer) -> Iterator[Paragraph]:
    for item in answer.look_at:
        yield ("Look at: ", _text(item.text), ".")


def _table(answer: Answer) -> ReportTable:
    if answer.baseline is None:
        rows = [
            [
                QUESTIONS[row.question],
                short_name(row.metric),
                written(row.metric, row.config),
                str(row.n),
            ]
            for row in answer.rows
        ]
        return make_table((_text(title(answer)),), ("question", "number", ">value", ">n"), rows)
    columns = (
        "question",
        "number",
        ">baseline",
        ">config",
        "verdict, difference and interval",
        ">p adjusted",
        ">better/same/worse",
        ">n",
    )
    note = (
        "Over the tasks that both configurations have. All intervals of the answer together hold "
        "with 95 %."
    )
    said = coverage_text(MEANS, (row.n for row in answer.rows if row.ci_low is not None))
    note += f" {said}" if said else ""
    caption = (Name(answer.config or ""), " against ", Name(answer.baseline))
    return make_table(caption, columns, [_cells(row) for row in answer.rows], (note,))


def _cells(row: AnswerRow) -> list[str]:
    return [
        QUESTIONS[row.question],
        short_name(row.metric),
        written(row.metric, row.baseline),
        written(row.metric, row.config),
        _text(verdict_text(row)),
        formats.p_value(row.p_adjusted),
        f"{row.better}/{row.same}/{row.worse}",
        formats.count(row.n),
    ]


def _text(text: str) -> str:
    """Text that may contain names from runs: unchanged if nothing in it can be markup."""
    return text if _PLAIN.fullmatch(text) else Name(text)
