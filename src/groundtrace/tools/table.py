"""The tool table: the tool that a raw name means, its category, its reader (D2, D3).

The table is data (`table.json`): one entry for each tool that real traces are known to hold, its
keys as in `ToolEntry`. A tool named `<server>.*` stands for every tool of its server without an entry
of its own. `servers` has the names under which servers are configured in real runs; tools of the
`bare` ones are also known without a server, where `search` or `definition` of another could belong to
anybody. It was TOML: reading that took 45 of the 830 million instructions of a run of one trial.

Users add to it with `[tools.<name>]` in groundtrace.toml.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

import msgspec
from msgspec import field
from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.base.jsonio import loads
from groundtrace.base.mcp import UNKNOWN_SERVER
from groundtrace.base.patterns import regex
from groundtrace.base.suggest import unknown_name
from groundtrace.config import Settings
from groundtrace.errors import UsageError
from groundtrace.model import Category

CATEGORIES: tuple[str, ...] = get_args(Category)
_LISTS = ("aliases", "path_arguments", "requires")
_TEXTS = ("category", "server", "reads")
_READS_BY_CATEGORY = {
    "file_read": "read",
    "file_search": "glob",
    "code_search": "grep",
    "file_write": "write",
}
"""Which reader is used for an added tool that gives only its category and path arguments."""
SUBAGENT_TOOL = "Task"
"""Canonical name of the tool that starts a subagent."""
MAX_KEPT = 4096
"""How many names are cached; a trace can hold any number of different names."""
_MCP = regex(r"mcp(?:__|_(?=[^_]))(?P<rest>.+)", re.IGNORECASE)


class ToolEntry(Frozen, frozen=True):
    """One tool of the table."""

    name: str
    """Canonical name; for MCP tools with their server (`sourcegraph.read_file`)."""
    category: Category
    """Category of its calls, unless a reader gives a single call another one."""
    server: str | None = None
    """MCP server that offers it."""
    reads: str | None = None
    """Name of the function that reads its calls; None for tools that name no files."""
    aliases: tuple[str, ...] = ()
    """Other names of the tool, compared without case and without an MCP prefix."""
    path_arguments: tuple[str, ...] = ()
    """Arguments that name the file, or the folder to search."""
    requires: tuple[str, ...] = ()
    """If another entry has the name too, a bare name means this tool only if the call has these
    arguments."""

    @property
    def short(self) -> str:
        """The name without the server."""
        if self.server is not None:
            return self.name.removeprefix(f"{self.server}.")
        return self.name


class ToolName(msgspec.Struct, frozen=True):
    """The parts of a raw name."""

    tool: str
    """The tool's own name, lower case."""
    server: str | None = None
    """Server that the name or the trace states."""
    mcp: bool = False
    """The name says that it is an MCP tool."""


class Table(Frozen, frozen=True):
    """All entries, and how names lead to them."""

    entries: Mapping[str, ToolEntry]
    """By canonical name."""
    servers: Mapping[str, str]
    """Every known name of a server, lower case, to its canonical name."""
    bare: frozenset[str] = frozenset()
    """Servers whose tools are known without a prefix; servers that the user adds are among them."""
    by_alias: Mapping[str, tuple[ToolEntry, ...]] = field(default_factory=dict)
    """Every name and alias, lower case; tools of the harness itself come first."""
    _apart: dict[tuple[str, str | None], ToolName] = field(default_factory=dict)
    """Cache of `take_apart`: a trial has hundreds of calls but only a dozen tools."""
    _candidates: dict[tuple[str, str | None], tuple[ToolEntry, ...]] = field(default_factory=dict)
    """Cache of `candidates`, by the same names."""

    def take_apart(self, name: str, server: str | None = None) -> ToolName:
        """The parts of a raw tool name; `server` is the server that the trace states."""
        known = self._apart.get((name, server))
        if known is None:
            known = self._taken_apart(name, server)
            if len(self._apart) < MAX_KEPT:
                self._apart[name, server] = known
        return known

    def _taken_apart(self, name: str, server: str | None) -> ToolName:
        match = _MCP.fullmatch(name)
        rest = match["rest"] if match else name
        nameless = server is not None and server.lower() == UNKNOWN_SERVER
        stated = None if nameless else self.server_name(server)
        if rest.lower() not in self.by_alias:
            for separator in ("__", ".", "/", ":", "_", "-"):
                head, _, tail = rest.partition(separator)
                known = self.servers.get(head.lower())
                # `git_apply` may be a tool of any harness, so only a few server names count as a
                # prefix here.
                is_prefix = known is not None and (separator not in "_-" or known in self.bare)
                if head and tail and (separator == "__" or is_prefix):
                    return ToolName(tail.lower(), self.server_name(head), mcp=True)
        if stated is None and match is None and not nameless:
            return ToolName(rest.lower())
        return ToolName(rest.lower(), stated, mcp=True)

    def candidates(self, name: str, server: str | None = None) -> tuple[ToolEntry, ...]:
        """Every entry that the name can mean, the most likely first."""
        known = self._candidates.get((name, server))
        if known is None:
            known = self._found_candidates(name, server)
            if len(self._candidates) < MAX_KEPT:
                self._candidates[name, server] = known
        return known

    def _found_candidates(self, name: str, server: str | None) -> tuple[ToolEntry, ...]:
        exact = self.entries.get(name)
        if exact is not None and exact.server is None and server is None:
            rest = tuple(e for e in self.by_alias.get(name.lower(), ()) if e is not exact)
            return (exact, *rest)
        if _MCP.fullmatch(name) and name.lower() in self.by_alias:  # added under its whole raw name
            return self.by_alias[name.lower()]
        parts = self.take_apart(name, server)
        named = self.by_alias.get(parts.tool, ())
        if parts.server is not None:
            own = tuple(entry for entry in named if entry.server == parts.server)
            any_tool = self.entries.get(f"{parts.server}.*")
            return own or (() if any_tool is None else (any_tool,))
        remote = tuple(entry for entry in named if entry.server in self.bare)
        if parts.mcp:  # unknown server: only the arguments can decide
            return remote
        local = tuple(entry for entry in named if entry.server is None)
        return (*(e for e in remote if e.requires), *local, *(e for e in remote if not e.requires))

    def choose(
        self, name: str, server: str | None = None, arguments: Mapping[str, Any] | None = None
    ) -> ToolEntry | None:
        """The entry that a call means: the first one whose required arguments the call has."""
        entries = self._candidates.get((name, server))
        if entries is None:
            entries = self.candidates(name, server)
        for entry in entries:
            if not entry.requires or (arguments and set(entry.requires) <= arguments.keys()):
                return entry
        return entries[0] if entries else None

    def server_name(self, name: str | None) -> str | None:
        """The canonical name of a server; plugins wrap it (`plugin_sourcegraph_sourcegraph`)."""
        if name is None or not name.strip():
            return None
        lower = name.lower()
        if lower in self.servers:
            return self.servers[lower]
        inside = {
            self.servers[part] for part in re.split(r"[-_.: ]", lower) if part in self.servers
        }
        return inside.pop() if len(inside) == 1 else name


