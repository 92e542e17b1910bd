"""`groundtrace export`: flat tables, TREC files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Unpack

import click

from groundtrace.cli import from_options
from groundtrace.cli.terminal import print_json, print_message, print_result, say_failures
from groundtrace.options import Messages, Option, Setup, Stored

if TYPE_CHECKING:
    from groundtrace.model import Problem


NO_ANALYSIS = (
    "no impact analysis there: comparisons and correlations are empty; run 'groundtrace run'"
)


class Export(Stored, Setup, Messages, total=False):
    """Flags of this command."""

    to: Annotated[
        Literal["parquet", "csv", "trec"], Option("output", "What to write", required=True)
    ]


@from_options.command("export", takes_runs=True)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
def command(runs: str, folder: Path, **given: Unpack[Export]) -> int:
    """Write evaluated runs as tables or as TREC files.

    The tables are trials, events, accesses, files, tools, metrics, truth, discovery, problems,
    comparisons and correlations; see the page on tables.

    \b
    Examples:
      groundtrace export runs/official --to csv tables
      groundtrace export runs/official --to parquet tables
      groundtrace export runs/official --to trec trec
    """
    from groundtrace.errors import UsageError
    from groundtrace.redact import mask
    from groundtrace.runs.evaluated_trials import evaluated_trials
    from groundtrace.runs.impact import stored_analysis
    from groundtrace.runs.prepare import folders_for
    from groundtrace.tables.export import write_csv, write_parquet
    from groundtrace.tables.trec import EMPTY, write_trec

    if "://" in str(folder) or ":/" in folder.as_posix():
        raise UsageError(f"{folder}: tables are written to a folder on disk, not to a store")
    problems: list[Problem] = []
    folders = folders_for(runs, given)
    trials = evaluated_trials(folders, given.get("only"), problems)
    if given["to"] == "trec":
        paths = write_trec(trials, folder)
        for path in paths:
            if path.suffix == EMPTY:
                print_message(_in_no_run(path), quiet=given["quiet"])
    else:
        analysis = stored_analysis(folders)
        paths = {"csv": write_csv, "parquet": write_parquet}[given["to"]](trials, folder, analysis)
        if analysis is None:
            print_message(NO_ANALYSIS, quiet=given["quiet"])
    written = [str(path) for path in paths]
    if given["json"]:
        print_json({"written": written, "problems": [mask(str(problem)) for problem in problems]})
    else:
        print_result("\n".join(written))
    return say_failures(
        [str(problem) for problem in problems], quiet=given["quiet"], everything=given["verbose"]
    )


def _in_no_run(listed: Path) -> str:
    number = len(listed.read_text(encoding="utf-8").splitlines())
    queries = "1 query" if number == 1 else f"{number} queries"
    return (
        f"{queries} retrieved nothing and cannot be in {listed.stem}; see {listed.name}. Average "
        "over all queries of the qrels (trec_eval -c), where they count as 0"
    )
