"""aider's chat histories.

reader.py   where the files are, and how they are recognised
records.py  the sessions of a history, and what its lines say
trace.py    one session as a source
"""

from __future__ import annotations

from groundtrace.traces.aider.reader import AiderReader

__all__ = ["AiderReader"]
