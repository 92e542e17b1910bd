"""Cursor's command line: the lines that it prints.

reader.py       where the files are, and how they are recognised
transcript.py   one file, of lines or of collected lines
lines.py        the type of a line
calls.py        what a line says about one call
"""

from __future__ import annotations

from groundtrace.traces.cursor.reader import CursorReader

__all__ = ["CursorReader"]
