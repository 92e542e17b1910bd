"""Cursor's command line: the lines that it prints.

reader.py   where the files are, and how they are recognised
records.py  a line as a type, and what it says about one call
trace.py    one file, of lines or of collected lines
"""

from __future__ import annotations

from groundtrace.traces.cursor.reader import CursorReader

__all__ = ["CursorReader"]
