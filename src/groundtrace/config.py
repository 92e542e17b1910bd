"""Everything that a user can set, declared once.

`Settings` is what the library works with; a field says where it is in `groundtrace.toml`. After it
comes the table of options. A row is a field: its name is the flag (`mcp_server` is `--mcp-server`)
and the keyword of the Python API, its type says which values are allowed, `Option` says the rest.
Rows that are used together are a class. A command, and a function of the API, takes one class: the
type of its `**given`. Flags, checks, keywords, help and reference pages are made from that.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from inspect import get_annotations
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict, get_args, get_type_hints

from groundtrace.base import tomlio
from groundtrace.base.frozen import Frozen
from groundtrace.base.given_files import read_given
from groundtrace.base.shapes import Limits, Shape, checked, shape_of
from groundtrace.base.suggest import unknown_name
from groundtrace.errors import InputError, UsageError

FILE_NAME = "groundtrace.toml"
BASELINE = "baseline*"
"""Names of configurations that others are compared with, unless the user says otherwise (D33)."""
PRIMARIES = (
    "shown.file_recall",
    "util_read_overlap_with_relevant_files",
    "reward",
    "cost_usd",
)
"""What a comparison is about, unless the user says otherwise (D160)."""
SEED, DRAWS = 0, 2000
"""The random draws of an analysis, unless the user says otherwise."""
MAX_MAPPING = 64 * 1024
"""Bytes that a mapping of a trace format may have."""
SECONDS = Limits(least=0, most=86_400)
"""The time that can be given to one trial."""

Location = str | os.PathLike[str]
"""A path, or the URL of an object store."""
Shell = Literal["use", "ignore"]
Trials = Literal["attempts", "all", "latest"]
SchemaVersion = Literal["1.0", "1.1", "1.2", "1.3"]
Format = Literal["md", "html"]
TruthSourceName = Literal[
    "default",
    "all",
    "tests/ground_truth.json",
    "tests/expected_defects.json",
    "tests/expected_changes.json",
    "tests/reference_fix.patch",
    "tests/expected.diff",
    "tests/expected.patch",
    "tests/config.json",
    "gold.patch",
    "solution/solve.sh",
    "instruction.md",
    "tests/test.sh",
    "tests/oracle_answer.json",
    "tests/task_spec.json",
    "task.toml",
    "tests/ground_truth_agent.json",
    "tests/oracle_answer_agent.json",
]
"""Sources of relevant files in a task's folder, as `ground_truth_source` names them (D192)."""


# --- settings -------------------------------------------------------------------------------


