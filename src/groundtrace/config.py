"""Settings: defaults, then `groundtrace.toml`, then flags; the later one wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from groundtrace.base import tomlio
from groundtrace.base.given_files import read_given
from groundtrace.base.suggest import nearest_name, unknown_name
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


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a user can set."""

    container_prefixes: tuple[str, ...] = ("/workspace/", "/repo_full/", "/testbed/")
    """Path prefixes of the container that are not part of a repository (D13)."""
    mcp_servers: tuple[str, ...] = ("sourcegraph",)
    """Servers whose calls count as MCP; `*` means any (D3)."""
    baseline: str = BASELINE
    """Pattern of the configuration that others are compared with (D33)."""
    primaries: tuple[str, ...] = PRIMARIES
    """Metrics and outcomes that matter most in comparisons (D160)."""
    skip: tuple[str, ...] = (
        "_errored",
        "_archived*",
        "archive",
        "archived*",
        "*__broken*",
        "*_broken",
        "*_invalid_*",
        "*__invalid*",
    )
    """Names of folders that are skipped, and counted (D32)."""
    tools: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Tools added to the tool table: name to its entry."""
    shell_commands: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Commands added to the table of shell commands: name to its entry."""
    shell: Literal["use", "ignore"] = "use"
    """Whether files that shell commands touched count (D6)."""
    trials: Literal["latest", "all"] = "latest"
    """Which trials count if a task has several in one configuration (D32)."""
    config_name: str | None = None
    """Configuration of loose traces, instead of the name of a folder or model (D57)."""
    prices: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    """Model to dollars per million input, cached and output tokens."""
    readers: tuple[tuple[str, str], ...] = ()
    """Mappings of trace formats: a list of paths in the settings file; in Python, pairs of file name and
    text (D92)."""
    schema_version: str = "1.2"
    """Version of the events documents to write (D12)."""
    mask: bool = True
    """Whether text that looks like a credential is masked in documents and reports (D39, D77)."""
    trial_seconds: int = 60
    """Seconds of processor time for one trial; 0 means no limit (D78)."""

    def __post_init__(self) -> None:
        """Check values as in a settings file: a mistake in Python code changed numbers silently."""
        for name in ("tools", *_NAMED):
            value = _checked(name, getattr(self, name), f"Settings: {name}")
            object.__setattr__(self, name, value)


_KEYS: Mapping[tuple[str, str], str] = {
    ("paths", "container_prefixes"): "container_prefixes",
    ("mcp", "servers"): "mcp_servers",
    ("compare", "baseline"): "baseline",
    ("compare", "primary"): "primaries",
    ("discover", "skip"): "skip",
    ("discover", "trials"): "trials",
    ("traces", "readers"): "readers",
    ("shell", "evidence"): "shell",
    ("shell", "commands"): "shell_commands",
    ("privacy", "mask"): "mask",
    ("limits", "trial_seconds"): "trial_seconds",
}
"""Where each setting is in the file: (table, key) to the field of `Settings`."""

_NAMED = (*_KEYS.values(), "schema_version")
"""Settings whose values are checked."""
_LISTS = {"container_prefixes", "mcp_servers", "primaries", "skip"}
_TABLES = {"tools", "shell_commands"}
_SWITCHES = {"mask"}
_NUMBERS = {"trial_seconds"}
MAX_MAPPING = 64 * 1024
"""Bytes that a mapping of a trace format may have."""
MAX_SECONDS = 86_400
"""The longest time that can be given to one trial."""
CHOICES = {
    "shell": ("use", "ignore"),
    "trials": ("latest", "all"),
    "schema_version": ("1.0", "1.1", "1.2"),
}
"""Settings that are one of a few words, in the file and as flags."""


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
    known_tables = sorted({table for table, _ in _KEYS} | {"tools"})
    values: dict[str, Any] = {}
    for table, content in data.items():
        if table not in known_tables:
            raise UsageError(f"{where}: {unknown_name('table', table, known_tables)}")
        if not isinstance(content, dict):
            raise UsageError(f"{where}: [{table}] must be a table")
        if table == "tools":
            values["tools"] = _tables(content, f"{where}: [tools]")
            continue
        known = sorted(key for known_table, key in _KEYS if known_table == table)
        for key, value in content.items():
            if key not in known:
                keys = (f"{table}.{other}" for other in known)
                raise UsageError(f"{where}: {unknown_name('key', f'{table}.{key}', keys)}")
            name = _KEYS[table, key]
            values[name] = _checked(name, value, f"{where}: {table}.{key}")
    return replace(Settings(), **values)


def override(
    settings: Settings,
    *,
    shell: str | None = None,
    trials: str | None = None,
    mcp_servers: tuple[str, ...] | None = None,
    schema_version: str | None = None,
    baseline: str | None = None,
    config_name: str | None = None,
    prices: Mapping[str, tuple[float, float, float]] | None = None,
    readers: tuple[tuple[str, str], ...] | None = None,
    primaries: tuple[str, ...] | None = None,
    mask: bool | None = None,
    trial_seconds: int | None = None,
) -> Settings:
    """Settings with the flags that were given (None means not given).

    Every flag must be a parameter here, so that a flag with a wrong name is an error.
    """
    given = {
        "shell": shell,
        "trials": trials,
        "mcp_servers": mcp_servers,
        "schema_version": schema_version,
        "baseline": baseline,
        "config_name": config_name,
        "prices": prices,
        "readers": readers,
        "primaries": primaries,
        "mask": mask,
        "trial_seconds": trial_seconds,
    }
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    return replace(settings, **changes)


def _checked(name: str, value: Any, where: str) -> Any:
    if name == "readers":
        return _mappings(value, where)
    if name in _LISTS:
        if not isinstance(value, list | tuple) or not all(isinstance(i, str) for i in value):
            raise UsageError(f"{where} must be a list of strings")
        return tuple(value)
    if name in _TABLES:
        return _tables(value, where)
    if name in _SWITCHES:
        if not isinstance(value, bool):
            raise UsageError(f"{where} must be true or false")
        return value
    if name in _NUMBERS:
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_SECONDS:
            raise UsageError(f"{where} must be a whole number from 0 to {MAX_SECONDS}")
        return value
    if not isinstance(value, str):
        raise UsageError(f"{where} must be a string")
    choices = CHOICES.get(name)
    if choices is not None and value not in choices:
        near = nearest_name(value, choices)
        raise UsageError(
            f"{where} must be one of {', '.join(choices)}, not {value!r}; nearest is {near!r}"
        )
    return value


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


def _tables(value: Any, where: str) -> dict[str, dict[str, Any]]:
    if not isinstance(value, dict) or not all(isinstance(v, dict) for v in value.values()):
        raise UsageError(f"{where} must hold tables")
    return value
