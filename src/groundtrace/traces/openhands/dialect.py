"""Undoing what OpenHands does to a trajectory.

Parallel calls have the first call's arguments, MCP results are JSON inside JSON, and MCP tools have
bare names. A reader does not know which server offers a tool: it only says that the tool is MCP,
and the tool table finds the server by the tool's name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from groundtrace.base import jsonio
from groundtrace.base.cut_json import read_cut
from groundtrace.base.mcp import UNKNOWN_SERVER, content_text, envelope_of
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_items, as_mapping
from groundtrace.traces.atif.dialect import Dialect, OwnText, RepairedArguments

BUILTIN_TOOLS = frozenset(
    {
        "execute_bash",
        "str_replace_editor",
        "execute_ipython_cell",
        "think",
        "finish",
        "task_tracker",
        "edit_file",
        "browser",
        "browse",
        "fetch",
        "web_read",
        "delegate",
        "delegate_to_browsing_agent",
        "request_condensation",
        "condensation_request",
        "terminal",
        "file_editor",
        "view",
        "grep",
        "glob",
        "search_code",
        "search_entity",
        "explore_tree_structure",
    }
)
"""OpenHands' own tools; any other name comes from an MCP server."""

_REFUSED = "ERROR:"
"""Start of OpenHands' own answers, such as `ERROR: Cannot execute multiple commands at once`."""


class OpenHandsRepair:
    """Repair of one trajectory's calls."""

    def __init__(self, agent: Mapping[str, Any]) -> None:
        self.parameters = parameters_of(agent)

    def arguments(
        self,
        name: str,
        recorded: dict[str, Any],
        message: str,
        *,
        suspicious: bool,
        result_text: str,
    ) -> RepairedArguments:
        """The true arguments of a call."""
        return repair_arguments(
            name,
            recorded,
            message,
            suspicious=suspicious,
            parameters=self.parameters.get(name),
            result_text=result_text,
        )

    def own_text(self, content: str, *, cut: bool) -> OwnText:
        """The tool's own text, without the protocol's envelope if there is one."""
        envelope = envelope_of(_decoded(content, cut=cut))
        text = content if envelope is None else content_text(envelope.content)
        failed = envelope is not None and envelope.is_error
        return OwnText(text, failed or text.lstrip().startswith(_REFUSED))

    def server(self, name: str) -> str | None:
        """A tool that is not OpenHands' own is MCP; OpenHands does not name its server."""
        return None if name in BUILTIN_TOOLS else UNKNOWN_SERVER


def _decoded(content: str, *, cut: bool) -> Any:
    """The JSON value of a result that may be an envelope; None for any other text."""
    if not content.lstrip()[:200].startswith("{") or '"content"' not in content[:4096]:
        return None
    return read_cut(content) if cut else jsonio.loads_text(content)


OPENHANDS = Dialect(
    harness="openhands",
    has_variants=True,
    tools=frozenset({"execute_bash", "str_replace_editor", "execute_ipython_cell"}),
    usage_once_an_answer=True,
    repair=OpenHandsRepair,
)


# --- the true arguments of calls ---
# When the model makes several calls at once, OpenHands writes the first call's arguments on all of
# them; the true ones are in the step's message.

MAX_LITERAL = 1 << 20

_MCP_MESSAGE = regex(
    r"interacting with the MCP server with name:\s*+```\s*+(?P<name>[^\s`]++)\s*+```\s*+"
    r"and arguments:\s*+```"
)
_FENCE = "```"
_EDITED = regex(r"^I edited the file (?P<path>.+?)\.\s*$", re.DOTALL)


def repair_arguments(
    name: str,
    recorded: dict[str, Any],
    message: str,
    *,
    suspicious: bool,
    parameters: frozenset[str] | None,
    result_text: str,
) -> RepairedArguments:
    """The true arguments of a call.

    `suspicious` says that the step has no usage of its own; this is so for every call after the
    first one of a model answer. Of 318 checked calls 27 had wrong arguments, and all wrong bash
    calls were suspicious. A call that is not suspicious keeps its recorded arguments, unless the
    tool does not have such parameters.
    """
    misfit = parameters is not None and not set(recorded) <= parameters
    if not suspicious and not misfit:
        return RepairedArguments(recorded)
    stated = _stated(name, recorded, message, result_text)
    if stated is not None:
        return RepairedArguments(stated, repaired=stated != recorded)
    if misfit or (name == "str_replace_editor" and _is_not_editor(recorded)):
        return RepairedArguments({}, lost=True)
    return RepairedArguments(recorded)


def _is_not_editor(arguments: Mapping[str, Any]) -> bool:
    return not isinstance(arguments.get("path"), str)


def _stated(
    name: str, recorded: dict[str, Any], message: str, result_text: str
) -> dict[str, Any] | None:
    """Arguments that the message states; None if it states none."""
    mcp = _MCP_MESSAGE.search(message)
    whole = message.rstrip()
    if mcp is not None and whole.endswith(_FENCE) and len(whole) - len(_FENCE) >= mcp.end():
        given = whole[mcp.end() : -len(_FENCE)].strip()
        return _literal(given) if mcp.group("name") == name else None
    for prefix, tools, build in _MESSAGES:
        if message.startswith(prefix) and name in tools:
            return build(message[len(prefix) :], recorded)
    edited = _EDITED.match(message)
    if edited is not None and name in _EDITORS:
        return _edit(edited.group("path"), recorded, result_text)
    return None


def _literal(text: str) -> dict[str, Any] | None:
    """Arguments printed as a Python dict, or as JSON."""
    if len(text) > MAX_LITERAL:
        return None
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        value = jsonio.loads_text(text)
    if not isinstance(value, dict):
        return None
    return {key: item for key, item in value.items() if isinstance(key, str)}


def _command(stated: str, recorded: dict[str, Any]) -> dict[str, Any]:
    return recorded if recorded.get("command") == stated else {"command": stated}


def _code(stated: str, recorded: dict[str, Any]) -> dict[str, Any]:
    return recorded if recorded.get("code") == stated else {"code": stated}


def _thought(stated: str, recorded: dict[str, Any]) -> dict[str, Any]:
    return recorded if recorded.get("thought") == stated else {"thought": stated}


def _view(stated: str, recorded: dict[str, Any]) -> dict[str, Any]:
    """A view of a file; a recorded line range is kept only for the path it was recorded with."""
    path = stated.strip()
    if recorded.get("path") == path and recorded.get("command") == "view":
        return recorded
    return {"command": "view", "path": path}


def _edit(path: str, recorded: dict[str, Any], result_text: str) -> dict[str, Any]:
    if recorded.get("path") == path and recorded.get("command") != "view":
        return recorded
    command = "create" if result_text.startswith("File created successfully") else "str_replace"
    return {"command": command, "path": path}


_EDITORS = frozenset({"str_replace_editor", "file_editor", "edit_file"})
_MESSAGES = (
    ("Running command: ", frozenset({"execute_bash", "terminal"}), _command),
    ("Running Python code interactively: ", frozenset({"execute_ipython_cell"}), _code),
    ("Reading file: ", _EDITORS, _view),
    ("I am thinking...: ", frozenset({"think"}), _thought),
)


def parameters_of(agent: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """Tool name to the names of its parameters, from the definitions in the trajectory."""
    result: dict[str, frozenset[str]] = {}
    for item in as_items(agent.get("tool_definitions")):
        function = as_mapping(as_mapping(item).get("function"))
        properties = as_mapping(function.get("parameters")).get("properties")
        if isinstance(function.get("name"), str) and isinstance(properties, dict):
            result[function["name"]] = frozenset(properties)
    return result
