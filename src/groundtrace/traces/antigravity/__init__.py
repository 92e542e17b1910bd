"""Antigravity's transcripts.

reader.py   where the files are, and how they are recognised
records.py  a step as a type, its arguments, and its answer without the frame around it
trace.py    one transcript as a source
"""

from __future__ import annotations

from groundtrace.traces.antigravity.reader import AntigravityReader

__all__ = ["AntigravityReader"]
