"""Everything that a user can set: `Settings`, and the file `groundtrace.toml`.

A field says where it is in the file. Flags and keywords that change settings are in `options`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, get_type_hints

from groundtrace.base import tomlio
from groundtrace.base.given_files import parse_given, read_given
from groundtrace.base.patterns import regex
from groundtrace.base.shapes import Limits, checked, shape_of
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
    repos: tuple[str, ...] = field(default=(), metadata=at("functions.repos"))
    """Folders with clones or bare repositories of the tasks' repositories, for the level of
    functions (D217)."""
    trials: Trials = field(default="attempts", metadata=at("discover.trials"))
    """Which trials count if a task has several in one configuration: all attempts of its latest
    batch, every batch, or the latest trial alone (D148)."""
    config_name: str | None = None
    """Configuration of loose traces, instead of the name of a folder or model (D57)."""
    config_by: str | None = field(default=None, metadata=at("discover.config_by"))
    """What names the configurations of loose traces: `folder`, `model`, `harness`, `branch`, `mcp`, or
    `tool:NAME` (D245)."""
    within: float = field(default=6.0, metadata=at("truth.within", HOURS))
    """Hours after a session's last call in which its work may be committed (D244)."""
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
        by = self.config_by
        if by is not None and by not in CONFIG_BY and not _BY_TOOL.fullmatch(by):
            raise UsageError(
                unknown_name("way to name configurations", by, (*CONFIG_BY, "tool:NAME"))
            )


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
