"""mcpbr's logs, and how they are recognised.

Where they lie: in the folder that `mcpbr run --log-dir` names, one file for each task and side:
`<instance>_<run_type>_<YYYYMMDD_HHMMSS>.json`. The verdicts of all tasks are in `results.json`
(`--output`), which `discover.verdicts` reads.

Their shape: one object with `instance_id`, `run_type` (`mcp`, `baseline`, `mcp_server_a`, …) and
`events`, the list of the lines that Claude Code's command line printed.
"""

from __future__ import annotations

from groundtrace.base.patterns import regex
from groundtrace.traces.kit.claims import Probe, Recognised
from groundtrace.traces.kit.reading import ReadsFiles

_START = regex(rb"(?:\xef\xbb\xbf)?\s*+\{")
_SIDE = regex(rb'"run_type"\s*:\s*"')
_EVENTS = regex(rb'"events"\s*:\s*\[')


class McpbrReader(ReadsFiles):
    """Reader of mcpbr's logs."""

    name = "mcpbr"
    patterns: tuple[str, ...] = ("agent/mcpbr*.json",)

    def recognise(self, probe: Probe) -> Recognised | None:
        """By the members around the events."""
        head = probe.head
        if b'"run_type"' not in head or b'"instance_id"' not in head or not _START.match(head):
            return None
        if _SIDE.search(head) and _EVENTS.search(head):
            return Recognised("marker", '"run_type" and "events"')
        return None
