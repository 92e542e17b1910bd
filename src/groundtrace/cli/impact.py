"""`groundtrace impact`: correlations and matched comparisons."""

from __future__ import annotations

from functools import partial

import click

from groundtrace.cli import options
from groundtrace.cli.answer import answer_data, check_names, print_answer
from groundtrace.cli.prepare import impact_options_for, prepared_request
from groundtrace.cli.terminal import print_json, print_result, say_failures


@click.command("impact")
@options.runs_argument
@options.impact_options
@options.work_options
@options.output_options
def command(
    runs: str,
    comparing: options.ImpactFlags,
    work: options.WorkFlags,
    output: options.OutputFlags,
) -> int:
    """Relate retrieval to reward, cost and time, and compare configurations on matched tasks.

    Association only: nothing here ranks, gates or scores.

    \b
    Examples:
      groundtrace impact runs/official
      groundtrace impact runs/official --baseline baseline-local-direct --against mcp-remote-direct
      groundtrace impact runs/official --pair-across-runs --seed 7
    """
    from groundtrace.runs.impact import impact, widest_document
    from groundtrace.runs.refused import lines_of

    with prepared_request("analysing", runs, output, work, comparing=comparing) as request:
        analysis = impact_options_for(comparing, request.settings)
        done = impact(request, analysis, check=partial(check_names, comparing))
        document = widest_document(request)
    check_names(comparing, document)
    if output.as_json:
        print_json({"written": done.written, "refused": done.refused} | answer_data(document))
    else:
        print_answer(document)
        print_result(f"impact: {done.written[-1]}")
    return say_failures(lines_of(done.refused), quiet=output.quiet, everything=output.verbose)
