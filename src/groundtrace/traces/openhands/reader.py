"""OpenHands' own logs, and how they are recognised.

Where they lie: `output.jsonl` of an evaluation or of the resolver, one row per instance with its
`history`; `trajectory.json`, a list of events; `sessions/<id>/events/<n>.json`, one file per event; `<conversation>/events/event-00001-<uuid>.json` of
the SDK (V1), one file per event, or all events in one JSONL file.

Their shape: an action is one event, and its observation is another event that names it (`cause` in
V0, `action_id` in V1). Events of V1 have a `kind`. The log of one model call
(`llm_completions/…/<model>-<epoch>.json`) is a conversation, see `traces/chat`. OpenHands' ATIF is
read by `traces/atif`, with this package's `dialect.py`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundtrace.base.patterns import regex
from groundtrace.traces.kit.claims import Probe, Recognised
from groundtrace.traces.kit.reading import ReadsSamples
from groundtrace.traces.openhands import ONE_EVENT

if TYPE_CHECKING:
    from groundtrace.storage import Folder

_START = regex(rb"\s*+(?:\xef\xbb\xbf)?\s*+(?:\[\s*+)*+\{")
_RUN = regex(rb'"agent_class"\s*:\s*"')
_AROUND = regex(rb'"(?:test_result|llm_config|eval_output_dir|max_iterations)"\s*:')
_HISTORY = regex(
    rb'"history"\s*:\s*\[[\s\[]{0,99}+\{(?:(?!"trajectory"\s{0,9}:).){0,512}?'
    rb'"(?:action|observation|kind)"\s*:\s*"\w+"',
    re.DOTALL,
)
_ISSUE = regex(rb'"issue"\s*:\s*\{.*"issue_type"\s*:', re.DOTALL)
_V0 = regex(
    rb'\s*\[\s*\[?\s*\{(?=[^\[\]]{0,4000}"source"\s*:\s*"(?:agent|user|environment)")'
    rb'\s*"id"\s*:\s*\d+\s*,\s*"timestamp"\s*:'
)
_OF_V0 = regex(rb'"(?:action|observation)"\s*:\s*"\w+"')
_V1 = regex(rb'"kind"\s*:\s*"\w*(?:Event|Observation|Condensation)"')
_V1_HEAD = regex(rb'"source"\s*:\s*"(?:agent|user|environment|hook)"')


class OpenHandsReader(ReadsSamples):
    """Reader of OpenHands' evaluations and event logs."""

    name = "openhands"
    own_names: tuple[str, ...] = ("output.jsonl",)
    patterns: tuple[str, ...] = ()

    def recognise(self, probe: Probe) -> Recognised | None:
        """By the members of a row, else by the members of its events."""
        head = probe.head
        if not _START.match(head):
            return None
        if _RUN.search(head) and _AROUND.search(head):
            return Recognised("marker", "agent_class beside the run's configuration")
        if _ISSUE.search(head) and b'"git_patch"' in head:
            return Recognised("marker", "rows of OpenHands' resolver")
        if _HISTORY.search(head) and b'"instance_id"' in head:
            return Recognised("marker", "rows with a history of OpenHands' events")
        if _V0.match(head):
            return Recognised("marker", "a list of OpenHands' events")
        if ONE_EVENT.match(head) and _OF_V0.search(head):
            return Recognised("marker", "one of OpenHands' events")
        if _V1.search(head) and _V1_HEAD.search(head) and b'"timestamp"' in head:
            return Recognised("marker", "events of OpenHands' SDK")
        return None

    def part_of(self, folder: Folder, path: str) -> str | None:
        """`output.jsonl`, for a file of attempts: it holds the chosen ones (D103)."""
        from groundtrace.traces.openhands.trace import ATTEMPT, OUTPUT

        if folder.name == "event_cache":
            return "the files of events beside this folder"
        return OUTPUT if ATTEMPT.fullmatch(path) and folder.has_file(OUTPUT) else None
