"""Documents to reports; needs no trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import msgspec
from msgspec import field

from groundtrace import __version__
from groundtrace.documents.impact import ImpactDocument
from groundtrace.documents.summary import RefusedDocument, RunSummaryDocument
from groundtrace.errors import NothingFoundError
from groundtrace.redact import masking
from groundtrace.report import ReportData, render_html, render_markdown
from groundtrace.runs.evaluated_trials import evaluated_trials_in
from groundtrace.runs.file_names import IMPACT, OUTCOMES_FILE, REPORTS, SUMMARY
from groundtrace.runs.output_folders import RunOutput
from groundtrace.runs.page_trials import known_by, made_trials
from groundtrace.runs.read import StoredDocument, read_one
from groundtrace.runs.refused import refused_documents
from groundtrace.runs.request import ALL_RUNS, Request
from groundtrace.runs.rows_of_runs import MadeRows, ReadAgain, rows_of_runs
from groundtrace.runs.session import RunSession, open_if_stale
from groundtrace.runs.state import fingerprint, fingerprint_lines, mark_of
from groundtrace.runs.write import write_text

FILES = REPORTS
"""Format to its file."""
RENDERERS = {"md": render_markdown, "html": render_html}


class Reported(msgspec.Struct):
    """What reporting did."""

    written: list[str] = field(default_factory=list)
    """Reports that are on disk now; those over all runs come last."""
    refused: list[RefusedDocument] = field(default_factory=list)
    """Documents that cannot be read and are in no report (D62)."""


def report(
    request: Request, formats: Sequence[str] | None = None, made: MadeRows | None = None
) -> Reported:
    """Write the reports of each run, and over all runs if RUNS contains several.

    Without `formats`, both formats are written.
    """
    outputs, single = request.output_folders.existing()
    wanted = tuple(formats) if formats is not None else tuple(FILES)
    done = Reported()
    request.ticker.stage("report", "files")
    request.ticker.add_total(len(wanted) * (len(outputs) + (not single)))
    marks: dict[str, str] = {}
    refused: dict[str, list[RefusedDocument]] = {}
    for output in outputs:
        seen = request.known.look_at(output.folder)
        marks[output.folder.url] = _mark(seen.marks)
        refused[output.folder.url] = refused_documents(output, seen)
        done.refused += refused[output.folder.url]
    for output in outputs:
        own = refused[output.folder.url]
        _report(output, [output], wanted, request, made or {}, done, own, marks)
    if not single:
        aggregate = RunOutput(ALL_RUNS, request.output_folders.aggregate())
        _report(aggregate, outputs, wanted, request, made or {}, done, done.refused, marks)
    return done


def _mark(listed: Mapping[str, str]) -> str:
    """Fingerprint of everything that a report of a run shows, from the listing of its folder.

    The page contains the calls and outcomes of trials. They can change while summary and analysis
    stay the same.
    """
    shown = (
        f"{name} {mark}"
        for name, mark in sorted(listed.items())
        if name in (SUMMARY, IMPACT, OUTCOMES_FILE) or "/" in name
    )
    return fingerprint_lines(shown)


def _report(
    target: RunOutput,
    outputs: Sequence[RunOutput],
    formats: tuple[str, ...],
    request: Request,
    made: MadeRows,
    done: Reported,
    refused: Sequence[RefusedDocument],
    marks: Mapping[str, str],
) -> None:
    folder = target.folder
    done.written += [f"{folder.url}/{FILES[name]}" for name in formats]
    own = (mark_of(folder, SUMMARY), mark_of(folder, IMPACT))
    parts = [own, [marks[output.folder.url] for output in outputs]]
    made_from = fingerprint(__version__, parts, request.only, request.settings.mask, refused)

    def is_current(session: RunSession, name: str) -> bool:
        return not request.force and session.is_current(FILES[name], made_from)

    def all_are_current(session: RunSession) -> bool:
        return all(is_current(session, name) for name in formats)

    with open_if_stale(target, request.known, all_are_current) as session:
        if session is None:
            request.ticker.advance(len(formats))
            return
        # Made only if a report is written, and once for both formats.
        data = cache(lambda: _data(target, outputs, request, made, refused))
        for name in formats:
            if not is_current(session, name):
                with masking(request.settings.mask):
                    written = write_text(folder, FILES[name], RENDERERS[name](data()))
                session.enter_result(FILES[name], made_from, written)
            request.ticker.advance()
        session.save_if_changed()


def _data(
    target: RunOutput,
    outputs: Sequence[RunOutput],
    request: Request,
    made: MadeRows,
    refused: Sequence[RefusedDocument],
) -> ReportData:
    folder = target.folder
    summary: StoredDocument[RunSummaryDocument] = read_one(folder, SUMMARY, "run_retrieval_summary")
    if summary.document is None:
        reason = summary.problem.reason if summary.problem is not None else "missing"
        raise NothingFoundError(f"{folder.url}: no summary ({reason}); run 'groundtrace evaluate'")
    impact: StoredDocument[ImpactDocument] = read_one(folder, IMPACT, "impact_analysis")
    return ReportData(
        scope=target.run_id,
        summary=summary.document,
        impact=impact.document,
        impact_problem=impact.problem.reason
        if impact.problem is not None and folder.has_file(IMPACT)
        else None,
        rows=ReadAgain(lambda: rows_of_runs(outputs, made, request)),
        details=lambda: evaluated_trials_in(
            outputs, request.only, is_known=known_by(request.settings)
        ),
        made_trials=lambda level: made_trials(outputs, request, level),
        refused=tuple(refused),
    )
