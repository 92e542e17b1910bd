"""What one harness does to a trajectory that other harnesses do not.

ATIF says how calls are written, but not how a harness counts, names and repeats them. A harness
that repairs calls describes this in a `dialect.py` in its folder; `trace.py` lists the dialects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import msgspec

from groundtrace.base.frozen import Frozen


class RepairedArguments(msgspec.Struct, frozen=True):
    """Arguments of a call after repair."""

    arguments: dict[str, Any]
    repaired: bool = False
    lost: bool = False
    """The recorded arguments belong to another call, and the true ones are unknown."""


class OwnText(NamedTuple):
    """A tool's own text, without what the harness wrapped around it."""

    text: str
    failed: bool
    """Whether the wrapping, or the harness instead of the tool, says that the call failed."""


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
        """The true arguments of a call; `suspicious` if the step has no usage of its own."""

    def own_text(self, content: str, *, cut: bool) -> OwnText:
        """The tool's own text; `cut` if only the start of `content` is left."""

    def server(self, name: str) -> str | None:
        """The MCP server of a tool whose name does not show it."""


class Dialect(Frozen, frozen=True):
    """What is special about one harness; the defaults are for a harness that is not known."""

    harness: str = ""
    """Its name in `agent.name`, lower case."""
    has_variants: bool = False
    """Whether names that only begin with `harness` belong to it too (`openhands-sdk`)."""
    tools: frozenset[str] = frozenset()
    """Tools that only this harness has: they identify it when its name is lost by damage."""
    spawners: frozenset[str] = frozenset()
    """Names of its tools that start a subagent."""
    repeats_usage: bool = False
    """Whether each content block is a step with the usage of the whole message."""
    usage_once_an_answer: bool = False
    """Whether a step without usage is a further call of the same model answer."""
    output_is_placeholder: bool = False
    """Whether `total_completion_tokens` is a sum of placeholders."""
    repair: Callable[[Mapping[str, Any]], CallRepair] | None = None
    """Makes the repair for a trajectory from its `agent`."""

    def is_of(self, name: str) -> bool:
        """Whether a harness of this name writes this dialect."""
        return name.startswith(self.harness) if self.has_variants else name == self.harness
