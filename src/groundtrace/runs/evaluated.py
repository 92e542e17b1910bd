"""What evaluating did, for messages and for the stages after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import field

from groundtrace.documents.summary import RefusedDocument
from groundtrace.rows.kept import RowsByRun
from groundtrace.runs.output_folders import RunOutput

if TYPE_CHECKING:
    from groundtrace.rows.summarise import SummaryTable


class OlderDocument(NamedTuple):
    """An events document that another version of groundtrace made."""

    path: str
    version: str


class Evaluated(msgspec.Struct):
    """What evaluating did."""

    outputs: list[RunOutput] = field(default_factory=list)
    single: bool = True
    """RUNS is one run."""
    evaluated: int = 0
    """Number of documents that were evaluated now."""
    unchanged: int = 0
    """Number of documents whose metrics are current."""
    refused: list[RefusedDocument] = field(default_factory=list)
    """Documents that cannot be read; the numbers above do not count them (D62)."""
    failed: list[str] = field(default_factory=list)
    """What could not be done, including refused documents; one line each."""
    older: list[OlderDocument] = field(default_factory=list)
    """Documents that another version of groundtrace made: their accesses are as it read them."""
    rows: RowsByRun = field(default_factory=RowsByRun)
    """Run folder to its rows, for runs that needed work."""
    table: SummaryTable | None = None
    """The rows of the only run that there is, if its summary was made now."""

    def add(self, part: Evaluated) -> None:
        """Add what was done for some of the runs elsewhere, apart from their rows."""
        self.evaluated += part.evaluated
        self.unchanged += part.unchanged
        self.refused += part.refused
        self.failed += part.failed
        self.older += part.older
