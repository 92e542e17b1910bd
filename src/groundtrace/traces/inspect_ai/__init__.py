"""Inspect's logs: `.eval` archives and JSON.

reader.py   how they are recognised
archive.py  members of an archive: size limits, nothing is written to disk
logs.py     the samples of a log, in either form
stated.py   what a sample says about itself: task, scores, limits, tokens
spans.py    which part of a sample an event belongs to: agent, nested agent, scorer
events.py   an event as types
sample.py   one sample as a source
calls.py    calls from messages, for a sample without tool events
"""

from __future__ import annotations

from groundtrace.traces.inspect_ai.reader import InspectReader

__all__ = ["InspectReader"]
