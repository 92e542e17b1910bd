"""The answer in the terminal and in `--json`, and names that no configuration has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groundtrace.cli.terminal import print_result

if TYPE_CHECKING:
    from groundtrace.cli.options import ImpactFlags
    from groundtrace.documents.impact import ImpactDocument


def answer_data(document: ImpactDocument | None) -> dict[str, Any]:
    """The answer as `--json` gives it."""
    return {"answer": None if document is None else document.answer}


def print_answer(document: ImpactDocument | None) -> None:
    """Print the answer on stdout, if there is an analysis."""
    from groundtrace.report.answer_text import analysis_text

    if document is not None:
        print_result(analysis_text(document))


def check_names(comparing: ImpactFlags, document: ImpactDocument | None) -> None:
    """Raise UsageError if a flag names a configuration that does not exist.

    Called before anything is printed: after a typing mistake, the answer of a comparison that nobody
    asked for would look like a result.
    """
    from groundtrace.stages.impact import check_configurations

    if document is not None:
        check_configurations(document, comparing.baseline, comparing.against)
