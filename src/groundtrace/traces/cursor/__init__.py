"""Cursor's command line: the lines that it prints.

reader.py       where the files lie, and how they are recognised
transcript.py   one file, line by line or collected
lines.py        the shape of a line
calls.py        what a line says of one call
"""

from __future__ import annotations

from groundtrace.traces.cursor.reader import CursorReader

__all__ = ["CursorReader"]
