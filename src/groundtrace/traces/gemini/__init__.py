"""Gemini CLI's sessions and streams.

reader.py   where they lie and how they are recognised
session.py  one session, JSON or JSONL, as a source
outputs.py  what a call gave, out of what Gemini CLI puts around it
stream.py   what `gemini --output-format stream-json` printed
"""

from __future__ import annotations

from groundtrace.traces.gemini.reader import GeminiReader

__all__ = ["GeminiReader"]
