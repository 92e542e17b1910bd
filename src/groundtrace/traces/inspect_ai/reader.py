"""Inspect's logs, and how they are recognised.

Where they lie: `logs/<time>_<task>_<id>.eval`, or `.json` if the user asked for it.

Their shape: an archive with `header.json`, `samples/<id>_epoch_<n>.json` and `summaries.json`,
packed with deflate or zstd; or one object with `version`, `status`, `eval` and `samples`. Each
sample and epoch is a trial.
"""

from __future__ import annotations

from groundtrace.base.patterns import regex
from groundtrace.traces.kit.claims import Probe, Recognised
from groundtrace.traces.kit.reading import ReadsSamples

_ZIP = b"PK\x03\x04"
_NAMES = (b"_journal/", b"header.json", b"samples/", b"summaries.json", b"reductions.json")
_START = regex(
    rb'\s*+(?:\xef\xbb\xbf)?\s*+\{\s*+"(?:version|status)"\s*+:\s*+(?:\d|"(?:started|success|cancelled|error)")'
)
_EVAL = regex(rb'"eval"\s*:\s*\{')
_TASK = regex(rb'"task(?:_id)?"\s*:\s*"')


class InspectReader(ReadsSamples):
    """Reader of Inspect's logs."""

    name = "inspect"
    own_names: tuple[str, ...] = ("*.eval",)
    patterns: tuple[str, ...] = ("agent/*.eval",)
    harness_words: tuple[tuple[str, str], ...] = (("inspect_ai", "inspect"),)

    def recognise(self, probe: Probe) -> Recognised | None:
        """By the first member of an archive, or by the start of a JSON log."""
        head = probe.head
        if head.startswith(_ZIP):
            length = int.from_bytes(head[26:28], "little")
            name = head[30 : 30 + length]
            if name.startswith(_NAMES):
                return Recognised("marker", f"an archive that begins with {name[:60]!r}")
            return None
        if b'"eval"' in head and _START.match(head) and _EVAL.search(head) and _TASK.search(head):
            return Recognised("marker", 'a log with "status" and "eval"')
        return None
