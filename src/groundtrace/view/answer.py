"""The answer of the stored analysis, for the first screen of the viewer."""

from __future__ import annotations

from groundtrace.documents.impact import ImpactDocument
from groundtrace.report.answer_text import analysis_lines
from groundtrace.report.safe_text import plain
from groundtrace.runs.file_names import IMPACT
from groundtrace.runs.read import StoredDocument, read_one
from groundtrace.runs.state import mark_of
from groundtrace.view.library import Snapshot

MAX_TEXT = 4_000
"""Most characters that are shown of one line."""


class StoredAnswer:
    """The answer over all results, read again only when the analysis on disk changes."""

    def __init__(self) -> None:
        self._mark = ""
        self._lines: list[tuple[str, str]] = []

    def lines(self, snapshot: Snapshot) -> list[tuple[str, str]]:
        """Each question with its answer; empty if there is no analysis.

        With `--only` there is none: the stored analysis is not about these trials alone.
        """
        mark = mark_of(snapshot.widest, IMPACT) if snapshot.results.only is None else ""
        if mark != self._mark:
            stored: StoredDocument[ImpactDocument] = read_one(
                snapshot.widest, IMPACT, "impact_analysis"
            )
            lines = [] if stored.document is None else analysis_lines(stored.document)
            self._lines = [(label, plain(text, MAX_TEXT)) for label, text in lines]
            self._mark = mark
        return self._lines
