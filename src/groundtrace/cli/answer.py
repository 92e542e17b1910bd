"""The answer in the terminal and in `--json`, and names that no configuration has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groundtrace.cli.terminal import print_result

if TYPE_CHECKING:
    from groundtrace.cli.options import ImpactFlags
    from groundtrace.documents.impact import ImpactDocument


def answer_data(document: ImpactDocument | None) -> dict[str, Any]:
    """What `--json` carries of the answer."""
    return {"answer": None if document is None else document.answer}


def print_answer(document: ImpactDocument | None) -> None:
    """The answer on stdout, where there is an analysis."""
    from groundtrace.report.answer_text import answer_text

    if document is not None:
        print_result(answer_text(document.answer))


def check_names(comparing: ImpactFlags, document: ImpactDocument | None) -> None:
    """Raise UsageError for a name given as a flag that no configuration has: a slip of the
    finger would look like a result."""
    from groundtrace.errors import UsageError
    from groundtrace.impact.matched import fitting
    from groundtrace.suggest import unknown_name

    if document is None:
        return
    names = [own.config_name for own in document.config_aggregates]
    for flag, name in (("--baseline", comparing.baseline), ("--against", comparing.against)):
        if name is not None and not fitting(names, name):
            raise UsageError(f"{flag}: {unknown_name('configuration', name, names)}")
