"""The answer, first: found, used, mattered, enough, and what to look at."""

from __future__ import annotations

import re
from collections.abc import Iterator

from groundtrace.documents.impact import Answer, AnswerRow
from groundtrace.impact.answer_words import short_name
from groundtrace.impact.simulated_coverage import MEANS, coverage_text
from groundtrace.report import formats
from groundtrace.report.answer_text import (
    difference_text,
    enough_text,
    has_interval,
    new_hint,
    reward_doubt,
)
from groundtrace.report.blocks import Name, Paragraph, Quoted, ReportTable, Section, make_table
from groundtrace.report.data import ReportData

_PLAIN = re.compile(r"[\w.,;:%?'’“”()=+\- –→×…−]*")
"""Text of only such characters is never markup."""


def answer_section(data: ReportData) -> Section:
    """What a reader must know to decide."""
    if data.impact is None:
        why: Paragraph = ("No analysis was made; ", Name("groundtrace impact"), " writes it.")
        return Section("answer", "The answer", (why,))
    answer = data.impact.answer
    tables = (_table(answer),) if answer.rows else ()
    return Section(
        "answer", "The answer", tuple(_paragraphs(answer)), tables, tuple(_points(answer))
    )


def _paragraphs(answer: Answer) -> Iterator[Paragraph]:
    yield (_text(answer.statement),)
    if answer.comparison == "other_comparisons":
        yield ("The two sides do not meet all requirements of a matched comparison.",)


def _points(answer: Answer) -> Iterator[Paragraph]:
    if answer.comparison is not None:
        yield ("Enough tasks? ", _text(enough_text(answer.enough, answer)), ".")
    if answer.reward_per_dollar is not None:
        yield (
            f"Difference of reward for each extra dollar: {formats.signed(answer.reward_per_dollar)}"
            f"{reward_doubt(answer)}.",
        )
    for line in answer.look_at:
        yield ("Look at: ", _text(line), ".")
    if (hint := new_hint(answer)) is not None:
        yield ("Try: ", Quoted(hint), ".")


def _table(answer: Answer) -> ReportTable:
    if answer.baseline is None:
        rows = [
            [
                row.question,
                short_name(row.metric),
                formats.brief(row.metric, row.config),
                str(row.n),
            ]
            for row in answer.rows
        ]
        return make_table(
            (Name(answer.config or ""), " alone"), ("question", "number", ">value", ">n"), rows
        )
    caption = (Name(answer.config or ""), " against ", Name(answer.baseline))
    columns = (
        "question",
        "number",
        ">baseline",
        ">config",
        ">difference, 95 % interval",
        ">p adjusted",
        ">better/same/worse",
        ">n",
    )
    note = "Over the tasks that both configurations have. × is a ratio of geometric means."
    said = coverage_text(MEANS, (row.n for row in answer.rows if has_interval(row)))
    note += f" {said}" if said else ""
    return make_table(caption, columns, [_cells(row) for row in answer.rows], (note,))


def _cells(row: AnswerRow) -> list[str]:
    return [
        row.question,
        short_name(row.metric),
        formats.brief(row.metric, row.baseline),
        formats.brief(row.metric, row.config),
        _text(difference_text(row)) if row.config is not None else formats.MISSING,
        formats.p_value(row.p_adjusted),
        f"{row.better}/{row.same}/{row.worse}",
        formats.count(row.n),
    ]


def _text(text: str) -> str:
    """Text that may contain names from runs: unchanged if nothing in it can be markup."""
    return text if _PLAIN.fullmatch(text) else Name(text)
