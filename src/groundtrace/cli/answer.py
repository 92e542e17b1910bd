"""The answer in the terminal and in `--json`, and names that no configuration has."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from groundtrace.cli.terminal import print_coloured

if TYPE_CHECKING:
    from groundtrace.documents.impact import ImpactDocument


def answer_data(document: ImpactDocument | None) -> dict[str, Any]:
    """The answer as `--json` gives it."""
    if document is None:
        return {"answer": None, "answers": []}
    return {"answer": document.answer, "answers": document.answers}


def print_answer(document: ImpactDocument | None) -> None:
    """Print the answer on stdout, if there is an analysis; lines are at most 100 characters wide,
    or as wide as the terminal."""
    if document is None:
        return
    from groundtrace.report.answer_text import WIDTH, analysis_text

    terminal = sys.stdout.isatty()
    columns = WIDTH
    if terminal:
        import shutil  # it imports every kind of compression

        columns = shutil.get_terminal_size().columns
    colour = wants_colour(os.environ, terminal=terminal)
    print_coloured(analysis_text(document, max(NARROWEST, min(WIDTH, columns)), colour))


NARROWEST = 40
"""Fewest characters for which lines are wrapped."""


def wants_colour(environment: Mapping[str, str], *, terminal: bool) -> bool:
    """Whether to print colours: by the usual variables, else on a terminal that has them."""
    if environment.get("NO_COLOR"):
        return False
    if any(
        environment.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")
    ):
        return True
    plain = environment.get("TERM") == "dumb" or environment.get("CLICOLOR") == "0"
    return terminal and not plain


def check_names(given: Mapping[str, Any], document: ImpactDocument | None) -> None:
    """Raise UsageError if a flag names a configuration that does not exist.

    Called before anything is written, and before anything is printed: after a typing mistake, the
    answer of a comparison that nobody asked for would look like a result.
    """
    from groundtrace.runs.impact import check_configurations

    if document is not None:
        check_configurations(document, given.get("baseline"), given.get("against"))
