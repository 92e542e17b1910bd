"""Flags that several commands share. Each is declared once and passed in a typed group.

A group is a frozen record and the click options that fill it. A command takes the group as one
parameter, so the type checker sees every flag that is used. A flag without a field, or a field
without a flag, is an error at import.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce, wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from groundtrace.base.frozen import Frozen
from groundtrace.config import BASELINE, CHOICES, MAX_SECONDS, PRIMARIES
from groundtrace.impact.options import ImpactOptions
from groundtrace.runs.engine import ENGINES

Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Any], Any]

_IMPACT = ImpactOptions()


def together(*decorators: Decorator) -> Callable[[Command], Command]:
    """Several decorators as one; the first one's option comes first in the help."""

    def decorate(function: Command) -> Command:
        return reduce(lambda made, decorator: decorator(made), reversed(decorators), function)

    return decorate


def group(
    name: str, made: type[Any], *options: Decorator
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Options that a command takes as one parameter `name`, an object of the class `made`."""
    names = set(made.__annotations__)
    given = exposed_names(options)
    if names != given:
        raise TypeError(f"{made.__name__} and its flags differ: {sorted(names ^ given)}")

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def with_group(**flags: Any) -> Any:
            own = {field: flags.pop(field) for field in names}
            return function(**{name: made(**own)}, **flags)

        return together(*options)(with_group)

    return decorate


def exposed_names(options: tuple[Decorator, ...]) -> set[str]:
    """Names of the parameters that click passes for these options."""

    def probe() -> None:
        """An empty command to put the options on."""

    parameters = getattr(together(*options)(probe), "__click_params__", [])
    return {parameter.name for parameter in parameters if parameter.expose_value}


def verbose_option(text: str, *, handed_over: bool = False) -> Decorator:
    """The flag `-v`. `cli.main` also looks for it: an error can come before flags are parsed."""
    return click.option("-v", "--verbose", is_flag=True, expose_value=handed_over, help=text)


ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2", ".7z")
"""Ends of names of archives, which people download runs as."""


def _no_archive(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    """`value`, unless it is an archive: “no trials found” did not say what to do."""
    if value.lower().endswith(ARCHIVES) and Path(value).is_file():
        raise click.BadParameter(f"{value} is an archive; unpack it and name the folder")
    return value


runs_argument = click.argument("runs", metavar="RUNS", callback=_no_archive)
config_option = click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path),
    help="Settings file; default: groundtrace.toml in this folder or above.",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Machine-readable result on stdout."
)
no_mask_option = click.option(
    "--no-mask",
    is_flag=True,
    help=("Do not mask text that looks like a credential; reports say so."),
)
quiet_option = click.option("-q", "--quiet", is_flag=True, help="No messages.")


class TruthFlags(Frozen, frozen=True):
    """Where ground truth comes from."""

    tasks: tuple[str, ...]
    """Folders and files of task definitions."""
    ground_truth: str | None
    """File of a registry."""


truth_options = group(
    "truth",
    TruthFlags,
    click.option(
        "--tasks",
        metavar="TASKS",
        multiple=True,
        help="A folder of task definitions, a data set (.jsonl, .json, .parquet), or a commit "
        "(git:REPO@REV, git:REPO@A..B); repeatable, the first one that defines a task is "
        "used.",
    ),
    click.option(
        "--ground-truth",
        "ground_truth",
        metavar="FILE",
        help="A registry of ground truth, instead of task folders or in addition to them.",
    ),
)


class OutputFlags(Frozen, frozen=True):
    """Where results go, which tasks they cover, and how they are shown."""

    out: str | None
    """Folder for results, instead of RUNS."""
    only: str | None
    """Pattern of the tasks to work on."""
    config_file: Path | None
    """Settings file, instead of the nearest one."""
    as_json: bool
    """Print the result for machines."""
    quiet: bool
    """Print no messages."""
    no_mask: bool
    """Keep credentials as they are."""
    verbose: bool
    """Say more than usual."""


output_options = group(
    "output",
    OutputFlags,
    click.option("--out", metavar="DIR", help="Write below DIR instead of inside RUNS."),
    click.option(
        "--only",
        metavar="PATTERN",
        help="Only tasks whose name matches, such as 'fix-*'; a task's other names count too.",
    ),
    config_option,
    json_option,
    quiet_option,
    no_mask_option,
    verbose_option(
        "Print more: settings, times, everything that is left out and why; tracebacks for errors.",
        handed_over=True,
    ),
)


class WorkFlags(Frozen, frozen=True):
    """How and where the work is done."""

    jobs: int | None
    """Processes; None means one per core."""
    engine: str
    """One of `ENGINES`."""
    scheduler: str | None
    """Address of a cluster's scheduler."""
    force: bool
    """Process everything again, also what is current."""
    prune: bool
    """Remove documents whose trials are gone."""
    no_progress: bool
    """Show no progress."""
    trial_seconds: int | None
    """Limit of processor time for one trial; None means the value in the settings."""


work_options = group(
    "work",
    WorkFlags,
    click.option(
        "--jobs", type=click.IntRange(min=1), help=("Most processes; default: all cores.")
    ),
    click.option(
        "--engine",
        type=click.Choice(list(ENGINES)),
        default="local",
        show_default=True,
        help="Where the work runs.",
    ),
    click.option("--scheduler", metavar="ADDRESS", help="Address of a Dask scheduler."),
    click.option(
        "--force", is_flag=True, help="Make every result again, even if it is up to date."
    ),
    click.option("--prune", is_flag=True, help="Remove results whose trials no longer exist."),
    click.option("--no-progress", is_flag=True, help="Show no progress on stderr."),
    click.option(
        "--trial-seconds",
        type=click.IntRange(min=0, max=MAX_SECONDS),
        help="Seconds of processor time for one trial; default: 60; 0 means no limit.",
    ),
)

FORMATS = ("md", "html")
"""Formats of reports."""


def _formats(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    if value is None:
        return None
    names = tuple(dict.fromkeys(name.strip() for name in value.split(",") if name.strip()))
    wrong = [name for name in names if name not in FORMATS]
    if wrong or not names:
        raise click.BadParameter(f"{value!r}: formats are {' and '.join(FORMATS)}")
    return names


format_option = click.option(
    "--format",
    "formats",
    metavar="md,html",
    callback=_formats,
    help="Reports to write; default: both.",
)

dry_run_option = click.option(
    "--dry-run", is_flag=True, help="List what would be done; write nothing."
)


class NormalizeFlags(Frozen, frozen=True):
    """Settings for reading trials; flags that were not given come from the settings file."""

    shell: str | None
    """Whether shell commands are evidence."""
    trials: str | None
    """Which of several trials of one task are written."""
    mcp_servers: tuple[str, ...]
    """Servers whose calls count as MCP; empty leaves the setting unchanged."""
    schema_version: str | None
    """Version of the events documents."""
    config_name: str | None
    """Configuration of loose traces."""
    prices: Path | None
    """File of prices."""
    readers: tuple[Path, ...]
    """Mappings of trace formats; the ones in the settings come after them."""


normalize_options = group(
    "normalizing",
    NormalizeFlags,
    click.option(
        "--shell",
        type=click.Choice(CHOICES["shell"]),
        help="Whether files that shell commands touched count; default: use.",
    ),
    click.option(
        "--trials",
        type=click.Choice(CHOICES["trials"]),
        help="Which trials count if a task has several in one configuration; default: latest.",
    ),
    click.option(
        "--mcp-server",
        "mcp_servers",
        metavar="NAME",
        multiple=True,
        help="MCP server whose calls count as MCP calls; repeatable; '*' means any server.",
    ),
    click.option(
        "--schema-version",
        type=click.Choice(CHOICES["schema_version"]),
        help="Version of the written documents; default: 1.2.",
    ),
    click.option(
        "--config-name",
        metavar="NAME",
        help="Configuration of traces without trial records; default: by folder, else the model.",
    ),
    click.option(
        "--prices",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Prices of models (TOML), for traces that record tokens but no cost.",
    ),
    click.option(
        "--reader",
        "readers",
        type=click.Path(path_type=Path),
        metavar="FILE",
        multiple=True,
        help="A mapping (TOML) of a trace format that groundtrace does not know; repeatable.",
    ),
)


class ImpactFlags(Frozen, frozen=True):
    """What is compared, and the seed and number of random draws; see `ImpactOptions`."""

    baseline: str | None
    """Configuration to compare with; None means the one in the settings."""
    against: str | None
    """The only configuration to compare with the baseline; None means all."""
    pair_across_runs: bool
    """Match trials of different runs as well."""
    allow_unknown_version: bool
    """Match trials whose harness version is unknown."""
    primaries: tuple[str, ...]
    """Metrics and outcomes that the comparison is about; empty leaves the setting unchanged."""
    margin: float | None
    """A difference of reward that is too small to matter."""
    seed: int
    """Seed of the resampling."""
    draws: int
    """Draws of the resampling."""


impact_options = group(
    "comparing",
    ImpactFlags,
    click.option(
        "--baseline",
        metavar="NAME",
        help=(f"Baseline: the configuration that others are compared with; default: {BASELINE}."),
    ),
    click.option(
        "--against", metavar="NAME", help=("Compare only this configuration with the baseline.")
    ),
    click.option("--pair-across-runs", is_flag=True, help="Also match trials of different runs."),
    click.option(
        "--allow-unknown-version",
        is_flag=True,
        help="Also match trials whose harness version is unknown, and say so.",
    ),
    click.option(
        "--primary",
        "primaries",
        metavar="NAME",
        multiple=True,
        help="A row of the answer: a metric or outcome that the comparison is about; repeatable; "
        f"default: {', '.join(PRIMARIES)}.",
    ),
    click.option(
        "--margin",
        type=click.FloatRange(min=0, min_open=True),
        metavar="REWARD",
        help="A difference of reward that is too small to matter; the answer says whether a "
        "larger loss, or any larger difference, is ruled out.",
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
