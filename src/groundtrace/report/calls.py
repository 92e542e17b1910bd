"""What a call did, in one word, and which kind of call met each relevant file first.

The page uses the words to colour calls and to name kinds of calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Literal, get_args

from groundtrace.base.frozen import Frozen
from groundtrace.documents.events import Event
from groundtrace.metrics.evidence import RETRIEVED
from groundtrace.model import AccessKind, Category
from groundtrace.rows.trial_row import Detail

Deed = Literal[
    "written", "read", "matched", "surfaced", "failed", "nothing", "shell", "unknown", "other"
]
DEEDS: tuple[Deed, ...] = get_args(Deed)

DEED_WORDS: Mapping[Deed, str] = {
    "written": "wrote a file",
    "read": "opened a file",
    "matched": "a search showed lines",
    "surfaced": "only names came back",
    "failed": "failed or was refused",
    "nothing": "found nothing",
    "shell": "shell, no file seen",
    "unknown": "tool not known",
    "other": "other tool",
}
"""What each colour of a call means."""

WAYS: Mapping[Category, str] = {
    "file_read": "opening a file",
    "file_search": "listing or finding files",
    "symbol_navigation": "symbol navigation",
    "code_search": "code search",
    "commit_search": "commit search",
    "deep_search": "deep search",
    "file_write": "an editing tool",
    "other": "another tool",
}
"""Kinds of calls by the category of their tool."""

_STRONGEST: Sequence[AccessKind] = ("written", "read", "matched", "surfaced")


def is_shell(event: Event) -> bool:
    """Whether the call ran a command line: tools of the category `other` that take a command."""
    return event.tool_category == "other" and "command" in event.arguments


def way_of(event: Event) -> str:
    """The kind of call; calls to MCP servers and local calls are different kinds."""
    way = "a shell command" if is_shell(event) else WAYS[event.tool_category]
    return f"{way}, MCP" if event.is_mcp else way


def strongest_deed(event: Event, kinds: Collection[AccessKind], unknown: Collection[str]) -> Deed:
    """The strongest thing that a call did; `unknown` are tools that are not in the tool table."""
    for kind in _STRONGEST:
        if kind in kinds:
            return kind
    if event.failed is True:
        return "failed"
    if is_shell(event):
        return "shell"
    if event.tool_name in unknown:
        return "unknown"
    return "other" if event.tool_category == "other" else "nothing"


NEVER = "never met"


class FirstMet(Frozen, frozen=True):
    """What one trial adds to the chart."""

    config: str
    files: int
    """Number of its relevant files."""
    ways: tuple[str, ...]
    """The kind of call that met each of them first, for those that were met."""


def first_met(detail: Detail) -> FirstMet | None:
    """What a trial adds; None if it is not known what it met."""
    evidence = detail.evidence
    if evidence.reason is not None:
        return None
    found = [touch for touch in evidence.first(RETRIEVED) if touch.truth is not None]
    ways = tuple(way_of(touch.event) for touch in found)
    return FirstMet(detail.row.config_name, len(evidence.truth), ways)


class FirstFound:
    """Relevant files by configuration and kind of call; each trial counts once."""

    def __init__(self) -> None:
        self.files: Counter[str] = Counter()
        """Configuration to the number of relevant files of its trials with a trace."""
        self.trials: Counter[str] = Counter()
        """Configuration to the number of these trials."""
        self._ways: Counter[tuple[str, str]] = Counter()
        self._seen: set[int] = set()

    def add(self, place: int, trial: FirstMet | None) -> None:
        """Add the trial of one row; a row that was added before is not counted again."""
        if place in self._seen:
            return
        self._seen.add(place)
        if trial is None:
            return
        config = trial.config
        self.trials[config] += 1
        self.files[config] += trial.files
        for way in trial.ways:
            self._ways[config, way] += 1
        self._ways[config, NEVER] += trial.files - len(trial.ways)

    def number(self, config: str, way: str) -> int:
        """Files of a configuration that this kind of call met first."""
        return self._ways[config, way]

    def share(self, config: str, way: str) -> float:
        """The same as a share of the configuration's relevant files."""
        return self._ways[config, way] / self.files[config]

    def ways(self, configs: Collection[str]) -> list[str]:
        """The kinds of calls that met files, most files first; "never met" is last."""
        totals: Counter[str] = Counter()
        for (config, way), number in self._ways.items():
            if config in configs and number:
                totals[way] += number
        return sorted(totals, key=lambda way: (way == NEVER, -totals[way], way))
