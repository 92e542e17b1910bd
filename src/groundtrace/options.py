"""The one table of options: every flag of the command line and every keyword of the Python API.

A row is a field of a TypedDict: its name is the flag and the keyword, its type says what is allowed,
and `Option` holds its group, its help and the setting that it changes. Rows that are used together
form a class; a command or function takes the class in its `**given: Unpack[…]`. Flags, checks,
signatures, help and the reference page are made from these rows, so they cannot drift apart.

Without `from __future__ import annotations`: `typing` would compile the text of every row again.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, TypedDict, get_args, get_type_hints

from groundtrace.base.frozen import Frozen
from groundtrace.base.shapes import Annotated, Limits, Shape, checked, shape_of
from groundtrace.base.suggest import unknown_name
from groundtrace.config import (
    DRAWS,
    FILE_NAME,
    HOURS,
    SECONDS,
    SEED,
    Format,
    Location,
    SchemaVersion,
    Settings,
    Shell,
    Trials,
    TruthSourceName,
)

GROUPS = ("input", "truth", "comparison", "speed", "output")
"""Headings in the help of a command, in this order."""


class Option(Frozen, frozen=True):
    """What the name and the type of an option do not say."""

    group: Literal["input", "truth", "comparison", "speed", "output"]
    help: str
    """One sentence without its full stop; the default is added."""
    metavar: str | None = None
    """What stands for the value in the help."""
    sets: str | None = None
    """Field of `Settings` that it changes for one command; its default is the setting's."""
    default: Any = None
    otherwise: str = ""
    """The default in words, if it is no value."""
    limits: Limits = Limits()
    short: str = ""
    """A flag of one letter."""
    commas: bool = False
    """Several values are given to one flag, with commas."""
    required: bool = False
    old: str = ""
    """An older name of the keyword."""


class Truth(TypedDict, total=False):
    """Where ground truth comes from."""

    tasks: Annotated[
        Location | Sequence[Location] | None,
        Option(
            "truth",
            "A folder of task definitions, a data set (.jsonl, .json, .parquet), a repository whose "
            "commits came out of the sessions (git:REPO), or one commit of it (git:REPO@REV, "
            "git:REPO@A..B); the first one that defines a task is used",
            "TASKS",
        ),
    ]
    ground_truth: Annotated[
        Location | None,
        Option(
            "truth",
            "A registry of ground truth, instead of task folders or in addition to them",
            "FILE",
        ),
    ]
    within: Annotated[
        float | None,
        Option(
            "truth",
            "With --tasks git:REPO: hours after a session's last call in which its work may be "
            "committed",
            "HOURS",
            sets="within",
            limits=HOURS,
        ),
    ]
    truth_sources: Annotated[
        TruthSourceName | Sequence[TruthSourceName] | None,
        Option(
            "truth",
            "Files of a task's folder that may give relevant files: names such as "
            "tests/task_spec.json, or all; oracles and truth that an agent made are on request",
            "NAME,…",
            sets="truth_sources",
            commas=True,
        ),
    ]
    repos: Annotated[
        Location | Sequence[Location] | None,
        Option(
            "truth",
            "Folder with clones or bare repositories (OWNER__NAME.git, OWNER/NAME, NAME): functions "
            "that were shown, edited and needed are found in them at the tasks' base commits",
            "DIR",
        ),
    ]


