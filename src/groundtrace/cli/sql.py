"""`groundtrace sql`: the flat tables in duckdb."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import click

from groundtrace.base.visible import in_columns
from groundtrace.cli import from_options
from groundtrace.cli.terminal import (
    print_json,
    print_message,
    print_result,
    say_failures,
)
from groundtrace.options import Messages, Option, Setup, Stored

if TYPE_CHECKING:
    from groundtrace.model import Problem
    from groundtrace.tables.query import QueryResult


class Sql(Stored, Setup, Messages, total=False):
    """Flags of this command."""

    csv: Annotated[bool, Option("output", "Print the result as CSV")]


@from_options.command("sql", takes_runs=True)
@click.argument("query")
def command(runs: str, query: str, **given: Unpack[Sql]) -> int:
    """Query the flat tables of evaluated runs with SQL.

    The tables are trials, events, accesses, files, tools, metrics, truth, discovery, problems,
    comparisons and correlations. The query can reach
    nothing else: no files, no network, no extensions.

    \b
    Examples:
      groundtrace sql runs/official "SELECT config_name, avg(reward) FROM trials GROUP BY ALL"
      groundtrace sql runs/official "SELECT * FROM metrics WHERE metric = 'recall@10'" --csv
    """
    from groundtrace.runs.evaluated_trials import evaluated_trials
    from groundtrace.runs.impact import stored_analysis
    from groundtrace.runs.only import require_fitting
    from groundtrace.runs.prepare import folders_for
    from groundtrace.tables.query import run_query

    if _is_query(runs) and not _is_query(query):
        # Before 0.4 the query came first.
        print_message("RUNS comes first now: groundtrace sql RUNS QUERY", quiet=given["quiet"])
        runs, query = query, runs
    problems: list[Problem] = []
    folders = folders_for(runs, given)
    require_fitting(folders, given.get("only"))  # at once: a query may need no trial at all
    trials = evaluated_trials(folders, given.get("only"), problems)
    result = run_query(query, trials, stored_analysis(folders))
    if given["json"]:
        print_json(
            [dict(zip(result.columns, map(_plain, row), strict=True)) for row in result.rows]
        )
    elif given["csv"]:
        print_result(_csv(result))
    else:
        rows = ([_shown(value) for value in row] for row in result.rows)
        print_result(in_columns(list(result.columns), rows))
    return say_failures(
        [str(problem) for problem in problems], quiet=given["quiet"], everything=given["verbose"]
    )


def _is_query(text: str) -> bool:
    """Whether a text is a statement rather than a folder."""
    return bool(re.match(r"\s*+(?:\(\s*+)?[A-Za-z]++\s", text)) and not Path(text).exists()


def _plain(value: Any) -> Any:
    """A value that JSON can hold: decimals and dates become text."""
    return value if isinstance(value, bool | int | float | str | type(None)) else str(value)


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:g}" if isinstance(value, float) else " ".join(str(value).split())


def _csv(result: QueryResult) -> str:
    from groundtrace.tables.export import csv_cell

    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([csv_cell(name) for name in result.columns])
    writer.writerows([csv_cell(value) for value in row] for row in result.rows)
    return stream.getvalue().rstrip("\n")
