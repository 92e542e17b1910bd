"""`groundtrace impact`: correlations and matched comparisons."""

from __future__ import annotations

from functools import partial
from typing import Unpack

from groundtrace.cli import from_options
from groundtrace.cli.answer import answer_data, check_names, print_answer
from groundtrace.cli.prepare import prepared_request
from groundtrace.cli.terminal import print_json, print_result, say_failures
from groundtrace.options import CompareOptions, Messages, Progress, Work


class Impact(CompareOptions, Work, Progress, Messages, total=False):
    """Flags of this command."""


@from_options.command("impact", takes_runs=True)
def command(runs: str, **given: Unpack[Impact]) -> int:
    """Compare configurations; relate retrieval to reward and cost.

    Association only: nothing here ranks, gates or scores.

    \b
    Examples:
      groundtrace impact runs/official
      groundtrace impact runs/official --baseline baseline-local-direct --against mcp-remote-direct
      groundtrace impact runs/official --pair-across-runs --seed 7
    """
    from groundtrace.runs.impact import impact, widest_document
    from groundtrace.runs.prepare import impact_options_for
    from groundtrace.runs.refused import lines_of

    with prepared_request("analysing", runs, given) as request:
        analysis = impact_options_for(given, request.settings)
        done = impact(request, analysis, check=partial(check_names, given))
        document = widest_document(request)
    check_names(given, document)
    if given["json"]:
        print_json({"written": done.written, "refused": done.refused} | answer_data(document))
    else:
        print_answer(document)
        print_result(f"impact: {done.written[-1]}")
    return say_failures(lines_of(done.refused), quiet=given["quiet"], everything=given["verbose"])
