"""Flags that several commands share, each declared once."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar

import click

from groundtrace.config import BASELINE, CHOICES
from groundtrace.impact.options import ImpactOptions

Command = TypeVar("Command", bound=Callable[..., Any])

_IMPACT = ImpactOptions()


def together(*decorators: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Several decorators as one; the first stands first in the help."""

    def decorate(function: Command) -> Command:
        return reduce(lambda made, decorator: decorator(made), reversed(decorators), function)

    return decorate


runs_argument = click.argument("runs", metavar="RUNS")
tasks_option = click.option(
    "--tasks", metavar="TASKS", help="The folder of task definitions (benchmarks/)."
)
registry_option = click.option(
    "--ground-truth",
    "ground_truth",
    metavar="FILE",
    help="A registry of ground truth, instead of task folders or besides them.",
)
config_option = click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path),
    help="Settings file; default: groundtrace.toml in this folder or above.",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Machine-readable result on stdout."
)

output_options = together(
    click.option("--out", metavar="DIR", help="Write below DIR instead of inside RUNS."),
    click.option(
        "--only", metavar="PATTERN", help="Only tasks whose name matches, such as 'ccx-*'."
    ),
    config_option,
    json_option,
    click.option("-q", "--quiet", is_flag=True, help="No messages."),
    click.option("-v", "--verbose", is_flag=True, help="More messages; tracebacks for errors."),
)

work_options = together(
    click.option("--jobs", type=click.IntRange(min=1), help="Processes; default: all cores."),
    click.option(
        "--engine",
        type=click.Choice(["local", "dask"]),
        default="local",
        show_default=True,
        help="Where the work is done.",
    ),
    click.option("--scheduler", metavar="ADDRESS", help="Address of a Dask scheduler."),
    click.option(
        "--force", is_flag=True, help="Do everything anew; ignore what earlier runs left."
    ),
    click.option("--prune", is_flag=True, help="Remove results whose trials are gone."),
    click.option("--no-progress", is_flag=True, help="No progress on stderr."),
)


def _formats(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    if value is None:
        return None
    names = tuple(dict.fromkeys(name.strip() for name in value.split(",") if name.strip()))
    wrong = [name for name in names if name not in FORMATS]
    if wrong or not names:
        raise click.BadParameter(f"{value!r}: formats are {' and '.join(FORMATS)}")
    return names


FORMATS = ("md", "html")
format_option = click.option(
    "--format",
    "formats",
    metavar="md,html",
    callback=_formats,
    help="Reports to write; default: both, html where its extra is installed.",
)

dry_run_option = click.option(
    "--dry-run", is_flag=True, help="List what would be done; write nothing."
)

normalize_options = together(
    click.option(
        "--shell",
        type=click.Choice(CHOICES["shell"]),
        help="Whether shell commands are evidence; default: use.",
    ),
    click.option(
        "--trials",
        type=click.Choice(CHOICES["trials"]),
        help="Which of several trials of one task and configuration; default: latest.",
    ),
    click.option(
        "--mcp-server",
        "mcp_servers",
        metavar="NAME",
        multiple=True,
        help="Server whose calls count as MCP; may be given often; '*' means any.",
    ),
    click.option(
        "--schema-version",
        type=click.Choice(CHOICES["schema_version"]),
        help="Version of the events documents; default: 1.1.",
    ),
)

impact_options = together(
    click.option(
        "--baseline", metavar="NAME", help=f"Configuration to compare with; default: {BASELINE}."
    ),
    click.option("--against", metavar="NAME", help="The only configuration to compare with it."),
    click.option(
        "--pair-across-runs", is_flag=True, help="Match trials of different runs as well."
    ),
    click.option(
        "--allow-unknown-version",
        is_flag=True,
        help="Match trials whose harness version is unknown, and say so.",
    ),
    click.option(
        "--seed", type=int, default=_IMPACT.seed, show_default=True, help="Seed of the resampling."
    ),
    click.option(
        "--draws",
        type=click.IntRange(min=100),
        default=_IMPACT.draws,
        show_default=True,
        help="Draws of the resampling.",
    ),
)
