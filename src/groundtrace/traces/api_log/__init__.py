"""Logs of home-made agents: what they sent to a model's server, and what it replied.

reader.py   where the files are, and how they are recognised
records.py  messages, items and replies of Anthropic's and OpenAI's servers as turns
trace.py    one log, or one row of a data set, as a source
"""

from __future__ import annotations

from groundtrace.traces.api_log.reader import ApiLogReader

__all__ = ["ApiLogReader"]
