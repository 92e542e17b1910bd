"""`groundtrace evaluate`: events documents to metrics and summaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from groundtrace.cli import options
from groundtrace.cli.answer import answer_data
from groundtrace.cli.prepare import prepared_request
from groundtrace.cli.terminal import print_json, print_result, say_failures, say_summary
from groundtrace.visible import plural

if TYPE_CHECKING:
    from groundtrace.stages.request import Request
    from groundtrace.stages.rows_of_runs import MadeRows


@click.command("evaluate")
@options.runs_argument
@options.work_options
@options.output_options
def command(runs: str, work: options.WorkFlags, output: options.OutputFlags) -> int:
    """Compute the metrics of every events document, and a summary of each run.

    Reads only documents, of any version 1.x; does not need traces.

    \b
    Examples:
      groundtrace evaluate runs/official
      groundtrace evaluate runs/official/my_run --out results --json
    """
    from groundtrace.artifacts.file_names import SUMMARY
    from groundtrace.stages.evaluate import evaluate, summary_of

    with prepared_request("evaluating", runs, output, work) as request:
        done = evaluate(request)
        answer = _answer(request, done.rows) if output.as_json else {}
        summaries = [f"{run.folder.url}/{SUMMARY}" for run in done.outputs]
        if not done.single:
            summaries.append(f"{request.output_folders.aggregate().url}/{SUMMARY}")
        summary = summary_of(request, done)
    if output.as_json:
        data = {
            "evaluated": done.evaluated,
            "unchanged": done.unchanged,
            "refused": done.refused,
            "failed": done.failed,
        }
        print_json(data | {"summaries": summaries} | answer)
    else:
        refused = f", {len(done.refused)} refused" if done.refused else ""
        evaluated = plural(done.evaluated, "document")
        print_result(f"{evaluated} evaluated, {done.unchanged} unchanged{refused}")
        print_result(f"summary: {summaries[-1]}")
        say_summary(summary, quiet=output.quiet)
    return say_failures(done.failed, quiet=output.quiet, everything=output.verbose)


def _answer(request: Request, rows: MadeRows) -> dict[str, Any]:
    """The answer of an analysis that is not written; empty if there is nothing to read."""
    from groundtrace.errors import NothingFoundError
    from groundtrace.impact.options import ImpactOptions
    from groundtrace.stages.impact import analysis_of_runs

    settings = request.settings
    options = ImpactOptions(baseline=settings.baseline, primaries=settings.primaries)
    try:
        return answer_data(analysis_of_runs(request, options, rows))
    except NothingFoundError:
        return answer_data(None)