class Reading(TypedDict, total=False):
    """How trials are read."""

    shell: Annotated[
        Shell | None,
        Option("input", "Whether files that shell commands touched count", sets="shell"),
    ]
    trials: Annotated[
        Trials | None,
        Option(
            "input", "Which trials count if a task has several in one configuration", sets="trials"
        ),
    ]
    mcp_server: Annotated[
        str | Sequence[str] | None,
        Option(
            "input",
            "MCP server whose calls count as MCP calls; '*' means any server",
            "NAME",
            sets="mcp_servers",
        ),
    ]
    config_name: Annotated[
        str | None,
        Option(
            "input",
            "Configuration of traces without trial records",
            "NAME",
            sets="config_name",
            otherwise="by folder, else the model",
        ),
    ]
    config_by: Annotated[
        str | None,
        Option(
            "input",
            "What names the configurations of sessions: folder, model, harness, branch, mcp (with or "
            "without any MCP server), or tool:NAME (with or without this tool or server)",
            "WHAT",
            sets="config_by",
            otherwise="folder, else model",
        ),
    ]
    layout: Annotated[
        str | Sequence[str] | None,
        Option(
            "input",
            "What the folders above traces without records mean: '{config}/{task}/{trial}'",
            "PATTERN",
            sets="layout",
            otherwise="inferred from all paths",
        ),
    ]
    prices: Annotated[
        Location | None,
        Option(
            "input", "Prices of models (TOML), for traces that record tokens but no cost", "FILE"
        ),
    ]
    reader: Annotated[
        Location | Sequence[Location] | None,
        Option(
            "input", "A mapping (TOML) of a trace format that groundtrace does not know", "FILE"
        ),
    ]
    schema_version: Annotated[
        SchemaVersion | None,
        Option("output", "Version of the written documents", sets="schema_version"),
    ]


class Comparison(TypedDict, total=False):
    """What is compared, and the random draws; see `ImpactOptions`."""

    baseline: Annotated[
        str | None,
        Option(
            "comparison",
            "Baseline: the configuration that others are compared with",
            "NAME",
            sets="baseline",
        ),
    ]
    against: Annotated[
        str | None,
        Option("comparison", "Compare only this configuration with the baseline", "NAME"),
    ]
    pair_across_runs: Annotated[bool, Option("comparison", "Also match trials of different runs")]
    allow_unknown_version: Annotated[
        bool, Option("comparison", "Also match trials whose harness version is unknown, and say so")
    ]
    primary: Annotated[
        str | Sequence[str] | None,
        Option(
            "comparison",
            "A row of the answer: a metric or outcome that the comparison is about",
            "NAME",
            sets="primaries",
            old="primaries",
        ),
    ]
    margin: Annotated[
        float | None,
        Option(
            "comparison",
            "A difference of reward that is too small to matter; the answer says whether a "
            "larger loss, or any larger difference, is ruled out",
            "REWARD",
            limits=Limits(above=0),
        ),
    ]
    seed: Annotated[int, Option("comparison", "Seed of the resampling", default=SEED)]
    draws: Annotated[
        int,
        Option("comparison", "Draws of the resampling", default=DRAWS, limits=Limits(least=100)),
    ]


class Work(TypedDict, total=False):
    """How and where the work is done."""

    jobs: Annotated[
        int | None, Option("speed", "Most processes", otherwise="all cores", limits=Limits(least=1))
    ]
    engine: Annotated[
        Literal["local", "dask"], Option("speed", "Where the work runs", default="local")
    ]
    scheduler: Annotated[str | None, Option("speed", "Address of a Dask scheduler", "ADDRESS")]
    trial_seconds: Annotated[
        int | None,
        Option(
            "speed",
            "Seconds of processor time for one trial; 0 means no limit",
            sets="trial_seconds",
            limits=SECONDS,
        ),
    ]
    force: Annotated[bool, Option("speed", "Make every result again, even if it is up to date")]
    prune: Annotated[bool, Option("output", "Remove results whose trials no longer exist")]


class Where(TypedDict, total=False):
    """Which results, and where they are."""

    out: Annotated[
        Location | None, Option("output", "Folder of the results, instead of inside RUNS", "DIR")
    ]
    aggregate: Annotated[
        Location | None,
        Option(
            "output",
            "Folder in which retrieval_events_aggregate, the results over all runs, is put",
            "DIR",
            otherwise="the folder of the results",
        ),
    ]
    only: Annotated[
        str | None,
        Option(
            "input",
            "Only tasks whose name matches, such as 'fix-*'; a task's other names count too",
            "PATTERN",
        ),
    ]


