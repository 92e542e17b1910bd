"""`groundtrace report`: Markdown and a self-contained page."""

from __future__ import annotations

import click

from groundtrace.cli import options
from groundtrace.cli.prepare import prepared_request
from groundtrace.cli.run import closing_words
from groundtrace.cli.terminal import print_json, print_result, say_failures


@click.command("report")
@options.runs_argument
@options.format_option
@options.work_options
@options.output_options
def command(
    runs: str,
    formats: tuple[str, ...] | None,
    work: options.WorkFlags,
    output: options.OutputFlags,
) -> int:
    """Write the reports of evaluated runs; reads documents only, never traces.

    \b
    Examples:
      groundtrace report runs/official
      groundtrace report runs/official --format md
    """
    from groundtrace.runs.refused import lines_of
    from groundtrace.runs.report import report

    with prepared_request("reporting", runs, output, work) as request:
        done = report(request, formats)
    if output.as_json:
        print_json({"written": done.written, "refused": done.refused})
    else:
        print_result(closing_words(done.written))
    return say_failures(lines_of(done.refused), quiet=output.quiet, everything=output.verbose)
