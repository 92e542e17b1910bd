"""Data sets of conversations: every row is a trial.

reader.py    how they are recognised
records.py   what a row states about its trial
trace.py     one row as a source
dialects.py  how a reply calls tools: objects, XML, back-ticks
answers.py   the answer to a call, without the frame around it
"""

from __future__ import annotations

from groundtrace.traces.chat.reader import ChatReader

__all__ = ["ChatReader"]
