"""`groundtrace report`: Markdown and a self-contained page."""

from __future__ import annotations

from typing import Unpack

from groundtrace.cli import from_options
from groundtrace.cli.prepare import prepared_request
from groundtrace.cli.run import closing_words
from groundtrace.cli.terminal import print_json, print_result, say_failures
from groundtrace.options import Messages, Progress, Reports, Setup, Where, Work


class Report(Reports, Work, Where, Setup, Progress, Messages, total=False):
    """Flags of this command."""


@from_options.command("report", takes_runs=True)
def command(runs: str, **given: Unpack[Report]) -> int:
    """Write the reports of evaluated runs from their documents.

    \b
    Examples:
      groundtrace report runs/official
      groundtrace report runs/official --format md
    """
    from groundtrace.runs.prepare import formats_for
    from groundtrace.runs.refused import lines_of
    from groundtrace.runs.report import report

    with prepared_request("reporting", runs, given) as request:
        done = report(request, formats_for(given))
    if given["json"]:
        print_json({"written": done.written, "refused": done.refused})
    else:
        print_result(closing_words(done.written))
    return say_failures(lines_of(done.refused), quiet=given["quiet"], everything=given["verbose"])
