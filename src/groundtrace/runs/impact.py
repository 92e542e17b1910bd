"""Metrics documents and outcomes to the impact analysis; needs no trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import msgspec
from msgspec import field
from msgspec.structs import asdict, replace

from groundtrace.base.frozen import Frozen
from groundtrace.base.suggest import unknown_name
from groundtrace.documents.impact import ImpactDocument
from groundtrace.documents.summary import RefusedDocument
from groundtrace.errors import NothingFoundError, UsageError
from groundtrace.impact.options import ImpactOptions, fitting
from groundtrace.runs.evaluated_trials import MadeRows, rows_for_impact
from groundtrace.runs.loop import Batch, Job, OpenRun, Target, settle_existing
from groundtrace.runs.output_folders import (
    IMPACT,
    METRICS_ENDING,
    OUTCOMES_FILE,
    OutputFolders,
    RunOutput,
)
from groundtrace.runs.read import StoredDocument, read_one
from groundtrace.runs.refused import lines_of, refused_documents
from groundtrace.runs.request import ALL_RUNS, Request
from groundtrace.runs.session import RunSession
from groundtrace.runs.state import FolderSeen, fingerprint, fingerprint_lines
from groundtrace.runs.tally import Did
from groundtrace.runs.write import write_document


class Analysed(msgspec.Struct):
    """What the analysis did."""

    outputs: list[RunOutput] = field(default_factory=list)
    single: bool = True
    """RUNS is one run."""
    written: list[str] = field(default_factory=list)
    """Documents that are on disk now, including those that did not change."""
    refused: list[RefusedDocument] = field(default_factory=list)
    """Documents that cannot be read and do not count (D62)."""


Check = Callable[[ImpactDocument], None]
"""Raises an error if the user asked for something that the analysis over all of RUNS lacks."""


def impact(
    request: Request,
    options: ImpactOptions,
    check: Check | None = None,
    *,
    then: tuple[Target[Any], ...] = (),
    did: Did | None = None,
) -> Analysed:
    """Analyse each run, and all runs together if RUNS contains several.

    The widest analysis comes first: if `check` refuses it, nothing is written. `then` are targets
    that are made at once from the analysis of each run. `did` is what this command has done
    already.
    """
    outputs, single = request.output_folders.existing()
    done = Analysed(outputs, single)
    did = did or Did()
    inputs = {output.folder.url: _inputs_of(output, request) for output in outputs}
    done.refused += [one for of_run in inputs.values() for one in of_run.refused]
    ours = Impact(request, options, check if single else None)
    request.ticker.stage("comparing", "analyses")
    request.ticker.add_total(len(outputs) + (not single))
    request.ticker.advance(sum(ours.name in did.settled[one.folder.url] for one in outputs))
    if not single:
        target = RunOutput(ALL_RUNS, request.output_folders.aggregate())
        _analyse_all(target, outputs, request, options, did, inputs, check)
        request.ticker.advance()
    # An analysis takes milliseconds: alone it is not worth a worker.
    settle_existing(outputs, Job(request, (ours, *then), single, may_be_sent=bool(then)), did)
    done.written += [f"{output.folder.url}/{IMPACT}" for output in outputs]
    if not single:
        done.written.append(f"{target.folder.url}/{IMPACT}")
    return done


def widest_document(request: Request) -> ImpactDocument | None:
    """The stored analysis over all of RUNS; None if it cannot be read."""
    return stored_analysis(request.output_folders)


def stored_analysis(folders: OutputFolders) -> ImpactDocument | None:
    """The same, without a request."""
    outputs, single = folders.existing()
    folder = outputs[0].folder if single else folders.aggregate()
    stored: StoredDocument[ImpactDocument] = read_one(folder, IMPACT, "impact_analysis")
    return stored.document


def check_configurations(
    document: ImpactDocument, baseline: str | None, against: str | None, flags: str = "--"
) -> None:
    """Raise UsageError if no configuration has a given name: a typing mistake would look like a
    result."""
    names = [own.config_name for own in document.config_aggregates]
    for flag, name in (("baseline", baseline), ("against", against)):
        if name is not None and not fitting(names, name):
            raise UsageError(f"{flags}{flag}: {unknown_name('configuration', name, names)}")


def analysis_of_runs(
    request: Request, options: ImpactOptions, made: MadeRows | None = None
) -> ImpactDocument:
    """The analysis over all of RUNS, without writing it."""
    outputs, single = request.output_folders.existing()
    scope = outputs[0].run_id if single else ALL_RUNS
    inputs = {output.folder.url: _inputs_of(output, request) for output in outputs}
    return _analysis(outputs, scope, request, options, made or {}, inputs)


def _analyse_all(
    target: RunOutput,
    outputs: Sequence[RunOutput],
    request: Request,
    options: ImpactOptions,
    did: Did,
    inputs: Mapping[str, _Inputs],
    check: Check | None,
) -> None:
    """The analysis of all runs together."""
    refused = [one for output in outputs for one in inputs[output.folder.url].refused]
    marks = [inputs[output.folder.url].mark for output in outputs]
    made_from = fingerprint(marks, asdict(options), request.only, refused)

    def is_current(session: RunSession) -> bool:
        return not request.force and session.is_current(IMPACT, made_from)

    with did.all_runs.if_stale(target, request.known, is_current) as session:
        if session is not None:
            analysis = _analysis(outputs, target.run_id, request, options, did.rows, inputs)
            _write(session, analysis, made_from, refused, check)


def _write(
    session: RunSession,
    analysis: ImpactDocument,
    made_from: str,
    refused: list[RefusedDocument],
    check: Check | None,
) -> None:
    if check is not None:
        check(analysis)
    analysis = msgspec.structs.replace(analysis, refused=refused)
    written = write_document(session.folder, IMPACT, analysis)
    session.enter_result(IMPACT, made_from, written)


class _RunToAnalyse(NamedTuple):
    run: OpenRun
    inputs: _Inputs
    made_from: str


class Impact(Target[_RunToAnalyse], frozen=True):
    """The analysis of a run. Made from its metrics documents, its outcomes and the options."""

    options: ImpactOptions
    check: Check | None = None

    def load(self) -> None:
        import groundtrace.impact.analysis  # noqa: F401

    def look(self, run: OpenRun) -> _RunToAnalyse | None:
        request, session = self.request, run.session
        inputs = _inputs(session.output, FolderSeen(session.state, session.marks))
        made_from = fingerprint([inputs.mark], asdict(self.options), request.only, inputs.refused)
        if not request.force and session.is_current(IMPACT, made_from):
            return None
        return _RunToAnalyse(run, inputs, made_from)

    def make(self, works: Sequence[_RunToAnalyse], batch: Batch) -> None:
        for run, inputs, made_from in works:
            output = run.session.output
            of_run = {run.address: inputs}
            rows = batch.did.rows
            analysis = _analysis([output], output.run_id, self.request, self.options, rows, of_run)
            _write(run.session, analysis, made_from, inputs.refused, self.check)
            self.request.ticker.advance()
            batch.clock.save_if_due()


def _analysis(
    outputs: Sequence[RunOutput],
    scope: str,
    request: Request,
    options: ImpactOptions,
    made: MadeRows,
    inputs: Mapping[str, _Inputs],
) -> ImpactDocument:
    from groundtrace.impact import analyse

    # Rows come one at a time: the analysis keeps only a tenth of each row.
    without = {url: frozenset(one.path for one in own.refused) for url, own in inputs.items()}
    rows = rows_for_impact(outputs, made, request, without)
    first = next(rows, None)
    if first is None:
        named = [one for own in inputs.values() for one in own.refused]
        why = f"all refused, such as {lines_of(named)[0]}" if named else "no metrics"
        raise NothingFoundError(f"{request.runs}: {why}; run 'groundtrace run' first")
    every = chain((first,), rows)
    paths = (one.path.partition("/") for own in inputs.values() for one in own.refused)
    options = replace(options, refused=frozenset((config, file) for config, _, file in paths))
    return analyse(every, options, generated_at=request.generated_at, scope=scope)


class _Inputs(Frozen, frozen=True):
    """What an analysis needs to know about the documents of a run before it reads them."""

    mark: str
    """Fingerprint of outcomes and metrics."""
    refused: list[RefusedDocument]


def _inputs_of(output: RunOutput, request: Request) -> _Inputs:
    return _inputs(output, request.known.look_at(output.folder))


def _inputs(output: RunOutput, seen: FolderSeen) -> _Inputs:
    marks = seen.marks
    names = (n for n in sorted(marks) if n == OUTCOMES_FILE or n.endswith(METRICS_ENDING))
    mark = fingerprint_lines(chain((output.run_id,), (f"{name} {marks[name]}" for name in names)))
    return _Inputs(mark, refused_documents(output, seen))
