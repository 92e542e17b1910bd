"""`groundtrace report`: Markdown and a self-contained page."""

from __future__ import annotations

from typing import Any

import click

from groundtrace.cli import options
from groundtrace.cli.request import request_from_flags
from groundtrace.cli.run import closing_words
from groundtrace.cli.terminal import print_json, print_message, print_result


@click.command("report")
@options.runs_argument
@options.format_option
@options.work_options
@options.output_options
def command(**flags: Any) -> int:
    """Write the reports of evaluated runs; reads documents only, never traces.

    \b
    Worked lines:
      groundtrace report runs/official
      groundtrace report runs/official --format md
    """
    from groundtrace.stages.report import report

    with request_from_flags("reporting", flags) as request:
        done = report(request, flags["formats"])
    for note in done.notes:
        print_message(note, quiet=flags["quiet"])
    if flags["as_json"]:
        print_json({"written": done.written})
    else:
        print_result(closing_words(done.written))
    return 0
