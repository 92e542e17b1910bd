"""The summary of one run, written by a worker. A folder of a thousand small runs has a thousand
summaries to write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from groundtrace.base.frozen import Frozen
from groundtrace.documents.outcomes import OutcomesDocument
from groundtrace.documents.summary import RefusedDocument
from groundtrace.rows.kept import unpacked
from groundtrace.runs.file_names import SUMMARY
from groundtrace.runs.rows_of_runs import ReadAgain
from groundtrace.runs.write import write_document
from groundtrace.storage import Folder, FolderEntry

if TYPE_CHECKING:
    from groundtrace.rows.summarise import SummaryTable

SMALL_RUN = 500
"""Most rows that are sent to a worker, a few megabytes. A larger run is summarised in the main
process, which has the rows."""


class SummaryWork(Frozen, frozen=True):
    """Everything that the summary of a run is made from."""

    output: Folder
    run_id: str
    generated_at: str
    rows: Iterable[bytes]
    """Its rows as they are stored, in the order of their documents."""
    outcomes: OutcomesDocument | None
    problems: Mapping[str, int]
    refused: Sequence[RefusedDocument]

    def input_bytes(self) -> int | None:
        """Bytes of its rows, if they are in memory."""
        return sum(map(len, self.rows)) if isinstance(self.rows, list) else None


def write_summary(work: SummaryWork) -> FolderEntry:
    """Write the summary of a run; returns the entry of the file on disk."""
    return write_with_table(work)[0]


def write_with_table(work: SummaryWork) -> tuple[FolderEntry, SummaryTable]:
    """The same, and the table of the run's rows: if there is no other run, the summary over all
    runs has the same statistics."""
    from groundtrace.rows.summarise import summarise, table_of

    table = table_of(ReadAgain(lambda: map(unpacked, work.rows)))
    summary = summarise(
        table,
        scope=work.run_id,
        generated_at=work.generated_at,
        outcomes=[work.outcomes] if work.outcomes is not None else [],
        problems=work.problems,
        refused=work.refused,
    )
    return write_document(work.output, SUMMARY, summary), table
