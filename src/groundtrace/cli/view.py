"""`groundtrace view`: the results in a browser, with the raw trace beside each call."""

from __future__ import annotations

from pathlib import Path

import click

from groundtrace.cli import options
from groundtrace.cli.prepare import settings_for
from groundtrace.cli.terminal import print_message, print_result


@click.command("view")
@click.argument("runs", metavar="[RUNS|RESULTS]", default=".")
@click.option("--out", metavar="DIR", help="Where the results are, if not inside RUNS.")
@click.option("--only", metavar="PATTERN", help="Only tasks whose name matches, such as 'fix-*'.")
@click.option(
    "--port",
    type=click.IntRange(min=0, max=65535),
    help="Port on 127.0.0.1; default: 7457; 0 means any free port.",
)
@click.option("--no-open", is_flag=True, help="Print the address; do not open a browser.")
@options.config_option
@options.quiet_option
@options.no_mask_option
@options.verbose_option("Show tracebacks for errors.")
def command(
    runs: str,
    out: str | None,
    only: str | None,
    port: int | None,
    no_open: bool,
    config_file: Path | None,
    quiet: bool,
    no_mask: bool,
) -> None:
    """Look at evaluated runs in a browser: search, filter, compare, and read the raw trace.

    Serves this machine only, changes nothing, and ends with Ctrl-C. The address holds a token:
    anybody who has it can read the results and traces as long as the viewer runs.

    \b
    Examples:
      groundtrace view runs/official
      groundtrace view runs/official --out results
      groundtrace view results --port 8000 --no-open
    """
    from groundtrace.base.safe_names import OUTPUT
    from groundtrace.runs.output_folders import OutputFolders
    from groundtrace.view.library import Results
    from groundtrace.view.server import PORT, Viewer

    if runs.rstrip("/").rpartition("/")[2] == OUTPUT:  # the user named a run's folder of documents
        runs = runs.rstrip("/").rpartition("/")[0] or "."
    settings = settings_for(config_file, no_mask=no_mask)
    results = Results(OutputFolders(runs, out), only, settings)
    viewer = Viewer(results, PORT if port is None else port)
    print_result(viewer.url_with(viewer.gate.token))
    if not no_open:
        import webbrowser

        webbrowser.open(viewer.url_with(viewer.gate.token_for_once()))
    print_message("press Ctrl-C to stop the viewer", quiet=quiet)
    try:
        viewer.run()
    finally:
        viewer.close()