def table_for(settings: Settings) -> Table:
    """The table with what the user added; raises UsageError if an addition is wrong."""
    if not settings.tools:
        return _built("")
    import json  # see `base.jsonio`; msgspec refuses names with half a character

    return _built(json.dumps(settings.tools, sort_keys=True, default=str))


@lru_cache(maxsize=8)
def _built(added: str) -> Table:
    raw = loads(Path(__file__).with_name("table.json").read_bytes())
    servers = {alias.lower(): name for name, names in raw["servers"].items() for alias in names}
    bare = set(raw["bare"])
    entries: dict[str, ToolEntry] = {}
    for group in raw["tools"].values():
        for name, content in group.items():
            entries[name] = ToolEntry(name=name, **_values(name, content))
    readers = sorted({entry.reads for entry in entries.values() if entry.reads})
    for name, content in (loads(added.encode()) if added else {}).items():
        entries[name] = _added(name, content, entries, readers)
        server = entries[name].server
        if server is not None:
            servers.setdefault(server.lower(), server)
            bare.add(server)
    by_alias: dict[str, list[ToolEntry]] = {}
    for entry in reversed(entries.values()):  # an added tool comes before the tool it is like
        for alias in dict.fromkeys(a.lower() for a in (entry.short, entry.name, *entry.aliases)):
            by_alias.setdefault(alias, []).append(entry)
    ordered = {
        alias: tuple(sorted(found, key=_is_remote) if len(found) > 1 else found)
        for alias, found in by_alias.items()
    }
    return Table(entries, servers, frozenset(bare), ordered)


def _is_remote(entry: ToolEntry) -> bool:
    return entry.server is not None


def _added(
    name: str, content: Mapping[str, Any], known: Mapping[str, ToolEntry], readers: Sequence[str]
) -> ToolEntry:
    """An entry from groundtrace.toml: on its own, or `like` an existing entry."""
    where = f"[tools.{name}]"
    values = _values(name, content)
    category = values.get("category")
    if category is not None and category not in CATEGORIES:
        raise UsageError(f"{where}: {unknown_name('category', category, CATEGORIES)}")
    if "reads" in values and values["reads"] not in readers:
        raise UsageError(
            f"{where}: {unknown_name('reader', values['reads'], readers, listed=False)}"
        )
    like = values.pop("like", None)
    if like is not None:
        if like not in known:
            raise UsageError(f"{where}: {unknown_name('tool', like, known, listed=False)}")
        base = replace(known[like], name=name, aliases=(), requires=(), server=None)
        return replace(base, **values)
    if category is None:
        raise UsageError(f"{where}: needs a category (one of {', '.join(CATEGORIES)}) or like")
    if values.get("path_arguments"):
        values.setdefault("reads", _READS_BY_CATEGORY.get(category))
    return ToolEntry(name=name, **values)


def _values(name: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of an entry, with their types checked."""
    keys = ("like", *_TEXTS, *_LISTS)
    values: dict[str, Any] = {}
    for key, value in content.items():
        if key not in keys:
            raise UsageError(f"[tools.{name}]: {unknown_name('key', key, keys)}")
        if key in _LISTS:
            if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
                raise UsageError(f"[tools.{name}]: {key} must be a list of strings")
            values[key] = tuple(value)
        elif not isinstance(value, str):
            raise UsageError(f"[tools.{name}]: {key} must be a string")
        else:
            values[key] = value
    return values
