"""Inspect's logs: `.eval` archives and JSON.

reader.py   how they are recognised
archive.py  members of an archive, bounded and never written to disk
logs.py     the samples of a log, whichever form it has
stated.py   what a sample says of itself: task, scores, limits, tokens
spans.py    which part of a sample an event belongs to: agent, nested agent, scorer
sample.py   one sample as a source
calls.py    calls out of messages, where a sample has no events of tools
"""

from __future__ import annotations

from groundtrace.traces.inspect_ai.reader import InspectReader

__all__ = ["InspectReader"]
