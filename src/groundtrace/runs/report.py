"""Documents to reports; needs no trace."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain

import msgspec
from msgspec import field

from groundtrace import __version__
from groundtrace.base.frozen import Frozen
from groundtrace.base.kept_bytes import KeptByName
from groundtrace.config import Settings
from groundtrace.documents.impact import ImpactDocument
from groundtrace.documents.outcomes import TrialOutcome
from groundtrace.documents.summary import RefusedDocument, RunSummaryDocument
from groundtrace.errors import NothingFoundError, OutputError
from groundtrace.redact import masking
from groundtrace.report import ReportData, render_html, render_markdown, sections_of
from groundtrace.report.blocks import Section
from groundtrace.report.blocks_of_trials import MadeTrial, made_trial
from groundtrace.runs.evaluated_trials import (
    MadeRows,
    ReadAgain,
    evaluated_trials_in,
    read_detail,
    rows_of_runs,
)
from groundtrace.runs.loop import Batch, Job, OpenRun, Target, settle_existing
from groundtrace.runs.output_folders import (
    EVENTS_ENDING,
    IMPACT,
    OUTCOMES_FILE,
    REPORTS,
    SUMMARY,
    RunOutput,
)
from groundtrace.runs.read import (
    OutcomeIndex,
    StoredDocument,
    document_paths,
    read_one,
    read_outcomes,
)
from groundtrace.runs.refused import refused_documents
from groundtrace.runs.request import ALL_RUNS, Request
from groundtrace.runs.session import RunSession
from groundtrace.runs.state import KEPT_TRIALS, FolderSeen, fingerprint, fingerprint_lines, mark_of
from groundtrace.runs.tally import Did
from groundtrace.runs.write import write_text
from groundtrace.storage import Folder

RENDERERS = {"md": render_markdown, "html": render_html}


class Reported(msgspec.Struct):
    """What reporting did."""

    written: list[str] = field(default_factory=list)
    """Reports that are on disk now; those over all runs come last."""
    refused: list[RefusedDocument] = field(default_factory=list)
    """Documents that cannot be read and are in no report (D62)."""


def report(
    request: Request,
    formats: Sequence[str] | None = None,
    did: Did | None = None,
) -> Reported:
    """Write the reports of each run, and over all runs if RUNS contains several.

    Without `formats`, both formats are written. `did` is what this command has done already.
    """
    outputs, single = request.output_folders.existing()
    did = did or Did()
    ours = Report(request, wanted_formats(formats))
    done = Reported(
        [f"{one.folder.url}/{REPORTS[name]}" for one in outputs for name in ours.formats]
    )
    request.ticker.stage("report", "files")
    request.ticker.add_total(len(ours.formats) * (len(outputs) + (not single)))
    settled = sum(ours.name in did.settled[one.folder.url] for one in outputs)
    request.ticker.advance(len(ours.formats) * settled)
    settle_existing(outputs, Job(request, (ours,), single), did)
    marks: list[str] = []
    for output in outputs:
        seen = request.known.look_at(output.folder)
        marks.append(_mark(seen.marks))
        done.refused += refused_documents(output, seen)
    if not single:
        target = RunOutput(ALL_RUNS, request.output_folders.aggregate())
        done.written += [f"{target.folder.url}/{REPORTS[name]}" for name in ours.formats]
        own = (mark_of(target.folder, SUMMARY), mark_of(target.folder, IMPACT))
        made_from = ours.made_from(own, marks, done.refused)
        with did.all_runs.if_stale(
            target, request.known, lambda session: not ours.stale(session, made_from)
        ) as session:
            if session is not None:
                rows = did.rows
                data = cache(
                    lambda: _data(target, outputs, request, rows, done.refused, did.made_trials)
                )
                ours.write(session, made_from, data)
            else:
                request.ticker.advance(len(ours.formats))
    return done


def wanted_formats(formats: Sequence[str] | None) -> tuple[str, ...]:
    """The formats to write; without any, all."""
    return tuple(formats) if formats is not None else tuple(REPORTS)


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


class _RunToReport(Frozen, frozen=True):
    run: OpenRun
    refused: list[RefusedDocument]
    made_from: str


class Report(Target[_RunToReport], frozen=True):
    """The reports of a run. Made from its summary, its analysis, its outcomes and documents."""

    formats: tuple[str, ...]

    def load(self) -> None:
        import groundtrace.report.html
        import groundtrace.report.markdown  # noqa: F401

    def made_from(
        self, own: tuple[str, str], marks: list[str], refused: Sequence[RefusedDocument]
    ) -> str:
        """Fingerprint of all that reports are made from: marks of the summary and the analysis, and
        of the runs."""
        request = self.request
        return fingerprint(__version__, [own, marks], request.only, request.settings.mask, refused)

    def stale(self, session: RunSession, made_from: str) -> list[str]:
        """The formats that are not on disk as they would be made now."""
        return [
            name
            for name in self.formats
            if self.request.force or not session.is_current(REPORTS[name], made_from)
        ]

    def look(self, run: OpenRun) -> _RunToReport | None:
        session = run.session
        refused = refused_documents(session.output, FolderSeen(session.state, session.marks))
        own = (session.mark(SUMMARY), session.mark(IMPACT))
        made_from = self.made_from(own, [_mark(session.marks)], refused)
        return _RunToReport(run, refused, made_from) if self.stale(session, made_from) else None

    def skip(self, run: OpenRun) -> None:
        self.request.ticker.advance(len(self.formats))

    def make(self, works: Sequence[_RunToReport], batch: Batch) -> None:
        for one in works:
            output, rows = one.run.session.output, batch.did.rows
            data = cache(
                partial(
                    _data, output, [output], self.request, rows, one.refused, batch.did.made_trials
                )
            )
            self.write(one.run.session, one.made_from, data)
            batch.clock.save_if_due()

    def write(self, session: RunSession, made_from: str, data: Callable[[], ReportData]) -> None:
        """Write the reports that are stale. Their data and sections are made once for all formats."""
        stale = self.stale(session, made_from)
        made: tuple[Section, ...] | None = None
        for name in self.formats:
            if name in stale:
                with masking(self.request.settings.mask):
                    made = made or sections_of(data())
                    text = RENDERERS[name](data(), made)
                    written = write_text(session.folder, REPORTS[name], text)
                session.enter_result(REPORTS[name], made_from, written)
            self.request.ticker.advance()


def _data(
    target: RunOutput,
    outputs: Sequence[RunOutput],
    request: Request,
    made: MadeRows,
    refused: Sequence[RefusedDocument],
    kept: KeptByName,
) -> ReportData:
    folder = target.folder
    summary: StoredDocument[RunSummaryDocument] = read_one(folder, SUMMARY, "run_retrieval_summary")
    if summary.document is None:
        reason = summary.problem.reason if summary.problem is not None else "missing"
        raise NothingFoundError(f"{folder.url}: no summary ({reason}); run 'groundtrace run'")
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
        made_trials=lambda level: made_trials(outputs, request, level, kept),
        refused=tuple(refused),
    )


# the trials of a page


class PageWork(Frozen, frozen=True):
    """One trial of a page."""

    number: int
    """Its place in the order of the rows of its run."""
    output: Folder
    path: str
    """Path of the events document, relative to `output`."""
    outcome: TrialOutcome
    """The outcome that names the document."""
    level: int
    settings: Settings

    def folders(self) -> tuple[Folder]:
        """Folders that a worker must see."""
        return (self.output,)

    def input_bytes(self) -> int | None:
        """Its documents are small."""
        return 0


def made_trials(
    outputs: Sequence[RunOutput], request: Request, level: Callable[[], int], kept: KeptByName
) -> Iterator[MadeTrial]:
    """Trials of these output folders, in the order of their rows, made by the engine.

    Those of smaller runs are kept: the page over all runs shows them too. Raises OutputError if a
    trial cannot be made: a chart that leaves it out would be wrong.
    """
    for output in outputs:
        folder, index = output.folder, OutcomeIndex(read_outcomes(output.folder))
        every = document_paths(folder, EVENTS_ENDING)
        paths = [path for path in every if index.wants(path, request.only)]
        found: dict[int, MadeTrial | None] = {
            number: None for number, path in enumerate(paths) if index.by_document(path) is None
        }
        known = _kept_trials(folder, paths, kept, level()) if len(paths) < KEPT_TRIALS else {}
        found |= known
        left = [number for number in range(len(paths)) if number not in found]
        works = _PageWorks(folder, paths, left, index, level, request.settings)
        following = 0
        for done in chain((None,), request.engine.map(_made, works)):
            if done is not None:
                if done.error is not None:
                    raise OutputError(f"{done.item.path}: not made for the page ({done.error})")
                found[done.item.number] = done.result
            while following in found:
                made = found.pop(following) or _made_here(
                    folder, paths[following], index, level(), request.settings
                )
                if made is not None:
                    if len(paths) < KEPT_TRIALS and following not in known:
                        data = pickle.dumps(made, pickle.HIGHEST_PROTOCOL)
                        kept.keep(f"{folder.url}/{paths[following]}", data)
                    yield made
                following += 1


def _kept_trials(
    folder: Folder, paths: Sequence[str], kept: KeptByName, level: int
) -> dict[int, MadeTrial]:
    """Trials that were made for another page, with at least the details of this level."""
    found: dict[int, MadeTrial] = {}
    for number, path in enumerate(paths):
        data = kept.get(f"{folder.url}/{path}")
        made: MadeTrial | None = None if data is None else pickle.loads(data)
        if made is not None and made.level <= level:
            found[number] = made
    return found


def known_by(settings: Settings) -> Callable[[str], bool]:
    """Whether a tool is known, with the tools that the settings add."""
    from groundtrace.tools import is_known_tool

    return partial(is_known_tool, settings=settings)


class _PageWorks(Frozen, frozen=True):
    """The trials to make. The level of each is that at which the page is when its turn comes."""

    output: Folder
    paths: Sequence[str]
    numbers: Sequence[int]
    index: OutcomeIndex
    level: Callable[[], int]
    settings: Settings

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[PageWork]:
        for number in self.numbers:
            path = self.paths[number]
            outcome = self.index.by_document(path)
            if outcome is not None:
                yield PageWork(number, self.output, path, outcome, self.level(), self.settings)


def _made(work: PageWork) -> MadeTrial | None:
    """A trial of the page; None if it cannot be read, or the outcome may be of another trial."""
    one = OutcomeIndex.of_one(work.path, work.outcome)
    detail, _ = read_detail(work.output, work.path, one, known_by(work.settings))
    if detail is None or detail.row.outcome is None:
        return None
    with masking(work.settings.mask):
        return made_trial(detail, work.level)


def _made_here(
    output: Folder, path: str, index: OutcomeIndex, level: int, settings: Settings
) -> MadeTrial | None:
    """A trial that only all outcomes together can tell about; None if it cannot be read."""
    detail, _ = read_detail(output, path, index, known_by(settings))
    return None if detail is None else made_trial(detail, level)
