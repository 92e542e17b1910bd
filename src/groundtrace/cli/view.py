"""`groundtrace view`: the results in a browser, with the raw trace beside each call."""

from __future__ import annotations

from typing import Annotated, Unpack

import click

from groundtrace.base.shapes import Limits
from groundtrace.cli import from_options
from groundtrace.cli.prepare import settings_of, with_remembered
from groundtrace.cli.terminal import print_message, print_result
from groundtrace.options import Option, Quiet, Setup, Tracebacks, Where


class View(Where, Setup, total=False):
    """Flags of this command."""

    port: Annotated[
        int,
        Option(
            "output",
            "Port on 127.0.0.1; 0 means any free port",
            default=7457,
            limits=Limits(least=0, most=65_535),
        ),
    ]
    no_open: Annotated[bool, Option("output", "Print the address; do not open a browser")]
    quiet: Quiet
    verbose: Tracebacks


@from_options.command("view")
@click.argument("runs", metavar="[RUNS|RESULTS]", default=".")
def command(runs: str, **given: Unpack[View]) -> None:
    """Look at evaluated runs and their raw traces in a browser.

    Serves this machine only, changes nothing, and ends with Ctrl-C. The address holds a token:
    anybody who has it can read the results and traces as long as the viewer runs.

    \b
    Examples:
      groundtrace view runs/official
      groundtrace view runs/official --out results
      groundtrace view results --port 8000 --no-open
    """
    from groundtrace.base.safe_names import OUTPUT
    from groundtrace.runs.inputs import recalled
    from groundtrace.runs.prepare import folders_for
    from groundtrace.view.library import Results
    from groundtrace.view.server import Viewer

    if runs.rstrip("/").rpartition("/")[2] == OUTPUT:  # the user named a run's folder of documents
        runs = runs.rstrip("/").rpartition("/")[0] or "."
    folders = folders_for(runs, given)
    settings = settings_of(with_remembered(given, recalled(folders)))
    results = Results(folders, given.get("only"), settings)
    viewer = Viewer(results, given["port"])
    print_result(viewer.url_with(viewer.gate.token))
    if not given["no_open"]:
        import webbrowser

        webbrowser.open(viewer.url_with(viewer.gate.token_for_once()))
    print_message("press Ctrl-C to stop the viewer", quiet=given["quiet"])
    try:
        viewer.run()
    finally:
        viewer.close()
