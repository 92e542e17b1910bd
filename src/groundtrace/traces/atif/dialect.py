"""What one harness does to a trajectory that others do not.

ATIF says how calls are written, not how a harness counts, names and repeats them. A harness that
has its own ways states them in a `dialect.py` in its folder; `harness.py` lists these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import msgspec


class RepairedArguments(msgspec.Struct, frozen=True):
    """Arguments of a call after repair."""

    arguments: dict[str, Any]
    repaired: bool = False
    lost: bool = False
    """The recorded ones belong to another call and nothing tells the true ones."""


class OwnText(NamedTuple):
    """A tool's own text out of what the harness wrapped around it."""

    text: str
    failed: bool
    """The wrapping, or the harness in place of the tool, says that the call failed."""


class CallRepair(Protocol):
    """Undoes what a harness does to the calls of one trajectory."""

    def arguments(
        self,
        name: str,
        recorded: dict[str, Any],
        message: str,
        *,
        suspicious: bool,
        result_text: str,
    ) -> RepairedArguments:
        """The true arguments of a call; `suspicious` where the step has no usage of its own."""

    def own_text(self, content: str, *, cut: bool) -> OwnText:
        """The tool's own text; `cut` where only the head of `content` is left."""

    def server(self, name: str) -> str | None:
        """The MCP server of a tool whose name does not tell."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One harness's ways; the defaults are those of a harness that nothing is known of."""

    harness: str = ""
    """Its name in `agent.name`, lower case."""
    has_variants: bool = False
    """Names that only begin with `harness` are its too (`openhands-sdk`)."""
    tools: frozenset[str] = frozenset()
    """Tools that only it has: they tell it where damage took the name."""
    spawners: frozenset[str] = frozenset()
    """Names of its tools that start a subagent."""
    repeats_usage: bool = False
    """One step per content block, each with the usage of the whole message."""
    usage_once_an_answer: bool = False
    """A step without usage is a further call of the model answer before it."""
    output_is_placeholder: bool = False
    """`total_completion_tokens` adds up placeholders."""
    repair: Callable[[Mapping[str, Any]], CallRepair] | None = None
    """Makes the repair of a trajectory from its `agent`."""

    def is_of(self, name: str) -> bool:
        """Whether a harness of this name writes the dialect."""
        return name.startswith(self.harness) if self.has_variants else name == self.harness
