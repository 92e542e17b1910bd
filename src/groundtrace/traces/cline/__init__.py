"""Cline's and Roo Code's conversations.

reader.py   where the files are, and how they are recognised
records.py  a message as a type, and the calls that are XML in its text
trace.py    one conversation as a source
"""

from __future__ import annotations

from groundtrace.traces.cline.reader import ClineReader

__all__ = ["ClineReader"]
