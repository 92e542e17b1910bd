"""Everything that a user can set: `Settings`, and the file `groundtrace.toml`.

A field says where it is in the file. Flags and keywords that change settings are in `options`.

Without `from __future__ import annotations`: types of settings would be compiled from texts again.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from msgspec.structs import force_setattr, replace

from groundtrace.base import tomlio
from groundtrace.base.frozen import Frozen
from groundtrace.base.given_files import parse_given, read_given
from groundtrace.base.patterns import regex
from groundtrace.base.shapes import Annotated, Limits, Shape, checked, shape_of
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
HOURS = Limits(least=0, most=24 * 365)
"""The time after a session in which its work may be committed."""
SECONDS = Limits(least=0, most=86_400)
"""The time that can be given to one trial."""

_BY_TOOL = regex(r"tool:\S.*")
CONFIG_BY = ("folder", "model", "harness", "branch", "mcp")
"""What `--config-by` can say, beside `tool:NAME`."""

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


class At(Frozen, frozen=True):
    """What `Settings` says of a field: where it is in the file, and the allowed numbers."""

    place: str = ""
    """`table.key`; empty if it is not in the file."""
    limits: Limits = Limits()


class Settings(Frozen, frozen=True):
    """Everything that a user can set."""

    container_prefixes: Annotated[tuple[str, ...], At("paths.container_prefixes")] = (
        "/workspace/",
        "/repo_full/",
        "/testbed/",
    )
    """Path prefixes of the container that are not part of a repository (D13)."""
    mcp_servers: Annotated[tuple[str, ...], At("mcp.servers")] = ("sourcegraph",)
    """Servers whose calls count as MCP; `*` means any (D3)."""
    baseline: Annotated[str, At("compare.baseline")] = BASELINE
    """Pattern of the configuration that others are compared with (D33)."""
    primaries: Annotated[tuple[str, ...], At("compare.primary")] = PRIMARIES
    """Metrics and outcomes that matter most in comparisons: the rows of the answer (D160)."""
    skip: Annotated[tuple[str, ...], At("discover.skip")] = (
        "_errored",
        "_archived*",
        "archive",
        "archived*",
        "backup",
        "backups",
        "*.bak",
        "*__broken*",
        "*_broken",
        "*_invalid_*",
        "*__invalid*",
    )
    """Names of folders that are skipped, and counted (D32)."""
    tools: Annotated[Mapping[str, Mapping[str, Any]], At("tools.NAME")] = {}  # noqa: RUF012
    """Tools added to the tool table: name to its entry."""
    shell_commands: Annotated[Mapping[str, Mapping[str, Any]], At("shell.commands")] = {}  # noqa: RUF012
    """Commands added to the table of shell commands: name to its entry."""
    shell: Annotated[Shell, At("shell.evidence")] = "use"
    """Whether files that shell commands touched count (D6)."""
    truth_sources: Annotated[tuple[TruthSourceName, ...], At("truth.sources")] = ("default",)
    """Files of a task's folder that may give relevant files; `default` are those of the
    specification, without oracles and truth that an agent made, `all` is every one (D192)."""
    repos: Annotated[tuple[str, ...], At("functions.repos")] = ()
    """Folders with clones or bare repositories of the tasks' repositories, for the level of
    functions (D217)."""
    trials: Annotated[Trials, At("discover.trials")] = "attempts"
    """Which trials count if a task has several in one configuration: all attempts of its latest
    batch, every batch, or the latest trial alone (D148)."""
    config_name: str | None = None
    """Configuration of loose traces, instead of the name of a folder or model (D57)."""
    config_by: Annotated[str | None, At("discover.config_by")] = None
    """What names the configurations of loose traces: `folder`, `model`, `harness`, `branch`, `mcp`, or
    `tool:NAME` (D245)."""
    within: Annotated[float, At("truth.within", HOURS)] = 6.0
    """Hours after a session's last call in which its work may be committed (D244)."""
    layout: Annotated[tuple[str, ...], At("discover.layout")] = ()
    """What the folders above loose traces mean: patterns such as `{config}/{task}/{trial}`; the first
    that fits a path counts. Empty: inferred (D149)."""
    skip_runs: Annotated[tuple[str, ...], At("discover.skip_runs")] = (
        *("*__archived*", "*__aborted*", "*__duplicate*", "*__all_errored*", "*__partial*"),
        *("*__v1_hinted*", "*__superseded*", "*validation_test*", "*preamble_test*"),
    )
    """Names of run folders that their makers threw away: skipped and named. An empty list reads all
    (D150)."""
    prices: Mapping[str, tuple[float, float, float]] = {}
    """Model to dollars per million input, cached and output tokens."""
    readers: Annotated[tuple[tuple[str, str], ...], At("traces.readers")] = ()
    """Mappings of trace formats: a list of paths in the settings file; in Python, pairs of file name and
    text (D92)."""
    schema_version: SchemaVersion = "1.3"
    """Version of the events documents to write (D12)."""
    mask: Annotated[bool, At("privacy.mask")] = True
    """Whether text that looks like a credential is masked in documents and reports (D39, D77)."""
    trial_seconds: Annotated[int, At("limits.trial_seconds", SECONDS)] = 60
    """Seconds of processor time for one trial; 0 means no limit (D78)."""

    def __post_init__(self) -> None:
        """Check values as in a settings file: a mistake in Python code changed numbers silently."""
        for name in FIELDS:
            value = _checked_setting(name, getattr(self, name), f"Settings: {name}")
            force_setattr(self, name, value)
        by = self.config_by
        if by is not None and by not in CONFIG_BY and not _BY_TOOL.fullmatch(by):
            raise UsageError(
                unknown_name("way to name configurations", by, (*CONFIG_BY, "tool:NAME"))
            )


def _described(hint: Any) -> tuple[Shape, At]:
    kind, *said = get_args(hint) if get_origin(hint) is Annotated else (hint, At())
    return shape_of(kind), said[0]


FIELDS = {name: _described(hint) for name, hint in Settings.__annotations__.items()}
"""What the type of each setting allows, and what `At` says of it."""
PLACES: Mapping[tuple[str, str], str] = {
    (table, key): name
    for name, (_, at) in FIELDS.items()
    for table, _, key in (at.place.partition("."),)
    if table
}
"""Where each setting is in the file: (table, key) to the field of `Settings`."""


def _checked_setting(name: str, value: Any, where: str) -> Any:
    if name == "readers":
        return _mappings(value, where)
    shape, at = FIELDS[name]
    return checked(shape, value, where, at.limits)


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


def load_settings(explicit: Path | None = None) -> Settings:
    """Settings from `explicit`, else from the nearest groundtrace.toml in this folder or above it."""
    path = explicit if explicit is not None else find_file(Path.cwd())
    if path is None:
        return Settings()
    try:
        data = parse_given(path, lambda raw: tomlio.loads(raw.decode("utf-8")))
    except ValueError as error:
        raise InputError(f"{path}: not valid TOML: {error}") from error
    settings = settings_from(data, str(path))
    files = [path.parent / name for name, _ in settings.readers]
    repos = tuple(str(path.parent / folder) for folder in settings.repos)
    settings = replace(settings, repos=repos) if repos else settings
    return replace(settings, readers=load_mappings(files)) if files else settings


def load_mappings(files: Iterable[Path]) -> tuple[tuple[str, str], ...]:
    """Mappings of trace formats with their texts, not checked yet; raises InputError."""
    found = []
    for path in files:
        try:
            text = read_given(path, MAX_MAPPING).decode("utf-8-sig")
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
