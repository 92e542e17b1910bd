"""mini-swe-agent's trajectories, and how they are recognised.

Where they lie: `<instance>/<instance>.traj.json` in the folder of a batch; Harbor keeps one as
`agent/mini-swe-agent.trajectory.json`.

Their shape: one JSON object with `info`, `messages` and `trajectory_format` (`mini-swe-agent-1`,
`mini-swe-agent-1.1`); before 1.0 a bare list of messages. A command is a fence in the model's
reply, from 2.0 on also `extra.actions` or a tool call. Each command runs in a new shell.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from groundtrace.base.patterns import regex
from groundtrace.traces.kit.claims import Probe, Recognised, Sample
from groundtrace.traces.kit.reading import ReadsFiles

if TYPE_CHECKING:
    from groundtrace.storage import Folder

_FORMAT = regex(rb'"trajectory_format"\s*:\s*"(mini-swe-agent-[\w.]+)"')
_VERSION = regex(rb'"mini_version"\s*:\s*"')
_INFO = regex(rb'\s*+(?:\xef\xbb\xbf)?\s*+\{\s*+"(?:info|messages|trajectory_format|instance_id)"')
_STATS = regex(rb'"(?:exit_status|model_stats|instance_cost)"\s*:')
_MESSAGES = regex(rb'\s*+(?:\xef\xbb\xbf)?\s*+\[\s*+\{\s*+"(?:role|content)"\s*+:')
_FENCE = regex(rb"```(?:bash|mswea_bash_command)\s*\\n")
_OWN_ANSWER = b"<returncode>"


class MiniSweAgentReader(ReadsFiles):
    """Reader of mini-swe-agent's trajectories."""

    name = "mini-swe-agent"
    patterns: tuple[str, ...] = ("agent/*.traj.json", "agent/mini-swe-agent*.json")
    harness_words: tuple[tuple[str, str], ...] = (("mini_swe", "mini-swe-agent"),)
    own_names: tuple[str, ...] = ("*.traj.json",)

    def recognise(self, probe: Probe) -> Recognised | None:
        """By the format or version that the file states, then by its form."""
        head = probe.head
        found = _FORMAT.search(head, max(0, head.find(b'"trajectory_format"')))
        if found is not None:
            return Recognised("marker", f"trajectory_format {found.group(1).decode()}")
        if _INFO.match(head) and _STATS.search(head) and (_VERSION.search(head)):
            return Recognised("marker", '"mini_version" in the first lines')
        if _MESSAGES.match(head) and _FENCE.search(head) and _OWN_ANSWER in head:
            return Recognised("shape", "a list of messages with bash fences and return codes")
        if _INFO.match(head) and b'"messages"' in head and (_FENCE.search(head)):
            return Recognised("shape", "an object of messages with bash fences")
        return None

    def samples(self, folder: Folder, path: str) -> Iterator[Sample]:
        """The file is one sample; its statements are read without decoding the messages."""
        from groundtrace.traces.mini_swe_agent.load import read_info

        yield Sample(None, read_info(folder, path))
