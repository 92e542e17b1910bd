"""`groundtrace export`: flat tables, TREC files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from groundtrace.cli import options
from groundtrace.cli.terminal import print_json, print_result, say_failures

if TYPE_CHECKING:
    from groundtrace.model import Problem


@click.command("export")
@options.runs_argument
@click.option(
    "--to",
    "target",
    type=click.Choice(["parquet", "csv", "trec"]),
    required=True,
    help="What to write.",
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@options.output_options
def command(runs: str, target: str, folder: Path, output: options.OutputFlags) -> int:
    """Write evaluated runs as flat tables (parquet, csv) or as TREC run and qrels files.

    The tables are trials, events, accesses, metrics, truth and problems; see the page on tables.

    \b
    Examples:
      groundtrace export runs/official --to csv tables
      groundtrace export runs/official --to parquet tables
      groundtrace export runs/official --to trec trec
    """
    from groundtrace.artifacts.output_folders import OutputFolders
    from groundtrace.errors import UsageError
    from groundtrace.stages.evaluated_trials import evaluated_trials
    from groundtrace.tables.export import write_csv, write_parquet
    from groundtrace.tables.trec import write_trec

    if "://" in str(folder) or ":/" in folder.as_posix():
        raise UsageError(f"{folder}: tables are written to a folder on disk, not to a store")
    problems: list[Problem] = []
    trials = evaluated_trials(OutputFolders(runs, output.out), output.only, problems)
    writers = {"csv": write_csv, "parquet": write_parquet, "trec": write_trec}
    written = [str(path) for path in writers[target](trials, folder)]
    if output.as_json:
        print_json({"written": written, "problems": [str(problem) for problem in problems]})
    else:
        print_result("\n".join(written))
    return say_failures(
        [str(problem) for problem in problems], quiet=output.quiet, everything=output.verbose
    )
