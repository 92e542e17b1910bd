"""OpenTelemetry's GenAI spans and the events that command lines send as logs.

reader.py   where the files are, and how they are recognised
records.py  spans and events as one type
files.py    the spans of a file, trial by trial
trace.py    one trial as a source
"""

from __future__ import annotations

from groundtrace.traces.otel.reader import OtelReader

__all__ = ["OtelReader"]
