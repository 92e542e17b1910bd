"""The answer in the terminal and in `--json`, and names that no configuration has."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from groundtrace.cli.terminal import print_result

if TYPE_CHECKING:
    from groundtrace.documents.impact import ImpactDocument


def answer_data(document: ImpactDocument | None) -> dict[str, Any]:
    """The answer as `--json` gives it."""
    return {"answer": None if document is None else document.answer}


def print_answer(document: ImpactDocument | None) -> None:
    """Print the answer on stdout, if there is an analysis.

    In a pipe or a file each question is one line. A terminal gets lines of its own width: a line of
    500 characters breaks inside numbers, and its rest begins below the questions.
    """
    if document is None:
        return
    from groundtrace.report.answer_text import WIDTH, analysis_lines, analysis_text

    columns = shutil.get_terminal_size().columns
    if sys.stdout.isatty() and columns >= WIDTH + NARROWEST:
        print_result(wrapped(analysis_lines(document), WIDTH, columns))
    else:
        print_result(analysis_text(document))


NARROWEST = 40
"""Fewest characters beside the questions for which lines are wrapped."""


def wrapped(lines: Iterable[tuple[str, str]], indent: int, columns: int) -> str:
    """Lines at most `columns` wide: every number starts one, and what follows is indented."""
    made = []
    for label, text in lines:
        shown = label
        for number in text.split(";  "):
            parts = textwrap.wrap(
                number,
                columns - indent,
                subsequent_indent="  ",
                break_long_words=False,
                break_on_hyphens=False,
            )
            for part in parts:
                made.append(f"{shown:<{indent}}{part}")
                shown = ""
    return "\n".join(made)


def check_names(given: Mapping[str, Any], document: ImpactDocument | None) -> None:
    """Raise UsageError if a flag names a configuration that does not exist.

    Called before anything is written, and before anything is printed: after a typing mistake, the
    answer of a comparison that nobody asked for would look like a result.
    """
    from groundtrace.runs.impact import check_configurations

    if document is not None:
        check_configurations(document, given.get("baseline"), given.get("against"))
