"""Gemini CLI's sessions and streams.

reader.py   where the files are, and how they are recognised
records.py  messages of a session as types
trace.py    one session, JSON or JSONL, as a source
outputs.py  the output of a call, without what Gemini CLI puts around it
stream.py   what `gemini --output-format stream-json` printed
"""

from __future__ import annotations

from groundtrace.traces.gemini.reader import GeminiReader

__all__ = ["GeminiReader"]
