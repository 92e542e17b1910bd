"""Who found relevant files (D74): counts of one trial that can be summed, and the sums of a group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from msgspec import UNSET, UnsetType

from groundtrace.documents.base import in_order
from groundtrace.documents.metrics import DiscoveredFile, Finder, MetricsDocument
from groundtrace.documents.summary import DiscoverySummary, FinderCounts
from groundtrace.metrics.context import NO_SERVER
from groundtrace.metrics.discovery import MAIN_THREAD, SUBAGENT
from groundtrace.rows.trial_row import Find, FoundBy

FILES, FOUND, SHOWN = ("files", "", ""), ("found", "", ""), ("shown", "", "")
"""Keys of the totals."""

DIMENSIONS: Mapping[str, Callable[[Finder], str]] = {
    "by_tool": lambda finder: finder.tool,
    "by_server": lambda finder: NO_SERVER if finder.mcp_server is None else finder.mcp_server,
    "by_agent": lambda finder: MAIN_THREAD if finder.agent is None else SUBAGENT,
}
"""Ways to group finders. Ids of subagents are not one: they mean nothing outside their trial."""

_MET_BY: Mapping[str, Callable[[DiscoveredFile], Sequence[str]]] = {
    "by_tool": lambda file: file.tools,
    "by_server": lambda file: file.mcp_servers,
    "by_agent": lambda file: sorted(
        {name if name == MAIN_THREAD else SUBAGENT for name in file.agents}
    ),
}


def finders_of(metrics: MetricsDocument) -> dict[Find, int]:
    """Counts of files that each finder met first, showed first, or was the only one to find."""
    counts: Counter[Find] = Counter()
    files = [] if metrics.discovery is UNSET else metrics.discovery.files
    for file in files:
        counts[FILES] += 1
        counts[FOUND] += file.first_met is not None
        counts[SHOWN] += file.first_shown is not None
        for dimension, name_of in DIMENSIONS.items():
            if file.first_met is not None:
                counts[dimension, name_of(file.first_met), "first_met"] += 1
            if file.first_shown is not None:
                counts[dimension, name_of(file.first_shown), "first_shown"] += 1
            met_by = _MET_BY[dimension](file)
            if len(met_by) == 1:
                counts[dimension, met_by[0], "only"] += 1
    return {key: count for key, count in sorted(counts.items()) if count}


def found_by(metrics: MetricsDocument) -> dict[str, FoundBy | None]:
    """Each relevant file of a trial to the call that met it first; None if nothing met it."""
    files = [] if metrics.discovery is UNSET else metrics.discovery.files
    by_tool, by_server, by_agent = DIMENSIONS.values()
    return {
        file.file: None
        if (first := file.first_met) is None
        else (by_tool(first), by_server(first), by_agent(first))
        for file in files
    }


def discovery_summary(finds: Mapping[Find, int]) -> DiscoverySummary | UnsetType:
    """The summed counts as shares of all relevant files; absent if nothing was counted."""
    files = finds.get(FILES, 0)
    if not files:
        return UNSET
    groups = {
        dimension: {
            name: _counts(finds, dimension, name, files)
            for name in in_order({name: None for where, name, _ in finds if where == dimension})
        }
        for dimension in DIMENSIONS
    }
    found, shown = finds.get(FOUND, 0), finds.get(SHOWN, 0)
    return DiscoverySummary(files=files, found=found, shown=shown, **groups)


def _counts(finds: Mapping[Find, int], dimension: str, name: str, files: int) -> FinderCounts:
    first_met = finds.get((dimension, name, "first_met"), 0)
    only = finds.get((dimension, name, "only"), 0)
    return FinderCounts(
        first_met=first_met,
        first_shown=finds.get((dimension, name, "first_shown"), 0),
        only=only,
        share_first_met=first_met / files,
        share_only=only / files,
    )
