"""Undoing what OpenHands does to a trajectory.

Parallel calls have the first call's arguments, MCP results are JSON inside JSON, and MCP tools have
bare names. A reader does not know which server offers a tool: it only says that the tool is MCP,
and the tool table finds the server by the tool's name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groundtrace.base import jsonio
from groundtrace.base.cut_json import read_prefix
from groundtrace.base.mcp import UNKNOWN_SERVER, content_text, envelope_of
from groundtrace.traces.atif.dialect import Dialect, OwnText, RepairedArguments
from groundtrace.traces.openhands.arguments import parameters_of, repair_arguments

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
    if cut:
        return read_prefix(content).value
    try:
        return jsonio.loads(content.encode("utf-8", errors="surrogatepass"))
    except jsonio.BadJsonError:
        return None


OPENHANDS = Dialect(
    harness="openhands",
    has_variants=True,
    tools=frozenset({"execute_bash", "str_replace_editor", "execute_ipython_cell"}),
    usage_once_an_answer=True,
    repair=OpenHandsRepair,
)
