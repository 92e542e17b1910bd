"""Events documents to metrics documents and summaries; needs only documents, no traces."""

from __future__ import annotations

from dataclasses import asdict

from groundtrace.documents.summary import RunSummaryDocument
from groundtrace.errors import NothingFoundError
from groundtrace.rows.kept import RowsByRun
from groundtrace.runs.all_outcomes import outcomes_of, outside_runs
from groundtrace.runs.evaluate_runs import documents_if_stale, evaluate_batch
from groundtrace.runs.evaluated import Evaluated
from groundtrace.runs.file_names import OUTCOMES_FILE, SUMMARY
from groundtrace.runs.output_folders import RunOutput
from groundtrace.runs.read import StoredDocument, read_one
from groundtrace.runs.request import ALL_RUNS, Request
from groundtrace.runs.rows_of_runs import ReadAgain, rows_of_runs
from groundtrace.runs.session import RunSession, batches, open_if_stale
from groundtrace.runs.small_evaluations import evaluate_small
from groundtrace.runs.state import fingerprint, mark_of
from groundtrace.runs.write import write_document


def evaluate(request: Request, fresh_rows: RowsByRun | None = None) -> Evaluated:
    """Metrics and summaries for every output folder of RUNS.

    `fresh_rows` are rows of documents that this command has just made and evaluated. Rows that are
    made here are added to them.
    """
    outputs, single = request.output_folders.existing()
    done = Evaluated(outputs, single, rows=RowsByRun() if fresh_rows is None else fresh_rows)
    made = done.rows
    request.ticker.stage("evaluating", "runs")
    request.ticker.add_total(len(outputs))
    settings = asdict(request.settings)
    looked = ((one, documents_if_stale(one, request, settings, done)) for one in outputs)
    stale = ((output, documents) for output, documents in looked if documents is not None)
    large = evaluate_small(stale, request, done)
    for batch in batches(large, lambda output: len(made.get(output.folder.url, ())) + 1):
        evaluate_batch(batch, request, done)
    if not done.evaluated and not done.unchanged and not done.failed:
        raise NothingFoundError(f"{request.runs}: no events documents; run 'groundtrace normalize'")
    if not single:
        _summarise_all(request, done)
    return done


def summary_of(request: Request, done: Evaluated) -> RunSummaryDocument | None:
    """The summary that `evaluate` wrote, over all runs or of the single run; None if unreadable."""
    folder = done.outputs[0].folder if done.single else request.output_folders.aggregate()
    stored: StoredDocument[RunSummaryDocument] = read_one(folder, SUMMARY, "run_retrieval_summary")
    return stored.document


def _summarise_all(request: Request, done: Evaluated) -> None:
    """The summary over all runs, each copy of a trial counted once."""
    target = RunOutput(ALL_RUNS, request.output_folders.aggregate())
    runs = [(o.run_id, mark_of(o.folder, SUMMARY)) for o in done.outputs]
    outside = mark_of(target.folder, OUTCOMES_FILE)
    made_from = fingerprint(runs, outside, request.only, asdict(request.settings))

    def is_current(session: RunSession) -> bool:
        return not request.force and session.is_current(SUMMARY, made_from)

    with open_if_stale(target, request.known, is_current) as session:
        if session is None:
            return
        from groundtrace.rows.summarise import summarise

        summary = summarise(
            done.table or ReadAgain(lambda: rows_of_runs(done.outputs, done.rows, request)),
            scope=ALL_RUNS,
            generated_at=request.generated_at,
            outcomes=outcomes_of(done.outputs),
            refused=sorted(done.refused, key=lambda refused: (refused.run_id, refused.path)),
            outside=outside_runs(session.folder, done.outputs),
        )
        written = write_document(session.folder, SUMMARY, summary)
        session.enter_result(SUMMARY, made_from, written)
        session.save()