class Stored(Where, total=False):
    """The same for commands that only read results."""

    out: Annotated[
        Location | None,
        Option(
            "input",
            "Folder that holds the results, as --out of 'groundtrace run' named it",
            "DIR",
            otherwise="inside RUNS",
        ),
    ]
    aggregate: Annotated[
        Location | None,
        Option(
            "input",
            "Folder that holds retrieval_events_aggregate, as --aggregate named it",
            "DIR",
            otherwise="the folder of the results",
        ),
    ]


class Setup(TypedDict, total=False):
    """The settings file, and what is not in it."""

    config: Annotated[
        Location | None,
        Option("input", "Settings file", "FILE", otherwise=f"{FILE_NAME} in this folder or above"),
    ]
    no_mask: Annotated[
        bool, Option("output", "Do not mask text that looks like a credential; reports say so")
    ]


class Reports(TypedDict, total=False):
    """Which reports are written."""

    format: Annotated[
        Format | Sequence[Format] | None,
        Option(
            "output", "Reports to write", "md,html", otherwise="both", commas=True, old="formats"
        ),
    ]


Json = Annotated[bool, Option("output", "Machine-readable result on stdout")]
Quiet = Annotated[bool, Option("output", "No messages", short="-q")]
DryRun = Annotated[bool, Option("output", "List what would be done; write nothing")]
Tracebacks = Annotated[bool, Option("output", "Show tracebacks for errors", short="-v")]


class Messages(TypedDict, total=False):
    """What a command prints; for the command line only."""

    json: Json
    quiet: Quiet
    verbose: Annotated[
        bool,
        Option(
            "output",
            "Print more: settings, times, everything that is left out and why; tracebacks for errors",
            short="-v",
        ),
    ]


class Progress(TypedDict, total=False):
    """For the command line only."""

    no_progress: Annotated[bool, Option("output", "Show no progress on stderr")]


class TrialOptions(Truth, Reading, Setup, total=False):
    """What can be chosen about one trial."""


class CompareOptions(Comparison, Where, Setup, total=False):
    """What can be chosen about a comparison."""


class RunOptions(Truth, Reading, Comparison, Work, Where, Setup, Reports, total=False):
    """What can be chosen about a whole run."""


_DEFAULTS = Settings()


class OptionRow(Frozen, frozen=True):
    """An option with all that is known about it."""

    name: str
    hint: Any
    """Its type."""
    shape: Shape
    option: Option

    @property
    def flag(self) -> str:
        """Its flag on the command line."""
        return "--" + self.name.replace("_", "-")

    @property
    def default(self) -> str:
        """Its default in words; empty if there is none."""
        value, words = self.option.default, self.option.otherwise
        if self.option.sets is not None and not words:
            value = getattr(_DEFAULTS, self.option.sets)
        if value is None or words:
            return words
        return ", ".join(value) if isinstance(value, tuple) else str(value)


@cache
def rows_of(taken: Any) -> Mapping[str, OptionRow]:
    """The options in a class of the table, by name."""
    found = {}
    for name, hint in get_type_hints(taken, include_extras=True).items():
        inner, option = get_args(hint)
        found[name] = OptionRow(name, inner, shape_of(inner), option)
    return found


def settings_of(taken: Any) -> Mapping[str, str]:
    """The settings that options in a class of the table change, by the names of the options."""
    options = {name: get_args(hint)[1] for name, hint in taken.__annotations__.items()}
    return {name: option.sets for name, option in options.items() if option.sets is not None}


def taken_by(function: Callable[..., Any]) -> Any:
    """The class of options that a function takes as `**given`."""
    return get_args(get_type_hints(function)["given"])[0]


def checked_options(rows: Mapping[str, OptionRow], given: Mapping[str, Any]) -> dict[str, Any]:
    """Keywords, checked and in the form of flags; those that are None are left out."""
    names = {row.option.old: name for name, row in rows.items() if row.option.old}
    found = {}
    for keyword, value in given.items():
        name = names.get(keyword, keyword)
        if name not in rows:
            raise TypeError(unknown_name("keyword", name, rows))
        if value is not None:
            row = rows[name]
            found[name] = checked(row.shape, value, keyword, row.option.limits)
    return found
