"""Documents to reports; needs no trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from groundtrace.artifacts.lock import locked
from groundtrace.artifacts.output_folders import RunOutput
from groundtrace.artifacts.read import Stored, read_one
from groundtrace.artifacts.state import fingerprint, load_state, save_state
from groundtrace.artifacts.write import write_text
from groundtrace.documents.impact import ImpactDocument
from groundtrace.documents.summary import RunSummaryDocument
from groundtrace.errors import MissingExtraError, NothingFoundError
from groundtrace.report import ReportData, render_html, render_markdown
from groundtrace.rows.trial_row import TrialRow
from groundtrace.stages import ALL_RUNS, Request
from groundtrace.stages.details import details_of
from groundtrace.stages.evaluate import SUMMARY, Rows, rows_of, stamp_of
from groundtrace.stages.impact import IMPACT
from groundtrace.storage import Folder

FILES = {"md": "retrieval_report.md", "html": "retrieval_report.html"}
"""Format to its file."""
RENDERERS = {"md": render_markdown, "html": render_html}


@dataclass(slots=True)
class Reported:
    """What reporting did."""

    written: list[str] = field(default_factory=list)
    """Reports that stand on disk now; those of all runs last."""
    notes: list[str] = field(default_factory=list)
    """What could not be written, and the way out."""


def report(
    request: Request, formats: Sequence[str] | None = None, made: Rows | None = None
) -> Reported:
    """The reports of each run, and of all runs together where RUNS holds several.

    Without `formats` both are written, the page only where its extra is installed.
    """
    outputs, single = request.places.existing()
    wanted = tuple(formats) if formats is not None else tuple(FILES)
    done = Reported()
    for output in outputs:
        _report(output.folder, output.run_id, [output], wanted, request, made or {}, done)
    if not single:
        aggregate = request.places.aggregate()
        _report(aggregate, ALL_RUNS, outputs, wanted, request, made or {}, done)
    return done


def _report(
    folder: Folder,
    scope: str,
    outputs: Sequence[RunOutput],
    formats: tuple[str, ...],
    request: Request,
    made: Rows,
    done: Reported,
) -> None:
    with locked(folder):
        state = load_state(folder)
        parts = [
            (stamp_of(f, SUMMARY), stamp_of(f, IMPACT))
            for f in (folder, *(o.folder for o in outputs))
        ]
        content = fingerprint(parts, request.only)
        made_once = _Once(lambda: _data(folder, scope, outputs, request, made))
        wanted = list(formats)
        for name in wanted:
            file = FILES[name]
            fresh = state.results.get(file) == content and folder.has_file(file)
            if request.force or not fresh:
                try:
                    write_text(folder, file, RENDERERS[name](made_once.value()))
                except MissingExtraError as error:
                    _note(done, f"{error}; the Markdown was written")
                    if "md" not in wanted:
                        wanted.append("md")  # the loop takes it up next
                    continue
                state.results[file] = content
            done.written.append(f"{folder.url}/{file}")
        save_state(folder, state)


class _Once:
    """Makes the data when it is first needed, and keeps it."""

    def __init__(self, make: Callable[[], ReportData]) -> None:
        self._make = make
        self._value: ReportData | None = None

    def value(self) -> ReportData:
        """The data."""
        if self._value is None:
            self._value = self._make()
        return self._value


def _note(done: Reported, text: str) -> None:
    if text not in done.notes:
        done.notes.append(text)


def _data(
    folder: Folder, scope: str, outputs: Sequence[RunOutput], request: Request, made: Rows
) -> ReportData:
    summary: Stored[RunSummaryDocument] = read_one(folder, SUMMARY, "run_retrieval_summary")
    if summary.document is None:
        reason = summary.problem.reason if summary.problem is not None else "missing"
        raise NothingFoundError(f"{folder.url}: no summary ({reason}); run 'groundtrace evaluate'")
    impact: Stored[ImpactDocument] = read_one(folder, IMPACT, "impact_analysis")
    return ReportData(
        scope=scope,
        summary=summary.document,
        impact=impact.document,
        impact_problem=impact.problem.reason
        if impact.problem is not None and folder.has_file(IMPACT)
        else None,
        rows=_Rows(lambda: rows_of(outputs, made, request)),
        details=lambda: details_of(outputs, request.only),
    )


class _Rows:
    """Rows that are read anew each time: a benchmark's do not fit into memory."""

    def __init__(self, read: Callable[[], Iterator[TrialRow]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[TrialRow]:
        return self._read()