def at(place: str, limits: Limits | None = None) -> Mapping[str, Any]:
    """What `Settings` says of a field: where it is in the file (`table.key`), allowed numbers."""
    return {"place": place, "limits": limits or Limits()}


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a user can set."""

    container_prefixes: tuple[str, ...] = field(
        default=("/workspace/", "/repo_full/", "/testbed/"), metadata=at("paths.container_prefixes")
    )
    """Path prefixes of the container that are not part of a repository (D13)."""
    mcp_servers: tuple[str, ...] = field(default=("sourcegraph",), metadata=at("mcp.servers"))
    """Servers whose calls count as MCP; `*` means any (D3)."""
    baseline: str = field(default=BASELINE, metadata=at("compare.baseline"))
    """Pattern of the configuration that others are compared with (D33)."""
    primaries: tuple[str, ...] = field(default=PRIMARIES, metadata=at("compare.primary"))
    """Metrics and outcomes that matter most in comparisons: the rows of the answer (D160)."""
    skip: tuple[str, ...] = field(
        metadata=at("discover.skip"),
        default=(
            "_errored",
            "_archived*",
            "archive",
            "archived*",
            "*__broken*",
            "*_broken",
            "*_invalid_*",
            "*__invalid*",
        ),
    )
    """Names of folders that are skipped, and counted (D32)."""
    tools: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, metadata=at("tools.NAME"))
    """Tools added to the tool table: name to its entry."""
    shell_commands: Mapping[str, Mapping[str, Any]] = field(
        default_factory=dict, metadata=at("shell.commands")
    )
    """Commands added to the table of shell commands: name to its entry."""
    shell: Shell = field(default="use", metadata=at("shell.evidence"))
    """Whether files that shell commands touched count (D6)."""
    truth_sources: tuple[TruthSourceName, ...] = field(
        default=("default",), metadata=at("truth.sources")
    )
    """Files of a task's folder that may give relevant files; `default` are those of the
    specification, without oracles and truth that an agent made, `all` is every one (D192)."""
    trials: Trials = field(default="attempts", metadata=at("discover.trials"))
    """Which trials count if a task has several in one configuration: all attempts of its latest
    batch, every batch, or the latest trial alone (D148)."""
    config_name: str | None = None
    """Configuration of loose traces, instead of the name of a folder or model (D57)."""
    layout: tuple[str, ...] = field(default=(), metadata=at("discover.layout"))
    """What the folders above loose traces mean: patterns such as `{config}/{task}/{trial}`; the first
    that fits a path counts. Empty: inferred (D149)."""
    skip_runs: tuple[str, ...] = field(
        default=(
            *("*__archived*", "*__aborted*", "*__duplicate*", "*__all_errored*", "*__partial*"),
            *("*__v1_hinted*", "*__superseded*", "*validation_test*", "*preamble_test*"),
        ),
        metadata=at("discover.skip_runs"),
    )
    """Names of run folders that their makers threw away: skipped and named. An empty list reads all
    (D150)."""
    prices: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    """Model to dollars per million input, cached and output tokens."""
    readers: tuple[tuple[str, str], ...] = field(default=(), metadata=at("traces.readers"))
    """Mappings of trace formats: a list of paths in the settings file; in Python, pairs of file name and
    text (D92)."""
    schema_version: SchemaVersion = "1.3"
    """Version of the events documents to write (D12)."""
    mask: bool = field(default=True, metadata=at("privacy.mask"))
    """Whether text that looks like a credential is masked in documents and reports (D39, D77)."""
    trial_seconds: int = field(default=60, metadata=at("limits.trial_seconds", SECONDS))
    """Seconds of processor time for one trial; 0 means no limit (D78)."""

    def __post_init__(self) -> None:
        """Check values as in a settings file: a mistake in Python code changed numbers silently."""
        for name in _SHAPES:
            value = _checked_setting(name, getattr(self, name), f"Settings: {name}")
            object.__setattr__(self, name, value)


_SHAPES = {name: shape_of(hint) for name, hint in get_type_hints(Settings).items()}
_LIMITS = {one.name: one.metadata.get("limits", Limits()) for one in fields(Settings)}
PLACES: Mapping[tuple[str, str], str] = {
    tuple(one.metadata["place"].split(".")): one.name for one in fields(Settings) if one.metadata
}
"""Where each setting is in the file: (table, key) to the field of `Settings`."""


def _checked_setting(name: str, value: Any, where: str) -> Any:
    if name == "readers":
        return _mappings(value, where)
    return checked(_SHAPES[name], value, where, _LIMITS[name])


def _mappings(value: Any, where: str) -> tuple[tuple[str, str], ...]:
    """Mappings from names of files (in a settings file), or from pairs of name and text."""
    if not isinstance(value, list | tuple):
        raise UsageError(f"{where} must be a list of strings")
    found = []
    for item in value:
        pair = (item, "") if isinstance(item, str) else item
        if not isinstance(pair, tuple) or [type(part) for part in pair] != [str, str]:
            raise UsageError(f"{where} must be a list of strings")
        found.append((str(pair[0]), str(pair[1])))
    return tuple(found)


# --- the settings file ----------------------------------------------------------------------


def load_settings(explicit: Path | None = None, start: Path | None = None) -> Settings:
    """Settings from `explicit`, else from the nearest groundtrace.toml in `start` or above it."""
    path = explicit if explicit is not None else find_file(start or Path.cwd())
    if path is None:
        return Settings()
    raw = read_given(path)
    try:
        data = tomlio.loads(raw.decode("utf-8"))
    except ValueError as error:
        raise InputError(f"{path}: not valid TOML: {error}") from error
    settings = settings_from(data, str(path))
    files = [path.parent / name for name, _ in settings.readers]
    return replace(settings, readers=load_mappings(files)) if files else settings


def load_mappings(files: Iterable[Path]) -> tuple[tuple[str, str], ...]:
    """Mappings of trace formats with their texts, not checked yet; raises InputError."""
    found = []
    for path in files:
        try:
            with path.open("rb") as stream:
                text = stream.read(MAX_MAPPING + 1).decode("utf-8-sig")
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror})") from error
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: not UTF-8: {error}") from error
        found.append((str(path), text))
    return tuple(found)


def find_file(start: Path) -> Path | None:
    """The nearest groundtrace.toml in `start` or above it."""
    for folder in (start, *start.parents):
        candidate = folder / FILE_NAME
        if candidate.is_file():
            return candidate
    return None


def settings_from(data: Mapping[str, Any], where: str = FILE_NAME) -> Settings:
    """Settings from parsed TOML; errors for unknown keys and wrong types say how to fix them."""
    known_tables = sorted({table for table, _ in PLACES})
    values: dict[str, Any] = {}
    for table, content in data.items():
        if table not in known_tables:
            raise UsageError(f"{where}: {unknown_name('table', table, known_tables)}")
        if not isinstance(content, dict):
            raise UsageError(f"{where}: [{table}] must be a table")
        if table == "tools":
            values["tools"] = _checked_setting("tools", content, f"{where}: [tools]")
            continue
        known = sorted(key for known_table, key in PLACES if known_table == table)
        for key, value in content.items():
            if key not in known:
                keys = (f"{table}.{other}" for other in known)
                raise UsageError(f"{where}: {unknown_name('key', f'{table}.{key}', keys)}")
            name = PLACES[table, key]
            values[name] = _checked_setting(name, value, f"{where}: {table}.{key}")
    return replace(Settings(), **values)


# --- the table of options -------------------------------------------------------------------

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
            "A folder of task definitions, a data set (.jsonl, .json, .parquet), or a commit "
            "(git:REPO@REV, git:REPO@A..B); the first one that defines a task is used",
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


class Row(Frozen, frozen=True):
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
            value = getattr(Settings(), self.option.sets)
        if value is None or words:
            return words
        return ", ".join(value) if isinstance(value, tuple) else str(value)


@cache
def rows_of(taken: Any) -> Mapping[str, Row]:
    """The options in a class of the table, by name."""
    found = {}
    for name, hint in get_type_hints(taken, include_extras=True).items():
        inner, option = get_args(hint)
        found[name] = Row(name, inner, shape_of(inner), option)
    return found


def taken_by(function: Callable[..., Any]) -> Any:
    """The class of options that a function takes as `**given`."""
    return get_args(get_annotations(function, eval_str=True)["given"])[0]


def checked_options(rows: Mapping[str, Row], given: Mapping[str, Any]) -> dict[str, Any]:
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
