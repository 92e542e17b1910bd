"""SWE-agent's trajectories, and how they are recognised.

Where they lie: `trajectories/<user>/<run>/<instance>.traj` (0.x) and
`<run>/<instance>/<instance>.traj` (1.x).

Their shape: one JSON object with `trajectory`, `history` and `info`. `trajectory` is what ran: each
step has an `action`, which is a command line, and its `observation`. `history` is what the model
saw; it may be pruned and may hold a demonstration. 1.x repeats the whole prompt in every step.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from groundtrace.base.patterns import regex
from groundtrace.traces.kit.claims import Probe, Recognised, Sample
from groundtrace.traces.kit.reading import ReadsFiles

if TYPE_CHECKING:
    from groundtrace.storage import Folder

_OBJECT = regex(rb"\s*+(?:\xef\xbb\xbf)?\s*+\{")
_STEPS = regex(
    rb'"trajectory"\s*:\s*\[\s*\{\s*'
    rb'"(?:action|observation|response|thought|state|query|messages|execution_time|extra_info)"\s*:'
)
_NO_STEPS = regex(rb'"trajectory"\s*:\s*\[\s*\]')
_HISTORY = regex(rb'"history"\s*:\s*\[')
_OWN_HISTORY = regex(rb'"(?:message_type|is_demo|agent)"\s*:')
_OWN_STEP = regex(rb'"(?:action|observation)"\s*:')


class SweAgentReader(ReadsFiles):
    """Reader of SWE-agent's trajectories."""

    name = "swe-agent"
    own_names: tuple[str, ...] = ("*.traj",)
    patterns: tuple[str, ...] = ("agent/*.traj",)
    harness_words: tuple[tuple[str, str], ...] = (("swe_agent", "swe-agent"),)

    def recognise(self, probe: Probe) -> Recognised | None:
        """By its steps; by its history if it has no steps."""
        head = probe.head
        if not _OBJECT.match(head):
            return None
        if _STEPS.search(head) and _OWN_STEP.search(head):
            return Recognised("marker", "steps of action and observation")
        history = _HISTORY.search(head)
        if history and (_NO_STEPS.search(head) or _OWN_HISTORY.search(head, history.end())):
            return Recognised("shape", "a history of SWE-agent without steps")
        return None

    def samples(self, folder: Folder, path: str) -> Iterator[Sample]:
        """The file is one sample, or not a trial: a demonstration, or a history without steps."""
        from groundtrace.traces.swe_agent.records import read_info

        stated, no_trial = read_info(folder, path)
        yield Sample(None, stated, no_trial)
